#pragma once

#include "net/quic_connection.hpp"
#include "net/socket.hpp"

namespace orbis::net {

/// One datagram, or several of one sender that the kernel put together.
struct ReceivedBatch {
    Path path;
    Bytes bytes;
    std::size_t segment = 0; ///< bytes of each datagram but the last
    std::uint8_t ecn = 0;
};

/// Memory for what a socket receives; one per thread.
class ReceiveBuffers {
public:
    static constexpr std::size_t k_count = 8;
    static constexpr std::size_t k_size = 65'536;

    ReceiveBuffers() : memory_(std::make_unique_for_overwrite<std::uint8_t[]>(k_count * k_size)) {}
    [[nodiscard]] MutableBytes at(std::size_t index) { return {memory_.get() + index * k_size, k_size}; }

private:
    std::unique_ptr<std::uint8_t[]> memory_;
};

/// The other side of a simulated socket: `SimulatedLoop` has them, and tests.
class ImaginedSocket {
public:
    virtual ~ImaginedSocket() = default;
    [[nodiscard]] virtual int descriptor() const = 0;
    virtual void receive(const std::function<void(const ReceivedBatch&)>& take) = 0;
    /// How many bytes went out; not all when it is full.
    virtual std::size_t send(const DatagramBatch& batch) = 0;
    virtual int take_failure() = 0;
};

/// A UDP socket that does not wait. It sends and receives many datagrams per call where the kernel can (GSO,
/// GRO), sets and reads the congestion bits, never fragments, and answers from the address it was called at.
class UdpSocket {
public:
    struct Options {
        bool shares_port = false;   ///< other sockets of this program may have the same port
        bool tells_address = false; ///< say at which of the host's addresses each datagram arrived
        bool uses_gso = true;
        bool uses_gro = true;
    };

    static Result<UdpSocket> bind(const Address& address, Options options);
    static Result<UdpSocket> bind(const Address& address) { return bind(address, Options{}); }
    /// A socket for one peer only. The system then reports when nothing listens there.
    static Result<UdpSocket> connect(const Address& peer);
    static UdpSocket imagined(const Address& address, std::unique_ptr<ImaginedSocket> socket);

    [[nodiscard]] int descriptor() const {
        return imagined_ ? imagined_->descriptor() : socket_.descriptor();
    }
    /// With the port that the system chose if none was asked for.
    [[nodiscard]] const Address& address() const { return address_; }

    /// Hands over what has arrived, at most `k_count` batches; false when nothing is left.
    bool receive(ReceiveBuffers& buffers, const std::function<void(const ReceivedBatch&)>& take);

    enum class Sent : std::uint8_t {
        yes,
        full,   ///< try again when the socket is writable
        failed, ///< lost, as datagrams are
    };
    /// Sends a batch from `batch.path.local`. When the socket is full, `done` says how many bytes went out.
    Sent send(const DatagramBatch& batch, std::size_t& done);

    /// The last failure of sending to a peer that the system knows of, such as "connection refused"; once.
    [[nodiscard]] int take_failure() {
        return imagined_ ? imagined_->take_failure() : std::exchange(failure_, 0);
    }

private:
    UdpSocket() = default;
    long send_once(const Path& path, Bytes bytes, std::size_t segment, std::uint8_t ecn) const;

    Socket socket_;
    std::unique_ptr<ImaginedSocket> imagined_;
    int failure_ = 0;
    Address address_;
    bool uses_gso_ = true;
};

} // namespace orbis::net
