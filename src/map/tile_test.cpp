#include "map/compare_test.hpp"
#include "map/edge_cache.hpp"
#include "map/stale_tiles.hpp"
#include "map/tile.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <vector>

namespace orbis::map {
namespace {

/// Colour type of a PNG file.
int colour_type(Bytes png) { return png[25]; }

TilePixels random_tile(std::uint32_t seed, unsigned colours, unsigned holes_of_8, bool half_transparent) {
    std::mt19937 random(seed);
    std::vector<Rgba> palette(colours);
    for (auto& colour : palette)
        colour = {static_cast<std::uint8_t>(random()), static_cast<std::uint8_t>(random()),
                  static_cast<std::uint8_t>(random()),
                  static_cast<std::uint8_t>(half_transparent ? 1 + random() % 255 : 255)};
    TilePixels tile;
    for (int z = 0; z < k_tile_side; ++z)
        for (int x = 0; x < k_tile_side; ++x)
            if (random() % 8 >= holes_of_8) *tile.at(x, z) = palette[random() % colours];
    return tile;
}

TEST(Tile, EveryKindReadsBackAsItWas) {
    TileEncoder encoder;
    struct Case {
        unsigned colours;
        unsigned holes;
        bool half;
        int type;
    };
    for (const auto& wanted : {Case{1, 0, false, 3}, Case{255, 3, false, 3}, Case{256, 0, true, 3},
                               Case{5000, 0, false, 2}, Case{5000, 2, false, 6}, Case{5000, 2, true, 6}}) {
        const auto tile = random_tile(wanted.colours, wanted.colours, wanted.holes, wanted.half);
        const auto png = encoder.encode(tile);
        EXPECT_EQ(colour_type(png), wanted.type);
        TilePixels back;
        ASSERT_TRUE(decode_tile(png, back));
        expect_same(tile, back);
        const Buffer first(png.begin(), png.end());
        const auto again = encoder.encode(tile);
        EXPECT_TRUE(std::ranges::equal(first, again)) << "the same bytes for the same pixels";
    }
}

TEST(Tile, PatternsOfAllKindsReadBackAsTheyWere) {
    TileEncoder encoder;
    std::mt19937 random(3);
    // From one pixel to the next: the same, a step, the one above, something seen before, something new.
    for (int kind = 0; kind < 24; ++kind) {
        TilePixels tile;
        const auto repeats = random() % 60;
        const auto colours = 2 + random() % (kind % 2 == 0 ? 200 : 3000);
        for (int z = 0; z < k_tile_side; ++z)
            for (int x = 0; x < k_tile_side; ++x) {
                auto& pixel = *tile.at(x, z);
                const auto choice = random() % 64;
                if (choice < repeats && x > 0) {
                    pixel = tile.get(x - 1, z);
                } else if (choice % 4 == 0 && z > 0) {
                    pixel = tile.get(x, z - 1);
                } else {
                    const auto number = std::min(random() % colours, random() % colours);
                    pixel = {static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(number >> 4),
                             static_cast<std::uint8_t>(z), 255};
                    if (kind % 3 == 0 && number % 7 == 0) pixel = {};
                }
            }
        TilePixels back;
        ASSERT_TRUE(decode_tile(encoder.encode(tile), back)) << kind;
        expect_same(tile, back);
    }
    // Colours so unevenly spread that codes must be cut to 15 bits.
    TilePixels uneven;
    for (int i = 0; i < k_tile_side * k_tile_side; ++i) {
        const auto rank = static_cast<unsigned>(std::countr_zero(random() | 0x8000'0000U));
        uneven.data()[i] = {static_cast<std::uint8_t>(rank * 3 + random() % 3), 0, 0, 255};
    }
    TilePixels back;
    ASSERT_TRUE(decode_tile(encoder.encode(uneven), back));
    expect_same(uneven, back);
}

TEST(Tile, WhatIsNoTileIsAnErrorAndNeverACrash) {
    TileEncoder encoder;
    const auto png = encoder.encode(random_tile(7, 40, 1, false));
    const Buffer file(png.begin(), png.end());
    TilePixels out;
    for (std::size_t length = 0; length < file.size(); length += 1 + length / 9)
        EXPECT_FALSE(decode_tile(Bytes(file).first(length), out)) << length;
    auto wide = file;
    wide[18] = 3; // the width
    EXPECT_FALSE(decode_tile(wide, out));
}

/// The rule of docs/formats/map.md, word for word.
Rgba plain_mean(std::array<Rgba, 4> pixels) {
    double alpha = 0;
    std::array<double, 3> sums{};
    for (const auto pixel : pixels) {
        alpha += pixel.a;
        sums[0] += 1.0 * pixel.a * pixel.r;
        sums[1] += 1.0 * pixel.a * pixel.g;
        sums[2] += 1.0 * pixel.a * pixel.b;
    }
    const auto rounded = [](double value) { return static_cast<std::uint8_t>(value + 0.5); };
    if (rounded(alpha / 4) == 0) return {};
    return {rounded(sums[0] / alpha), rounded(sums[1] / alpha), rounded(sums[2] / alpha), rounded(alpha / 4)};
}

TEST(Tile, AParentIsTheMeanOfItsChildren) {
    for (const bool half : {false, true}) {
        TilePixels parent;
        for (const TilePos pos : {TilePos{-2, 4}, TilePos{-1, 4}, TilePos{-2, 5}, TilePos{-1, 5}}) {
            EXPECT_EQ(pos.parent(), (TilePos{-1, 2}));
            const auto child = random_tile(static_cast<std::uint32_t>(pos.x * 7 + pos.z), 3000, 3, half);
            shrink_into(child, pos, parent);
            const int left = pos.x == -1 ? 256 : 0;
            const int top = pos.z == 5 ? 256 : 0;
            for (int z = 0; z < 256; ++z)
                for (int x = 0; x < 256; ++x)
                    ASSERT_EQ(parent.get(left + x, top + z),
                              plain_mean({child.get(2 * x, 2 * z), child.get(2 * x + 1, 2 * z),
                                          child.get(2 * x, 2 * z + 1), child.get(2 * x + 1, 2 * z + 1)}))
                        << x << ' ' << z;
        }
    }
}

TEST(StaleTiles, ParentsOfStaleTilesAreStaleAndSoIsANewLevel) {
    const StaleTiles stale({{-1, 0}, {0, 0}, {5, 5}}, 3, nullptr);
    EXPECT_EQ(stale.levels(), 3);
    EXPECT_EQ(stale.level(1), (std::set<TilePos>{{-1, 0}, {0, 0}, {2, 2}}));
    EXPECT_EQ(stale.level(2), (std::set<TilePos>{{-1, 0}, {0, 0}, {1, 1}}));
    EXPECT_EQ(stale.stale_children(1, {-1, 0}), 1);
    EXPECT_EQ(stale.stale_children(1, {1, 0}), 0);
    const StaleTiles all({{2, 2}, {3, 2}, {2, 3}, {3, 3}}, 2, nullptr);
    EXPECT_EQ(all.stale_children(1, {1, 1}), 4);
    MapState old; // with two levels, of which a third is to be made
    old.layers = {{{LayerKind::surface, 0}, {{{{0, 0}, 1}, {{9, 9}, 2}}, {{{0, 0}, 3}, {{4, 4}, 4}}}}};
    const StaleTiles grown({{0, 0}}, 3, &old);
    EXPECT_EQ(grown.level(1), (std::set<TilePos>{{0, 0}})) << "a level that is there";
    EXPECT_EQ(grown.level(2), (std::set<TilePos>{{0, 0}, {2, 2}})) << "one that is new";
    EXPECT_EQ(StaleTiles({}, 0, nullptr).by_region().size(), 0U);
}

TEST(StaleTiles, RegionsComeInAnOrderInWhichParentsAreCompleteSoon) {
    std::set<TilePos> tiles;
    for (int z = -4; z < 4; ++z)
        for (int x = -4; x < 4; ++x) tiles.insert({x, z});
    const auto regions = StaleTiles(tiles, 3, nullptr).by_region();
    ASSERT_EQ(regions.size(), 16U);
    std::vector<RegionPos> order;
    for (const auto& region : regions) {
        EXPECT_EQ(region.size(), 4U);
        for (const auto pos : region) EXPECT_EQ(pos.region(), region.front().region());
        order.push_back(region.front().region());
    }
    // Four in a row have one parent.
    for (std::size_t i = 0; i < order.size(); ++i) {
        EXPECT_EQ(order[i].x >> 1, order[i / 4 * 4].x >> 1) << i;
        EXPECT_EQ(order[i].z >> 1, order[i / 4 * 4].z >> 1) << i;
    }
    EXPECT_EQ(order.front(), (RegionPos{-2, -2}));
    EXPECT_EQ(order.back(), (RegionPos{1, 1}));
}

TEST(EdgeCache, WhatWasPutInFirstGoesFirstAndHashesGoWithTheirEdges) {
    constexpr std::size_t layers = 2;
    EdgeCache cache(layers, 3 * (layers * sizeof(Edges) + 96)); // of three chunks
    std::vector<Edges> edges(layers);
    const auto has = [&](ChunkPos pos) { return cache.get(pos, edges); };
    EXPECT_EQ(has({1, 1}), 0U);
    for (int i = 1; i <= 3; ++i) cache.put({i, -i}, static_cast<std::uint64_t>(i), edges);
    for (int i = 1; i <= 3; ++i) EXPECT_EQ(has({i, -i}), static_cast<std::uint64_t>(i));
    cache.put({2, -2}, 22, edges); // again: it takes no other place
    EXPECT_EQ(has({1, -1}), 1U);
    EXPECT_EQ(has({2, -2}), 22U);
    cache.put({4, -4}, 4, edges);
    EXPECT_EQ(has({1, -1}), 0U);
    EXPECT_EQ(has({2, -2}), 22U);
    cache.put({5, -5}, 5, edges);
    EXPECT_EQ(has({2, -2}), 0U);
    EXPECT_EQ(has({3, -3}), 3U);
    EXPECT_EQ(has({4, -4}), 4U);
    EXPECT_EQ(has({5, -5}), 5U);
    EdgeCache tiny(layers, 0); // one at least
    tiny.put({1, 1}, 1, edges);
    EXPECT_EQ(tiny.get({1, 1}, edges), 1U);
    tiny.put({2, 2}, 2, edges);
    EXPECT_EQ(tiny.get({1, 1}, edges), 0U);
}

} // namespace
} // namespace orbis::map
