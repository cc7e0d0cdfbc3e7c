#include "map/compare_test.hpp"
#include "map/content_hash.hpp"
#include "map/tile.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

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

TEST(ContentHash, ReadsBackFromItsText) {
    const auto hash = content_hash(as_bytes("abc"));
    EXPECT_EQ(parse_hash(hash_text(hash)), hash);
    EXPECT_EQ(hash_text(0x1a), "000000000000001a");
    for (const auto* text : {"", "1a", "000000000000001A", "000000000000001g", "0000000000000001a"})
        EXPECT_FALSE(parse_hash(text)) << text;
    EXPECT_NE(content_hash({}), 0U);
}

} // namespace
} // namespace orbis::map
