#include "net/udp_socket.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <netinet/udp.h>
#include <sys/socket.h>

namespace orbis::net {
namespace {

constexpr int k_buffer = 4 << 20;
constexpr std::uint8_t k_ecn_mask = 3;

/// Room for everything that is asked for or set beside a datagram.
struct alignas(cmsghdr) Control {
    std::array<char, 128> bytes{};
};

template <typename T>
void put(msghdr& message, int level, int type, const T& value, std::size_t& used) {
    auto* header = reinterpret_cast<cmsghdr*>(static_cast<char*>(message.msg_control) + used);
    header->cmsg_level = level;
    header->cmsg_type = type;
    header->cmsg_len = CMSG_LEN(sizeof value);
    std::memcpy(CMSG_DATA(header), &value, sizeof value);
    used += CMSG_SPACE(sizeof value);
}

/// Reads what came beside a datagram.
void read_control(msghdr& message, ReceivedBatch& batch) {
    for (auto* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        const auto* data = CMSG_DATA(header);
        if (header->cmsg_level == SOL_UDP && header->cmsg_type == UDP_GRO) {
            int size = 0;
            std::memcpy(&size, data, sizeof size);
            if (size > 0) batch.segment = static_cast<std::size_t>(size);
        } else if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_TOS) {
            batch.ecn = *data & k_ecn_mask;
        } else if (header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_TCLASS) {
            int value = 0;
            std::memcpy(&value, data, sizeof value);
            batch.ecn = static_cast<std::uint8_t>(value) & k_ecn_mask;
        } else if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_PKTINFO) {
            in_pktinfo info{};
            std::memcpy(&info, data, sizeof info);
            reinterpret_cast<sockaddr_in*>(batch.path.local.data())->sin_addr = info.ipi_addr;
        } else if (header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_PKTINFO) {
            in6_pktinfo info{};
            std::memcpy(&info, data, sizeof info);
            reinterpret_cast<sockaddr_in6*>(batch.path.local.data())->sin6_addr = info.ipi6_addr;
        }
    }
}

} // namespace

Result<UdpSocket> UdpSocket::bind(const Address& address, Options options) {
    UdpSocket made;
    made.uses_gso_ = options.uses_gso;
    made.socket_ = Socket(socket(address.family(), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (made.descriptor() < 0) return fail(socket_failure("open a UDP socket for", address));
    made.socket_.set(SOL_SOCKET, SO_RCVBUF, k_buffer);
    made.socket_.set(SOL_SOCKET, SO_SNDBUF, k_buffer);
    if (options.shares_port) made.socket_.set(SOL_SOCKET, SO_REUSEPORT, 1);
    if (options.uses_gro) made.socket_.set(SOL_UDP, UDP_GRO, 1);
    if (address.family() == AF_INET) {
        made.socket_.set(IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE);
        if (options.tells_address) made.socket_.set(IPPROTO_IP, IP_PKTINFO, 1);
        made.socket_.set(IPPROTO_IP, IP_RECVTOS, 1);
    } else {
        made.socket_.set(IPPROTO_IPV6, IPV6_V6ONLY, 1);
        made.socket_.set(IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE);
        if (options.tells_address) made.socket_.set(IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
        made.socket_.set(IPPROTO_IPV6, IPV6_RECVTCLASS, 1);
    }
    if (::bind(made.descriptor(), address.data(), address.size()) != 0)
        return fail(socket_failure("listen on UDP", address));
    made.address_ = made.socket_.address();
    return made;
}

Result<UdpSocket> UdpSocket::connect(const Address& peer) {
    TRY(auto made, bind(peer.family() == AF_INET ? Address::any_v4(0) : Address::any_v6(0)));
    if (::connect(made.descriptor(), peer.data(), peer.size()) != 0)
        return fail(socket_failure("reach", peer));
    made.address_ = made.socket_.address();
    return made;
}

UdpSocket UdpSocket::imagined(const Address& address, std::unique_ptr<ImaginedSocket> socket) {
    UdpSocket made;
    made.address_ = address;
    made.imagined_ = std::move(socket);
    return made;
}

bool UdpSocket::receive(ReceiveBuffers& buffers, const std::function<void(const ReceivedBatch&)>& take) {
    if (imagined_) {
        imagined_->receive(take);
        return false;
    }
    std::array<mmsghdr, ReceiveBuffers::k_count> messages{};
    std::array<iovec, ReceiveBuffers::k_count> vectors{};
    std::array<sockaddr_storage, ReceiveBuffers::k_count> senders{};
    std::array<Control, ReceiveBuffers::k_count> controls{};
    for (std::size_t at = 0; at < messages.size(); ++at) {
        const auto memory = buffers.at(at);
        vectors[at] = {memory.data(), memory.size()};
        auto& header = messages[at].msg_hdr;
        header.msg_name = &senders[at];
        header.msg_namelen = sizeof senders[at];
        header.msg_iov = &vectors[at];
        header.msg_iovlen = 1;
        header.msg_control = controls[at].bytes.data();
        header.msg_controllen = controls[at].bytes.size();
    }
    const auto count = recvmmsg(descriptor(), messages.data(), messages.size(), MSG_DONTWAIT, nullptr);
    if (count < 0) {
        // Errors that a peer's host reported come once, in place of data.
        if (errno != EAGAIN && errno != EINTR) failure_ = errno;
        return errno == EINTR;
    }
    for (std::size_t at = 0; at < static_cast<std::size_t>(count); ++at) {
        auto& header = messages[at].msg_hdr;
        if (header.msg_flags & MSG_TRUNC) continue;
        ReceivedBatch batch{{address_, Address(reinterpret_cast<sockaddr*>(&senders[at]))},
                            Bytes(buffers.at(at)).first(messages[at].msg_len),
                            messages[at].msg_len,
                            0};
        read_control(header, batch);
        take(batch);
    }
    // If there was room for more, nothing is left: to ask again would cost as much as to read.
    return static_cast<std::size_t>(count) == messages.size();
}

long UdpSocket::send_once(const Path& path, Bytes bytes, std::size_t segment, std::uint8_t ecn) const {
    iovec vector{const_cast<std::uint8_t*>(bytes.data()), bytes.size()};
    Control control;
    msghdr message{};
    message.msg_name = const_cast<sockaddr*>(path.remote.data());
    message.msg_namelen = path.remote.size();
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes.data();
    std::size_t used = 0;
    if (path.local.family() == AF_INET) {
        in_pktinfo info{};
        info.ipi_spec_dst = reinterpret_cast<const sockaddr_in*>(path.local.data())->sin_addr;
        if (info.ipi_spec_dst.s_addr != INADDR_ANY) put(message, IPPROTO_IP, IP_PKTINFO, info, used);
        if (ecn != 0) put(message, IPPROTO_IP, IP_TOS, int{ecn}, used);
    } else {
        in6_pktinfo info{};
        info.ipi6_addr = reinterpret_cast<const sockaddr_in6*>(path.local.data())->sin6_addr;
        if (!IN6_IS_ADDR_UNSPECIFIED(&info.ipi6_addr)) put(message, IPPROTO_IPV6, IPV6_PKTINFO, info, used);
        if (ecn != 0) put(message, IPPROTO_IPV6, IPV6_TCLASS, int{ecn}, used);
    }
    if (bytes.size() > segment) put(message, SOL_UDP, UDP_SEGMENT, static_cast<std::uint16_t>(segment), used);
    message.msg_controllen = used;
    if (used == 0) message.msg_control = nullptr;
    for (;;) {
        const auto sent = sendmsg(descriptor(), &message, MSG_DONTWAIT);
        if (sent >= 0 || errno != EINTR) return sent;
    }
}

UdpSocket::Sent UdpSocket::send(const DatagramBatch& batch, std::size_t& done) {
    done = 0;
    if (imagined_) {
        done = imagined_->send(batch);
        return done < batch.bytes.size() ? Sent::full : Sent::yes;
    }
    bool at_once = uses_gso_;
    while (done < batch.bytes.size()) {
        const auto rest = batch.bytes.subspan(done);
        const auto piece = at_once ? rest : rest.first(std::min(batch.segment, rest.size()));
        if (send_once(batch.path, piece, batch.segment, batch.ecn) >= 0) {
            done += piece.size();
            continue;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) return Sent::full;
        if (at_once && piece.size() > batch.segment && (errno == EIO || errno == EINVAL)) {
            at_once = false;                     // one by one then
            if (errno == EIO) uses_gso_ = false; // this device cannot; the other is about this path only
            continue;
        }
        if (errno != EMSGSIZE) failure_ = errno; // too large: path MTU discovery wanted to know
        return Sent::failed;
    }
    return Sent::yes;
}

} // namespace orbis::net
