#include "app/server_options.hpp"

#include "bytes/file.hpp"
#include "bytes/json_writer.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <csignal>

namespace orbis::app {

namespace {

/// A password is a line; a file that is larger is another one than was meant.
constexpr std::uint64_t k_largest_password_file = 4096;

std::atomic<bool> stop_was_given = false;

void note_stop(int number) {
    stop_was_given = true;
    (void)std::signal(number, SIG_DFL);
}

} // namespace

Result<std::string> read_password_file(const std::filesystem::path& path) {
    TRY(const auto file, open_file(path, FileMode::read));
    TRY(auto text, read_text(*file, k_largest_password_file));
    text.resize(std::min(text.find_first_of("\r\n"), text.size()));
    if (text.empty())
        return fail(error(Errc::usage, "the first line must be the password, but it is empty")
                        .in_file(path.string())
                        .advise("write the password there, without blanks around it"));
    return text;
}

Result<void> check_player_name(std::string_view name) {
    const bool is_plain = std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; });
    if (!name.empty() && name.size() <= 16 && is_plain) return {};
    return fail(error(Errc::usage, "a player name has 1 to 16 ASCII characters without blanks, unlike {}",
                      json_quoted(name))
                    .advise("use letters, digits and _"));
}

Result<net::Duration> parse_time(std::string_view option, std::string_view text) {
    double value = 0;
    const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit(stop, static_cast<std::size_t>(text.data() + text.size() - stop));
    const double seconds = unit == "ms" ? 0.001 : unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
    if (problem != std::errc() || seconds == 0 || !(value > 0) || value * seconds > 86'400 * 30)
        return fail(error(Errc::usage, "{} must be a time such as 500ms, 30s, 5m or 1h, not {}", option,
                          json_quoted(text)));
    return std::chrono::duration_cast<net::Duration>(std::chrono::duration<double>(value * seconds));
}

StopSignal::StopSignal() {
    stop_was_given = false;
    for (const int number : {SIGINT, SIGTERM}) (void)std::signal(number, note_stop);
}

StopSignal::~StopSignal() {
    for (const int number : {SIGINT, SIGTERM}) (void)std::signal(number, SIG_DFL);
}

bool StopSignal::was_given() { return stop_was_given; }

} // namespace orbis::app
