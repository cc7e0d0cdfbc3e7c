#include "net/udp_driver.hpp"

namespace orbis::net {
namespace {

/// Reads per turn of one socket, so that sending and other sockets have theirs.
constexpr int k_reads = 32;
/// How long a turn may read: timers must not wait for strangers who want to come in.
constexpr Duration k_reading = std::chrono::milliseconds(5);
/// More are lost where datagrams are delayed on purpose.
constexpr std::size_t k_most_travelling = 65'536;
/// Datagrams that other threads have forwarded.
constexpr std::size_t k_most_forwarded = 4096;

} // namespace

UdpDriver::UdpDriver(Loop& loop, EndpointSettings settings)
    : loop_(loop), buffers_(std::make_unique<ReceiveBuffers>()), endpoint_(settings) {
    loop_.add(*this);
}

UdpDriver::~UdpDriver() {
    loop_.remove(*this);
    for (const auto& port : ports_) loop_.unwatch(port->socket.descriptor());
}

void UdpDriver::add(UdpSocket socket) {
    auto& port = *ports_.emplace_back(new Port{std::move(socket), nullptr, {}});
    by_number_.emplace(port.socket.address().family_and_port(), &port);
    watch(port);
}

void UdpDriver::watch(Port& port) {
    loop_.watch(port.socket.descriptor(), true, !port.waiting.empty(),
                [this, &port](bool readable, bool writable) {
                    if (writable && !port.waiting.empty()) send_waiting(port);
                    if (readable) read(port);
                });
}

std::vector<Address> UdpDriver::addresses() const {
    std::vector<Address> found;
    for (const auto& port : ports_) found.push_back(port->socket.address());
    return found;
}

UdpDriver::Port* UdpDriver::port_of(const Address& local) {
    // Sockets of one address each come before those of any address.
    Port* any = nullptr;
    const auto [first, last] = by_number_.equal_range(local.family_and_port());
    for (auto at = first; at != last; ++at) {
        if (at->second->socket.address() == local) return at->second;
        any = at->second;
    }
    return any;
}

Result<QuicConnection*> UdpDriver::connect(const Address& server, std::shared_ptr<TlsContext> tls,
                                           const QuicSettings& settings, const std::string& server_name,
                                           std::unique_ptr<QuicHandler> handler) {
    TRY(auto socket, loop_.connect_udp(server));
    const Path path{socket.address(), server};
    TRY(auto* made,
        endpoint_.connect(std::move(tls), settings, server_name, path, std::move(handler), loop_.now()));
    add(std::move(socket));
    ports_.back()->client = made;
    ++clients_;
    return made;
}

void UdpDriver::close_unused() {
    std::erase_if(ports_, [this](const std::unique_ptr<Port>& port) {
        if (!port->client || endpoint_.has(port->client)) return false;
        loop_.unwatch(port->socket.descriptor());
        const auto [first, last] = by_number_.equal_range(port->socket.address().family_and_port());
        by_number_.erase(
            std::find_if(first, last, [&](const auto& entry) { return entry.second == port.get(); }));
        if (!port->waiting.empty()) --full_ports_;
        --clients_;
        return true;
    });
}

void UdpDriver::set_forward(std::uint8_t own_shard, Forward forward) {
    shard_ = own_shard;
    forward_ = std::move(forward);
}

void UdpDriver::receive(const Path& path, std::uint8_t ecn, Bytes datagram) {
    endpoint_.receive(path, ecn, datagram, loop_.now());
}

void UdpDriver::receive_soon(const Path& path, std::uint8_t ecn, Bytes datagram) {
    if (forwarded_ >= k_most_forwarded) return;
    ++forwarded_;
    loop_.post([this, path, ecn, bytes = Buffer(datagram.begin(), datagram.end())] {
        --forwarded_;
        receive(path, ecn, bytes);
    });
}

void UdpDriver::deliver(const Path& path, std::uint8_t ecn, Bytes datagram) {
    if (forward_) {
        const auto shard = endpoint_.shard_of(datagram);
        if (shard && *shard != shard_) return forward_(*shard, path, ecn, datagram);
    }
    endpoint_.receive(path, ecn, datagram, loop_.now());
}

void UdpDriver::travel(const Path& path, std::uint8_t ecn, Bytes datagram,
                       void (UdpDriver::*arrive)(const Path&, std::uint8_t, Bytes)) {
    const auto later = rough_->next();
    if (!later || travelling_ >= k_most_travelling) return;
    if (*later == Duration::zero()) return (this->*arrive)(path, ecn, datagram);
    ++travelling_;
    loop_.after(*later,
                [self = self_.ref(), path, ecn, arrive, bytes = Buffer(datagram.begin(), datagram.end())] {
                    if (!self) return;
                    --self->travelling_;
                    ((*self).*arrive)(path, ecn, bytes);
                });
}

void UdpDriver::read(Port& port) {
    const bool is_rough = rough_ && rough_->applies(port.client != nullptr);
    const auto take = [this, is_rough](const ReceivedBatch& batch) {
        traffic_.received.add(batch.bytes.size(), batch.segment);
        for (auto rest = batch.bytes; !rest.empty();) {
            const auto datagram = rest.first(std::min(batch.segment, rest.size()));
            rest = rest.subspan(datagram.size());
            if (is_rough)
                travel(batch.path, batch.ecn, datagram, &UdpDriver::deliver);
            else
                deliver(batch.path, batch.ecn, datagram);
        }
    };
    for (int turn = 0; turn < k_reads; ++turn)
        if (!port.socket.receive(*buffers_, take)
            || std::chrono::steady_clock::now() - loop_.now() > k_reading)
            break;
}

void UdpDriver::send(const DatagramBatch& batch) {
    if (!rough_) return send_now(batch);
    const auto* port = port_of(batch.path.local);
    if (!port || !rough_->applies(port->client != nullptr)) return send_now(batch);
    for (auto rest = batch.bytes; !rest.empty();) {
        const auto datagram = rest.first(std::min(batch.segment, rest.size()));
        rest = rest.subspan(datagram.size());
        travel(batch.path, batch.ecn, datagram, &UdpDriver::send_one);
    }
}

void UdpDriver::send_one(const Path& path, std::uint8_t ecn, Bytes datagram) {
    send_now({path, datagram, datagram.size(), ecn});
}

void UdpDriver::send_now(const DatagramBatch& batch) {
    auto* port = port_of(batch.path.local);
    if (!port) return;
    traffic_.sent.add(batch.bytes.size(), batch.segment);
    std::size_t done = 0;
    if (!port->waiting.empty() || port->socket.send(batch, done) == UdpSocket::Sent::full) {
        const auto rest = batch.bytes.subspan(done);
        if (port->waiting.empty()) ++full_ports_;
        port->waiting.push_back({batch.path, Buffer(rest.begin(), rest.end()), batch.segment, batch.ecn});
        if (port->waiting.size() == 1) watch(*port);
    }
}

void UdpDriver::send_waiting(Port& port) {
    while (!port.waiting.empty()) {
        auto& first = port.waiting.front();
        std::size_t done = 0;
        if (port.socket.send({first.path, first.bytes, first.segment, first.ecn}, done)
            == UdpSocket::Sent::full) {
            first.bytes.erase(first.bytes.begin(), first.bytes.begin() + static_cast<std::ptrdiff_t>(done));
            return;
        }
        port.waiting.pop_front();
    }
    --full_ports_;
    watch(port);
}

int UdpDriver::take_failure() {
    int failure = 0;
    for (const auto& port : ports_)
        if (const auto found = port->socket.take_failure()) failure = found;
    return failure;
}

int UdpDriver::take_failure(const QuicConnection& of) {
    const auto at =
        std::ranges::find_if(ports_, [&](const std::unique_ptr<Port>& port) { return port->client == &of; });
    return at != ports_.end() ? (*at)->socket.take_failure() : 0;
}

bool UdpDriver::turn() {
    endpoint_.expire(loop_.now());
    if (full_ports_ > 0) return false; // goes on when a socket has room again
    const bool has_more = endpoint_.flush([this](const DatagramBatch& batch) { send(batch); }, loop_.now());
    if (clients_ > endpoint_.own_connections()) close_unused();
    return has_more;
}

Time UdpDriver::deadline() const {
    return full_ports_ > 0 ? std::max(endpoint_.deadline(), loop_.now() + std::chrono::milliseconds(1))
                           : endpoint_.deadline();
}

} // namespace orbis::net
