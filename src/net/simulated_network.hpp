#pragma once

#include "net/clock.hpp"
#include "net/quic_endpoint.hpp"

#include <map>
#include <queue>
#include <random>

namespace orbis::net {

/// Endpoints joined by simulated wires with a simulated clock. The same seed gives the same losses, so a
/// failure can be seen again; hours take no longer than the packets in them.
class SimulatedNetwork final : public Clock {
public:
    struct Conditions {
        double loss = 0;      ///< chance of a datagram to be lost
        double duplicate = 0; ///< chance to arrive twice
        double reorder = 0;   ///< chance to be held back for a few more delays
        double corrupt = 0;   ///< chance of a flipped bit
        Duration delay = std::chrono::milliseconds(5);
        std::size_t largest = 65'536; ///< larger datagrams are lost, as on a path with a small MTU
    };

    explicit SimulatedNetwork(std::uint64_t seed = 1) : random_(seed) {}

    Conditions conditions;

    void attach(const Address& address, QuicEndpoint& endpoint);
    void detach(const Address& address);
    [[nodiscard]] Time now() const override { return now_; }
    [[nodiscard]] std::chrono::sys_time<Duration> wall() const override {
        return std::chrono::sys_time<Duration>(std::chrono::seconds(1'770'000'000)) + now_.time_since_epoch();
    }

    /// Sends a datagram of our own making.
    void inject(const Address& from, const Address& to, Bytes datagram);
    /// Lets time pass until the condition holds; false when it did not within `limit`.
    bool run_until(const std::function<bool()>& condition, Duration limit = std::chrono::seconds(30));
    void run_for(Duration time);

    /// Called at least every 50 ms, as loops call their sessions.
    std::function<void()> ticker;
    /// Sees each datagram as it is sent.
    std::function<void(const Address& from, const Address& to, Bytes)> observer;
    /// Where datagrams without a receiver end.
    std::function<void(const Address& from, const Address& to, Bytes)> stranger;

private:
    struct Delivery {
        Time time;
        std::uint64_t order;
        Address from;
        Address to;
        Buffer datagram;
        bool operator<(const Delivery& other) const {
            return std::pair(time, order) > std::pair(other.time, other.order); // earliest on top
        }
    };
    struct Attached {
        Address address;
        QuicEndpoint* endpoint;
    };

    void send(const Address& from, const Address& to, Bytes datagram);
    void flush();
    bool step(Time limit);
    bool chance(double probability) { return std::bernoulli_distribution(probability)(random_); }

    std::mt19937_64 random_;
    Time now_ = Time(std::chrono::hours(1));
    Time next_tick_ = now_;
    std::uint64_t order_ = 0;
    std::vector<Attached> endpoints_;
    std::priority_queue<Delivery> under_way_;
};

} // namespace orbis::net
