#include "jobs/prefab/made_prefabs_test.hpp"
#include "jobs/prefab/prefab_file.hpp"
#include "map/prefab_picture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace orbis::map {
namespace {

using jobs::prefab::Prefab;

const Colours k_prefab_colours(world::Assets::built_in());

void put(Prefab& prefab, BlockPos at, std::string_view key) {
    prefab.blocks.push_back({at, prefab.keys.id_of(key), -1, {}, {}, {}, 0});
}

/// The colour of a flat face, which is lit from the front.
Rgb lit(std::string_view key) {
    const auto colour = k_prefab_colours.block(key).in_legend();
    const float part = 0.4F + 0.6F * 0.8F / std::sqrt(0.04F + 0.64F + 0.25F);
    const auto channel = [&](std::uint8_t value) {
        return static_cast<Rgb>(static_cast<float>(value) * part);
    };
    return channel(colour.red) << 16 | channel(colour.green) << 8 | channel(colour.blue);
}

/// The pixel in the middle of a block of the picture, in blocks from its corner.
Rgb at(const PrefabPicture& drawn, std::uint32_t right, std::uint32_t down) {
    const auto scale = static_cast<std::uint32_t>(drawn.scale);
    return drawn.picture.at(right * scale + scale / 2, down * scale + scale / 2);
}

TEST(PrefabPicture, ShowsItFromAboveAndFromFourSides) {
    // Three blocks in a row from west to east, and sand to the north of the eastern one.
    Prefab prefab;
    put(prefab, {10, 5, 3}, "Rock_Stone");
    put(prefab, {11, 5, 3}, "Rock_Stone");
    put(prefab, {12, 5, 3}, "Soil_Dirt");
    put(prefab, {12, 5, 2}, "Soil_Sand");
    put(prefab, {10, 5, 2}, "Empty");
    const auto drawn = draw_prefab(prefab, k_prefab_colours).value();
    // Views are 3 or 2 blocks wide with 2 between them: above 3 × 2, then four in a row below it.
    EXPECT_EQ(drawn.picture.width(), (3 + 2 + 3 + 2 + 10) * static_cast<std::uint32_t>(drawn.scale));
    EXPECT_EQ(drawn.picture.height(), (2 + 1 + 6) * static_cast<std::uint32_t>(drawn.scale));
    const auto paper = at(drawn, 0, 0);
    EXPECT_EQ(at(drawn, 2, 2), paper); // north-west: air
    EXPECT_EQ(at(drawn, 4, 2), lit("Soil_Sand"));
    EXPECT_EQ(at(drawn, 2, 3), lit("Rock_Stone"));
    EXPECT_EQ(at(drawn, 4, 3), lit("Soil_Dirt"));
    // From the south: west is left.
    EXPECT_EQ(at(drawn, 2, 6), lit("Rock_Stone"));
    EXPECT_EQ(at(drawn, 4, 6), lit("Soil_Dirt"));
    // From the east: south is left.
    EXPECT_EQ(at(drawn, 7, 6), lit("Soil_Dirt"));
    EXPECT_EQ(at(drawn, 8, 6), lit("Soil_Sand"));
    // From the north: east is left, and the sand is nearer than the rest.
    EXPECT_NE(at(drawn, 11, 6), paper);
    EXPECT_NE(at(drawn, 12, 6), paper);
    // From the west: north is left; behind the air there the sand shows.
    EXPECT_NE(at(drawn, 16, 6), paper);
    EXPECT_NE(at(drawn, 17, 6), paper);
    EXPECT_EQ(at(drawn, 19, 6), paper);
}

TEST(PrefabPicture, FluidsCoverWhatIsBelowThem) {
    Prefab prefab;
    put(prefab, {0, 0, 0}, "Rock_Stone");
    prefab.fluids.push_back({{0, 1, 0}, prefab.keys.id_of("Lava"), 8});
    prefab.fluids.push_back({{0, 2, 0}, prefab.keys.id_of("Lava"), 8});
    prefab.fluids.push_back({{0, 3, 0}, prefab.keys.id_of("Empty"), 0});
    const auto drawn = draw_prefab(prefab, k_prefab_colours).value();
    const auto above = at(drawn, 2, 2);
    EXPECT_NE(above, lit("Rock_Stone"));
    EXPECT_NE(above, 0xF94E11U);                       // the rock shows through
    EXPECT_EQ(at(drawn, 2, 2 + 1 + 2 + 1), 0xF94E11U); // from the south: lava and nothing behind it
}

TEST(PrefabPicture, AFluidOfNoLevelIsNotThere) {
    Prefab prefab;
    put(prefab, {0, 0, 0}, "Rock_Stone");
    put(prefab, {0, 3, 0}, "Rock_Stone");
    const auto without = draw_prefab(prefab, k_prefab_colours).value();
    prefab.fluids.push_back({{0, 1, 0}, prefab.keys.id_of("Lava"), 0});
    const auto with = draw_prefab(prefab, k_prefab_colours).value();
    for (std::uint32_t z = 0; z < 8; ++z)
        for (std::uint32_t x = 0; x < 5; ++x) EXPECT_EQ(at(with, x, z), at(without, x, z)) << x << ',' << z;
}

TEST(PrefabPicture, WhatIsTooLargeOrEmptyIsAnError) {
    Prefab prefab;
    EXPECT_EQ(draw_prefab(prefab, k_prefab_colours).error().code, Errc::not_found);
    put(prefab, {-jobs::prefab::k_farthest, 0, -jobs::prefab::k_farthest}, "Rock_Stone");
    put(prefab, {jobs::prefab::k_farthest, 0, jobs::prefab::k_farthest}, "Rock_Stone");
    EXPECT_EQ(draw_prefab(prefab, k_prefab_colours).error().code, Errc::too_large);
}

TEST(PrefabPicture, RealPrefabsHaveMoreThanOneColour) {
    const auto files = jobs::prefab::made::real_files();
    if (files.empty()) GTEST_SKIP() << "no real prefabs here";
    for (const auto& file : files) {
        const auto drawn = draw_prefab(jobs::prefab::read_prefab(file).value(), k_prefab_colours).value();
        std::set<Rgb> colours;
        for (std::uint32_t y = 0; y < drawn.picture.height(); ++y)
            for (std::uint32_t x = 0; x < drawn.picture.width(); ++x) colours.insert(drawn.picture.at(x, y));
        EXPECT_GT(colours.size(), 1U) << file;
    }
}

} // namespace
} // namespace orbis::map
