#include "app/game_server.hpp"

#include "world/location.hpp"

#include <algorithm>

namespace orbis::app {

namespace {

/// Where players begin when nothing else is said, as in the game.
constexpr std::string_view k_first_world = "default";

} // namespace

Result<std::vector<net::Address>> parse_bind(std::string_view text) {
    // Port 0, any that is free, is nothing that a client could be given.
    const bool is_any = text.ends_with(":0") && (text.front() == '[' || text.find(':') == text.size() - 2);
    if (is_any) text.remove_suffix(2);
    TRY(auto where, net::parse_host_port(text));
    if (is_any) where.port = 0;
    return net::resolve(where);
}

void put_first_world_first(std::vector<world::World>& worlds) {
    std::ranges::stable_partition(
        worlds, [](const auto& world) { return world.provider.type != storage::Provider::Type::empty; });
    std::ranges::stable_partition(worlds, [](const auto& world) { return world.name == k_first_world; });
}

Result<std::unique_ptr<GameServer>> GameServer::start(const std::vector<world::World>& worlds,
                                                      net::ServerSettings settings,
                                                      const net::Identity& identity,
                                                      const game::GameRules& rules, game::GameEvents& events,
                                                      const Prepare& prepare) {
    std::unique_ptr<GameServer> made(new GameServer);
    Result<void> opened;
    TRY(made->server_, net::Server::start(std::move(settings), identity, [&](net::Loop& loop, std::size_t) {
            auto made_game = std::make_unique<game::ServedGame>(loop, rules, events);
            opened = made_game->open(worlds);
            made->loop_ = &loop;
            made->game_ = made_game.get();
            if (opened && prepare) prepare(loop, *made_game);
            return made_game;
        }));
    TRY_DO(opened);
    return made;
}

game::WireFigures GameServer::figures() const {
    const auto traffic = server_->traffic();
    return {server_->connections(), traffic.sent_bytes, traffic.sent_datagrams, traffic.received_bytes,
            traffic.received_datagrams};
}

void GameServer::begin_stop(std::chrono::seconds notice, const std::string& reason) {
    game_->begin_stop(notice, reason, [this, reason] {
        is_over_.set_value(reason.empty() ? "The server stops." : "The server stops: " + reason);
    });
}

void GameServer::wait_for_end() { server_->stop(is_over_.get_future().get()); }

} // namespace orbis::app
