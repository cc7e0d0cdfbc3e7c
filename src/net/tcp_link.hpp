#pragma once

#include "net/link.hpp"
#include "net/loop.hpp"
#include "net/send_queue.hpp"
#include "net/socket.hpp"

namespace orbis::net {

/// Listens for TCP connections; the game's backlog of 256.
Result<Socket> listen_tcp(const Address& address);
/// Begins to connect; whether it worked shows when the socket is writable.
Result<Socket> connect_tcp(const Address& server);
/// The next client that waits; nothing when there is none.
std::optional<Socket> accept_tcp(const Socket& listener, Address& peer);

/// All channels on one plain TCP connection. Nothing is encrypted, no channel is checked, and codes of closes
/// do not travel: the peer sees the end only.
class TcpLink final : public Link {
public:
    TcpLink(Side side, Socket socket, const Address& peer, Loop& loop, const LinkLimits& limits,
            Decompressor& decompressor);
    ~TcpLink() override;

    /// Begins to read and write; the user must be set.
    void start();
    /// Nothing is left to do: the owner may destroy it.
    [[nodiscard]] bool is_gone() const { return is_gone_; }

    bool open_play_channels() override { return true; }
    [[nodiscard]] std::size_t unsent(Channel) const override { return queue_.unsent(); }
    [[nodiscard]] std::size_t held(Channel) const override { return queue_.unsent(); }
    [[nodiscard]] std::uint64_t sent(Channel) const override { return queue_.added(); }
    void pause(Channel channel) override;
    void resume(Channel channel) override;
    void set_largest_payload(std::uint32_t largest) override {
        limits_.largest_payload = largest;
        decoder_.set_largest(largest);
    }
    void close(Close close) override;

private:
    void send_bytes(Channel channel, Bytes bytes) override;
    void send_frame(Channel channel, const protocol::SharedFrame& frame) override;
    void set_registry(protocol::Registry registry) override { decoder_.set_registry(registry); }
    void on_ready(bool readable, bool writable);
    void tell_delivered();
    void read();
    void write();
    void watch();
    void finish(const Close& close);

    Socket socket_;
    Loop& loop_;
    protocol::FrameDecoder decoder_;
    SendQueue queue_;
    std::array<bool, k_channels> is_paused_{};
    std::array<bool, k_channels> was_sent_on_{}; ///< since the user was told that all was delivered
    bool is_connected_ = false;
    bool is_gone_ = false;
    bool has_read_ = false;
    bool is_ignored_ = false;
};

} // namespace orbis::net
