#pragma once

#include "net/link.hpp"
#include "net/quic_connection.hpp"

namespace orbis::net {

/// The channels of the game on the streams of a QUIC connection: Default on 0, Chunks on 3, WorldMap on 7.
/// Which stream is which is known by its id alone, never by the order of arrival.
class QuicLink final : public QuicHandler, public Link {
public:
    QuicLink(Side side, QuicConnection& connection, const Clock& clock, const LinkLimits& limits,
             Decompressor& decompressor);

    bool open_play_channels() override;
    [[nodiscard]] std::size_t unsent(Channel channel) const override;
    [[nodiscard]] std::size_t held(Channel channel) const override;
    [[nodiscard]] std::uint64_t sent(Channel channel) const override;
    void pause(Channel channel) override;
    void resume(Channel channel) override;
    void set_largest_payload(std::uint32_t largest) override;
    void close(Close close) override;
    [[nodiscard]] Duration round_trip() const override { return connection_.round_trip(); }
    [[nodiscard]] const QuicConnection& connection() const { return connection_; }

private:
    void on_handshake(QuicConnection&) override;
    void on_confirmed(QuicConnection&) override;
    void on_data(QuicConnection&, StreamId stream, Bytes bytes, bool is_end) override;
    void on_reset(QuicConnection&, StreamId stream, std::uint64_t code) override;
    void on_stop_sending(QuicConnection&, StreamId stream, std::uint64_t code) override;
    void on_acked(QuicConnection&, StreamId stream) override;
    void on_closed(QuicConnection&, const Close& close) override;

    void send_bytes(Channel channel, Bytes bytes) override;
    void send_frame(Channel channel, const protocol::SharedFrame& frame) override;
    void set_registry(protocol::Registry registry) override;

    /// The receiving side of a channel.
    struct Incoming {
        std::optional<protocol::FrameDecoder> decoder; ///< when its first bytes came
        std::size_t owed = 0;                          ///< bytes that a paused channel gets no credit for
        bool is_paused = false;
        bool is_ignored = false;
    };

    QuicConnection& connection_;
    protocol::Registry registry_;
    std::array<Incoming, k_channels> incoming_;
    std::size_t open_channels_ = 0; ///< that this side may send on
};

/// The stream of a channel.
constexpr StreamId stream_of(Channel channel) {
    return channel == Channel::normal ? 0 : static_cast<StreamId>(channel) * 4 - 1;
}

} // namespace orbis::net
