#include "app/live_lines.hpp"

#include "bytes/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace orbis::app {

namespace {

/// Of a terminal that does not say.
constexpr unsigned k_usual_rows = 24;
constexpr unsigned k_usual_columns = 80;

winsize size_of_terminal() {
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) size = {};
    if (size.ws_row == 0) size.ws_row = k_usual_rows;
    if (size.ws_col == 0) size.ws_col = k_usual_columns;
    return size;
}

/// A line that is too long would take two. All of what is shown here is ASCII, or shorter than it looks.
std::string_view fit(std::string_view line, std::size_t columns) { return line.substr(0, columns); }

} // namespace

std::size_t LiveLines::room() {
    return isatty(STDERR_FILENO) == 0 ? 1 : std::max<std::size_t>(1, size_of_terminal().ws_row - 1U);
}

void LiveLines::show(Console& console, double seconds, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    if (isatty(STDERR_FILENO) == 0) {
        if (seconds < next_line_) return;
        next_line_ = seconds + k_seconds_between_lines;
        console.note(lines.front());
        return;
    }
    const auto size = size_of_terminal();
    clear();
    std::string text;
    shown_ = std::min(lines.size(), room());
    for (std::size_t i = 0; i < shown_; ++i) {
        if (i > 0) text += '\n';
        text += fit(printable(lines[i]), size.ws_col - 1U);
    }
    fmt::print(stderr, "{}", text);
    std::fflush(stderr);
}

void LiveLines::clear() {
    if (shown_ == 0) return;
    // Up to the first line, then away with all below.
    fmt::print(stderr, "\r{}\x1b[J", shown_ > 1 ? fmt::format("\x1b[{}A", shown_ - 1) : "");
    std::fflush(stderr);
    shown_ = 0;
}

void add_live_table(std::vector<std::string>& lines, std::string head, std::size_t rows, std::size_t room,
                    const std::function<std::string(std::size_t row)>& row) {
    constexpr std::size_t k_least_room = 3;
    constexpr std::size_t k_most_rows = 20;
    if (room < k_least_room) return;
    lines.push_back(std::move(head));
    const auto shown = rows <= room - 1 ? rows : std::min(room - 2, k_most_rows);
    for (std::size_t i = 0; i < shown; ++i) lines.push_back(row(i));
    if (shown < rows) lines.push_back(fmt::format("and {} more", rows - shown));
}

} // namespace orbis::app
