#pragma once

#include "orbis/wire/protocol.hpp"

#include <optional>

namespace orbis::wire {

/// A packet as it was cut out of a stream, not decoded yet. It owns its bytes.
class ORBIS_API Frame {
public:
    /// A frame for a payload that is written already, not compressed. Nobody looks into the payload.
    static Result<Frame> make(std::string_view name, std::vector<std::uint8_t> payload,
                              const Protocol& protocol = {});

    /// The name of its packet, valid for the life of the program; empty where the build has no such id.
    [[nodiscard]] std::string_view name() const;
    /// The id of its packet.
    [[nodiscard]] std::int32_t id() const { return id_; }
    /// The bytes of the fields, not compressed.
    [[nodiscard]] const std::vector<std::uint8_t>& payload() const { return payload_; }
    /// The bytes that it took in the stream, compressed where the packet is; 0 for one that was made here.
    [[nodiscard]] std::size_t length() const { return length_; }
    /// The build that it is of.
    [[nodiscard]] Protocol protocol() const { return protocol_; }

    /// Decodes it.
    [[nodiscard]] Result<Packet> packet(Reading reading = Reading::usual) const;
    /// The frame as it is sent: length, id and payload, which is compressed where the packet is. Bytes that
    /// were compressed by another program come out differently, with the same content.
    [[nodiscard]] Result<std::vector<std::uint8_t>> bytes() const;

private:
    friend struct Inside;
    Frame(const Protocol& protocol, std::int32_t id, std::vector<std::uint8_t> payload, std::size_t length)
        : protocol_(protocol), id_(id), payload_(std::move(payload)), length_(length) {}

    Protocol protocol_;
    std::int32_t id_;
    std::vector<std::uint8_t> payload_;
    std::size_t length_;
};

/// Cuts a stream of bytes into frames, in pieces as they arrive. Compressed payloads come out decompressed.
///
///     orbis::wire::FrameReader reader;
///     reader.feed(bytes);
///     while (auto frame = reader.next()) {
///         if (!*frame) break;                              // more bytes are needed
///         std::cout << (*frame)->name() << '\n';
///     }
///
/// A claimed length allocates nothing: memory is used for what has arrived, and for one payload.
class ORBIS_API FrameReader {
public:
    /// Reads as the client or the server does: packets for the other side and unknown ids are errors. Without
    /// a side it reads what a watcher sees: packets for both, and ids that the build does not have.
    explicit FrameReader(const Protocol& protocol = {}, Receiver side = Receiver::both);
    ~FrameReader();
    /// The other one is of no use any more.
    FrameReader(FrameReader&& other) noexcept;
    /// The other one is of no use any more.
    FrameReader& operator=(FrameReader&& other) noexcept;

    /// Takes the next bytes of the stream.
    void feed(std::span<const std::uint8_t> bytes);
    /// The next frame; nothing when more bytes are needed. After an error the stream is of no use: every
    /// further call fails too.
    Result<std::optional<Frame>> next();
    /// Bytes that wait for the rest of their frame.
    [[nodiscard]] std::size_t pending() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace orbis::wire
