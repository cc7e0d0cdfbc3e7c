#include "bytes/hex.hpp"
#include "packets/v0_5_1/all.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/json_tree.hpp"
#include "protocol/packets.hpp"
#include "protocol/schema_test_support.hpp"
#include "support/both_codecs.hpp"
#include "support/random_value.hpp"
#include "support/vectors.hpp"

#include <gtest/gtest.h>

#include <random>

namespace orbis::protocol {

using test::expect_same;
using test::read_and_write;

namespace {

const PacketCode& code_of_packet(std::span<const PacketCode> codes, std::string_view name) {
    const auto found = std::ranges::find(codes, name, [](const PacketCode& code) { return code.info.name; });
    EXPECT_NE(found, codes.end()) << name;
    return *found;
}

} // namespace

TEST(PacketCodec, EveryVectorIsReadAndWrittenAgain) {
    for (const auto& line : test::vector_lines("vectors", "")) {
        const auto vector = JsonTree::parse(line).value();
        const auto& code = code_of_packet(packets::packet_codes(), vector.text("packet"));
        const auto payload = from_hex(vector.text("payload_hex")).value();
        const auto reading = read_and_write(code, payload, {});
        EXPECT_EQ(reading.fault, Fault::none) << code.info.name << " " << name(reading.fault);
        EXPECT_EQ(to_hex(reading.again), vector.text("payload_hex"))
            << code.info.name << " " << vector.integer("n");
    }
}

TEST(PacketCodec, DamagedPayloadsAreJudgedAsByTheGame) {
    const auto& schema = usual_schema();
    for (const auto& line : test::vector_lines("vectors", "negative-")) {
        const auto vector = JsonTree::parse(line).value();
        const auto& code = code_of_packet(packets::packet_codes(), vector.text("packet"));
        const auto payload = from_hex(vector.text("payload_hex")).value();
        const auto reading = read_and_write(code, payload, {});
        EXPECT_EQ(reading.fault == Fault::none, vector.text("decode") == "ok")
            << code.info.name << " " << vector.integer("n") << " " << name(reading.fault) << " "
            << vector.text("decode");
        expect_same(code, *schema.packet(code.info.id), payload, {});
    }
}

TEST(PacketCodec, AgreesWithTheSchemaCodecOnRandomValues) {
    const auto& schema = usual_schema();
    test::RandomValue random(11);
    for (const auto& code : packets::packet_codes())
        for (int round = 0; round < 12; ++round) {
            const auto& layout = *schema.packet(code.info.id);
            Buffer payload;
            ASSERT_TRUE(encode(layout, random.record(layout), payload));
            const auto reading = read_and_write(code, payload, {});
            ASSERT_EQ(reading.fault, Fault::none) << code.info.name << " " << name(reading.fault);
            ASSERT_EQ(to_hex(reading.again), to_hex(payload)) << code.info.name;
        }
}

TEST(PacketCodec, MemoryThatIsTooSmallIsReportedAndNotWrittenBehind) {
    const auto& schema = usual_schema();
    test::RandomValue random(14);
    for (const auto& code : packets::packet_codes()) {
        const auto& layout = *schema.packet(code.info.id);
        Buffer payload;
        ASSERT_TRUE(encode(layout, random.record(layout), payload));
        Arena arena;
        Decoder in(payload, arena);
        const auto* packet = code.read(in);
        ASSERT_NE(packet, nullptr) << code.info.name;
        const auto step = std::max<std::size_t>(1, payload.size() / 100);
        for (std::size_t size = 0; size < payload.size(); size += step) {
            constexpr std::uint8_t k_guard = 0xa5;
            Buffer memory(size + 64, k_guard);
            Encoder out(MutableBytes(memory).first(size));
            code.write(out, memory.data(), packet);
            EXPECT_TRUE(out.full()) << code.info.name << " in " << size << " of " << payload.size();
            EXPECT_FALSE(out.failed()) << code.info.name;
            EXPECT_TRUE(std::all_of(memory.begin() + static_cast<std::ptrdiff_t>(size), memory.end(),
                                    [](std::uint8_t byte) { return byte == k_guard; }))
                << code.info.name << " in " << size << " of " << payload.size();
        }
    }
}

TEST(PacketCodec, AWriterTakesPacketsOfAllSizesInTurn) {
    PayloadWriter writer;
    Arena arena;
    for (const std::size_t size : {0U, 10U, 100'000U, 3U, 127U, 128U, 5000U, 300'000U, 1U}) {
        const Buffer data(size, static_cast<std::uint8_t>(size));
        packets::SetChunk sent;
        sent.data = Bytes(data);
        const auto written = writer.write(sent, 8);
        ASSERT_TRUE(written);
        packets::SetChunk read;
        ASSERT_TRUE(decode(written->subspan(8), arena, read, true));
        EXPECT_TRUE(std::ranges::equal(*read.data, data));
    }
}

TEST(PacketCodec, ABooleanOfAnyByteButZeroIsTrue) {
    packets::ClientMovement sent;
    sent.movement_states = packets::MovementStates{};
    Buffer payload;
    ASSERT_TRUE(encode(sent, payload));
    for (std::size_t at = 0; at < sizeof(packets::MovementStates); ++at) {
        auto odd = payload;
        odd[2 + at] = static_cast<std::uint8_t>(2 + at * 11);
        Arena arena;
        packets::ClientMovement read;
        ASSERT_TRUE(decode(odd, arena, read));
        Buffer again;
        ASSERT_TRUE(encode(read, again));
        auto expected = payload;
        expected[2 + at] = 1;
        EXPECT_EQ(to_hex(again), to_hex(expected));
        EXPECT_FALSE(decode(odd, arena, read, true));
    }
}

TEST(PacketCodec, AgreesWithTheSchemaCodecOnDamagedBytes) {
    const auto& schema = usual_schema();
    test::RandomValue random(12);
    for (const auto& code : packets::packet_codes())
        for (int round = 0; round < 6; ++round) {
            const auto& layout = *schema.packet(code.info.id);
            Buffer payload;
            ASSERT_TRUE(encode(layout, random.record(layout), payload));
            for (int damage = 0; damage < 25; ++damage) {
                const auto damaged = test::damaged(payload, random);
                ASSERT_NO_FATAL_FAILURE(expect_same(code, layout, damaged, {}));
                ASSERT_NO_FATAL_FAILURE(expect_same(code, layout, damaged, {true, false}));
            }
        }
}

TEST(PacketCodec, RegistryAndSchemaSayTheSame) {
    const auto schema = usual_schema().registry().packets();
    const auto typed = packets::registry().packets();
    ASSERT_EQ(typed.size(), schema.size());
    for (std::size_t at = 0; at < typed.size(); ++at) {
        EXPECT_EQ(typed[at].id, schema[at].id);
        EXPECT_EQ(typed[at].name, schema[at].name);
        EXPECT_EQ(typed[at].category, schema[at].category);
        EXPECT_EQ(typed[at].direction, schema[at].direction) << typed[at].name;
        EXPECT_EQ(typed[at].channel, schema[at].channel) << typed[at].name;
        EXPECT_EQ(typed[at].compressed, schema[at].compressed) << typed[at].name;
        EXPECT_EQ(typed[at].fixed, schema[at].fixed) << typed[at].name;
        EXPECT_EQ(typed[at].smallest, schema[at].smallest) << typed[at].name;
        EXPECT_EQ(typed[at].largest, schema[at].largest) << typed[at].name;
    }
}

TEST(PacketCodec, FieldsHaveTheirNamesAndValues) {
    packets::ClientMovement sent;
    sent.absolute_position = packets::Position{1.5, -2.0, 1e9};
    sent.body_orientation = packets::Direction{0.25F, 0.5F, 0.75F};
    sent.mounted_to = -7;
    packets::MovementStates states;
    states.jumping = true;
    sent.movement_states = states;
    Buffer payload;
    ASSERT_TRUE(encode(sent, payload));
    EXPECT_EQ(payload.size(), 153U);

    const auto& layout = *usual_schema().packet("ClientMovement");
    const auto value = decode(layout, payload, {});
    ASSERT_TRUE(value);
    EXPECT_EQ(*value->find("absolutePosition")->find("y")->as<double>(), -2.0);
    EXPECT_EQ(*value->find("bodyOrientation")->find("pitch")->as<float>(), sent.body_orientation->pitch);
    EXPECT_EQ(*value->find("mountedTo")->as<std::int64_t>(), -7);
    EXPECT_EQ(*value->find("movementStates")->find("jumping")->as<bool>(), true);
    EXPECT_EQ(*value->find("movementStates")->find("flying")->as<bool>(), false);
    EXPECT_TRUE(value->find("velocity")->is_absent());

    Arena arena;
    packets::ClientMovement read;
    ASSERT_TRUE(decode(payload, arena, read, true));
    EXPECT_EQ(read.absolute_position->z, 1e9);
    EXPECT_TRUE(read.movement_states->jumping);
    EXPECT_FALSE(read.velocity);
    EXPECT_EQ(arena.capacity(), 0U) << "no memory is taken for a packet without variable fields";
}

TEST(PacketCodec, LargeBytesAreViewsOfTheReceivedOnes) {
    const Buffer data(100'000, 7);
    packets::SetChunk sent;
    sent.x = 3;
    sent.data = Bytes(data);
    Buffer payload;
    ASSERT_TRUE(encode(sent, payload));
    Arena arena;
    packets::SetChunk read;
    ASSERT_TRUE(decode(payload, arena, read));
    ASSERT_EQ(read.data->size(), data.size());
    EXPECT_GE(read.data->data(), payload.data());
    EXPECT_LE(read.data->data() + read.data->size(), payload.data() + payload.size());
    EXPECT_FALSE(read.local_light);
    EXPECT_EQ(arena.capacity(), 0U);
}

TEST(PacketCodec, UnionsAreVariants) {
    const packets::ComponentUpdate update = packets::TransformUpdate{};
    const std::array<packets::ComponentUpdate, 1> components{update};
    packets::EntityUpdate entity;
    entity.network_id = 42;
    entity.updates = List<packets::ComponentUpdate>(components);
    const std::array<packets::EntityUpdate, 1> entities{entity};
    packets::EntityUpdates sent;
    sent.updates = List<packets::EntityUpdate>(entities);
    Buffer payload;
    ASSERT_TRUE(encode(sent, payload));
    Arena arena;
    packets::EntityUpdates read;
    ASSERT_TRUE(decode(payload, arena, read, true));
    EXPECT_EQ((*read.updates)[0].network_id, 42);
    EXPECT_TRUE(std::holds_alternative<packets::TransformUpdate>((*(*read.updates)[0].updates)[0]));
}

TEST(PacketCodec, WhatCannotBeSentIsAnErrorThatNamesThePacket) {
    packets::Connect connect;
    connect.username = "a name that is far too long for the field";
    Buffer payload;
    const auto too_long = encode(connect, payload);
    ASSERT_FALSE(too_long);
    EXPECT_EQ(too_long.error().text(), "Connect: expected at most 16 bytes or elements, found 41");
    connect.username = "\xc3\xa9";
    EXPECT_EQ(encode(connect, payload).error().code, Errc::bad_text);
    connect.username = "me";
    connect.client_type = static_cast<packets::ClientType>(99);
    EXPECT_EQ(encode(connect, payload).error().code, Errc::bad_value);
    EXPECT_TRUE(payload.empty());

    packets::ForkedChainId loop;
    loop.forked_id = &loop;
    packets::SyncInteractionChain chain;
    chain.forked_id = Opt<packets::ForkedChainId>(loop);
    const std::array<packets::SyncInteractionChain, 1> chains{chain};
    packets::SyncInteractionChains endless;
    endless.updates = chains;
    EXPECT_EQ(encode(endless, payload).error().code, Errc::too_deep);
}

TEST(PacketCodec, BuildsStandSideBySide) {
    v0_5_1::ViewRadius radius;
    radius.value = -1;
    Buffer payload;
    EXPECT_EQ(encode(radius, payload).error().code, Errc::out_of_range);
    radius.value = 5;
    ASSERT_TRUE(encode(radius, payload));
    Arena arena;
    EXPECT_TRUE(decode(payload, arena, radius, true));
    payload[3] = 0xff;
    EXPECT_EQ(decode(payload, arena, radius).error().fault, Fault::value_range);
    packets::ViewRadius older;
    EXPECT_TRUE(decode(payload, arena, older)) << "the rule is younger than 2026.02.17";
    EXPECT_EQ(v0_5_1::ClientMovement::k_fixed, 155U);
    EXPECT_EQ(packets::ClientMovement::k_fixed, 153U);
}

TEST(PacketCodec, LaterBuildsReadByTheirStricterRules) {
    const auto& schema = *find_schema("0.5.1").value();
    test::RandomValue random(13);
    for (const auto& code : v0_5_1::packet_codes())
        for (int round = 0; round < 400; ++round) {
            const auto& layout = *schema.packet(code.info.id);
            Buffer payload;
            ASSERT_TRUE(encode(layout, random.record(layout), payload));
            ASSERT_NO_FATAL_FAILURE(expect_same(code, layout, payload, {true, false}));
            if (payload.empty()) continue;
            payload[random.below(payload.size())] = static_cast<std::uint8_t>(random.below(256));
            ASSERT_NO_FATAL_FAILURE(expect_same(code, layout, payload, {true, false}));
        }
}

// Directions and channels are types.
static_assert(SentBy<packets::ClientMovement, Side::client>);
static_assert(!SentBy<packets::ClientMovement, Side::server>);
static_assert(!SentBy<packets::SetChunk, Side::client>);
static_assert(ReceivedBy<packets::SetChunk, Side::client>);
static_assert(SentBy<packets::Disconnect, Side::client> && SentBy<packets::Disconnect, Side::server>);

} // namespace orbis::protocol
