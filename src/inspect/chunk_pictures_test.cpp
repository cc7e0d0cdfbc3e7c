#include "game/bot/test_server_test.hpp"
#include "game/codec/announce_test.hpp"
#include "game/codec/chunk_packets.hpp"
#include "inspect/chunk_pictures.hpp"
#include "packets/world.hpp"
#include "world/assets.hpp"

#include <gtest/gtest.h>

namespace orbis::inspect {
namespace {

using namespace std::chrono_literals;

/// A player who is sent flat chunks.
class PicturesTest : public testing::Test {
protected:
    /// The server has numbers for the blocks of flat chunks before it announces them.
    void SetUp() override { make_chunk({99, 99}); }

    template <typename P>
    void send(const P& packet) {
        const auto frame = writer_.frame(packet).value();
        capture::Record record;
        record.time = ++now_;
        record.to = protocol::Side::client;
        record.session = 1;
        record.set_build(protocol::k_default_build);
        record.frame = frame;
        record.length = frame.size();
        into_->add(record);
    }
    void announce() {
        game::test_names::announce(world_.ids, [&](const auto& packet) { send(packet); });
    }
    void make_chunk(ChunkPos pos) {
        world_.add_flat(pos);
        ASSERT_TRUE(packets_.make(pos, world_.chunks.at({pos.x, pos.z}), world_.ids));
    }
    void send_chunk(ChunkPos pos) {
        make_chunk(pos);
        packets_.for_each([&](const auto& packet) { send(packet); });
    }
    void draw() { pictures_.draw(net::Time(net::Duration(now_)) + 1s, false); }

    game::test_server::World world_;
    game::ChunkPackets packets_;
    protocol::FrameWriter<protocol::Side::server> writer_;
    map::Colours colours_{world::Assets::built_in()};
    Decompressor decompressor_;
    ChunkPictures pictures_{colours_, [](std::string_view key) { return key == "Empty"; }, decompressor_};
    ChunkPictures* into_ = &pictures_;
    map::TilePixels pixels_;
    std::int64_t now_ = 1'000'000'000;
};

TEST_F(PicturesTest, AreDrawnWhenAChunkIsWhole) {
    announce();
    send_chunk({1, -3});
    EXPECT_FALSE(pictures_.bounds());
    draw();
    ASSERT_TRUE(pictures_.bounds());
    EXPECT_EQ(pictures_.bounds()->min, (ChunkPos{1, -3}));
    EXPECT_EQ(pictures_.bounds()->max, (ChunkPos{2, -2}));
    EXPECT_TRUE(pictures_.take_changed().contains(TilePos{0, -1}));
    EXPECT_TRUE(pictures_.take_changed().empty());
    EXPECT_FALSE(pictures_.paint({0, 0}, pixels_));
    ASSERT_TRUE(pictures_.paint({0, -1}, pixels_));
    EXPECT_EQ(pixels_.get(32, 13 * 32).a, 255) << "the north-west corner of the chunk";
    EXPECT_EQ(pixels_.get(63, 13 * 32 + 31).a, 255);
    EXPECT_EQ(pixels_.get(31, 13 * 32).a, 0);
    EXPECT_EQ(pixels_.get(64, 13 * 32).a, 0);
}

TEST_F(PicturesTest, WaitForTheNamesOfBlocks) {
    send_chunk({0, 0});
    draw();
    EXPECT_EQ(pictures_.size(), 0U);
    announce();
    draw();
    EXPECT_EQ(pictures_.size(), 1U);
}

TEST_F(PicturesTest, GoWithTheWorld) {
    announce();
    send_chunk({0, 0});
    draw();
    (void)pictures_.take_changed();
    pictures_.begin_world();
    EXPECT_EQ(pictures_.size(), 0U);
    EXPECT_TRUE(pictures_.take_changed().contains(TilePos{0, 0}));
    EXPECT_FALSE(pictures_.paint({0, 0}, pixels_));
}

TEST_F(PicturesTest, HaveNoChunkThatCameBeforeAnotherWorld) {
    announce();
    send_chunk({0, 0}); // and is not drawn yet
    pictures_.begin_world();
    draw();
    EXPECT_EQ(pictures_.size(), 0U);
    send_chunk({1, 0});
    draw();
    EXPECT_EQ(pictures_.size(), 1U);
}

TEST_F(PicturesTest, AreDrawnEarlierWhenMuchComesAtOnce) {
    ChunkPictures small(
        colours_, [](std::string_view key) { return key == "Empty"; }, decompressor_, 400'000);
    into_ = &small;
    announce();
    for (int x = 0; x < 20; ++x) send_chunk({x, 0});
    EXPECT_GT(small.size(), 10U);
    small.draw(net::Time(net::Duration(now_)) + 1s, false);
    EXPECT_EQ(small.size(), 20U);
}

TEST_F(PicturesTest, BearBrokenPackets) {
    announce();
    packets::SetChunk broken;
    broken.x = 7;
    broken.y = 99;
    send(broken);
    capture::Record cut;
    cut.to = protocol::Side::client;
    pictures_.add(cut);
    send_chunk({0, 0});
    draw();
    EXPECT_EQ(pictures_.size(), 1U);
}

} // namespace
} // namespace orbis::inspect
