#pragma once

#include "bytes/result.hpp"
#include "bytes/zstd.hpp"
#include "protocol/decoder.hpp"
#include "protocol/encoder.hpp"
#include "protocol/packet_info.hpp"

#include <algorithm>
#include <concepts>
#include <expected>

/// Reading and writing generated packets. Include the header of a build first, `protocol/packets.hpp` for the
/// usual one.
namespace orbis::protocol {

/// A generated packet of any build.
template <typename P>
concept Packet = requires {
    { P::k_info } -> std::convertible_to<const PacketInfo&>;
    { P::k_bounded } -> std::convertible_to<bool>;
};

/// Packets that this side may send. What may only go to the client cannot be sent by a client: it does not
/// compile.
template <typename P, Side From>
concept SentBy = Packet<P> && P::k_info.may_reach(From == Side::client ? Side::server : Side::client);

/// Packets that this side may receive.
template <typename P, Side At>
concept ReceivedBy = Packet<P> && P::k_info.may_reach(At);

/// For connections with all channels in one stream, such as TCP.
struct AnyChannel {
    bool operator==(const AnyChannel&) const = default;
};

/// Packets that travel on this channel.
template <typename P, auto On>
concept OnChannel =
    Packet<P> && (std::same_as<std::remove_cv_t<decltype(On)>, AnyChannel> || P::k_info.channel == On);

/// Writes packets into one buffer that it keeps: the bytes of a packet are valid until the next is written.
class PayloadWriter {
public:
    /// The payload after `room` bytes for the caller to fill in, before compression.
    template <Packet P>
    Result<MutableBytes> write(const P& packet, std::size_t room = 0) {
        if constexpr (AnyBytesWillDo<P>) {
            const auto memory = buffer_.take(room + P::k_fixed);
            P::store(memory.data() + room, packet);
            return memory;
        } else if constexpr (FixedStruct<P>) {
            const auto memory = buffer_.take(room + P::k_fixed);
            Encoder out(memory);
            P::write(out, memory.data() + room, packet);
            if (!out.ok()) [[unlikely]]
                return refuse(out, P::k_info, P::k_fixed);
            return memory;
        } else {
            auto memory = buffer_.take(std::max(buffer_.capacity(), room));
            Encoder out(memory);
            auto* end = P::write(out, memory.data() + room, packet);
            if (out.full() && !out.failed()) [[unlikely]] {
                Encoder sums;
                const auto size = P::measure(sums, packet);
                if (!sums.ok() || size > P::k_info.largest) return refuse(sums, P::k_info, size);
                memory = buffer_.take(room + size + size / 4 + k_more);
                out = Encoder(memory);
                end = P::write(out, memory.data() + room, packet);
            }
            const auto size = static_cast<std::size_t>(end - memory.data());
            if (!out.ok() || size - room > P::k_info.largest) [[unlikely]]
                return refuse(out, P::k_info, size - room);
            return memory.first(size);
        }
    }

private:
    static constexpr std::size_t k_more = 1024; ///< so that slightly larger packets find their room too
    static_assert(k_more >= Encoder::k_slack);

    static Result<MutableBytes> refuse(const Encoder& out, const PacketInfo& packet, std::size_t size);

    GrowingBuffer buffer_;
};

/// The failure of a decoder, with the name of the packet.
std::expected<void, Failure> refused(const Decoder& in, const PacketInfo& packet);
/// Refuses a payload that is not what a writer wrote.
std::expected<void, Failure> compared(const PacketInfo& packet, Bytes payload,
                                      const Result<MutableBytes>& written);

/// The rules of the reader of a packet's build.
template <Packet P>
constexpr ReadRules packet_rules(bool strict = false) {
    ReadRules rules{P::k_bounded, strict, false};
    if constexpr (requires { P::k_canonical; }) rules.canonical = P::k_canonical;
    return rules;
}

/// `decode` for packets that can be refused, cut off or have something to keep account of.
template <Packet P>
[[gnu::noinline]] std::expected<void, Failure> decode_checked(Bytes payload, Arena& arena, P& out,
                                                              bool strict) {
    Decoder in(payload, arena, packet_rules<P>(strict));
    in.packet(out);
    if (!in.ok()) [[unlikely]]
        return refused(in, P::k_info);
    if (strict) [[unlikely]] {
        PayloadWriter writer;
        return compared(P::k_info, payload, writer.write(out));
    }
    return {};
}

/// Reads a payload into `out`, whose views point into the payload and the arena and are valid as long as
/// both are left alone.
template <Packet P>
std::expected<void, Failure> decode(Bytes payload, Arena& arena, P& out, bool strict = false) {
    if constexpr (AnyBytesWillDo<P>) {
        const bool whole =
            packet_rules<P>().canonical ? payload.size() == P::k_fixed : payload.size() >= P::k_fixed;
        if (whole && !strict) [[likely]] {
            P::load(payload.data(), out);
            return {};
        }
    }
    return decode_checked(payload, arena, out, strict);
}

/// Appends the payload of a packet, before compression.
template <Packet P>
Result<void> encode(const P& packet, Buffer& out) {
    PayloadWriter writer;
    TRY(const auto payload, writer.write(packet));
    out.insert(out.end(), payload.begin(), payload.end());
    return {};
}

} // namespace orbis::protocol
