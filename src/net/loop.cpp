#include "net/loop.hpp"

#include "net/udp_socket.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace orbis::net {

Result<std::unique_ptr<Loop>> Loop::make() {
    std::unique_ptr<Loop> made(new Loop);
    TRY_DO(made->begin());
    return made;
}

Result<void> Loop::begin() {
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (epoll_ < 0 || wake_ < 0)
        return fail(error(Errc::io, "cannot start an event loop: {}", std::strerror(errno))
                        .advise("allow more open files (`ulimit -n`)"));
    now_ = Loop::read_clock();
    Loop::watch(wake_, true, false, [this](bool, bool) {
        std::uint64_t count = 0;
        while (read(wake_, &count, sizeof count) > 0) {
        }
    });
    return {};
}

Time Loop::read_clock() const {
    return std::chrono::time_point_cast<Duration>(std::chrono::steady_clock::now());
}

Result<UdpSocket> Loop::bind_udp(const Address& address, bool shares_port) {
    return UdpSocket::bind(address, {.shares_port = shares_port, .tells_address = true});
}

Result<UdpSocket> Loop::connect_udp(const Address& peer) { return UdpSocket::connect(peer); }

Loop::~Loop() {
    if (epoll_ >= 0) close(epoll_);
    if (wake_ >= 0) close(wake_);
}

void Loop::watch(int descriptor, bool for_reading, bool for_writing, Ready ready) {
    auto& watched = watched_[descriptor];
    epoll_event event{};
    event.events = (for_reading ? EPOLLIN : 0u) | (for_writing ? EPOLLOUT : 0u);
    event.data.fd = descriptor;
    const bool is_new = !watched.ready;
    watched.ready = std::make_shared<Ready>(std::move(ready));
    watched.events = event.events;
    epoll_ctl(epoll_, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event);
}

void Loop::unwatch(int descriptor) {
    if (watched_.erase(descriptor) > 0) epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr);
}

Loop::Timer Loop::at(Time time, Task task) {
    const Timer timer{time, timers_made_++};
    timers_.emplace(timer, std::move(task));
    return timer;
}

void Loop::cancel(const Timer& timer) { timers_.erase(timer); }

void Loop::post(Task task) {
    {
        const std::lock_guard lock(mutex_);
        posted_.push_back(std::move(task));
    }
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written =
        write(wake_, &one, sizeof one); // full means that it wakes up anyway
}

void Loop::stop() {
    post([this] { is_stopped_ = true; });
}

void Loop::run_posted() {
    std::vector<Task> tasks;
    {
        const std::lock_guard lock(mutex_);
        tasks.swap(posted_);
    }
    for (auto& task : tasks) task();
}

void Loop::run_timers() {
    while (!timers_.empty() && timers_.begin()->first.time <= now_) {
        auto task = std::move(timers_.begin()->second);
        timers_.erase(timers_.begin());
        task();
    }
}

void Loop::wait(Time until) {
    const auto left = until == k_never ? Duration::zero() : std::max(until - read_clock(), Duration::zero());
    poll(until == k_never ? nullptr : &left);
}

bool Loop::poll(const Duration* left) {
    std::array<epoll_event, 64> events{};
    timespec time{};
    if (left) time = {left->count() / 1'000'000'000, left->count() % 1'000'000'000};
    const auto count =
        epoll_pwait2(epoll_, events.data(), static_cast<int>(events.size()), left ? &time : nullptr, nullptr);
    now_ = read_clock();
    for (int at = 0; at < count; ++at) {
        const auto& event = events[static_cast<std::size_t>(at)];
        const auto found = watched_.find(event.data.fd);
        if (found == watched_.end()) continue; // by one before it in this turn
        const auto ready = found->second.ready;
        const bool failed = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
        (*ready)((event.events & EPOLLIN) != 0 || failed, (event.events & EPOLLOUT) != 0 || failed);
    }
    return count > 0;
}

bool Loop::run_workers() {
    bool is_busy = false;
    for (std::size_t at = 0; at < workers_.size(); ++at) is_busy |= workers_[at]->turn();
    return is_busy;
}

void Loop::sleep(Time until) {
    if (!timers_.empty()) until = std::min(until, timers_.begin()->first.time);
    for (const auto* worker : workers_) until = std::min(until, worker->deadline());
    wait(until);
    run_posted();
    run_timers();
}

void Loop::run() {
    while (!is_stopped_) sleep(run_workers() ? now_ : k_never);
    is_stopped_ = false;
}

bool Loop::run_until(const std::function<bool()>& condition, Duration limit) {
    now_ = read_clock();
    const auto end = now_ + limit;
    for (;;) {
        const bool is_busy = run_workers();
        if (condition()) return true;
        if (now_ >= end || is_stopped_) return false;
        sleep(is_busy ? now_ : end);
    }
}

} // namespace orbis::net
