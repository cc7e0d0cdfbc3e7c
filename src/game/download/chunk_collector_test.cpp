#include "game/bot/test_server_test.hpp"
#include "game/codec/carried_chunk_test.hpp"
#include "game/download/chunk_collector.hpp"
#include "packets/world.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace orbis::game {
namespace {

using namespace std::chrono_literals;

/// Keeps chunks in memory.
struct Memory final : ChunkCollector::Shelf {
    std::map<std::pair<int, int>, Buffer> documents;
    Result<void> put(ChunkPos pos, const chunk::Chunk& chunk) override {
        Buffer out;
        TRY(const auto document, chunk.encode(out));
        documents[{pos.x, pos.z}] = Buffer(document.begin(), document.end());
        return {};
    }
    Result<std::optional<chunk::Chunk>> take_back(ChunkPos pos) override {
        const auto found = documents.find({pos.x, pos.z});
        if (found == documents.end()) return std::nullopt;
        TRY(auto chunk, chunk::Chunk::decode(Buffer(found->second)));
        return chunk;
    }
};

struct Collector : testing::Test {
    test_server::World world;
    ChunkPackets packets_;
    protocol::FrameWriter<protocol::Side::server> writer;
    Decompressor decompressor;
    protocol::Arena arena;
    Memory shelf;
    static constexpr std::size_t k_most_bytes = 100'000;
    ChunkCollector collector{shelf,
                             [](std::string_view key) { return key == "Empty"; },
                             decompressor,
                             arena,
                             {.chunks = 1'000, .bytes = k_most_bytes}};
    std::deque<Buffer> kept;
    net::Time now = net::Time{} + 1s;

    void SetUp() override {
        world.add_flat({0, 0});
        ASSERT_TRUE(packets_.make({0, 0}, world.chunks.begin()->second, world.ids));
    }
    template <typename P>
    Result<bool> take(const P& packet) {
        const auto bytes = writer.frame(packet).value();
        kept.emplace_back(bytes.begin(), bytes.end());
        protocol::Frame frame;
        frame.id = P::k_info.id;
        frame.packet = &P::k_info;
        frame.payload = Bytes(kept.back()).subspan(protocol::k_frame_header);
        frame.is_compressed = P::k_info.compressed;
        arena.reset();
        return collector.take(frame, now);
    }
    void announce() {
        test_names::announce(world.ids, [&](const auto& packet) { ASSERT_TRUE(take(packet)); });
    }
    void send_chunk() {
        packets_.for_each([&](const auto& packet) { ASSERT_TRUE(take(packet)); });
    }
};

TEST_F(Collector, HoldsColumnsUntilTheirNamesAreKnown) {
    send_chunk();
    EXPECT_FALSE(collector.has({0, 0}));
    EXPECT_GT(collector.held(), 0U);
    ASSERT_TRUE(collector.hand_out(net::k_never));
    EXPECT_TRUE(shelf.documents.empty());
    announce();
    EXPECT_EQ(collector.held(), 0U);
    EXPECT_TRUE(collector.has({0, 0}));
    ASSERT_TRUE(collector.hand_out(now));
    const auto got = shelf.take_back({0, 0}).value();
    test_chunks::expect_equal(world.chunks.begin()->second, *got);
}

TEST_F(Collector, NeverHandsOutWhatIsNotWhole) {
    announce();
    for (const auto& section : packets_.sections().first(9)) ASSERT_TRUE(take(section));
    ASSERT_TRUE(collector.hand_out(net::k_never));
    EXPECT_TRUE(shelf.documents.empty());
    EXPECT_EQ(collector.incomplete().size(), 1U);
    ASSERT_TRUE(take(packets::UnloadChunk{}));
    EXPECT_EQ(collector.incomplete().size(), 1U);
    send_chunk();
    ASSERT_TRUE(collector.hand_out(net::k_never));
    EXPECT_EQ(shelf.documents.size(), 1U);
    EXPECT_TRUE(collector.incomplete().empty());
}

TEST_F(Collector, TheColumnThatIsCutOffIsNotHandedOut) {
    announce();
    send_chunk();
    const auto before = now - 1s;
    ASSERT_TRUE(collector.hand_out_rest(before));
    EXPECT_TRUE(shelf.documents.empty()) << "its fluids may be missing";
    EXPECT_EQ(collector.incomplete(), (std::vector<ChunkPos>{{0, 0}}));
    packets::SetChunkHeightmap next;
    next.x = 5;
    ASSERT_TRUE(take(next));
    ASSERT_TRUE(collector.hand_out_rest(before));
    EXPECT_EQ(shelf.documents.size(), 1U) << "another column has begun";
    EXPECT_EQ(collector.incomplete(), (std::vector<ChunkPos>{{5, 0}}));
}

TEST_F(Collector, ColumnsThatNeverEndHaveNoMoreMemoryThanOthers) {
    announce();
    const auto& section = packets_.sections().front();
    const auto size = section.data->size() + section.local_light.value_or({}).size()
                      + section.global_light.value_or({}).size();
    ASSERT_GT(size, 0U);
    std::size_t taken = 0;
    for (auto begun = section; taken < 1000; ++begun.x, ++taken)
        if (const auto got = take(begun); !got) {
            EXPECT_EQ(got.error().code, Errc::too_large) << got.error().text();
            break;
        }
    EXPECT_EQ(taken, k_most_bytes / size);
    // What goes makes room.
    ASSERT_TRUE(take(packets::UnloadChunk{}));
    auto next = section;
    next.z = 1;
    EXPECT_TRUE(take(next));
}

TEST_F(Collector, AColumnWithABrokenPartIsNotHandedOut) {
    announce();
    send_chunk();
    const std::array<std::uint8_t, 3> noise{9, 9, 9};
    packets::SetFluids broken;
    broken.y = 2;
    broken.data = Bytes(noise);
    EXPECT_FALSE(take(broken));
    EXPECT_FALSE(collector.has({0, 0}));
    ASSERT_TRUE(collector.hand_out(net::k_never));
    ASSERT_TRUE(take(packets::UnloadChunk{}));
    EXPECT_TRUE(shelf.documents.empty());
    EXPECT_EQ(collector.incomplete().size(), 1U);
}

TEST_F(Collector, AColumnWithFluidsThatHaveNoNameIsNotHandedOutWhenItGoes) {
    announce();
    send_chunk();
    chunk::Chunk strange = chunk::Chunk::create();
    ASSERT_TRUE(strange.set_fluid({1, 1, 1}, {"Slime_Nobody_Knows", 8}));
    ChunkPackets other;
    ASSERT_TRUE(other.make({0, 0}, strange, world.ids));
    for (const auto& fluids : other.fluids()) ASSERT_TRUE(take(fluids));
    EXPECT_GT(collector.held(), 0U);
    ASSERT_TRUE(take(packets::UnloadChunk{}));
    EXPECT_TRUE(shelf.documents.empty());
    EXPECT_EQ(collector.held(), 0U);
    EXPECT_EQ(collector.incomplete().size(), 1U);
}

TEST_F(Collector, WhatIsHeldHasALimitAndARefusalTakesNoRoom) {
    ChunkCollector small(shelf, [](std::string_view) { return false; }, decompressor, arena,
                         {.chunks = 2, .bytes = k_most_bytes, .held_bytes = 200, .held_packets = 2});
    packets::ServerSetBlock unknown;
    unknown.block_id = 77;
    const auto give = [&](const auto& packet) {
        using P = std::decay_t<decltype(packet)>;
        const auto bytes = writer.frame(packet).value();
        kept.emplace_back(bytes.begin(), bytes.end());
        protocol::Frame frame;
        frame.id = P::k_info.id;
        frame.packet = &P::k_info;
        frame.payload = Bytes(kept.back()).subspan(protocol::k_frame_header);
        frame.is_compressed = P::k_info.compressed;
        arena.reset();
        return small.take(frame, now);
    };
    packets::SetChunkHeightmap map;
    for (const int x : {0, 1}) {
        map.x = x;
        (void)give(map);
    }
    map.x = 2;
    const auto third = give(map);
    ASSERT_FALSE(third);
    EXPECT_EQ(third.error().problem, "the server has sent more than 2 chunks");
    packets::SetBlockCmd cell;
    cell.block_id = 77;
    const std::vector cells(30, cell);
    packets::ServerSetBlocks many;
    many.cmds = protocol::List<packets::SetBlockCmd>(cells);
    const auto large = give(many);
    ASSERT_FALSE(large);
    EXPECT_EQ(large.error().problem, "0 packets have numbers that the server has not announced");
    EXPECT_TRUE(give(unknown));
    EXPECT_TRUE(give(unknown));
    EXPECT_EQ(small.held(), 2U);
    const auto refused = give(unknown);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::too_large);
    EXPECT_EQ(refused.error().problem, "2 packets have numbers that the server has not announced");
    ASSERT_TRUE(give(packets::UnloadChunk{}));
    EXPECT_EQ(small.held(), 0U);
}

TEST_F(Collector, NothingOfOneWorldComesIntoTheNext) {
    send_chunk(); // held: it has no names yet
    announce();
    ASSERT_TRUE(collector.hand_out(now));
    shelf.documents.clear();
    for (const auto& section : packets_.sections().first(9)) ASSERT_TRUE(take(section));
    collector.begin_world();
    EXPECT_EQ(collector.remembered(), 0U);
    EXPECT_FALSE(collector.has({0, 0}));
    ASSERT_TRUE(take(packets_.sections()[9]));
    ASSERT_TRUE(collector.hand_out(net::k_never));
    EXPECT_TRUE(shelf.documents.empty()) << "nine sections are of the earlier world";
    send_chunk();
    ASSERT_TRUE(collector.hand_out(net::k_never));
    EXPECT_EQ(shelf.documents.size(), 1U) << "the names are known";
}

TEST_F(Collector, TakesBackWhatChangesLater) {
    announce();
    send_chunk();
    ASSERT_TRUE(collector.hand_out(net::k_never));
    packets::ServerSetBlock change;
    change.x = 7;
    change.y = 90;
    change.z = 8;
    change.block_id = *world.ids.blocks.find("Wood_Oak");
    change.rotation = 37;
    change.filler = 0x0421;
    ASSERT_TRUE(take(change));
    ASSERT_TRUE(collector.hand_out(net::k_never));
    const auto got = shelf.take_back({0, 0}).value();
    EXPECT_EQ(got->block({7, 90, 8}).key, "Wood_Oak");
    EXPECT_EQ(got->block({7, 90, 8}).rotation.index, 37);
    EXPECT_EQ(got->block({7, 90, 8}).filler.stored, 0x0421);
    EXPECT_EQ(got->block({7, 2, 8}).key, "Rock_Stone");
    EXPECT_EQ(got->heights().at(ColumnIndex(7, 8)), 90);
}

} // namespace
} // namespace orbis::game
