#pragma once

#include "net/column_gatherer.hpp"
#include "net/column_splitter.hpp"
#include "net/outgoing_frame.hpp"
#include "protocol/dialect.hpp"
#include "protocol/frame.hpp"
#include "protocol/frame_writer.hpp"

#include <expected>
#include <functional>

namespace orbis::net {

/// Stands between a session, which speaks the usual build, and a peer of another one (docs/design/builds.md).
class Interpreter {
public:
    /// Takes frames of the peer's build; they are valid during the call.
    using Send = std::function<void(protocol::Channel, Bytes frame)>;

    /// For one end of a connection. A server that `asks_for_player` does so where `Connect` does not say who
    /// it is.
    Interpreter(const protocol::Dialect& dialect, protocol::Side own, bool asks_for_player,
                protocol::PayloadFramer& framer, Decompressor& decompressor, Send send);

    [[nodiscard]] const protocol::Dialect& dialect() const { return dialect_; }

    /// The channel on which a frame of the usual build can be sent as it is; nothing when it has to be said
    /// differently.
    [[nodiscard]] std::optional<protocol::Channel> as_it_is(std::int32_t packet) const;
    /// Says a packet of the usual build, given its payload before compression.
    Result<void> say(const protocol::PacketInfo& packet, Bytes payload);

    /// Frames that say what one of the usual build says, for all clients to whom they are the same.
    Result<Renderings::Frames> render(const OutgoingFrame& frame);
    /// Whether the build has one packet for these two, which follow each other.
    [[nodiscard]] bool says_as_one(const OutgoingFrame& first, const OutgoingFrame& second) const {
        return splitter_ && splitter_->says_as_one(first.packet(), second.packet());
    }
    Result<Renderings::Frames> render_as_one(const OutgoingFrame& first, const OutgoingFrame& second);

    using IsRead = std::function<bool(const protocol::PacketInfo&)>;
    using Take = std::function<void(const protocol::Frame&)>;
    /// Hands out a frame of the peer as frames of the usual build, mostly one; they are valid during the
    /// call, and a payload may be compressed as it came. False when that has no such packet, or when there is
    /// nothing for the session to do. What is not read is not translated.
    std::expected<bool, protocol::FrameFailure> hear(const protocol::Frame& frame, std::uint32_t largest,
                                                     const IsRead& is_read, const Take& take);
    /// Sections with blocks that were heard of but have no word in the usual build.
    [[nodiscard]] std::uint64_t sections_outside() const {
        return gatherer_ ? gatherer_->sections_outside() : 0;
    }

private:
    std::expected<std::optional<protocol::Frame>, protocol::FrameFailure>
    hear_one(const protocol::Frame& frame, std::uint32_t largest, const IsRead& is_read);
    std::expected<bool, protocol::FrameFailure>
    hear_column(const protocol::Frame& frame, std::uint32_t largest, const IsRead& is_read, const Take& take);
    /// The payload of a frame of the usual build before compression; valid until the next call.
    Result<Bytes> payload_of(const OutgoingFrame& frame);
    [[nodiscard]] protocol::Channel channel_of(const protocol::PacketInfo& packet) const;
    /// Makes the frames that say a packet, and hands each out.
    Result<void> say(const protocol::PacketInfo& packet, Bytes payload, const Send& take);
    Result<void> send(const protocol::PacketInfo& packet, Bytes payload, const Send& take);
    /// Makes frames of what a splitter says, and hands them to `take`, which must outlive it.
    ColumnSplitter::Take sender(const Send& take);
    void send_named(std::string_view packet, const protocol::Value& value);
    /// The question who a player is, on both sides; a frame of the usual build that comes of it.
    std::optional<protocol::Frame> on_connect(const protocol::Frame& frame);
    std::optional<protocol::Frame> on_player(const protocol::Frame& frame);
    std::optional<protocol::Frame> on_finalize();
    std::optional<protocol::Frame> usual_frame(std::string_view packet, const protocol::Value& value);

    const protocol::Dialect& dialect_;
    protocol::Side own_;
    bool asks_for_player_;
    protocol::PayloadFramer& framer_;
    Decompressor& decompressor_;
    Send send_;
    std::optional<ColumnSplitter> splitter_; ///< of a server, where columns travel apart
    std::optional<ColumnGatherer> gatherer_; ///< of a client
    Buffer said_;
    Buffer heard_;
    std::optional<protocol::Value> connect_; ///< of the usual build: sent, or without its player
    std::optional<protocol::Value> player_;  ///< what the client has said of itself
};

} // namespace orbis::net
