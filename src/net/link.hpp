#pragma once

#include "net/address.hpp"
#include "net/clock.hpp"
#include "net/close.hpp"
#include "net/fingerprint.hpp"
#include "net/frame_tap.hpp"
#include "net/interpreter.hpp"
#include "net/outgoing_frame.hpp"
#include "protocol/frame.hpp"

#include <array>

namespace orbis::net {

using protocol::Channel;
using protocol::Side;

/// The channels of a connection: Default, Chunks, WorldMap.
inline constexpr std::size_t k_channels = 3;

/// How much a connection may cost.
struct LinkLimits {
    /// Bytes that wait to be sent or acknowledged, by channel. A peer that lets more gather does not read.
    std::array<std::size_t, k_channels> most_held = {16 << 20, 32 << 20, 16 << 20};
    /// The largest payload that is read, before and after decompression.
    std::uint32_t largest_payload = 4 << 20;
};

/// What is known about the peer of a connection.
struct PeerFacts {
    Address address;
    std::string protocol;                   ///< `hytale/2`; empty over TCP
    std::optional<Fingerprint> certificate; ///< none over TCP
    std::string server_name;                ///< that the client asked for
    bool is_tcp = false;
};

class Link;

/// The user of a link. Called by the link only; may close it at any time, but never destroys
/// it.
class LinkUser {
public:
    virtual ~LinkUser() = default;

    /// The connection is established. A client may send from here on.
    virtual void on_open() = 0;
    /// The first bytes of stream 0 are there; false leaves them unread, and all after them.
    virtual bool on_first_bytes() { return true; }
    /// The frame is valid during the call only. A compressed payload is as it came: `Link::open` it.
    virtual void on_frame(const protocol::Frame& frame) = 0;
    /// A frame that came meant nothing to a program of the usual build.
    virtual void on_foreign_frame() {}
    /// Whether it reads this packet. Others of another build come as that wrote them.
    [[nodiscard]] virtual bool reads(const protocol::PacketInfo&) const { return true; }
    /// The stream is of no use any more: close it.
    virtual void on_bad_frame(const protocol::FrameFailure& failure) = 0;
    /// The peer has ended or abandoned stream 0, or refuses to read a stream.
    virtual void on_end() = 0;
    /// Something that was sent on this channel has arrived.
    virtual void on_delivered(Channel) {}
    /// The last call.
    virtual void on_closed(const Close& close) = 0;
};

/// A connection for frames on the game's channels, whatever is below it.
class Link {
public:
    virtual ~Link() = default;

    void set_user(std::unique_ptr<LinkUser> user) { user_ = std::move(user); }
    [[nodiscard]] LinkUser* user() const { return user_.get(); }
    /// From now on the tap sees every frame, but not the bytes of `forward`.
    void set_tap(std::unique_ptr<FrameTap> tap) { tap_ = std::move(tap); }
    /// Which side of the connection this is.
    [[nodiscard]] Side side() const { return side_; }

    /// From now on the peer is one of another build: what is sent is said in its words, and what comes is
    /// heard in those of the usual build. A server that `asks_for_player` asks who it is where `Connect` does
    /// not say so.
    void speak(const protocol::Dialect& dialect, protocol::PayloadFramer& framer, bool asks_for_player);
    /// The dialect that the peer speaks; null for the usual build.
    [[nodiscard]] const protocol::Dialect* dialect() const {
        return interpreter_ ? &interpreter_->dialect() : nullptr;
    }
    /// Sections with blocks above and below those that the usual build and world files can have.
    [[nodiscard]] std::uint64_t sections_outside() const {
        return interpreter_ ? interpreter_->sections_outside() : 0;
    }
    /// Hands out a frame that came before `speak` in the words of the usual build; calls `on_foreign_frame`
    /// where it has none.
    void hear(const protocol::Frame& frame, const Interpreter::Take& take);

    void send(const OutgoingFrame& frame);
    /// Frames that are sent together, in this order: some builds have fewer packets for them.
    void send(std::span<const OutgoingFrame* const> together);
    /// Writes a packet and sends it on its channel.
    template <Side From, protocol::SentBy<From> P>
    Result<void> send(protocol::FrameWriter<From>& writer, const P& packet) {
        auto channel = std::optional(P::k_info.channel);
        if (interpreter_) channel = interpreter_->as_it_is(P::k_info.id);
        if (!channel) {
            TRY(const auto payload, writer.payload(packet));
            return interpreter_->say(P::k_info, payload);
        }
        TRY(const auto frame, writer.frame(packet));
        put(*channel, frame);
        return {};
    }
    /// Passes on bytes of a channel without decoding them, as a proxy does.
    void forward(Channel channel, Bytes bytes) { send_bytes(channel, bytes); }

    /// Opens Chunks and WorldMap, in this order; false when the client does not allow it.
    virtual bool open_play_channels() = 0;

    /// Bytes that were not handed to the network yet, and bytes in memory.
    [[nodiscard]] virtual std::size_t unsent(Channel channel) const = 0;
    [[nodiscard]] virtual std::size_t held(Channel channel) const = 0;
    /// All bytes that were ever sent on a channel, and those of them that have arrived. Channels overtake
    /// each other: what must not come before something else has to wait until that has arrived.
    [[nodiscard]] virtual std::uint64_t sent(Channel channel) const = 0;
    [[nodiscard]] std::uint64_t arrived(Channel channel) const { return sent(channel) - held(channel); }
    /// Whether the network takes more at once: the gate for new chunks.
    [[nodiscard]] bool is_writable(Channel channel) const { return unsent(channel) == 0; }

    /// While a channel is paused, the peer gets no credit for what it sends: it stops soon.
    virtual void pause(Channel channel) = 0;
    virtual void resume(Channel channel) = 0;
    /// Changes the largest payload that is read.
    virtual void set_largest_payload(std::uint32_t largest) = 0;

    /// The frame with its payload decompressed; nothing when that fails; the user was told then.
    /// Valid until the next frame is opened.
    std::optional<protocol::Frame> open(const protocol::Frame& frame);

    virtual void close(Close close) = 0;
    /// Closes as soon as the peer has everything that was sent on Default, after `grace` at the latest.
    void close_when_delivered(Close close, Duration grace);
    /// To be called now and then: closes what waits to be closed.
    void tick();

    [[nodiscard]] const PeerFacts& peer() const { return peer_; }
    [[nodiscard]] bool is_open() const { return is_open_; }
    /// Whether a close waits for its reason to arrive; nothing is read or sent any more.
    [[nodiscard]] bool is_closing() const { return pending_.has_value(); }
    /// The smoothed round trip that the transport knows; zero when it does not.
    [[nodiscard]] virtual Duration round_trip() const { return Duration::zero(); }

protected:
    Link(Side side, const Clock& clock, const LinkLimits& limits, Decompressor& decompressor)
        : side_(side), clock_(clock), limits_(limits), decompressor_(decompressor) {}

    /// Both do nothing once the link is closing.
    virtual void send_bytes(Channel channel, Bytes bytes) = 0;
    virtual void send_frame(Channel channel, const protocol::SharedFrame& frame) = 0;
    /// The packets that are read from now on.
    virtual void set_registry(protocol::Registry registry) = 0;

    /// The channel on whose stream packets of another one travel: the peer may have one stream for all.
    [[nodiscard]] Channel way_of(Channel channel) const {
        return has_one_stream_ ? Channel::normal : channel;
    }
    [[nodiscard]] bool has_one_stream() const { return has_one_stream_; }

    /// Drops a peer that does not read before it costs more memory.
    void check_held(Channel channel);
    /// Hands complete frames to the user; false when nothing more is to be read. The stream has the frames of
    /// one channel, or of all.
    bool read_frames(protocol::FrameDecoder& decoder, std::optional<Channel> stream = {});
    void opened();
    void closed(const Close& close);

    const Side side_;
    const Clock& clock_;
    LinkLimits limits_;
    Decompressor& decompressor_;
    PeerFacts peer_;
    bool is_open_ = false;

private:
    void put(Channel channel, Bytes frame);
    void put(Channel channel, const protocol::SharedFrame& frame);
    void show_sent(Channel channel, Bytes frame);

    struct Pending {
        Close close;
        Time deadline;
    };
    std::unique_ptr<FrameTap> tap_;
    std::unique_ptr<LinkUser> user_;
    std::optional<Pending> pending_;
    std::unique_ptr<Interpreter> interpreter_; ///< for peers of other builds
    bool has_one_stream_ = false;
};

} // namespace orbis::net
