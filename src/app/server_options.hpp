#pragma once

#include "bytes/result.hpp"
#include "net/time.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace orbis::app {

/// The first line of a file that a user keeps a password in.
Result<std::string> read_password_file(const std::filesystem::path& path);

/// A player name as servers take it: 1 to 16 plain characters.
Result<void> check_player_name(std::string_view name);

/// Reads `500ms`, `10s`, `2m` or `1h`; the error says which option it was.
Result<net::Duration> parse_time(std::string_view option, std::string_view text);

/// What an option says, or the mistake in it as one of the command line.
template <typename T>
Result<T> option_value(std::string_view option, Result<T> read) {
    if (read) return read;
    auto problem = std::move(read).error();
    problem.code = Errc::usage;
    return fail(std::move(problem).about(option));
}

/// Notes that the user wants to end the run (Ctrl+C), instead of ending it at once. For verbs that have
/// something to tell or to finish then; a second signal ends the program.
class StopSignal {
public:
    StopSignal();
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;
    [[nodiscard]] static bool was_given();
};

} // namespace orbis::app
