#include "game/bot/world_view.hpp"
#include "game/codec/announce_test.hpp"
#include "game/codec/chunk_packets.hpp"
#include "packets/assets.hpp"
#include "packets/world.hpp"
#include "protocol/frame_writer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

namespace orbis::game {
namespace {

using chunk::Chunk;

/// Packets on their way to views, as frames whose payloads are still compressed.
struct Wire {
    protocol::FrameWriter<protocol::Side::server> writer;
    Decompressor decompressor;
    protocol::Arena arena;
    StatePool pool;

    template <typename P>
    protocol::Frame frame(const P& packet) {
        const auto bytes = writer.frame(packet).value();
        kept.emplace_back(bytes.begin(), bytes.end());
        protocol::Frame out;
        out.id = P::k_info.id;
        out.packet = &P::k_info;
        out.payload = Bytes(kept.back()).subspan(protocol::k_frame_header);
        out.length = bytes.size();
        out.is_compressed = P::k_info.compressed;
        return out;
    }
    WorldView view(WorldLimits limits = WorldLimits::of_view(192)) {
        return {pool, decompressor, arena, limits};
    }
    std::deque<Buffer> kept;
};

Chunk many_kinds_chunk(std::mt19937_64& random, std::size_t kinds) {
    auto chunk = Chunk::create();
    const auto place = [&] {
        return BlockPos{static_cast<int>(random() % 32), static_cast<int>(random() % 320),
                        static_cast<int>(random() % 32)};
    };
    for (std::size_t i = 0; i < kinds * 3; ++i)
        EXPECT_TRUE(chunk.set_block(place(), {fmt::format("Block_{}", random() % kinds),
                                              {static_cast<std::uint8_t>(random() % 64)},
                                              {static_cast<std::uint16_t>(random() % 32768)}}));
    for (int i = 0; i < 60; ++i)
        EXPECT_TRUE(chunk.set_fluid(place(), {"Water", static_cast<std::uint8_t>(1 + random() % 15)}));
    auto* heights = chunk.edit_heights().value();
    auto* environments = chunk.edit_environments().value();
    for (int i = 0; i < k_columns; ++i) {
        heights->set(ColumnIndex(i), static_cast<std::int16_t>(random() % 300));
        environments->set_runs(ColumnIndex(i), std::vector<chunk::EnvironmentRun>{
                                                   {static_cast<std::int32_t>(random() % 200), "Env_Deep"},
                                                   {chunk::EnvironmentRun::k_no_end, "Env_Sky"}});
    }
    return chunk;
}

/// Sends all packets of a chunk in a random order.
void send(Wire& wire, WorldView& view, const ChunkPackets& chunk_packets, std::uint64_t seed) {
    std::vector<protocol::Frame> frames;
    chunk_packets.for_each([&](const auto& packet) { frames.push_back(wire.frame(packet)); });
    std::mt19937_64 random(seed);
    std::ranges::shuffle(frames, random);
    for (const auto& frame : frames) {
        wire.arena.reset();
        const auto taken = view.take(frame);
        ASSERT_TRUE(taken) << taken.error().text();
    }
}

void announce(Wire& wire, WorldView& view, const WireIds& ids) {
    test_names::announce(ids, [&](const auto& packet) { ASSERT_TRUE(view.take(wire.frame(packet))); });
}

RC_GTEST_PROP(WorldView, ShowsWhatTheChunkHoldsWhateverTheOrder, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    const auto chunk = many_kinds_chunk(random, *rc::gen::element<std::size_t>(1, 20, 400));
    WireIds ids;
    ChunkPackets chunk_packets;
    RC_ASSERT(chunk_packets.make({-2, 3}, chunk, ids).has_value());
    Wire wire;
    auto view = wire.view();
    send(wire, view, chunk_packets, seed);
    announce(wire, view, ids); // later than what it names
    RC_ASSERT(view.complete_chunks() == 1U);
    for (int i = 0; i < 1000; ++i) {
        const BlockPos in_chunk{static_cast<int>(random() % 32), static_cast<int>(random() % 320),
                                static_cast<int>(random() % 32)};
        const BlockPos pos{in_chunk.x - 64, in_chunk.y, in_chunk.z + 96};
        const auto wanted = chunk.block(in_chunk);
        RC_ASSERT(view.block_name(pos) == std::string(wanted.key));
        RC_ASSERT(view.block(pos)->filler == wanted.filler.stored);
        RC_ASSERT(view.block(pos)->rotation == wanted.rotation.index);
        const auto fluid = chunk.fluid(in_chunk);
        if (const auto found = view.fluid(pos)) {
            RC_ASSERT(view.fluid_name(pos) == std::string(fluid.key));
            RC_ASSERT(found->level == fluid.level);
        } else {
            RC_ASSERT(fluid.level == 0);
        }
        RC_ASSERT(view.environment(pos) == std::string(chunk.environment(in_chunk)));
    }
    RC_ASSERT(!testing::Test::HasFailure());
}

struct WorldViews : testing::Test {
    Wire wire;
    WireIds ids;
    ChunkPackets chunk_packets;

    void SetUp() override {
        std::mt19937_64 random(7);
        ASSERT_TRUE(chunk_packets.make({0, 0}, many_kinds_chunk(random, 20), ids));
    }
    packets::ServerSetBlock change(BlockPos pos, std::int32_t id) {
        packets::ServerSetBlock out;
        out.x = pos.x;
        out.y = pos.y;
        out.z = pos.z;
        out.block_id = id;
        return out;
    }
};

TEST_F(WorldViews, ShareWhatTheyDecodeAlsoAfterTheSameEdits) {
    auto first = wire.view();
    auto second = wire.view();
    send(wire, first, chunk_packets, 1);
    const auto made = wire.pool.made();
    send(wire, second, chunk_packets, 2);
    EXPECT_EQ(wire.pool.made(), made);
    const BlockPos pos{5, 70, 9};
    const auto frame = wire.frame(change(pos, 3));
    ASSERT_TRUE(first.take(frame));
    EXPECT_EQ(first.block(pos)->id, 3);
    EXPECT_NE(second.block(pos)->id, 3);
    ASSERT_TRUE(second.take(frame));
    EXPECT_EQ(wire.pool.made(), made + 1);
    EXPECT_EQ(first.chunks().at({0, 0}).blocks[2].get(), second.chunks().at({0, 0}).blocks[2].get());
    EXPECT_EQ(second.block(pos)->id, 3);
    // Others have the old state, which nobody changed.
    EXPECT_NE(first.chunks().at({0, 0}).blocks[1], first.chunks().at({0, 0}).blocks[2]);
}

TEST_F(WorldViews, TakeManyChangesAtOnceAndForgetThemWithTheNextSetChunk) {
    auto view = wire.view();
    send(wire, view, chunk_packets, 1);
    const auto before = view.block({1, 33, 0})->id;
    std::vector<packets::SetBlockCmd> changes(500);
    for (std::size_t i = 0; i < changes.size(); ++i) {
        changes[i].index = static_cast<std::int16_t>((i * 37) % 32768);
        changes[i].block_id = 7;
    }
    packets::ServerSetBlocks many;
    many.y = 1;
    many.cmds = changes;
    ASSERT_TRUE(view.take(wire.frame(many)));
    for (const auto& each : changes) {
        const CellIndex cell(each.index);
        ASSERT_EQ(view.block({cell.x(), 32 + cell.y(), cell.z()})->id, 7);
    }
    ASSERT_TRUE(view.take(wire.frame(chunk_packets.sections()[1])));
    EXPECT_EQ(view.block({1, 33, 0})->id, before);
}

TEST_F(WorldViews, UnloadColumnsAndKeepCount) {
    auto view = wire.view();
    send(wire, view, chunk_packets, 1);
    packets::UnloadChunk unload;
    ASSERT_TRUE(view.take(wire.frame(unload)));
    EXPECT_EQ(view.complete_chunks(), 0U);
    EXPECT_FALSE(view.block({0, 0, 0}));
    send(wire, view, chunk_packets, 1);
    EXPECT_EQ(view.complete_chunks(), 1U);
    ASSERT_TRUE(view.take(wire.frame(unload)));
    ASSERT_TRUE(view.take(wire.frame(change({0, 0, 0}, 3)))); // too late: ignored
    EXPECT_TRUE(view.chunks().empty());
}

TEST_F(WorldViews, RefuseBrokenSectionsAndStayAsTheyWere) {
    auto view = wire.view();
    send(wire, view, chunk_packets, 1);
    const auto before = view.block({0, 33, 0});
    auto broken = chunk_packets.sections()[1];
    Buffer data(broken.data->begin(), broken.data->end());
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, data.size() / 2, data.size() - 1}) {
        broken.data = Bytes(data).first(size);
        EXPECT_FALSE(view.take(wire.frame(broken))) << size;
    }
    auto outside = chunk_packets.sections()[1];
    outside.y = 10;
    EXPECT_FALSE(view.take(wire.frame(outside)));
    EXPECT_EQ(view.block({0, 33, 0}), before);
}

TEST_F(WorldViews, RefuseEveryPartOfAnotherLength) {
    auto view = wire.view();
    send(wire, view, chunk_packets, 1);
    const auto height = view.height(4, 4);
    const auto environment = view.environment({4, 10, 4});
    const auto fluid = view.fluid({4, 10, 4});
    Buffer bytes;
    const auto refuses = [&](auto packet, auto part) {
        const Buffer whole((packet.*part)->begin(), (packet.*part)->end());
        for (const int more : {-1, 1}) {
            bytes = whole;
            bytes.resize(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(whole.size()) + more));
            packet.*part = Bytes(bytes);
            EXPECT_FALSE(view.take(wire.frame(packet))) << packet.k_info.name << more;
        }
        bytes = whole;
        packet.*part = Bytes(bytes);
        EXPECT_TRUE(view.take(wire.frame(packet))) << packet.k_info.name;
    };
    refuses(chunk_packets.heightmap(), &packets::SetChunkHeightmap::heightmap);
    refuses(chunk_packets.environments(), &packets::SetChunkEnvironments::environments);
    refuses(chunk_packets.sections()[0], &packets::SetChunk::data);
    refuses(chunk_packets.fluids()[0], &packets::SetFluids::data);
    EXPECT_EQ(view.height(4, 4), height);
    EXPECT_EQ(view.environment({4, 10, 4}), environment);
    EXPECT_EQ(view.fluid({4, 10, 4}), fluid);
}

TEST_F(WorldViews, GroundSinksWhereItsTopWasTakenAway) {
    auto view = wire.view();
    send(wire, view, chunk_packets, 1);
    const auto height = view.height(4, 4);
    ASSERT_TRUE(height);
    packets::SetChunkHeightmap map = chunk_packets.heightmap();
    ASSERT_TRUE(view.take(wire.frame(change({4, 100, 4}, 5))));
    ASSERT_TRUE(view.take(wire.frame(map)));
    for (int y = 319; y > 100; --y) ASSERT_TRUE(view.take(wire.frame(change({4, y, 4}, 0))));
    EXPECT_LE(*view.height(4, 4), 100);
}

TEST_F(WorldViews, KeepTheColumnsAroundThePlayerWhateverElseComes) {
    const auto limits = WorldLimits::of_view(64);
    ASSERT_EQ(limits.chunks, 49U); // a radius of 2 chunks and a margin of 2
    auto view = wire.view(limits);
    packets::SetChunkHeightmap heights;
    const auto take = [&](int x, int z) {
        wire.arena.reset();
        heights.x = x;
        heights.z = z;
        return view.take(wire.frame(heights));
    };
    // Nobody knows yet where the player is: what comes first is kept.
    for (int i = 0; i < 49; ++i) ASSERT_TRUE(take(1000 + i, 0)) << i;
    const auto more = take(0, 0);
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().code, Errc::too_large);
    EXPECT_EQ(view.chunks().size(), 49U);
    // What is far away goes, the farthest first, and cannot come back.
    view.look_from(ChunkPos{0, 0});
    ASSERT_TRUE(take(0, 0));
    EXPECT_FALSE(view.chunks().contains({1048, 0}));
    EXPECT_TRUE(view.chunks().contains({1047, 0}));
    for (int x = -4; x <= 4; ++x)
        for (int z = -4; z <= 4; ++z)
            if (x * x + z * z <= 16) {
                ASSERT_TRUE(take(x, z));
            }
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(take(1000 + i, 0));
    EXPECT_FALSE(take(std::numeric_limits<int>::max(), std::numeric_limits<int>::min()));
    EXPECT_EQ(view.chunks().size(), 49U);
    EXPECT_TRUE(view.chunks().contains({0, 0}));
    ASSERT_TRUE(take(4, 0)); // another state of what is there
    // The player goes elsewhere.
    view.look_from(ChunkPos{1000, 0});
    EXPECT_TRUE(take(1000, 0));
    EXPECT_EQ(view.chunks().size(), 49U);
}

TEST_F(WorldViews, KeepNoMoreBytesThanTheyMay) {
    auto view = wire.view({100, 3'000'000});
    view.look_from(ChunkPos{0, 0});
    send(wire, view, chunk_packets, 1);
    const auto one = view.bytes();
    ASSERT_GT(one, 0U);
    ASSERT_LT(one, 3'000'000U);
    std::size_t refused = 0;
    for (int x = 1; x < 20; ++x)
        for (const auto& section : chunk_packets.sections()) {
            auto moved = section;
            moved.x = x;
            wire.arena.reset();
            const auto taken = view.take(wire.frame(moved));
            refused += taken ? 0U : 1U;
            EXPECT_LE(view.bytes(), 3'000'000U);
        }
    EXPECT_GT(refused, 0U);
    EXPECT_TRUE(view.block({0, 0, 0})); // nothing nearer was let go
    // A change takes room as well.
    std::vector<packets::SetBlockCmd> changes(32768);
    for (std::size_t i = 0; i < changes.size(); ++i) changes[i].index = static_cast<std::int16_t>(i);
    packets::ServerSetBlocks many;
    many.cmds = changes;
    for (const auto& [pos, kept] : view.chunks())
        if (kept.blocks[0]) many.x = std::max(many.x, pos.x);
    ASSERT_GT(many.x, 0);
    wire.arena.reset();
    EXPECT_FALSE(view.take(wire.frame(many)));
    EXPECT_LE(view.bytes(), 3'000'000U);
    // And gives it back.
    for (int x = 0; x < 20; ++x) {
        packets::UnloadChunk unload;
        unload.chunk_x = x;
        ASSERT_TRUE(view.take(wire.frame(unload)));
    }
    EXPECT_EQ(view.bytes(), 0U);
    EXPECT_EQ(view.complete_chunks(), 0U);
}

TEST_F(WorldViews, RefuseNamesWithoutEnd) {
    auto view = wire.view();
    const std::string name(1 << 20, 'x');
    std::vector<protocol::Entry<std::int32_t, packets::BlockType>> blocks(16);
    packets::UpdateBlockTypes types;
    types.type = packets::UpdateType::add_or_update;
    int taken = 0;
    for (int round = 0; round < 8; ++round) {
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            blocks[i].key = round * 16 + static_cast<int>(i);
            blocks[i].value.name = protocol::Text(name);
        }
        types.block_types = protocol::Map<std::int32_t, packets::BlockType>(blocks);
        wire.arena.reset();
        taken += view.take(wire.frame(types)) ? 1 : 0;
    }
    EXPECT_EQ(taken, 4); // 64 MiB
    EXPECT_LE(view.block_names()->bytes, std::size_t{64} << 20);
}

} // namespace
} // namespace orbis::game
