#include "chunk/migrations.hpp"
#include "chunk/section.hpp"
#include "support/chunk_images.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orbis::chunk {
namespace {

using test::k_image_cells;

/// A section of a version with everything that the version can hold.
test::SectionImage rich_section(int version, int values, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    test::SectionImage image;
    image.version = version;
    for (std::size_t i = 0; i < k_image_cells; ++i) {
        const auto value = random() % static_cast<std::uint64_t>(values);
        image.blocks.push_back(value == 0 ? "Empty" : "Block_" + std::to_string(value));
        image.fillers.push_back(static_cast<std::uint16_t>(random() % 50 == 0 ? random() % 20 * 33 : 0));
        image.rotations.push_back(static_cast<std::uint8_t>(random() % 20 == 0 ? random() % 64 : 0));
    }
    image.ticking = {0, 5, 64, 4095};
    image.local_light.emplace(k_image_cells, std::uint16_t{0xF000});
    (*image.local_light)[1234] = 7;
    image.local_id = -3;
    image.local_counter = -3;
    image.global_id = 4;
    image.global_counter = 5;
    return image;
}

TEST(Section, ReadsEveryVersionAndEveryKindOfPalette) {
    for (int version = 0; version <= 6; ++version) {
        for (const int values : {1, 5, 16, 100, 256, 1000}) {
            SCOPED_TRACE(fmt::format("version {}, {} values", version, values));
            const auto image = rich_section(version, values, 7);
            const auto stored = test::section_image(image);
            Section section;
            Error problem;
            ASSERT_TRUE(section.read_block(stored, version, k_everything, problem)) << problem.text();
            EXPECT_EQ(section.migration_count, version >= 6 ? 11 : 0);
            for (std::size_t i = 0; i < k_image_cells; ++i) {
                const CellIndex cell(static_cast<int>(i));
                ASSERT_EQ(section.blocks.at(cell), image.blocks[i]);
                ASSERT_EQ(section.fillers.at(cell), version >= 4 ? image.fillers[i] : 0);
                ASSERT_EQ(section.rotations.at(cell), version >= 5 ? image.rotations[i] : 0);
                ASSERT_EQ(section.ticking.contains(cell), values > 1 && image.ticking.contains(cell.value));
            }
            EXPECT_EQ(section.local_light.at(CellIndex(1234)).packed, 7);
            EXPECT_TRUE(section.local_light_valid());
            EXPECT_FALSE(section.global_light_valid());
            EXPECT_TRUE(section.check().empty());
            if (version == 6) {
                Buffer again;
                section.append_block(again);
                EXPECT_EQ(again, stored);
            }
        }
    }
}

/// What palettes say of a cell, whichever of them has it.
BlockState by_entries(const Section& section, CellIndex cell) {
    BlockState block{section.block_key(section.blocks.entry_at(cell)), {}, {}};
    section.with_rotations([&](const auto& palette, const auto& value_of) {
        block.rotation.index = value_of(palette.entry_at(cell));
    });
    section.with_fillers([&](const auto& palette, const auto& value_of) {
        block.filler.stored = value_of(palette.entry_at(cell));
    });
    return block;
}

TEST(Section, EntriesSayTheSameAsCellsInEveryVersion) {
    for (const int version : {0, 3, 4, 5, 6}) {
        auto image = rich_section(6, 20, 5);
        image.version = version;
        if (version < 5) {
            image.blocks[1] = "Stairs|Yaw=90";
            image.blocks[2] = "Empty|Filler=1,0,0";
            image.blocks[3] = "Bush|Fluid=Fluid_Water|Support=3";
        }
        const auto stored = test::section_image(image);
        Section section;
        Error problem;
        ASSERT_TRUE(section.read_block(stored, version, k_everything, problem)) << problem.text();
        for (int i = 0; i < k_cells; ++i)
            ASSERT_EQ(by_entries(section, CellIndex(i)), section.block_at(CellIndex(i)))
                << version << ' ' << i;
        EXPECT_EQ(section.block_key(section.blocks.entries().size()), "Empty") << "cells without an entry";
        EXPECT_EQ(section.old_keys().size(), version < 5 ? section.blocks.entries().size() : 0U);
        EXPECT_EQ(section.keys_have_fluids(), version < 5);
        EXPECT_EQ(section.keys_have_supports(), version < 5);
        EXPECT_EQ(section.keys_have_fillers(), version < 4) << "version 4 has a palette of them";
    }
}

TEST(Section, OldKeysGiveTheNameOfTheirBlock) {
    test::SectionImage image;
    image.version = 4;
    image.blocks.assign(test::k_image_cells, "Stairs|Yaw=90");
    image.blocks[7] = "Fluid_Water";
    image.blocks[9] = "Stairs";
    const auto stored = test::section_image(image);
    Section section;
    Error problem;
    ASSERT_TRUE(section.read_block(stored, 4, k_blocks, problem)) << problem.text();
    const auto key = [&](int cell) { return section.block_key(section.blocks.entry_at(CellIndex(cell))); };
    EXPECT_EQ(key(0), "Stairs");
    EXPECT_EQ(key(7), "Empty") << "it is only a fluid";
    EXPECT_EQ(key(9), "Stairs");
    EXPECT_TRUE(section.modernise(nullptr));
    EXPECT_EQ(key(0), "Stairs");
    EXPECT_FALSE(section.keys_have_fluids());
}

TEST(Section, AnEmptyOneTakesSeventeenBytes) {
    Buffer out;
    Section().append_block(out);
    EXPECT_EQ(out.size(), 17U);
    test::SectionImage image;
    image.migrations = 0;
    EXPECT_EQ(test::section_image(image), out);
    image.version = 4;
    EXPECT_EQ(test::section_image(image).size(), 12U);
}

TEST(Section, EveryTruncationIsAnErrorAndFlippedBitsNeverCrash) {
    const auto image = rich_section(6, 20, 3);
    const auto stored = test::section_image(image);
    std::mt19937_64 random(1);
    Error problem;
    for (std::size_t cut = 0; cut < stored.size(); cut += cut < 500 || cut + 500 > stored.size() ? 1U : 61U)
        ASSERT_FALSE(Section().read_block(
            Bytes(Buffer(stored.begin(), stored.begin() + static_cast<std::ptrdiff_t>(cut))), 6, k_everything,
            problem));
    auto longer = stored;
    longer.push_back(0);
    EXPECT_FALSE(Section().read_block(Bytes(longer), 6, k_everything, problem));
    EXPECT_EQ(problem.offset, stored.size());
    for (int flips = 0; flips < 3000; ++flips) {
        auto damaged = stored;
        const auto at = flips < 2000 ? random() % 600 : random() % damaged.size();
        damaged[at] ^= static_cast<std::uint8_t>(1U << random() % 8);
        Section section;
        if (section.read_block(damaged, 6, k_everything, problem)) {
            (void)section.check();
            section.blocks.set(CellIndex(9), "New");
            Buffer out;
            section.append_block(out);
        }
    }
    EXPECT_FALSE(Section().read_block(stored, 7, k_everything, problem));
    EXPECT_EQ(problem.code, Errc::unsupported);
}

TEST(Section, StaleLightStaysStaleHoweverOftenItIsInvalidated) {
    Section section;
    for (int i = 0; i < 70'000; ++i) {
        section.invalidate_light();
        ASSERT_FALSE(section.local_light_valid());
        ASSERT_FALSE(section.global_light_valid());
    }
    EXPECT_EQ(section.local_counter, 1);
}

TEST(LegacyKey, TakesAttributesOffInAnyOrder) {
    const auto key = split_legacy_key("Wood_Stairs|Pitch=180|Support=3|Yaw=-90|Unknown=1|Filler=-1,2,0");
    EXPECT_EQ(key.block, "Wood_Stairs");
    EXPECT_EQ(key.rotation, Rotation::of_degrees(270, 180));
    EXPECT_EQ(key.support, 3);
    EXPECT_EQ(key.filler, Filler::of_offset(-1, 2, 0));
    EXPECT_TRUE(key.fluid.empty());
    EXPECT_FALSE(key.whole);
    EXPECT_EQ(split_legacy_key("Torch|Deco").support, 15);
    EXPECT_EQ(split_legacy_key("Plain").block, "Plain");
    EXPECT_EQ(split_legacy_key("X|Roll=450").rotation.roll(), 90);
}

TEST(LegacyKey, KnowsTheOldFluids) {
    const auto source = split_legacy_key("Fluid_Lava");
    EXPECT_EQ(source.block, "Empty");
    EXPECT_EQ(source.fluid, "Lava_Source");
    EXPECT_EQ(source.level, 0);
    EXPECT_EQ(source.applied_level(), 1);
    const auto flowing = split_legacy_key("Seaweed|Fluid=Fluid_Water|FluidLevel=6");
    EXPECT_EQ(flowing.block, "Seaweed");
    EXPECT_EQ(flowing.fluid, "Water");
    EXPECT_EQ(flowing.applied_level(), 6);
    EXPECT_EQ(split_legacy_key("Fluid_Water_Test").fluid, "Water_Finite");
    EXPECT_EQ(split_legacy_key("Fluid_Water_Test").applied_level(), 8);
}

TEST(LegacyKey, SaysWhereAPartHasNoPlaceToday) {
    for (const auto* key : {"A|Unknown", "A|Unknown=1", "A|Yaw=45", "A|Yaw=x", "A|Filler=16,0,0",
                            "A|Filler=1,2", "A|Support=16", "A|Support=-1", "Fluid_Water|FluidLevel=16",
                            "Fluid_Water|Fluid=Fluid_Lava", "A|Deco=3"})
        EXPECT_FALSE(split_legacy_key(key).whole) << key;
    for (const auto* key : {"A", "A|", "A||Deco", "A|Yaw=-90|Roll=450", "A|Filler=-16,15,0", "A|Support=15",
                            "Fluid_Water|FluidLevel=15", "A|Fluid=Fluid_Lava"})
        EXPECT_TRUE(split_legacy_key(key).whole) << key;
    EXPECT_EQ(split_legacy_key("A|Support=17").support, 0) << "not another number";
}

TEST(LegacyKey, NonsenseInAttributesIsIgnored) {
    const auto key = split_legacy_key("A||Yaw=|Yaw=x|Filler=1,2|Filler=99,0,0|=|FluidLevel=3");
    EXPECT_EQ(key.block, "A");
    EXPECT_EQ(key.rotation.index, 0);
    EXPECT_EQ(key.filler.stored, 0);
    EXPECT_EQ(key.level, 0);
    EXPECT_EQ(split_legacy_key("").block, "");
}

TEST(Section, ChecksSeeWhatContradictsItself) {
    const auto problems = [](const auto& change) {
        Section section;
        change(section);
        std::vector<std::string> subjects;
        for (const auto& problem : section.check()) subjects.push_back(problem.part);
        return subjects;
    };
    using Subjects = std::vector<std::string>;
    EXPECT_EQ(problems([](Section&) {}), Subjects{});
    EXPECT_EQ(problems([](Section& s) { s.levels.set(CellIndex(k_cells - 1), 3); }), Subjects{"fluids"});
    EXPECT_EQ(problems([](Section& s) { s.fluids.set(CellIndex(0), "Water"); }), Subjects{"fluids"});
    EXPECT_EQ(problems([](Section& s) {
                  s.fluids.set(CellIndex(5), "Water");
                  s.levels.set(CellIndex(5), 8);
              }),
              Subjects{});
    EXPECT_EQ(problems([](Section& s) { s.rotations.set(CellIndex(0), 64); }), Subjects{"rotations"});
    EXPECT_EQ(problems([](Section& s) { s.rotations.set(CellIndex(0), 63); }), Subjects{});
    EXPECT_EQ(problems([](Section& s) { s.ticking.set(CellIndex(4), true); }), Subjects{})
        << "the number beside a changed set is written anew";
}

TEST(Section, AnAnnouncedNumberOfTickingCellsIsCompared) {
    auto image = rich_section(6, 5, 1);
    auto stored = test::section_image(image);
    const auto at = 4 + test::key_palette_image(image.blocks).size();
    ++stored[at + 1];
    Section section;
    Error problem;
    ASSERT_TRUE(section.read_block(stored, 6, k_everything, problem)) << problem.text();
    ASSERT_EQ(section.check().size(), 1U);
    EXPECT_EQ(section.check()[0].part, "ticking");
    section.ticking.set(CellIndex(77), true);
    EXPECT_TRUE(section.check().empty());
}

TEST(Section, LocalLightAloneIsInvalidatedToo) {
    const auto stored = test::section_image(rich_section(6, 5, 1));
    Section section;
    Error problem;
    ASSERT_TRUE(section.read_block(stored, 6, k_everything, problem)) << problem.text();
    ASSERT_TRUE(section.local_light_valid() && !section.global_light_valid());
    section.invalidate_global_light();
    EXPECT_FALSE(section.block_changed()) << "it was stale already";
    section.invalidate_light();
    EXPECT_TRUE(section.block_changed());
    EXPECT_EQ(section.local_counter, -2);
    EXPECT_EQ(section.global_counter, 5);
}

TEST(Section, IsMigratedOnlyFromALowerCountOn) {
    const auto stored = test::section_image(rich_section(6, 5, 1)); // of count 11
    for (const auto& [count, migrates] : {std::pair{10, false}, {11, false}, {12, true}}) {
        Section section;
        Error problem;
        ASSERT_TRUE(section.read_block(stored, 6, k_everything, problem)) << problem.text();
        const Migrations migrations{.count = count, .apply = [](std::string_view key, int) { return key; }};
        EXPECT_EQ(section.modernise(&migrations), migrates) << count;
        EXPECT_EQ(section.migration_count, std::max(count, 11));
        EXPECT_FALSE(section.modernise(nullptr)) << "nothing is old";
    }
}

} // namespace
} // namespace orbis::chunk
