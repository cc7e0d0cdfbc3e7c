// The frame decoder. The first byte names the rules, the rest is a stream. Fed in one piece and in pieces, it
// must give the same frames, and every frame that a writer makes from a payload must come out again.

#include "protocol/frame.hpp"

#include "protocol/frame_writer.hpp"
#include "protocol/packets.hpp"
#include "target.hpp"

#include <algorithm>

using namespace orbis;
using namespace orbis::protocol;

namespace {

FrameRules rules_of(std::uint8_t byte) {
    FrameRules rules;
    if ((byte & 1) != 0) rules.receiver = (byte & 2) != 0 ? Side::client : Side::server;
    if ((byte & 4) != 0) rules.channel = static_cast<Channel>(byte >> 3 & 3);
    return rules;
}

struct Out {
    std::int32_t id;
    Buffer payload;
    bool operator==(const Out&) const = default;
};

/// Everything that comes out of the stream, and whether it ended in a failure.
std::pair<std::vector<Out>, bool> frames_of(Bytes stream, FrameRules rules, std::size_t piece) {
    FrameDecoder decoder(packets::registry(), rules);
    std::vector<Out> out;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
        decoder.feed(stream.subspan(at, std::min(piece, stream.size() - at)));
        for (;;) {
            const auto next = decoder.next();
            if (!next) return {std::move(out), true};
            if (!*next) break;
            const auto& frame = **next;
            fuzz::require(frame.packet == nullptr || frame.payload.size() <= frame.packet->largest);
            out.push_back({frame.id, Buffer(frame.payload.begin(), frame.payload.end())});
        }
    }
    return {std::move(out), false};
}

} // namespace

std::vector<Buffer> fuzz::seeds() {
    FrameWriter<Side::server> server;
    FrameWriter<Side::client> client;
    std::vector<Buffer> made;
    const auto add = [&](std::uint8_t rules, Bytes frame) {
        Buffer seed{rules};
        for (int twice = 0; twice < 2; ++twice) seed.insert(seed.end(), frame.begin(), frame.end());
        made.push_back(std::move(seed));
    };
    const Buffer data(300, 1);
    packets::SetChunk chunk;
    chunk.data = Bytes(data);
    add(0, server.frame(chunk).value());
    add(1 + 2 + 4 + 8, server.frame(chunk).value());
    add(1, client.frame(packets::ClientMovement{}).value());
    add(0, Buffer{3, 0, 0, 0, 0x0f, 0x27, 0, 0, 1, 2, 3});
    return made;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1) return 0;
    const auto rules = rules_of(data[0]);
    const Bytes stream(data + 1, size - 1);
    const auto whole = frames_of(stream, rules, std::max<std::size_t>(stream.size(), 1));
    const auto pieces = frames_of(stream, rules, 7);
    fuzz::require(whole == pieces);

    static PayloadFramer framer;
    for (const auto& out : whole.first) {
        const auto* packet = packets::registry().find(out.id);
        if (packet == nullptr) continue;
        const auto made = framer.frame(*packet, out.payload);
        if (!made) continue;
        const auto again = frames_of(*made, {}, made->size());
        fuzz::require(!again.second && again.first == std::vector<Out>{out});
    }
    return 0;
}
