#include "net/simulated_loop.hpp"

#include <cerrno>

namespace orbis::net {
namespace {

/// No descriptor of the system is below zero.
int imagined_descriptor(std::uint16_t port) { return -2 - port; }

} // namespace

class SimulatedLoop::Port final : public ImaginedSocket {
public:
    Port(SimulatedLoop& loop, const Address& at) : address(at), loop_(loop) {
        loop_.ports_.emplace(descriptor(), this);
    }
    ~Port() override { loop_.ports_.erase(descriptor()); }
    Port(const Port&) = delete;
    Port& operator=(const Port&) = delete;

    [[nodiscard]] int descriptor() const override { return imagined_descriptor(address.port()); }
    void receive(const std::function<void(const ReceivedBatch&)>& take) override {
        for (const auto& [path, bytes, segment, ecn] : std::exchange(arrived, {}))
            take({path, bytes, segment, ecn});
    }
    std::size_t send(const DatagramBatch& batch) override {
        loop_.send(*this, batch);
        return batch.bytes.size();
    }
    int take_failure() override { return std::exchange(failure, 0); }

    struct Arrived {
        Path path;
        Buffer bytes;
        std::size_t segment;
        std::uint8_t ecn;
    };
    Address address;
    std::deque<Arrived> arrived;
    Ready ready;
    int failure = 0;

private:
    SimulatedLoop& loop_;
};

Result<std::unique_ptr<SimulatedLoop>> SimulatedLoop::make() {
    std::unique_ptr<SimulatedLoop> made(new SimulatedLoop);
    TRY_DO(made->begin());
    return made;
}

void SimulatedLoop::wait(Time until) {
    if (until == k_never || (stands && stands())) { // only other threads can go on
        poll(nullptr);
        return;
    }
    const auto left = speed > 0 ? std::max(until - now_, Duration::zero()) / speed : Duration::zero();
    if (!poll(&left)) now_ = std::max(now_, until);
}

void SimulatedLoop::watch(int descriptor, bool for_reading, bool for_writing, Ready ready) {
    const auto found = ports_.find(descriptor);
    if (found == ports_.end()) return Loop::watch(descriptor, for_reading, for_writing, std::move(ready));
    found->second->ready = std::move(ready);
}

void SimulatedLoop::unwatch(int descriptor) {
    const auto found = ports_.find(descriptor);
    if (found == ports_.end()) return Loop::unwatch(descriptor);
    found->second->ready = nullptr;
}

UdpSocket SimulatedLoop::open(Address address) {
    if (address.port() == 0) {
        while (ports_.contains(imagined_descriptor(next_port_))) ++next_port_;
        address.set_port(next_port_++);
    }
    return UdpSocket::imagined(address, std::make_unique<Port>(*this, address));
}

Result<UdpSocket> SimulatedLoop::bind_udp(const Address& address, bool) {
    if (ports_.contains(imagined_descriptor(address.port()))) {
        errno = EADDRINUSE;
        return fail(socket_failure("listen on UDP", address));
    }
    return open(address);
}

Result<UdpSocket> SimulatedLoop::connect_udp(const Address& peer) {
    if (!peer.is_loopback()) {
        errno = ENETUNREACH;
        return fail(socket_failure("reach", peer));
    }
    return open(peer.family() == AF_INET ? Address::loopback_v4(0) : Address::loopback_v6(0));
}

void SimulatedLoop::send(Port& from, const DatagramBatch& batch) {
    Task arrives = [this, sender = from.descriptor(), segment = batch.segment, ecn = batch.ecn,
                    path = Path{batch.path.remote, batch.path.local},
                    bytes = Buffer(batch.bytes.begin(), batch.bytes.end())]() mutable {
        arrive(sender, path, std::move(bytes), segment, ecn);
    };
    if (from.address.port() == held_port_)
        held_.push_back(std::move(arrives));
    else
        at(now_ + delay, std::move(arrives));
}

void SimulatedLoop::arrive(int sender, const Path& path, Buffer bytes, std::size_t segment,
                           std::uint8_t ecn) {
    const auto found = ports_.find(imagined_descriptor(path.local.port()));
    if (found == ports_.end()) {
        if (const auto port = ports_.find(sender); port != ports_.end()) port->second->failure = ECONNREFUSED;
        return;
    }
    auto& port = *found->second;
    port.arrived.push_back({path, std::move(bytes), segment, ecn});
    if (const auto ready = port.ready) ready(true, false); // a copy: it may be changed meanwhile
}

void SimulatedLoop::hold(std::uint16_t port) {
    held_port_ = port;
    for (auto& arrives : std::exchange(held_, {})) at(now_ + delay, std::move(arrives));
}

} // namespace orbis::net
