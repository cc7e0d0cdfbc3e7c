#include "game/mapview/map_stream.hpp"
#include "map/tile_renderer.hpp"
#include "packets/worldmap.hpp"
#include "protocol/packet_codec.hpp"
#include "protocol/uuid.hpp"
#include "support/wait_for.hpp"
#include "world/assets.hpp"
#include "world/made_world_test.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace orbis::game {
namespace {

using namespace std::chrono_literals;
using Tools = net::FrameTools<protocol::Side::server>;

/// What a client makes of the packets of the map.
class MapClient {
public:
    std::map<ChunkPos, std::vector<std::int32_t>> tiles;
    std::map<std::string, packets::Position> markers;
    std::vector<ChunkPos> order; ///< of tiles that came
    std::size_t clears = 0;

    void apply(std::vector<net::OutgoingFrame>& frames) {
        for (const auto& frame : frames) {
            EXPECT_EQ(frame.channel(), protocol::Channel::world_map);
            if (frame.packet() == packets::ClearWorldMap::k_info.id) {
                ++clears;
                tiles.clear();
                continue;
            }
            const auto payload = frame.frame().bytes().subspan(protocol::k_frame_header);
            const auto content =
                decompressor_.decompress(payload, zstd_content_size(payload).value(), 4 << 20).value();
            protocol::Arena arena;
            packets::UpdateWorldMap packet;
            ASSERT_TRUE(protocol::decode(content, arena, packet, true));
            apply(packet);
        }
        frames.clear();
    }

private:
    void apply(const packets::UpdateWorldMap& packet) {
        if (packet.chunks) {
            for (const auto& chunk : *packet.chunks) {
                const ChunkPos pos{chunk.chunk_x, chunk.chunk_z};
                if (!chunk.image) {
                    EXPECT_EQ(tiles.erase(pos), 1U) << "forgotten and never seen";
                    continue;
                }
                EXPECT_EQ(chunk.image->width, 96);
                EXPECT_EQ(chunk.image->height, 96);
                tiles[pos].assign(chunk.image->data->begin(), chunk.image->data->end());
                order.push_back(pos);
            }
        }
        if (packet.added_markers)
            for (const auto& marker : *packet.added_markers)
                markers[std::string(marker.id)] = *marker.transform.position;
        if (packet.removed_markers) {
            for (const auto& id : *packet.removed_markers) EXPECT_EQ(markers.erase(std::string(id)), 1U);
        }
    }

    Decompressor decompressor_;
};

class WorldMap : public testing::Test {
protected:
    /// A copy of a world that is made once.
    static std::filesystem::path copy_world(const std::filesystem::path& to) {
        static const test::TemporaryFolder folder;
        static const bool is_made = [] {
            world::made::MadeWorld world(folder / "world");
            for (int z = 0; z < 16; ++z)
                for (int x = 0; x < 16; ++x)
                    if ((x + z) % 7 != 3) world.put({x, z}, static_cast<std::uint32_t>(z * 16 + x));
            return true;
        }();
        EXPECT_TRUE(is_made);
        std::filesystem::copy(folder / "world", to, std::filesystem::copy_options::recursive);
        return to;
    }

    MapImages::Read reader() {
        return [this](ChunkPos pos, storage::ReadContext& context) {
            ++reads_;
            return world_.store().read(pos, context);
        };
    }

    /// Passes until nothing is missing any more; time goes by as fast as the tiles are drawn.
    void settle(MapStream& stream, MapClient& client, ChunkPos centre, int radius) {
        std::vector<net::OutgoingFrame> frames;
        int quiet = 0;
        const auto is_quiet = [&] {
            do {
                now_ += 1s; // also enough for a look at what changed
                const bool was_idle = images_.is_idle();
                EXPECT_TRUE(stream.pass(now_, centre, radius, true, tools_, frames));
                EXPECT_LE(frames.size(), MapStream::k_most_tiles + 2);
                quiet = frames.empty() && was_idle && images_.is_idle() ? quiet + 1 : 0;
                client.apply(frames);
            } while (quiet > 0 && quiet <= 10); // a pass can go by with places where no chunk is
            return quiet > 10;
        };
        ASSERT_TRUE(test::wait_for(is_quiet)) << "there is always more to send";
    }

    void expect_exact(const MapClient& client, ChunkPos centre, int radius) {
        map::TileRenderer renderer(world_.store(), colours_);
        map::TilePixels expected;
        ASSERT_TRUE(renderer.render({map::LayerKind::surface, 0}, {0, 0}, expected).value());
        std::size_t count = 0;
        for (int z = 0; z < 16; ++z) {
            for (int x = 0; x < 16; ++x) {
                const auto dx = x - centre.x;
                const auto dz = z - centre.z;
                const bool is_seen =
                    dx * dx + dz * dz <= radius * radius && world_.store().contains({x, z}).value();
                ASSERT_EQ(client.tiles.contains({x, z}), is_seen) << x << ',' << z;
                if (!is_seen) continue;
                ++count;
                const auto& tile = client.tiles.at({x, z});
                ASSERT_EQ(tile.size(), 96U * 96);
                for (std::size_t row = 0; row < 96; ++row) {
                    for (std::size_t column = 0; column < 96; ++column) {
                        const auto p = expected.get(x * 32 + static_cast<int>(column / 3),
                                                    z * 32 + static_cast<int>(row / 3));
                        const auto value = static_cast<std::uint32_t>(p.r) << 24
                                           | static_cast<std::uint32_t>(p.g) << 16
                                           | static_cast<std::uint32_t>(p.b) << 8 | p.a;
                        ASSERT_EQ(static_cast<std::uint32_t>(tile[row * 96 + column]), value)
                            << "chunk " << x << ',' << z << ", pixel " << column << ',' << row;
                    }
                }
            }
        }
        EXPECT_EQ(client.tiles.size(), count);
        EXPECT_GT(count, 20U);
    }

    test::TemporaryFolder folder_;
    world::made::MadeWorld world_{copy_world(folder_ / "world")};
    map::Colours colours_{world::Assets::built_in()};
    std::atomic<std::size_t> reads_ = 0;
    MapImages images_{colours_, reader()};
    Tools tools_;
    net::Time now_{1h};
};

TEST_F(WorldMap, TilesHaveThePixelsOfTheSurfaceThreeTimes) {
    MapStream stream(images_);
    MapClient client;
    settle(stream, client, {7, 7}, 4);
    EXPECT_EQ(client.clears, 1U);
    expect_exact(client, {7, 7}, 8);
    const auto distance2 = [](ChunkPos pos) { return (pos.x - 7) * (pos.x - 7) + (pos.z - 7) * (pos.z - 7); };
    EXPECT_LE(distance2(client.order.front()), 1);
    EXPECT_GE(distance2(client.order.back()), 49);

    // A second player gets the same without anything being read or drawn again.
    const auto reads = reads_.load();
    const auto drawn = images_.drawn();
    MapStream other(images_);
    MapClient second;
    settle(other, second, {7, 7}, 4);
    EXPECT_EQ(second.tiles, client.tiles);
    EXPECT_TRUE(std::ranges::is_sorted(second.order, {}, distance2));
    EXPECT_EQ(reads_, reads);
    EXPECT_EQ(images_.drawn(), drawn);
    EXPECT_EQ(images_.unreadable(), 0U);
}

TEST_F(WorldMap, ChunksThatCannotBeReadForAMomentAreDrawnLater) {
    std::atomic<bool> is_busy = true;
    MapImages images(colours_,
                     [&](ChunkPos pos, storage::ReadContext& context) -> Result<std::optional<Bytes>> {
                         if (is_busy) return fail(Errc::busy, "not now");
                         return world_.store().read(pos, context);
                     });
    const auto draw = [&] {
        auto tile = images.get({5, 6});
        EXPECT_TRUE(test::wait_for([&] { return images.is_idle(); }));
        return tile ? tile : images.get({5, 6});
    };
    EXPECT_EQ(draw(), nullptr) << "nothing is known yet";
    ASSERT_TRUE(test::wait_for([&] { return images.is_idle(); }));
    is_busy = false;
    const auto tile = draw();
    ASSERT_TRUE(tile);
    EXPECT_TRUE(tile->frame);
}

TEST_F(WorldMap, TilesThatAreLeftBehindAreForgotten) {
    MapStream stream(images_);
    MapClient client;
    settle(stream, client, {4, 4}, 3);
    expect_exact(client, {4, 4}, 6);
    settle(stream, client, {9, 6}, 2);
    expect_exact(client, {9, 6}, 4);
    EXPECT_EQ(client.clears, 1U);
}

TEST_F(WorldMap, TilesThatChangedBeforeTheyAreLeftBehindAreForgottenToo) {
    MapStream stream(images_);
    MapClient client;
    world_.put({1, 4}, 998);
    settle(stream, client, {4, 4}, 3);
    ASSERT_TRUE(client.tiles.contains({1, 4}));
    world_.put({1, 4}, 999);
    images_.invalidate({1, 4});
    std::vector<net::OutgoingFrame> frames;
    now_ += 1s;
    ASSERT_TRUE(stream.pass(now_, {4, 4}, 3, false, tools_, frames)); // seen, and no room to send it
    EXPECT_TRUE(frames.empty());
    settle(stream, client, {9, 6}, 2);
    expect_exact(client, {9, 6}, 4);
}

TEST_F(WorldMap, ChangedChunksAreDrawnAnewWithTheirNeighbours) {
    MapStream stream(images_);
    MapClient client;
    settle(stream, client, {7, 7}, 3);
    world_.put({7, 7}, 999);
    images_.invalidate({7, 7});
    world_.remove({5, 6});
    images_.invalidate({5, 6});
    ASSERT_FALSE(world_.store().contains({3, 7}).value());
    world_.put({3, 7}, 1'000);
    images_.invalidate({3, 7});
    settle(stream, client, {7, 7}, 3);
    expect_exact(client, {7, 7}, 6);
}

TEST_F(WorldMap, NothingIsSentWhileTheChannelIsFull) {
    MapStream stream(images_);
    std::vector<net::OutgoingFrame> frames;
    ASSERT_TRUE(stream.pass(now_, {7, 7}, 4, false, tools_, frames));
    ASSERT_EQ(frames.size(), 1U); // the old map must go in any case
    EXPECT_EQ(frames[0].packet(), packets::ClearWorldMap::k_info.id);
    ASSERT_TRUE(stream.pass(now_ + 200ms, {7, 7}, 4, false, tools_, frames));
    EXPECT_EQ(frames.size(), 1U);
    EXPECT_EQ(reads_, 0U);
}

TEST_F(WorldMap, OtherPlayersHaveMarkers) {
    MapStream stream(images_);
    MapClient client;
    std::vector<net::OutgoingFrame> frames;
    ASSERT_TRUE(stream.pass(now_, {7, 7}, 4, false, tools_, frames));
    const auto uuid = [](std::uint8_t number) { return protocol::Uuid{number}; };
    std::vector<PlayerMarker> players{
        {uuid(1), "Me", {230, 70, 230}}, {uuid(3), "Near", {240, 70, 240}}, {uuid(2), "Far", {900, 70, 900}}};
    const auto pass = [&] {
        now_ += 1s;
        ASSERT_TRUE(stream.mark(now_, players, uuid(1), tools_, frames));
    };
    pass();
    client.apply(frames);
    const auto near = "Player-" + protocol::uuid_text(uuid(3));
    ASSERT_EQ(client.markers.size(), 1U);
    EXPECT_EQ(client.markers.at(near).x, 240);
    pass();
    EXPECT_TRUE(frames.empty());
    players[1].at.x = 242;
    players[2].at = {200, 70, 200};
    pass();
    client.apply(frames);
    EXPECT_EQ(client.markers.size(), 2U);
    EXPECT_EQ(client.markers.at(near).x, 242);
    players.erase(players.begin() + 1);
    pass();
    client.apply(frames);
    EXPECT_EQ(client.markers.size(), 1U);
    EXPECT_FALSE(client.markers.contains(near));
}

TEST(WorldMapRadius, IsTwiceTheViewWithinLimits) {
    EXPECT_EQ(MapStream::map_radius(0), 3);
    EXPECT_EQ(MapStream::map_radius(6), 12);
    EXPECT_EQ(MapStream::map_radius(1'000), 32);
    EXPECT_EQ(MapStream::map_radius(-5), 3);
}

} // namespace
} // namespace orbis::game
