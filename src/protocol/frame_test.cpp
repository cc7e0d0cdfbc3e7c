#include "bytes/hex.hpp"
#include "bytes/reader.hpp"
#include "protocol/frame.hpp"
#include "protocol/frame_writer.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/json_tree.hpp"
#include "protocol/packets.hpp"
#include "protocol/schema_test_support.hpp"
#include "support/vectors.hpp"

#include <gtest/gtest.h>

namespace orbis::protocol {

namespace {

/// What a server does with the start of a stream: the word of the vectors, and the frame if there is one.
struct Outcome {
    std::string expect;
    std::string how;
    std::string reason;
    Frame frame;
};

Outcome outcome_of(FrameDecoder& decoder) {
    const auto next = decoder.next();
    if (!next)
        return {"close",
                next.error().is_violation() ? "violation" : "error",
                std::string(name(next.error().fault)),
                {}};
    if (!*next) return {"wait", "", "", {}};
    const auto read = decode(*usual_schema().packet((*next)->id), (*next)->payload, {});
    if (!read) return {"close", "violation", std::string(name(read.error().fault)), {}};
    return {"packet", "", "", **next};
}

FrameRules rules_of(const JsonTree& vector) {
    FrameRules rules{Side::server, std::nullopt};
    const auto channel = vector.text("channel");
    if (channel == "Default") rules.channel = Channel::normal;
    if (channel == "Chunks") rules.channel = Channel::chunks;
    if (channel == "WorldMap") rules.channel = Channel::world_map;
    return rules;
}

Buffer frame_of(std::int32_t length, std::int32_t id, Bytes payload) {
    Buffer frame;
    Writer out(frame);
    out.le(length);
    out.le(id);
    out.bytes(payload);
    return frame;
}

} // namespace

TEST(Frames, AServerDoesWithThemWhatTheGamesServerDoes) {
    for (const auto& line : test::vector_lines("vectors", "frames")) {
        const auto vector = JsonTree::parse(line).value();
        if (vector.text("expect") == "encoded") continue;
        const auto bytes = from_hex(vector.text("frame_hex")).value();
        FrameDecoder decoder(usual_schema().registry(), rules_of(vector));
        decoder.feed(bytes);
        const auto outcome = outcome_of(decoder);
        const auto about = fmt::format("{} {}", vector.integer("n"), vector.text("case"));
        EXPECT_EQ(outcome.expect, vector.text("expect")) << about;
        EXPECT_EQ(outcome.how, vector.text("how")) << about;
        EXPECT_EQ(outcome.reason, vector.text("reason")) << about;
        if (outcome.expect != "packet") continue;
        EXPECT_EQ(outcome.frame.packet->name, vector.text("packet")) << about;
        EXPECT_EQ(to_hex(outcome.frame.payload), vector.text("payload_hex")) << about;
        EXPECT_EQ(outcome.frame.length, static_cast<std::size_t>(vector.integer("consumed"))) << about;
        EXPECT_EQ(outcome_of(decoder).expect, vector.text("then") == "frame" ? "packet" : "wait") << about;
    }
}

TEST(Frames, ByteByByteGivesTheSameAsAllAtOnce) {
    for (const auto& line : test::vector_lines("vectors", "frames")) {
        const auto vector = JsonTree::parse(line).value();
        if (vector.text("expect") == "encoded") continue;
        const auto bytes = from_hex(vector.text("frame_hex")).value();
        if (bytes.size() > 2000) continue;
        FrameDecoder decoder(usual_schema().registry(), rules_of(vector));
        Outcome outcome{"wait", "", "", {}};
        for (std::size_t at = 0; at < bytes.size() && outcome.expect == "wait"; ++at) {
            decoder.feed(Bytes(bytes).subspan(at, 1));
            outcome = outcome_of(decoder);
        }
        EXPECT_EQ(outcome.expect, vector.text("expect")) << vector.integer("n");
        EXPECT_EQ(outcome.how, vector.text("how")) << vector.integer("n");
    }
}

TEST(Frames, AreWrittenAsTheGamesServerWritesThem) {
    PayloadFramer framer;
    for (const auto& line : test::vector_lines("vectors", "frames")) {
        const auto vector = JsonTree::parse(line).value();
        if (vector.text("expect") != "encoded") continue;
        const auto& info = *usual_schema().registry().find(vector.text("packet"));
        const auto payload = from_hex(vector.text("payload_hex")).value();
        const auto made = framer.frame(info, payload);
        ASSERT_TRUE(made) << made.error().text();
        if (!info.compressed) {
            EXPECT_EQ(to_hex(*made), vector.text("frame_hex")) << info.name;
        }
        const auto theirs = from_hex(vector.text("frame_hex")).value();
        for (const Bytes frame : {*made, Bytes(theirs)}) {
            FrameDecoder decoder(usual_schema().registry(), {});
            decoder.feed(frame);
            const auto next = decoder.next();
            ASSERT_TRUE(next && *next) << info.name;
            EXPECT_EQ(to_hex((*next)->payload), vector.text("payload_hex")) << info.name;
            EXPECT_EQ((*next)->length, frame.size()) << info.name;
        }
    }
}

TEST(Frames, AWatcherLetsUnknownPacketsPass) {
    FrameDecoder watcher(usual_schema().registry(), {});
    watcher.feed(frame_of(3, 9999, Buffer{1, 2, 3}));
    const auto next = watcher.next();
    ASSERT_TRUE(next && *next);
    EXPECT_EQ((*next)->packet, nullptr);
    EXPECT_EQ((*next)->id, 9999);
    EXPECT_EQ((*next)->payload.size(), 3U);
    EXPECT_FALSE(watcher.next()->has_value());
    EXPECT_EQ(watcher.pending(), 0U);

    FrameDecoder server(usual_schema().registry(), {Side::server, std::nullopt});
    server.feed(frame_of(3, 9999, Buffer{1, 2, 3}));
    EXPECT_EQ(server.next().error().error.text(),
              "frame header, offset 4: expected the id of a packet, found 9999");
}

TEST(Frames, AClaimAllocatesNothing) {
    FrameDecoder decoder(usual_schema().registry(), {});
    decoder.feed(frame_of(static_cast<std::int32_t>(k_largest_payload), 161, Buffer{1, 2, 3}));
    EXPECT_FALSE(decoder.next()->has_value());
    EXPECT_EQ(decoder.pending(), 11U);

    // A zstd frame of 18 bytes that says it holds a gigabyte.
    const auto claim = from_hex("28b52ffda000000040010000").value();
    FrameDecoder compressed(usual_schema().registry(), {});
    compressed.feed(frame_of(static_cast<std::int32_t>(claim.size()), 161, claim));
    const auto refused = compressed.next();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().fault, FrameFault::zstd_data);
}

TEST(Frames, ABroadcastIsMadeOnceAndShared) {
    FrameWriter<Side::server> writer;
    const Buffer data(50'000, 3);
    packets::SetChunk chunk;
    chunk.x = 12;
    chunk.data = Bytes(data);
    const auto made = writer.shared_frame(chunk);
    ASSERT_TRUE(made);
    const std::vector<SharedFrame> receivers(100, *made);
    for (const auto& each : receivers) EXPECT_EQ(each.bytes().data(), made->bytes().data());
    EXPECT_LT(made->bytes().size(), data.size());

    FrameDecoder decoder(packets::registry(), {Side::client, Channel::chunks});
    decoder.feed(made->bytes());
    const auto next = decoder.next();
    ASSERT_TRUE(next && *next);
    Arena arena;
    packets::SetChunk read;
    ASSERT_TRUE(decode((*next)->payload, arena, read));
    EXPECT_EQ(read.x, 12);
    EXPECT_EQ(read.data->size(), data.size());
}

TEST(Frames, ManyInOnePieceComeOutOneByOne) {
    FrameWriter<Side::client> writer;
    Buffer stream;
    for (int index = 0; index < 1000; ++index) {
        packets::ClientMovement movement;
        movement.mounted_to = index;
        const auto frame = writer.frame(movement);
        ASSERT_TRUE(frame);
        stream.insert(stream.end(), frame->begin(), frame->end());
    }
    FrameDecoder decoder(packets::registry(), {Side::server, std::nullopt});
    int index = 0;
    for (std::size_t at = 0; at < stream.size(); at += 1000) {
        decoder.feed(Bytes(stream).subspan(at, std::min<std::size_t>(1000, stream.size() - at)));
        for (;;) {
            const auto next = decoder.next();
            ASSERT_TRUE(next);
            if (!*next) break;
            Arena arena;
            packets::ClientMovement read;
            ASSERT_TRUE(decode((*next)->payload, arena, read));
            EXPECT_EQ(read.mounted_to, index++);
        }
    }
    EXPECT_EQ(index, 1000);
}

// What may not be sent does not compile.
template <typename Writer, typename P>
concept CanSend = requires(Writer writer, const P& packet) { writer.frame(packet); };
static_assert(CanSend<FrameWriter<Side::client>, packets::ClientMovement>);
static_assert(!CanSend<FrameWriter<Side::client>, packets::SetChunk>);
static_assert(CanSend<FrameWriter<Side::server>, packets::SetChunk>);
static_assert(CanSend<FrameWriter<Side::server, Channel::chunks>, packets::SetChunk>);
static_assert(!CanSend<FrameWriter<Side::server, Channel::world_map>, packets::SetChunk>);
static_assert(!CanSend<FrameWriter<Side::server, Channel::chunks>, packets::EntityUpdates>);

TEST(Frames, LimitsAreExact) {
    const auto head = [](std::int64_t length, std::int32_t id, std::uint32_t largest = k_largest_payload) {
        FrameDecoder decoder(usual_schema().registry(), {std::nullopt, std::nullopt, largest});
        decoder.feed(frame_of(static_cast<std::int32_t>(length), id, {}));
        const auto next = decoder.next();
        return next ? std::string_view("fine") : name(next.error().fault);
    };
    EXPECT_EQ(head(k_largest_payload, 9999), "fine");
    EXPECT_EQ(head(std::int64_t{k_largest_payload} + 1, 9999), "frame-length");
    EXPECT_EQ(head(-1, 9999), "frame-length");
    EXPECT_EQ(head(100, 9999, 100), "fine");
    EXPECT_EQ(head(101, 9999, 100), "packet-too-long");
    const auto& connect = packets::Connect::k_info;
    EXPECT_EQ(head(connect.largest, connect.id), "fine");
    EXPECT_EQ(head(std::int64_t{connect.largest} + 1, connect.id), "packet-too-long");

    Compressor compressor;
    Decompressor decompressor;
    const auto& assets = packets::RequestAssets::k_info;
    const auto opened = [&](Bytes payload, std::uint32_t largest) {
        const auto content = decompress_payload(decompressor, assets, payload, largest);
        return content ? std::string_view("fine") : name(content.error().fault);
    };
    const Buffer content(1000, 7);
    const auto made = compressor.compress(content).value();
    Buffer payload(made.begin(), made.end());
    EXPECT_EQ(opened(payload, 1000), "fine");
    EXPECT_EQ(opened(payload, 999), "zstd-too-long");
    const auto whole = payload;
    payload.insert(payload.end(), {0x50, 0x2A, 0x4D, 0x18, 1, 0, 0, 0, 9}); // a frame that is to be skipped
    EXPECT_EQ(opened(payload, 1000), "fine");
    payload.push_back(0);
    EXPECT_EQ(opened(payload, 1000), "zstd-data") << "and nothing else";
    EXPECT_EQ(opened(Bytes(whole).first(whole.size() - 1), 1000), "zstd-data");
    EXPECT_EQ(opened(Bytes(whole).first(3), 1000), "zstd-header");
}

TEST(Frames, TwoAreTheSameByTheirBytes) {
    const Buffer one{1, 2, 3};
    const Buffer other{1, 2, 4};
    const Buffer longer{1, 2, 3, 4};
    EXPECT_EQ(SharedFrame(one), SharedFrame(one));
    EXPECT_NE(SharedFrame(one), SharedFrame(other));
    EXPECT_NE(SharedFrame(one), SharedFrame(longer));
    EXPECT_EQ(SharedFrame(Bytes()), SharedFrame(Bytes()));
}

TEST(Frames, APayloadMayHaveItsLimitAndNoMore) {
    PayloadFramer framer;
    PacketInfo packet = packets::Connect::k_info;
    packet.largest = 100;
    EXPECT_TRUE(framer.frame(packet, Buffer(100)));
    const auto refused = framer.frame(packet, Buffer(101));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::too_large);
}

TEST(Frames, AReceiverMayHoldLessThanAPacketMayHave) {
    const Buffer zeros(100'000);
    Compressor compressor;
    const auto bomb = compressor.compress(zeros).value();
    Decompressor shared;
    FrameDecoder decoder(packets::registry(), {Side::server, std::nullopt, 50'000}, shared);
    decoder.feed(frame_of(static_cast<std::int32_t>(bomb.size()), packets::RequestAssets::k_info.id, bomb));
    auto next = decoder.next();
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error().fault, FrameFault::zstd_too_long);

    FrameDecoder patient(packets::registry(), {Side::server, std::nullopt, 50'000}, shared);
    patient.feed(frame_of(60'000, packets::RequestAssets::k_info.id, {}));
    next = patient.next();
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error().fault, FrameFault::packet_too_long);

    FrameDecoder generous(packets::registry(), {Side::server, std::nullopt, 50'000}, shared);
    generous.set_largest(200'000);
    generous.feed(frame_of(static_cast<std::int32_t>(bomb.size()), packets::RequestAssets::k_info.id, bomb));
    next = generous.next();
    ASSERT_TRUE(next);
    EXPECT_EQ((**next).payload.size(), zeros.size());
}

} // namespace orbis::protocol
