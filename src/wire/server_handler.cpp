#include "packets/player.hpp"
#include "packets/setup.hpp"
#include "protocol/uuid.hpp"
#include "wire/ending.hpp"
#include "wire/inside.hpp"
#include "wire/server_state.hpp"

namespace orbis::wire {

namespace {

/// One player: takes it through setup if that is wished, and turns what comes into events.
class PlayerEar final : public net::SessionHandler {
public:
    PlayerEar(ServerState& server, std::shared_ptr<PlayerState> player, net::ServerSession& session)
        : server_(server), player_(std::move(player)), session_(session) {
        player_->session = &session;
        if (server_.sets_up) {
            packets::WorldSettings settings;
            settings.world_height = k_world_height;
            (void)session_.send(settings);
        } else {
            join();
        }
    }

    bool on_packet(const protocol::Frame& frame) override {
        static const auto& build = Inside::state(Protocol());
        early_.push_back(
            Inside::frame(build, frame.id, Buffer(frame.payload.begin(), frame.payload.end()), frame.length));
        if (server_.sets_up && !set_up(frame.id)) return false;
        if (has_joined_) hand_over();
        return true;
    }

    void on_delivered(net::Channel) override { player_->on_the_way.set_held(player_->held()); }

    void on_closed(const net::Close& close) override {
        player_->session = nullptr;
        player_->is_connected = false;
        if (!has_joined_) return;
        std::optional<std::string> said;
        if (!session_.farewell().empty()) said = session_.farewell();
        server_.add({ServerEvent::Kind::left, PlayerState::handle(player_), {}, ending_of(close, said)});
    }

private:
    /// The answers of an empty world; false when the player cannot go on.
    bool set_up(std::int32_t packet) {
        if (packet == packets::RequestAssets::k_info.id)
            return session_.send(packets::WorldLoadFinished{}).has_value();
        if (packet != packets::PlayerOptions::k_info.id || has_joined_) return true;
        if (!session_.begin_play() || !session_.send(packets::JoinWorld{})) return false;
        player_->is_in_world = true;
        join();
        return true;
    }

    void join() {
        has_joined_ = true;
        server_.add({ServerEvent::Kind::joined, PlayerState::handle(player_), {}, {}});
    }

    void hand_over() {
        for (auto& frame : std::exchange(early_, {})) {
            player_->keep(frame.payload().size());
            server_.add({ServerEvent::Kind::packet, PlayerState::handle(player_), std::move(frame), {}});
        }
    }

    ServerState& server_;
    std::shared_ptr<PlayerState> player_;
    net::ServerSession& session_;
    bool has_joined_ = false;
    std::vector<Frame> early_; ///< that came before the player joined
};

class ServerEar final : public net::ServerHandler {
public:
    ServerEar(ServerState& server, net::Loop& loop) : server_(server), loop_(loop) {}

    std::optional<std::string> closed_because() override {
        if (server_.is_full()) return "The server is busy. Connect again later.";
        return {};
    }
    std::unique_ptr<net::SessionHandler> welcome(net::ServerSession& session) override {
        auto player = std::make_shared<PlayerState>();
        player->name = session.player().name;
        player->uuid = protocol::uuid_text(session.player().uuid);
        player->address = session.link().peer().address.text();
        player->server = server_.weak_from_this();
        player->loop = &loop_;
        return std::make_unique<PlayerEar>(server_, std::move(player), session);
    }

private:
    ServerState& server_;
    net::Loop& loop_;
};

} // namespace

std::unique_ptr<net::ServerHandler> make_server_handler(ServerState& server, net::Loop& loop) {
    return std::make_unique<ServerEar>(server, loop);
}

} // namespace orbis::wire
