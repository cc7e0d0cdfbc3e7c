#include "app/console.hpp"

#include "bytes/json_indent.hpp"
#include "bytes/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>

namespace orbis::app {

namespace {

constexpr auto k_redraw = std::chrono::milliseconds(100);

std::size_t terminal_width(int descriptor) {
    winsize size{};
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return size.ws_col;
}

/// How a terminal begins a colour; it ends with `k_end_of_colour`.
std::string_view colour_of(Tone tone) {
    switch (tone) {
    case Tone::plain: return "";
    case Tone::good: return "\x1b[32m";
    case Tone::warning: return "\x1b[33m";
    case Tone::bad: return "\x1b[31m";
    case Tone::faint: return "\x1b[2m";
    case Tone::heading: return "\x1b[1m";
    }
    return "";
}

constexpr std::string_view k_end_of_colour = "\x1b[0m";

} // namespace

void Console::line(std::string_view text) {
    clear_bar();
    if (json_)
        bytes(as_bytes(text));
    else
        bytes(as_bytes(printable(text, true)));
    note_write(std::fputc('\n', stdout) != EOF);
}

void Console::line(std::span<const Part> parts) {
    clear_bar();
    std::string text;
    for (const auto& part : parts) text += shown(part, STDOUT_FILENO);
    bytes(as_bytes(text));
    note_write(std::fputc('\n', stdout) != EOF);
}

void Console::page(std::string_view text) {
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto one = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const bool is_heading = one.ends_with(':') && !one.starts_with(' ');
        line({{one, is_heading ? Tone::heading : Tone::plain}});
    }
}

bool Console::uses_colour(int descriptor) const {
    if (json_ || colour_ == "never") return false;
    if (colour_ == "always") return true;
    const char* const refused = std::getenv("NO_COLOR");
    const char* const terminal = std::getenv("TERM");
    return (refused == nullptr || *refused == '\0') && isatty(descriptor) == 1
           && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

std::string Console::shown(const Part& part, int descriptor) const {
    auto text = json_ ? std::string(part.text) : printable(part.text, true);
    if (part.tone == Tone::plain || text.empty() || !uses_colour(descriptor)) return text;
    return fmt::format("{}{}{}", colour_of(part.tone), text, k_end_of_colour);
}

void Console::indented_json(std::string_view text) {
    clear_bar();
    bytes(as_bytes(indent_json(text)));
    note_write(std::fputc('\n', stdout) != EOF);
}

void Console::bytes(Bytes bytes) {
    note_write(std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size());
}

void Console::note_write(bool done) {
    if (!done && write_error_ == 0) write_error_ = errno;
}

bool Console::data_goes_to_terminal() { return isatty(STDOUT_FILENO) == 1; }

std::size_t Console::data_width() {
    if (!data_goes_to_terminal()) return 0;
    if (const char* const columns = std::getenv("COLUMNS")) {
        const std::string_view text(columns);
        std::size_t width = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), width);
        if (problem == std::errc() && end == text.data() + text.size() && width > 0) return width;
    }
    return terminal_width(STDOUT_FILENO);
}

void Console::message(std::string_view text) {
    clear_bar();
    note_write(std::fflush(stdout) == 0);         // so that both streams read in order on a terminal
    constexpr std::string_view k_from = "orbis:"; // begins what went wrong
    const bool is_problem = !json_ && text.starts_with(k_from);
    const auto from = is_problem ? shown({k_from, Tone::bad}, STDERR_FILENO) : std::string();
    if (is_problem) text.remove_prefix(k_from.size());
    fmt::print(stderr, "{}{}\n", from, shown({text}, STDERR_FILENO));
}

void Console::note(std::string_view text) {
    if (!quiet_) message(text);
}

void Console::problem(const Error& error) {
    if (!json_) return message(fmt::format("orbis: {}", error.text()));
    JsonWriter json;
    json.object().key("error");
    write_error(json, error);
    json.end();
    message(json.text());
}

Result<void> Console::flush() {
    clear_bar();
    note_write(std::fflush(stdout) == 0);
    if (write_error_ == 0 || write_error_ == EPIPE) return {};
    return fail(error(write_error_ == ENOSPC ? Errc::no_space : Errc::io, "the output is incomplete: {}",
                      std::generic_category().message(write_error_))
                    .in_file("stdout")
                    .advise("free some space or write it somewhere else, then run the command again"));
}

void Console::begin(std::string_view part, std::uint64_t total) {
    clear_bar();
    part_ = part;
    total_ = total;
    done_ = 0;
    started_ = std::chrono::steady_clock::now();
    drawn_ = {};
}

void Console::step() {
    ++done_;
    if (quiet_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - drawn_ < k_redraw) return;
    static const bool terminal = isatty(STDERR_FILENO) == 1;
    if (!terminal) return;
    drawn_ = now;
    draw_bar();
}

void Console::draw_bar() {
    const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    const auto rate = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
    const auto left = rate > 0 && total_ > done_ ? static_cast<double>(total_ - done_) / rate : 0;
    const auto share =
        total_ > 0 ? std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_)) : 1.0;
    const auto text = fmt::format(" {:3.0f}% {}/{} {:.0f}/s {:.0f} s left", share * 100, human_count(done_),
                                  human_count(total_), rate, left);
    const auto columns = terminal_width(STDERR_FILENO);
    const auto used = part_.size() + text.size() + 4;
    const auto width = columns > used ? std::min<std::size_t>(columns - used, 40) : 0;
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
    fmt::print(stderr, "\r{} [{}{}]{}\x1b[K", part_, std::string(filled, '#'),
               std::string(width - filled, '.'), text);
    bar_shown_ = true;
}

void Console::clear_bar() {
    if (!bar_shown_) return;
    fmt::print(stderr, "\r\x1b[K");
    bar_shown_ = false;
}

void write_error(JsonWriter& json, const Error& error) {
    json.object().member("code", name(error.code)).member("message", error.problem);
    if (!error.file.empty()) json.member("file", error.file);
    if (const auto subject = error.subject(); !subject.empty()) json.member("subject", subject);
    if (error.offset) json.member("offset", *error.offset);
    if (!error.advice.empty()) json.member("advice", error.advice);
    json.end();
}

std::string human_bytes(std::uint64_t bytes) {
    if (bytes < 1024) return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
    constexpr std::array units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string human_count(std::uint64_t count) {
    auto digits = fmt::format("{}", count);
    for (auto at = static_cast<std::int64_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    return digits;
}

std::string counted(std::uint64_t count, std::string_view thing) {
    return fmt::format("{} {}{}", human_count(count), thing, count == 1 ? "" : "s");
}

} // namespace orbis::app
