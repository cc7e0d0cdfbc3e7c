#include "app/line_output.hpp"

#include "bytes/printable.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace orbis::app {

namespace {

constexpr std::size_t k_most_lines = 16'384;
/// A pipe that can be written to at all takes so much without waiting.
constexpr std::size_t k_piece = 4096;
/// So long the rest may take at the end.
constexpr int k_patience_ms = 1000;

} // namespace

LineOutput::LineOutput(Console& console)
    : console_(console), end_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), thread_([this] { run(); }) {}

LineOutput::~LineOutput() {
    {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
    }
    changed_.notify_all();
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(end_.number(), &one, sizeof one);
    thread_.join();
}

void LineOutput::add(std::string line) {
    if (!console_.json()) line = printable(line, true);
    {
        const std::lock_guard lock(mutex_);
        if (lines_.size() >= k_most_lines) {
            ++left_out_;
            return;
        }
        lines_.push_back(std::move(line));
    }
    changed_.notify_one();
}

std::string LineOutput::take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_over_ || !lines_.empty(); });
    std::string text;
    while (!lines_.empty() && text.size() < k_piece) {
        text += lines_.front();
        text += '\n';
        lines_.pop_front();
    }
    if (left_out_ > 0 && lines_.empty()) {
        console_.note(fmt::format("{} lines were dropped because nobody read them in time", left_out_));
        left_out_ = 0;
    }
    return text;
}

bool LineOutput::wait_for_room() const {
    bool is_ending = false;
    for (;;) {
        std::array<pollfd, 2> watched{{{STDOUT_FILENO, POLLOUT, 0}, {end_.number(), POLLIN, 0}}};
        const auto count = poll(watched.data(), is_ending ? 1 : 2, is_ending ? k_patience_ms : -1);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 || watched[0].revents != 0) return true; // an error shows when it is written to
        if (is_ending) return false;
        is_ending = true;
    }
}

bool LineOutput::write(std::string_view text) {
    while (!text.empty()) {
        const auto piece = text.substr(0, k_piece);
        if (!wait_for_room()) return false;
        console_.bytes(as_bytes(piece));
        // A closed output does not end a server.
        (void)console_.flush();
        text.remove_prefix(piece.size());
    }
    return true;
}

void LineOutput::run() {
    for (;;) {
        const auto text = take();
        if (text.empty() || !write(text)) return;
    }
}

} // namespace orbis::app
