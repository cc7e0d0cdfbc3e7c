#pragma once

#include "app/command_serve_signals.hpp"
#include "app/game_server.hpp"
#include "app/serve_events.hpp"
#include "game/serve/console.hpp"
#include "game/serve/serve_settings.hpp"

namespace orbis::app {

/// The settings that a game needs.
game::ServerFacts facts_of(const game::ServeSettings& settings);
/// The password to get in; empty if none is asked for.
Result<std::string> password_of(const game::ServeSettings& settings);

/// The owner of a server, as far as the program knows: what is typed, signals, and settings that are
/// read again. All functions but `run` are for the thread of the game.
class ServeOwner {
public:
    struct Start {
        game::ServeSettings given{};  ///< on the command line, which wins
        game::ServeSettings all{};    ///< those with which the server was started
        std::string password{};       ///< then
        std::filesystem::path file{}; ///< of settings; empty for none
    };

    ServeOwner(Start start, ServeEvents& events, SignalWatch& signals)
        : start_(std::move(start)),
          now_(start_.all),
          password_(start_.password),
          events_(events),
          signals_(signals) {}

    /// Takes signals from now on; to be called before the loop runs.
    void listen(net::Loop& loop);
    /// Does what is typed, until the server has stopped.
    void run(GameServer& server);

private:
    void on_signal(int number);
    void on_line(const Result<std::string>& line);
    game::ConsoleAnswer reload();
    game::ConsoleAnswer stop(std::optional<std::chrono::seconds> notice, const std::string& reason,
                             std::string_view why);

    Start start_;
    game::ServeSettings now_;
    std::string password_;
    ServeEvents& events_;
    SignalWatch& signals_;
    int early_signal_ = 0;   ///< came before the server ran
    bool is_ending_ = false; ///< a signal has said so
    std::unique_ptr<game::GameConsole> console_;
    GameServer* server_ = nullptr;
};

} // namespace orbis::app
