#include "game/serve/console_command.hpp"

#include "bytes/utf8.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace orbis::game {

namespace {

/// The longest notice that `stop` gives: a day.
constexpr int k_longest_notice = 86'400;

/// Blocks from the middle of the world, as far as places go on the command line too.
constexpr double k_farthest_teleport = 30'000'000;

/// Words of a line, one after another; the rest is free text.
class Words {
public:
    explicit Words(std::string_view line) : rest_(trim(line)) {}

    std::string_view next() {
        const auto end = std::min(rest_.find_first_of(" \t"), rest_.size());
        const auto word = rest_.substr(0, end);
        rest_ = trim(rest_.substr(end));
        return word;
    }
    [[nodiscard]] std::string_view rest() const { return rest_; }

private:
    static std::string_view trim(std::string_view text) {
        constexpr std::string_view k_blank = " \t\r\n";
        const auto begin = text.find_first_not_of(k_blank);
        if (begin == std::string_view::npos) return {};
        return text.substr(begin, text.find_last_not_of(k_blank) - begin + 1);
    }

    std::string_view rest_;
};

using Kind = ConsoleCommand::Kind;

Result<void> read_say(Words words, ConsoleCommand& command) {
    if (words.rest().empty()) return fail(Errc::usage, "say: what? Write: say TEXT");
    command.text = words.rest();
    return {};
}

Result<void> read_kick(Words words, ConsoleCommand& command) {
    command.player = words.next();
    if (command.player.empty()) return fail(Errc::usage, "kick: whom? Write: kick PLAYER [REASON]");
    command.text = words.rest();
    return {};
}

Result<void> read_move(Words words, ConsoleCommand& command) {
    command.player = words.next();
    command.text = words.rest();
    if (command.text.empty())
        return fail(Errc::usage, "move needs a player and a world. Write: move PLAYER WORLD");
    return {};
}

Result<void> read_refer(Words words, ConsoleCommand& command) {
    command.player = words.next();
    if (words.rest().empty())
        return fail(Errc::usage, "refer needs a player and a server. Write: refer PLAYER|* HOST[:PORT]");
    TRY(command.to, net::parse_host_port(words.rest()));
    return {};
}

/// A number such as 12, -7.5 or, with the sign that people write before it, +3.
std::optional<double> read_coordinate(std::string_view word) {
    if (word.starts_with('+')) word.remove_prefix(1);
    double number = 0;
    const auto* end = word.data() + word.size();
    const auto [stopped, failed] = std::from_chars(word.data(), end, number, std::chars_format::fixed);
    if (failed != std::errc() || stopped != end || !(std::abs(number) <= k_farthest_teleport))
        return std::nullopt;
    return number;
}

Result<void> read_teleport(Words words, ConsoleCommand& command) {
    constexpr std::string_view k_form = "Write: teleport PLAYER X Y Z";
    command.player = words.next();
    std::string numbers(words.rest());
    std::ranges::replace(numbers, ',', ' '); // as places are written elsewhere
    Words rest(numbers);
    for (auto& coordinate : command.place) {
        const auto word = rest.next();
        if (word.empty()) return fail(Errc::usage, "teleport needs a player and a place. {}", k_form);
        const auto number = read_coordinate(word);
        if (!number) return fail(Errc::usage, "teleport: {} is not a coordinate. {}", word, k_form);
        coordinate = *number;
    }
    if (!rest.rest().empty()) return fail(Errc::usage, "teleport: unexpected {}. {}", rest.rest(), k_form);
    return {};
}

Result<void> read_stop(Words words, ConsoleCommand& command) {
    const auto rest = words.rest();
    const auto first = rest.find_first_not_of("+-");
    if (first != std::string_view::npos && rest[first] >= '0' && rest[first] <= '9') {
        const auto number = words.next();
        int seconds = 0;
        const auto* end = number.data() + number.size();
        const auto [stopped, failed] = std::from_chars(number.data(), end, seconds);
        if (failed != std::errc() || (stopped != end && std::string_view(stopped, end) != "s") || seconds < 0
            || seconds > k_longest_notice)
            return fail(Errc::usage,
                        "stop: {} is not a number of seconds up to {}. Write: stop [SECONDS] [REASON]",
                        number, k_longest_notice);
        command.notice = std::chrono::seconds(seconds);
    }
    command.text = words.rest();
    return {};
}

Result<void> read_nothing(Words, ConsoleCommand&) { return {}; }

struct CommandForm {
    std::string_view name;
    Kind kind;
    Result<void> (*read)(Words, ConsoleCommand&);
};

constexpr std::array k_known = {
    CommandForm{"help", Kind::help, read_nothing},
    CommandForm{"status", Kind::status, read_nothing},
    CommandForm{"players", Kind::players, read_nothing},
    CommandForm{"worlds", Kind::worlds, read_nothing},
    CommandForm{"say", Kind::say, read_say},
    CommandForm{"kick", Kind::kick, read_kick},
    CommandForm{"move", Kind::move, read_move},
    CommandForm{"refer", Kind::refer, read_refer},
    CommandForm{"teleport", Kind::teleport, read_teleport},
    CommandForm{"save", Kind::save, read_nothing},
    CommandForm{"reload", Kind::reload, read_nothing},
    CommandForm{"stop", Kind::stop, read_stop},
};

} // namespace

Result<std::optional<ConsoleCommand>> ConsoleCommand::parse(std::string_view line) {
    if (!is_utf8(line)) return fail(Errc::usage, "the line is not UTF-8 text");
    Words words(line);
    auto name = words.next();
    if (name.starts_with('/')) name.remove_prefix(1); // as in the game's chat
    if (name.empty()) return std::nullopt;
    const auto* known = std::ranges::find(k_known, name, &CommandForm::name);
    if (known == k_known.end()) return fail(Errc::usage, "unknown command {}; help lists all commands", name);
    std::optional<ConsoleCommand> command(std::in_place);
    command->kind = known->kind;
    TRY_DO(known->read(words, *command));
    return command;
}

std::string_view ConsoleCommand::help_text() {
    return "status                     how the server is doing\n"
           "players                    who is here\n"
           "worlds                     the worlds, and how many players each has\n"
           "say TEXT                   a message for everybody\n"
           "kick PLAYER [REASON]       disconnects a player\n"
           "move PLAYER WORLD          sends a player into another world\n"
           "teleport PLAYER X Y Z      puts a player elsewhere in its world\n"
           "refer PLAYER|* HOST[:PORT] sends a player, or everybody, to another server\n"
           "save                       saves edits now\n"
           "reload                     reads the settings again\n"
           "stop [SECONDS] [REASON]    tells the players, and stops the server\n"
           "help                       this\n";
}

} // namespace orbis::game
