#pragma once

#include "net/loop.hpp"
#include "net/udp_socket.hpp"

#include <deque>
#include <functional>

namespace orbis::net {

/// A loop in which nothing waits: if nothing is left to do, its clock goes to the next moment at once. Its
/// UDP sockets are simulated and reach only each other. Whole servers and their clients can
/// share one, so that minutes of theirs take no longer than what they do in them, on any machine.
///
/// Other threads may post as usual. The clock does not know what they are busy with: `speed` lets them have
/// some time, and while it `stands` all that they need.
class SimulatedLoop final : public Loop {
public:
    static Result<std::unique_ptr<SimulatedLoop>> make();

    /// How long a datagram is under way.
    Duration delay = std::chrono::milliseconds(1);
    /// How many times faster than real time the clock goes at most; 0 for no limit.
    int speed = 0;
    /// While this is true the clock waits for another thread to post something.
    std::function<bool()> stands;
    /// Datagrams from this port wait until another is set.
    void hold(std::uint16_t port);
    void let_go() { hold(0); }
    [[nodiscard]] Time read_clock() const override { return now_; }

    void watch(int descriptor, bool for_reading, bool for_writing, Ready ready) override;
    void unwatch(int descriptor) override;
    Result<UdpSocket> bind_udp(const Address& address, bool shares_port) override;
    /// Only this machine can be reached.
    Result<UdpSocket> connect_udp(const Address& peer) override;

    [[nodiscard]] std::chrono::sys_time<Duration> wall() const override { return began_ + (now_ - Time{}); }

private:
    class Port;

    SimulatedLoop() = default;
    void wait(Time until) override;
    UdpSocket open(Address address);
    void send(Port& from, const DatagramBatch& batch);
    void arrive(int sender, const Path& path, Buffer bytes, std::size_t segment, std::uint8_t ecn);

    std::chrono::sys_time<Duration> began_{std::chrono::seconds(1'770'000'000)};
    std::unordered_map<int, Port*> ports_; ///< by descriptor, which is their number below zero
    std::uint16_t held_port_ = 0;
    std::vector<Task> held_;           ///< what this port has sent
    std::uint16_t next_port_ = 20'000; ///< for sockets that take any port; none comes twice
};

} // namespace orbis::net
