#pragma once

#include "bytes/result.hpp"
#include "net/address.hpp"

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace orbis::game {

/// What the owner of a server types while it runs (docs/serve.md).
struct ConsoleCommand {
    enum class Kind : std::uint8_t {
        help,
        status,
        players,
        worlds,
        say,      ///< `text`
        kick,     ///< `player`; `text` is the reason
        move,     ///< `player` into the world `text`
        refer,    ///< `player`, or with `*` everybody, to the server `to`
        teleport, ///< `player` to `place` in its world
        save,     ///< what was edited, now
        reload,   ///< the settings
        stop,     ///< after `notice`; `text` is the reason
    };

    Kind kind = Kind::help;
    std::string player{};
    std::string text{};
    net::HostPort to{};
    std::array<double, 3> place{};
    std::optional<std::chrono::seconds> notice{}; ///< nothing for the usual one

    /// Reads a line. An empty one is nothing; an error says what the command should look like.
    static Result<std::optional<ConsoleCommand>> parse(std::string_view line);

    /// All commands, one per line, each with a short description.
    static std::string_view help_text();
};

} // namespace orbis::game
