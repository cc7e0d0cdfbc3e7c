#pragma once

#include "bytes/result.hpp"
#include "net/clock.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace orbis::net {

class Address;
class UdpSocket;

/// Something that a loop gives a turn whenever it wakes up.
class Worker {
public:
    virtual ~Worker() = default;
    /// Does what is due; true when it wants another turn at once.
    virtual bool turn() = 0;
    /// When it wants to be woken up at the latest.
    [[nodiscard]] virtual Time deadline() const = 0;
};

/// Waits for descriptors, moments and messages of other threads, in one thread. Moments are kept to the
/// nanosecond, as far as the kernel does: gaps between paced packets are far below a millisecond.
///
/// Tests use `SimulatedLoop`, where no time is waited for.
class Loop : public Clock {
public:
    static Result<std::unique_ptr<Loop>> make();
    ~Loop() override;
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    /// The moment when the loop woke up.
    [[nodiscard]] Time now() const override { return now_; }
    /// The moment right now, to measure how long things take.
    [[nodiscard]] virtual Time read_clock() const;

    using Ready = std::function<void(bool readable, bool writable)>;
    virtual void watch(int descriptor, bool for_reading, bool for_writing, Ready ready);
    virtual void unwatch(int descriptor);
    /// Sockets whose descriptors this loop can watch: one that listens, and one for a single peer.
    virtual Result<UdpSocket> bind_udp(const Address& address, bool shares_port);
    virtual Result<UdpSocket> connect_udp(const Address& peer);

    using Task = std::move_only_function<void()>;
    struct Timer {
        Time time = k_never;
        std::uint64_t number = 0;
        auto operator<=>(const Timer&) const = default;
    };
    Timer at(Time time, Task task);
    Timer after(Duration time, Task task) { return at(now_ + time, std::move(task)); }
    void cancel(const Timer& timer);

    void add(Worker& worker) { workers_.push_back(&worker); }
    void remove(Worker& worker) { std::erase(workers_, &worker); }

    /// Runs a task in the loop's thread. The only functions that other threads may call are this and `stop`.
    void post(Task task);
    void stop();

    void run();
    /// For programs that wait for one thing: runs until it is so, or until the time is over.
    bool run_until(const std::function<bool()>& condition, Duration limit);

protected:
    Loop() = default;
    Result<void> begin();
    /// Hands over what descriptors have, after at most `left`; without limit if it is null. Whether there was
    /// any.
    bool poll(const Duration* left);
    /// Waits for descriptors until a moment.
    virtual void wait(Time until);

    Time now_{};

private:
    void sleep(Time until);
    bool run_workers();
    void run_posted();
    void run_timers();

    struct Watched {
        std::uint32_t events = 0;
        std::shared_ptr<Ready> ready;
    };

    int epoll_ = -1;
    int wake_ = -1;
    bool is_stopped_ = false;
    std::uint64_t timers_made_ = 0;
    std::unordered_map<int, Watched> watched_;
    std::map<Timer, Task> timers_;
    std::vector<Worker*> workers_;
    std::mutex mutex_;
    std::vector<Task> posted_; ///< by `mutex_`
};

} // namespace orbis::net
