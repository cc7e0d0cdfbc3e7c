#include "jobs/test_worlds/old_documents_test.hpp"
#include "jobs/verify/check_chunk.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

namespace orbis::jobs {
namespace {

using namespace std::literals;
using namespace test_worlds;

/// Hills with caves, plants on them and things in the air; the ground is of several blocks.
std::vector<test::SectionImage> random_land(std::mt19937_64& random, int kinds) {
    std::vector<test::SectionImage> sections(k_sections);
    const auto put = [&](int column, int y, std::string key) {
        auto& blocks = sections[static_cast<std::size_t>(y / k_side)].blocks;
        if (blocks.empty()) blocks.assign(k_cells, "Empty");
        blocks[static_cast<std::size_t>(y % k_side * k_columns + column)] = std::move(key);
    };
    int top = static_cast<int>(random() % 300);
    for (int column = 0; column < k_columns; ++column) {
        if (random() % 8 == 0) top = std::clamp(top + static_cast<int>(random() % 21) - 10, -1, 318);
        for (int y = std::max(top - 40, 0); y <= top; ++y)
            if (random() % 16 != 0)
                put(column, y, "Rock_" + std::to_string(random() % static_cast<unsigned>(kinds)));
        if (random() % 4 == 0) put(column, top + 1, "Plant_Crop_Wheat_Block");
        if (random() % 200 == 0) put(column, static_cast<int>(random() % 320), "Rock_Stone");
    }
    return sections;
}

struct Land {
    explicit Land(const std::vector<test::SectionImage>& sections)
        : document(documents::document(sections)), chunk(chunk::Chunk::decode(Bytes(document)).value()) {
        for (std::size_t y = 0; y < k_sections; ++y) {
            for (const auto& entry : chunk.section(static_cast<int>(y)).blocks.entries())
                opaque[y].push_back(world::Assets::built_in().is_transparent(entry.value) ? 0 : 1);
            opaque[y].push_back(0);
            if (std::ranges::find(opaque[y], 1) == opaque[y].end()) opaque[y].clear();
        }
    }
    Buffer document;
    chunk::Chunk chunk;
    std::array<OpaqueEntries, k_sections> opaque;
};

RC_GTEST_PROP(CheckHeights, HoldExactlyWhereTheyAreThoseOfTheBlocks, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    const Land land(random_land(random, *rc::gen::element(1, 10, 100)));
    auto heights = heights_by_blocks(land.chunk, world::Assets::built_in()).height;
    RC_ASSERT(heights_hold(land.chunk, land.opaque, heights));
    for (auto& height : heights)
        if (height == 0 && random() % 2 == 0) height = -1;
    RC_ASSERT(heights_hold(land.chunk, land.opaque, heights));
    for (int i = 0; i < 50; ++i) {
        auto& height = heights[random() % k_columns];
        const auto right = height;
        const std::array<int, 6> others{right - 1, right + 1, -2, 320, 319, static_cast<int>(random() % 320)};
        height = static_cast<std::int16_t>(others[random() % others.size()]);
        const bool same = std::max<int>(height, 0) == std::max<int>(right, 0) && height >= -1;
        RC_ASSERT(heights_hold(land.chunk, land.opaque, heights) == same);
        height = right;
    }
}

TEST(CheckHeights, AreThoseOfTheHighestBlocksThatCount) {
    std::mt19937_64 random(5);
    for (const int kinds : {1, 10, 100, 300}) {
        const auto sections = random_land(random, kinds);
        const Land land(sections);
        const auto truth = heights_by_blocks(land.chunk, world::Assets::built_in());
        for (int column = 0; column < k_columns; ++column) {
            int highest = 0;
            for (int y = 0; y < k_world_height; ++y) {
                const auto& blocks = sections[static_cast<std::size_t>(y / k_side)].blocks;
                if (blocks.empty()) continue;
                const auto& key = blocks[static_cast<std::size_t>(y % k_side * k_columns + column)];
                if (!world::Assets::built_in().is_transparent(key)) highest = y;
            }
            ASSERT_EQ(truth.height[static_cast<std::size_t>(column)], highest) << column;
            ASSERT_TRUE(truth.known[static_cast<std::size_t>(column)]) << column;
        }
    }
}

TEST(CheckHeights, BelowASectionThatCannotBeReadNothingIsKnown) {
    std::vector<test::SectionImage> sections(k_sections);
    for (auto& section : sections) section.blocks.assign(k_cells, "Empty");
    sections[0].blocks[3] = "Rock_Stone";         // column 3, under the damage
    sections[2].blocks[0] = "Rock_Stone";         // column 0, height 64
    sections[9].blocks[k_cells - 1] = "Rock_Ice"; // column 1023, height 319
    auto document = documents::document(sections);
    const auto at_second = [&] { // the palette type of section 1, as in `damaged_document`
        std::size_t at = as_text(document).find("ChunkColumn");
        for (int i = 0; i < 2; ++i) at = as_text(document).find("\3Block\0"sv, at + 1);
        return as_text(document).find("Data\0"sv, at) + 5 + 5 + 4;
    };
    document[at_second()] = 9;
    const auto chunk = chunk::Chunk::decode(Bytes(document)).value();
    ASSERT_EQ(chunk.section(1).block_state, chunk::PartState::broken);
    const auto truth = heights_by_blocks(chunk, world::Assets::built_in());
    EXPECT_EQ(truth.height[0], 64);
    EXPECT_TRUE(truth.known[0]);
    EXPECT_EQ(truth.height[1023], 319);
    EXPECT_TRUE(truth.known[1023]);
    EXPECT_EQ(std::ranges::count(truth.known, true), 2);
    const std::array<OpaqueEntries, k_sections> nothing;
    const std::array<std::int16_t, k_columns> zeros{};
    EXPECT_FALSE(heights_hold(chunk, nothing, zeros)) << "so they cannot be said to hold";
}

TEST(CheckHeights, AColumnOfAirHasNoOtherHeightThanZero) {
    const std::vector<test::SectionImage> air(k_sections);
    const Land land(air);
    std::array<std::int16_t, k_columns> heights{};
    EXPECT_TRUE(heights_hold(land.chunk, land.opaque, heights));
    heights[1023] = 1;
    EXPECT_FALSE(heights_hold(land.chunk, land.opaque, heights));
}

TEST(CheckHeights, AHeightThatLeadsToABlockIsNotWrongForCertain) {
    std::vector<test::SectionImage> sections(k_sections);
    for (auto& section : sections) section.blocks.assign(k_cells, "Empty");
    sections[0].blocks[0] = "Rock_Stone";
    sections[0].blocks[k_columns] = "Plant_Crop_Wheat_Block"; // transparent, says the table
    const Land land(sections);
    const ColumnIndex column(0);
    EXPECT_FALSE(is_wrong_height(land.chunk, column, 0, 0));
    EXPECT_FALSE(is_wrong_height(land.chunk, column, -1, 0)) << "in old data";
    EXPECT_FALSE(is_wrong_height(land.chunk, column, 1, 0)) << "another version may count the plant";
    EXPECT_TRUE(is_wrong_height(land.chunk, column, 2, 0)) << "there is nothing";
    EXPECT_TRUE(is_wrong_height(land.chunk, column, 320, 0));
    EXPECT_TRUE(is_wrong_height(land.chunk, column, 3, 5)) << "a block above it counts";
}

TEST(CheckFillers, ABaseInAnotherStateIsStillThere) {
    const std::vector<test::SectionImage> air(k_sections);
    const auto dangling = [&](const char* base, const char* part) {
        Land land(air);
        EXPECT_TRUE(land.chunk.set_block({5, 64, 5}, {.key = base, .rotation = {}, .filler = {}}));
        EXPECT_TRUE(land.chunk.set_block(
            {5, 65, 5}, {.key = part, .rotation = {}, .filler = chunk::Filler::of_offset(0, 1, 0)}));
        return find_filler_faults(land.chunk, {0, 0}, [](BlockPos) { return NeighbourBlock(); })
            .dangling.size();
    };
    EXPECT_EQ(dangling("Furniture_Door", "Furniture_Door"), 0U);
    EXPECT_EQ(dangling("*Furniture_Door_State_Definitions_Open", "Furniture_Door"), 0U);
    EXPECT_EQ(dangling("**Furniture_Door_State_Definitions_Open_State_Definitions_In",
                       "*Furniture_Door_State_Definitions_Open"),
              0U);
    EXPECT_EQ(dangling("Furniture_Door_Iron", "Furniture_Door"), 1U);
    EXPECT_EQ(dangling("Rock_Stone", "Furniture_Door"), 1U);
    EXPECT_EQ(dangling("Empty", "Furniture_Door"), 1U);
}

} // namespace
} // namespace orbis::jobs
