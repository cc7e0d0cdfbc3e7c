#include "game/edits/block_changes.hpp"
#include "packets/world.hpp"
#include "protocol/packet_codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orbis::game {
namespace {

/// Reads the packet of a frame that is not compressed.
template <typename P>
P read_frame(const net::OutgoingFrame& frame, protocol::Arena& arena) {
    P packet;
    const auto bytes = frame.frame().bytes();
    EXPECT_EQ(frame.packet(), P::k_info.id);
    EXPECT_TRUE(protocol::decode(bytes.subspan(protocol::k_frame_header), arena, packet));
    return packet;
}

class BlockChangesTest : public testing::Test {
protected:
    std::vector<ChunkFrames> take(const SectionAgain& again = {}) {
        auto taken = changes_.take(tools_, again, problem_);
        EXPECT_TRUE(changes_.empty());
        return taken;
    }

    ServerTools tools_;
    protocol::Arena arena_;
    BlockChanges changes_;
    std::optional<Error> problem_;
};

constexpr WireBlock k_stone{7, {}, {}};
constexpr WireBlock k_stairs{9, chunk::Filler::of_offset(1, 2, 0), {3}};

TEST_F(BlockChangesTest, OneChangeIsAPacketOfItsOwn) {
    changes_.set_block({-5, 70, 40}, {12, chunk::Filler::of_offset(-1, 0, 2), {63}});
    changes_.set_fluid({-5, 71, 40}, {3, 8});
    const auto taken = take();
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(taken[0].pos, (ChunkPos{-1, 1}));
    ASSERT_EQ(taken[0].frames.size(), 2U);
    const auto block = read_frame<packets::ServerSetBlock>(taken[0].frames[0], arena_);
    EXPECT_EQ((std::array{block.x, block.y, block.z, block.block_id}), (std::array{-5, 70, 40, 12}));
    EXPECT_EQ(chunk::Filler{static_cast<std::uint16_t>(block.filler)}, chunk::Filler::of_offset(-1, 0, 2));
    EXPECT_EQ(block.rotation, 63);
    const auto fluid = read_frame<packets::ServerSetFluid>(taken[0].frames[1], arena_);
    EXPECT_EQ((std::array{fluid.x, fluid.y, fluid.z, fluid.fluid_id}), (std::array{-5, 71, 40, 3}));
    EXPECT_EQ(fluid.fluid_level, 8);
    EXPECT_TRUE(take().empty());
}

TEST_F(BlockChangesTest, SeveralOfASectionAreOneListInTheOrderOfTheCells) {
    changes_.set_block({3, 33, 0}, k_stone);
    changes_.set_block({2, 32, 31}, k_stone);
    changes_.set_block({1, 32, 0}, k_stone);
    changes_.set_block({2, 32, 31}, k_stairs);
    changes_.set_block({2, 31, 31}, k_stone); // the section below
    const auto taken = take();
    ASSERT_EQ(taken.size(), 1U);
    ASSERT_EQ(taken[0].frames.size(), 2U);
    EXPECT_EQ(read_frame<packets::ServerSetBlock>(taken[0].frames[0], arena_).y, 31);
    const auto list = read_frame<packets::ServerSetBlocks>(taken[0].frames[1], arena_);
    EXPECT_EQ((std::array{list.x, list.y, list.z}), (std::array{0, 1, 0}));
    ASSERT_EQ(list.cmds.size(), 3U);
    EXPECT_EQ(list.cmds[0].index, CellIndex(1, 0, 0).value);
    EXPECT_EQ(list.cmds[1].index, CellIndex(2, 0, 31).value);
    EXPECT_EQ(list.cmds[1].block_id, 9) << "the last change of a cell counts";
    EXPECT_EQ(list.cmds[1].rotation, 3);
    EXPECT_EQ(list.cmds[0].filler, 0);
    EXPECT_EQ(static_cast<std::uint16_t>(list.cmds[1].filler), k_stairs.filler.stored);
    EXPECT_EQ(list.cmds[2].index, CellIndex(3, 1, 0).value);
}

TEST_F(BlockChangesTest, TheSameChangesMakeTheSameBytesInAnyOrder) {
    std::vector<BlockPos> places;
    for (int i = 0; i < 300; ++i) places.push_back({i % 40, i % 70, i % 35});
    const auto bytes_of = [&] {
        for (const auto pos : places) changes_.set_block(pos, {pos.x + pos.y, {}, {}});
        Buffer all;
        for (const auto& encoded : take())
            for (const auto& frame : encoded.frames)
                all.insert(all.end(), frame.frame().bytes().begin(), frame.frame().bytes().end());
        return all;
    };
    const auto forwards = bytes_of();
    std::ranges::reverse(places);
    EXPECT_EQ(bytes_of(), forwards);
}

TEST_F(BlockChangesTest, From1024OnTheSectionIsSentAgain) {
    std::vector<std::pair<SectionPos, SectionKind>> asked;
    const SectionAgain again = [&](SectionPos section, SectionKind kind) {
        asked.emplace_back(section, kind);
        packets::SetChunk packet;
        packet.x = section.x;
        return net::OutgoingFrame::make(tools_.writer, packet);
    };
    const auto change = [&](int count) {
        for (int i = 0; i < count; ++i) changes_.set_block({i & 31, 64, i >> 5}, k_stone);
        return take(again);
    };
    EXPECT_EQ(change(1023)[0].frames[0].packet(), packets::ServerSetBlocks::k_info.id);
    EXPECT_TRUE(asked.empty());
    const auto taken = change(1024);
    ASSERT_EQ(taken[0].frames.size(), 1U);
    EXPECT_EQ(taken[0].frames[0].packet(), packets::SetChunk::k_info.id);
    EXPECT_EQ(asked, (std::vector{std::pair(SectionPos{0, 2, 0}, SectionKind::blocks)}));
}

TEST_F(BlockChangesTest, ASectionThatCannotBeToldOfDoesNotKeepTheOthersBack) {
    const SectionAgain again = [](SectionPos, SectionKind) -> Result<net::OutgoingFrame> {
        return fail(Errc::not_found, "gone");
    };
    for (int i = 0; i < 1024; ++i) changes_.set_block({i & 31, 64, i >> 5}, k_stone);
    changes_.set_block({0, 100, 0}, k_stone);
    const auto taken = take(again);
    ASSERT_EQ(taken[0].frames.size(), 1U);
    ASSERT_TRUE(problem_);
    EXPECT_EQ(problem_->problem, "gone");
}

TEST(ChunkTail, IsReplayedBehindTheFramesUntilNewOnesHaveIt) {
    ServerTools tools;
    protocol::Arena arena;
    ChunkTail tail;
    EXPECT_TRUE(tail.frames({0, 0}, tools)->empty());
    tail.set_block({1, 1, 1}, k_stone, 1);
    tail.set_block({2, 1, 1}, k_stone, 2);
    tail.set_block({1, 1, 1}, k_stairs, 3);
    tail.set_fluid({1, 40, 1}, {2, 8}, 3);
    EXPECT_EQ(tail.size(), 3U);
    const auto frames = tail.frames({0, 0}, tools).value();
    ASSERT_EQ(frames.size(), 2U);
    const auto list = read_frame<packets::ServerSetBlocks>(frames[0], arena);
    ASSERT_EQ(list.cmds.size(), 2U);
    EXPECT_EQ(list.cmds[0].block_id, 9);
    EXPECT_EQ(tail.frames({0, 0}, tools)->data(), frames.data()) << "made once";

    tail.forget(2);
    EXPECT_EQ(tail.size(), 2U) << "a cell that changed again since stays";
    EXPECT_EQ(read_frame<packets::ServerSetBlock>(tail.frames({0, 0}, tools).value()[0], arena).x, 1);
    tail.forget(3);
    EXPECT_TRUE(tail.frames({0, 0}, tools)->empty());
}

} // namespace
} // namespace orbis::game
