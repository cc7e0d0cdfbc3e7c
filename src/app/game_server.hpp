#pragma once

#include "game/serve/served_game.hpp"
#include "game/serve/wire_figures.hpp"
#include "net/identity.hpp"
#include "net/server.hpp"

#include <future>

namespace orbis::app {

/// The addresses that `--bind` and `--game` mean: `ADDRESS:PORT`, where port 0 is any that is free.
Result<std::vector<net::Address>> parse_bind(std::string_view text);

/// Where players begin comes first: in `default`, else in a world that has something.
void put_first_world_first(std::vector<world::World>& worlds);

/// A server of the game in a thread of its own, for the verbs that let players in.
class GameServer {
public:
    /// `prepare` is called before the thread begins. The rules must fit the worlds; `events` outlives this.
    using Prepare = std::function<void(net::Loop&, game::ServedGame&)>;
    static Result<std::unique_ptr<GameServer>> start(const std::vector<world::World>& worlds,
                                                     net::ServerSettings settings,
                                                     const net::Identity& identity,
                                                     const game::GameRules& rules, game::GameEvents& events,
                                                     const Prepare& prepare = {});
    GameServer(const GameServer&) = delete;
    GameServer& operator=(const GameServer&) = delete;

    [[nodiscard]] net::Server& net() { return *server_; }
    [[nodiscard]] net::Loop& loop() { return *loop_; }
    /// For the thread of the loop.
    [[nodiscard]] game::ServedGame& game() { return *game_; }
    /// Any thread may ask.
    [[nodiscard]] game::WireFigures figures() const;

    /// Tells players and begins to stop; to be called in the thread of the loop. A second call can only
    /// shorten the time.
    void begin_stop(std::chrono::seconds notice, const std::string& reason);
    /// Waits until the time that players were given is over, sends them away and ends. For any thread but
    /// that of the loop, once, after `begin_stop` was called or will be.
    void wait_for_end();

private:
    GameServer() = default;

    std::promise<std::string> is_over_; ///< what players are told last
    net::Loop* loop_ = nullptr;
    game::ServedGame* game_ = nullptr;
    std::unique_ptr<net::Server> server_;
};

} // namespace orbis::app
