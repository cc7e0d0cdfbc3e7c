#include "app/command_serve_input.hpp"

#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace orbis::app {
namespace {

constexpr std::size_t k_longest_line = 4096;
constexpr int k_most_tickets = 16;
/// How often a program in the background looks whether it has the terminal again.
constexpr int k_look_again_ms = 1000;

/// A process that reads a terminal from the background is stopped by the system.
bool is_in_background(int descriptor) {
    const auto foreground = tcgetpgrp(descriptor);
    return foreground > 0 && foreground != getpgrp();
}

} // namespace

struct LineInput::Gate {
    std::mutex mutex;
    std::condition_variable changed;
    int tickets = 0;
    bool is_over = false;
};

LineInput::LineInput(int descriptor, Take take)
    : descriptor_(descriptor),
      take_(std::move(take)),
      end_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      gate_(std::make_shared<Gate>()) {
    // Without the descriptor that ends it, the thread could not be ended.
    if (end_.number() >= 0) thread_ = std::thread([this] { run(); });
}

LineInput::~LineInput() {
    {
        const std::lock_guard lock(gate_->mutex);
        gate_->is_over = true;
    }
    gate_->changed.notify_all();
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(end_.number(), &one, sizeof one);
    if (thread_.joinable()) thread_.join();
}

bool LineInput::wait() {
    for (;;) {
        const bool must_not_read = is_in_background(descriptor_);
        std::array<pollfd, 2> watched{{{end_.number(), POLLIN, 0}, {descriptor_, POLLIN, 0}}};
        const auto count = poll(watched.data(), must_not_read ? 1 : 2, must_not_read ? k_look_again_ms : -1);
        if (count < 0 && errno != EINTR) return false;
        if (watched[0].revents != 0) return false;
        if (!must_not_read && watched[1].revents != 0) return (watched[1].revents & POLLNVAL) == 0;
    }
}

void LineInput::run() {
    // The terminal may be taken away between the question and the read: then the read fails.
    sigset_t background{};
    sigemptyset(&background);
    sigaddset(&background, SIGTTIN);
    pthread_sigmask(SIG_BLOCK, &background, nullptr);

    std::array<char, 4096> buffer{};
    while (wait()) {
        const auto count = read(descriptor_, buffer.data(), buffer.size());
        if (count > 0) {
            split({buffer.data(), static_cast<std::size_t>(count)});
            continue;
        }
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (count < 0 && errno == EIO && is_in_background(descriptor_)) continue;
        break;
    }
    if (!line_.empty() || is_too_long_) hand_over(); // the last may have no end
}

void LineInput::split(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto end = std::min(bytes.find('\n'), bytes.size());
        if (line_.size() + end > k_longest_line)
            is_too_long_ = true;
        else if (!is_too_long_)
            line_.append(bytes.substr(0, end));
        if (end == bytes.size()) return;
        bytes.remove_prefix(end + 1);
        hand_over();
    }
}

void LineInput::hand_over() {
    Result<std::string> line = std::move(line_);
    if (is_too_long_) line = fail(Errc::usage, "the line is longer than {} bytes", k_longest_line);
    line_.clear();
    is_too_long_ = false;
    {
        std::unique_lock lock(gate_->mutex);
        gate_->changed.wait(lock, [this] { return gate_->is_over || gate_->tickets < k_most_tickets; });
        if (gate_->is_over) return;
        ++gate_->tickets;
    }
    Ticket ticket(nullptr, [gate = gate_](void*) {
        const std::lock_guard lock(gate->mutex);
        --gate->tickets;
        gate->changed.notify_all();
    });
    take_(std::move(line), std::move(ticket));
}

} // namespace orbis::app
