#pragma once

#include "bytes/result.hpp"
#include "game/serve/wire_figures.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::game {

struct ConsoleCommand;
class ServedGame;
class Player;

/// What came of a command.
struct ConsoleAnswer {
    bool is_done = true; ///< else the lines say why not
    std::vector<std::string> lines{};
};

/// Does what the owner of a server types (docs/serve.md). In the thread of the game.
class GameConsole {
public:
    /// What is done by the program around the game.
    struct Owner {
        std::function<ConsoleAnswer()> reload;
        /// Says itself that it stops; the answer says why it does not. Without a notice, with the usual one.
        std::function<ConsoleAnswer(std::optional<std::chrono::seconds> notice, const std::string& reason)>
            stop;
        std::function<WireFigures()> wire;
    };

    GameConsole(ServedGame& game, Owner owner) : game_(game), owner_(std::move(owner)) {}

    /// Reads a line and does what it says. There may be nothing to answer.
    ConsoleAnswer run(std::string_view line);

private:
    ConsoleAnswer run(const ConsoleCommand& command);
    [[nodiscard]] ConsoleAnswer status() const;
    [[nodiscard]] ConsoleAnswer players() const;
    [[nodiscard]] ConsoleAnswer worlds() const;
    ConsoleAnswer move(const ConsoleCommand& command);
    ConsoleAnswer teleport(const ConsoleCommand& command);
    ConsoleAnswer refer(const ConsoleCommand& command);
    ConsoleAnswer save();
    /// Does something to a player; says so when there is none of that name.
    template <typename Act>
    ConsoleAnswer with_player(const std::string& name, Act act);

    ServedGame& game_;
    Owner owner_;
};

class Histogram;

/// `half within 1 ms, 99 % within 5 ms`: the bounds that so many stay below.
std::string half_and_most(const Histogram& times);

/// `2 d 3 h`, `4 min 5 s`, `0 s`: the two largest units that say anything.
std::string long_time(std::chrono::seconds time);

} // namespace orbis::game
