#include "net/tcp_link.hpp"

#include "packets/registry.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

namespace orbis::net {
namespace {

constexpr int k_backlog = 256;
constexpr std::size_t k_read = 64 * 1024;
constexpr int k_most_unread = 16; ///< reads at the end

} // namespace

Result<Socket> listen_tcp(const Address& address) {
    Socket made(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (made.descriptor() < 0) return fail(socket_failure("open a TCP socket for", address));
    made.set(SOL_SOCKET, SO_REUSEADDR);
    if (address.family() == AF_INET6) made.set(IPPROTO_IPV6, IPV6_V6ONLY);
    if (bind(made.descriptor(), address.data(), address.size()) != 0
        || listen(made.descriptor(), k_backlog) != 0)
        return fail(socket_failure("listen on TCP", address));
    return made;
}

Result<Socket> connect_tcp(const Address& server) {
    Socket made(socket(server.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (made.descriptor() < 0) return fail(socket_failure("open a TCP socket for", server));
    made.set(IPPROTO_TCP, TCP_NODELAY);
    if (connect(made.descriptor(), server.data(), server.size()) != 0 && errno != EINPROGRESS)
        return fail(socket_failure("reach", server));
    return made;
}

std::optional<Socket> accept_tcp(const Socket& listener, Address& peer) {
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    Socket made(accept4(listener.descriptor(), reinterpret_cast<sockaddr*>(&from), &size,
                        SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (made.descriptor() < 0) return {};
    made.set(IPPROTO_TCP, TCP_NODELAY);
    peer = Address(reinterpret_cast<sockaddr*>(&from));
    return made;
}

TcpLink::TcpLink(Side side, Socket socket, const Address& peer, Loop& loop, const LinkLimits& limits,
                 Decompressor& decompressor)
    : Link(side, loop, limits, decompressor),
      socket_(std::move(socket)),
      loop_(loop),
      decoder_(packets::registry(), {side, {}, limits.largest_payload, false}),
      is_connected_(side == Side::server) {
    peer_.address = peer;
    peer_.is_tcp = true;
}

TcpLink::~TcpLink() { loop_.unwatch(socket_.descriptor()); }

void TcpLink::start() {
    if (is_connected_) opened();
    watch();
}

void TcpLink::watch() {
    if (is_gone_) return;
    const auto is_set = [](bool flag) { return flag; };
    const bool wants_to_write =
        !is_connected_ || queue_.unsent() > 0 || std::ranges::any_of(was_sent_on_, is_set);
    loop_.watch(socket_.descriptor(), std::ranges::none_of(is_paused_, is_set), wants_to_write,
                [this](bool readable, bool writable) { on_ready(readable, writable); });
}

void TcpLink::on_ready(bool readable, bool writable) {
    if (!is_connected_ && writable) {
        int failure = 0;
        socklen_t size = sizeof failure;
        getsockopt(socket_.descriptor(), SOL_SOCKET, SO_ERROR, &failure, &size);
        if (failure != 0) return finish({Close::Kind::failed, 0, std::strerror(failure), false});
        is_connected_ = true;
        opened();
    }
    // The peer's last bytes are read even if it does not read any more.
    if (readable && !is_gone_ && is_connected_) read();
    if (!writable || is_gone_) return;
    write();
    if (!is_gone_) tell_delivered();
}

/// From the loop only: a user who answers with the next packet would else be called inside its own call.
void TcpLink::tell_delivered() {
    if (queue_.unsent() > 0) return;
    if (is_closing()) return tick();
    const auto sent_on = std::exchange(was_sent_on_, {});
    for (std::size_t at = 0; at < k_channels && is_open_; ++at)
        if (sent_on[at]) user()->on_delivered(static_cast<Channel>(at));
    watch();
}

void TcpLink::send_bytes(Channel channel, Bytes bytes) {
    if (!is_open_ || is_closing()) return;
    const bool was_idle = queue_.unsent() == 0;
    queue_.add(bytes);
    was_sent_on_[static_cast<std::size_t>(channel)] = true;
    if (was_idle) write();
    check_held(channel);
}

void TcpLink::send_frame(Channel channel, const protocol::SharedFrame& frame) {
    if (!is_open_ || is_closing()) return;
    const bool was_idle = queue_.unsent() == 0;
    queue_.add(frame);
    was_sent_on_[static_cast<std::size_t>(channel)] = true;
    if (was_idle) write();
    check_held(channel);
}

void TcpLink::write() {
    while (queue_.unsent() > 0) {
        std::array<Bytes, 16> pieces;
        std::array<iovec, pieces.size()> vectors;
        const auto count = queue_.pieces(pieces);
        for (std::size_t at = 0; at < count; ++at)
            vectors[at] = {const_cast<std::uint8_t*>(pieces[at].data()), pieces[at].size()};
        msghdr message{};
        message.msg_iov = vectors.data();
        message.msg_iovlen = count;
        const auto sent = sendmsg(socket_.descriptor(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (sent < 0) return finish({Close::Kind::failed, 0, std::strerror(errno), true});
        queue_.mark_sent(static_cast<std::size_t>(sent));
        queue_.mark_acked(queue_.sent());
    }
    watch();
}

void TcpLink::read() {
    std::array<std::uint8_t, k_read> buffer;
    const auto got = recv(socket_.descriptor(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
    if (got < 0) return finish({Close::Kind::failed, 0, std::strerror(errno), true});
    if (got == 0) return finish({Close::Kind::end, 0, {}, true});
    if (!std::exchange(has_read_, true) && !user()->on_first_bytes()) is_ignored_ = true;
    if (is_ignored_ || is_closing() || !is_open_) return;
    decoder_.feed(Bytes(buffer).first(static_cast<std::size_t>(got)));
    if (!read_frames(decoder_)) is_ignored_ = true;
}

void TcpLink::pause(Channel channel) {
    is_paused_[static_cast<std::size_t>(channel)] = true;
    watch();
}

void TcpLink::resume(Channel channel) {
    is_paused_[static_cast<std::size_t>(channel)] = false;
    watch();
}

void TcpLink::close(Close reason) { finish(reason); }

void TcpLink::finish(const Close& reason) {
    if (is_gone_) return;
    is_gone_ = true;
    loop_.unwatch(socket_.descriptor());
    // Unread input would turn the end into a reset, which can overtake what was written last.
    shutdown(socket_.descriptor(), SHUT_WR);
    std::array<std::uint8_t, k_read> unread;
    for (int turn = 0; turn < k_most_unread; ++turn)
        if (recv(socket_.descriptor(), unread.data(), unread.size(), MSG_DONTWAIT) <= 0) break;
    closed(reason);
}

} // namespace orbis::net
