#include "chunk/chunk.hpp"
#include "jobs/light/section_light.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace orbis::jobs {
namespace {

using chunk::Chunk;

constexpr std::string_view k_torch = "Wood_Torch_Wall";                       // transparent, #ba9
constexpr std::string_view k_mushroom = "Plant_Crop_Mushroom_Glowing_Orange"; // semitransparent, #874
constexpr std::string_view k_leaves = "Plant_Leaves_Ash";                     // cutout
constexpr std::string_view k_bones = "Deco_Bone_Pile";                        // semitransparent
constexpr std::string_view k_stone = "Rock_Stone";

std::uint16_t light(int red, int green, int blue, int sky) {
    return LightValue::of(red, green, blue, sky).packed;
}

/// A chunk of air under a roof at the top of the world, so that no sky disturbs, with what a test puts in.
class LightOfSection : public testing::Test {
protected:
    void put(BlockPos pos, std::string_view key) { ASSERT_TRUE(chunk_.set_block(pos, {key, {}, {}})); }
    void put_layer(int y, std::string_view key) {
        for (int z = 0; z < k_side; ++z)
            for (int x = 0; x < k_side; ++x) put({x, y, z}, key);
    }
    void close_the_sky() { put_layer(k_world_height - 1, k_stone); }
    /// The local light of a section; nothing where it cannot be known.
    std::optional<std::vector<std::uint16_t>> local(int y) {
        EXPECT_TRUE(chunk_.update_heights(
            [](std::string_view key) { return world::Assets::built_in().is_transparent(key); }));
        std::array<std::int16_t, k_columns> heights{};
        chunk_.heights().expand(heights);
        light_.read(chunk_.section(y), world::Assets::built_in());
        std::vector<std::uint16_t> out(k_cells);
        if (!light_.compute_local(heights, y, SectionLight::Values(out))) return std::nullopt;
        return out;
    }
    static std::uint16_t at(const std::vector<std::uint16_t>& values, int x, int y, int z) {
        return values[static_cast<std::size_t>(CellIndex(x, y, z).value)];
    }
    /// The global light of a section of air, with one lit section beside it in that direction.
    std::optional<std::vector<std::uint16_t>> global_beside(const LightGiver& giver, int x, int y, int z) {
        light_.read(air_.section(0), world::Assets::built_in());
        LightGivers around;
        around.at(x, y, z) = giver;
        const std::vector<std::uint16_t> dark(k_cells);
        std::vector<std::uint16_t> out(k_cells);
        if (!light_.compute_global(SectionLight::ConstValues(dark), around, SectionLight::Values(out)))
            return std::nullopt;
        return out;
    }

    Chunk chunk_ = Chunk::create();
    Chunk air_ = Chunk::create();
    SectionLight light_;
};

TEST_F(LightOfSection, ALampLosesOneLevelOfEachChannelPerStep) {
    close_the_sky();
    put({10, 70, 10}, k_torch);
    const auto values = local(2).value();
    EXPECT_EQ(at(values, 10, 6, 10), light(11, 10, 9, 0));
    EXPECT_EQ(at(values, 11, 6, 10), light(10, 9, 8, 0));
    EXPECT_EQ(at(values, 12, 7, 13), light(5, 4, 3, 0));
    EXPECT_EQ(at(values, 10, 16, 10), light(1, 0, 0, 0));
    EXPECT_EQ(at(values, 10, 17, 10), 0);
}

TEST_F(LightOfSection, AWallIsLitAndLetsNothingThrough) {
    close_the_sky();
    put({10, 70, 10}, k_torch);
    for (int y = 64; y < 96; ++y)
        for (int z = 0; z < k_side; ++z) put({12, y, z}, k_stone);
    const auto values = local(2).value();
    EXPECT_EQ(at(values, 12, 6, 10), light(9, 8, 7, 0));
    EXPECT_EQ(at(values, 13, 6, 10), 0);
}

TEST_F(LightOfSection, SemitransparentBlocksCostOneLevelMoreOnTheWayOut) {
    close_the_sky();
    // A tunnel, so that there is one way only.
    for (int z = 9; z <= 11; ++z)
        for (int y = 69; y <= 71; ++y)
            for (int x = 8; x <= 20; ++x) put({x, y, z}, k_stone);
    for (int x = 9; x <= 19; ++x) put({x, 70, 10}, "Empty");
    put({9, 70, 10}, k_torch);
    put({11, 70, 10}, k_bones);
    const auto values = local(2).value();
    EXPECT_EQ(at(values, 11, 6, 10), light(9, 8, 7, 0));
    EXPECT_EQ(at(values, 12, 6, 10), light(7, 6, 5, 0));
}

TEST_F(LightOfSection, CutoutBlocksCostOneLevelMoreBothWays) {
    close_the_sky();
    for (int z = 9; z <= 11; ++z)
        for (int y = 69; y <= 71; ++y)
            for (int x = 8; x <= 20; ++x) put({x, y, z}, k_stone);
    for (int x = 9; x <= 19; ++x) put({x, 70, 10}, "Empty");
    put({9, 70, 10}, k_torch);
    put({11, 70, 10}, k_leaves);
    put({12, 70, 10}, k_leaves);
    const auto values = local(2).value();
    EXPECT_EQ(at(values, 11, 6, 10), light(8, 7, 6, 0));
    EXPECT_EQ(at(values, 12, 6, 10), light(5, 4, 3, 0));
    EXPECT_EQ(at(values, 13, 6, 10), light(3, 2, 1, 0));
}

TEST_F(LightOfSection, ALampThatIsSemitransparentHasItsWholeLightInItsOwnCell) {
    close_the_sky();
    put({10, 70, 10}, k_mushroom);
    const auto values = local(2).value();
    EXPECT_EQ(at(values, 10, 6, 10), light(8, 7, 4, 0));
    EXPECT_EQ(at(values, 10, 7, 10), light(6, 5, 2, 0));
}

TEST_F(LightOfSection, FluidsGiveTheLightOfTheBlocksThatTheyWere) {
    close_the_sky();
    ASSERT_TRUE(chunk_.set_fluid({10, 70, 10}, {"Lava", 3}));
    ASSERT_TRUE(chunk_.set_fluid({20, 70, 20}, {"Water_Source", 1}));
    const auto values = local(2).value();
    EXPECT_EQ(at(values, 10, 6, 10), light(14, 9, 0, 0));
    EXPECT_EQ(at(values, 10, 6, 13), light(11, 6, 0, 0));
    EXPECT_EQ(at(values, 20, 6, 20), 0);
}

TEST_F(LightOfSection, TheSkyReachesTheHighestBlockItselfAndSpreadsBelowItFromTheSide) {
    for (int z = 0; z < k_side; ++z)
        for (int x = 10; x < k_side; ++x) put({x, 80, z}, k_stone);
    const auto values = local(2).value();
    EXPECT_EQ(at(values, 9, 0, 5), light(0, 0, 0, 15)) << "open to the sky, down to the bottom";
    EXPECT_EQ(at(values, 10, 16, 5), light(0, 0, 0, 15)) << "the block that the sky ends at";
    EXPECT_EQ(at(values, 10, 15, 5), light(0, 0, 0, 14));
    EXPECT_EQ(at(values, 23, 15, 5), light(0, 0, 0, 1));
    EXPECT_EQ(at(values, 24, 15, 5), 0);
}

TEST_F(LightOfSection, AShaftOfSkyLightsTheCaveBelowIt) {
    put_layer(80, k_stone);
    put({16, 80, 16}, "Empty");
    const auto values = local(2).value();
    EXPECT_EQ(at(values, 16, 0, 16), light(0, 0, 0, 15));
    EXPECT_EQ(at(values, 18, 3, 17), light(0, 0, 0, 12));
}

TEST_F(LightOfSection, ASectionOfAirIsDarkBelowAHeightAndLitAboveIt) {
    put_layer(80, k_stone);
    EXPECT_TRUE(std::ranges::all_of(local(1).value(), [](auto value) { return value == 0; }));
    EXPECT_TRUE(std::ranges::all_of(local(3).value(),
                                    [](auto value) { return value == LightValue::of(0, 0, 0, 15).packed; }));
}

/// Height 0 stands for a block at the bottom and for no block at all.
TEST_F(LightOfSection, AColumnOfHeightZeroIsDarkInASectionOfAirAndOpenInTheNext) {
    EXPECT_TRUE(std::ranges::all_of(local(0).value(), [](auto value) { return value == 0; }));
    EXPECT_EQ(local(1).value().front(), light(0, 0, 0, 15));
    put({5, 10, 5}, k_stone);
    EXPECT_FALSE(local(0)) << "beside blocks nobody has seen what the game does";
    put_layer(0, k_stone);
    EXPECT_TRUE(local(0));
}

TEST_F(LightOfSection, ABlockThatNoTableKnowsLeavesTheLightUnknown) {
    put({5, 70, 5}, "Somebodys_Own_Block");
    EXPECT_FALSE(local(2));
    EXPECT_TRUE(light_.unknown().contains("Somebodys_Own_Block"));
    EXPECT_TRUE(local(3)) << "it is in the section below";
}

TEST_F(LightOfSection, LampsOfKindsThatNoRealWorldShowsAreUnknown) {
    const auto& assets = world::Assets::built_in();
    EXPECT_FALSE(block_light_rule("Ore_Iron_Basalt_Cracked", assets).is_known) << "solid";
    EXPECT_FALSE(block_light_rule("Deco_Scarak_Eggsacks", assets).is_known) << "with a radius";
    EXPECT_FALSE(fluid_light_rule("Slime", assets).is_known) << "it was a solid block";
    EXPECT_FALSE(fluid_light_rule("Water_Glow_Source", assets).is_known);
    EXPECT_EQ(block_light_rule("Empty", assets), LightRule{});
    EXPECT_EQ(fluid_light_rule("Poison_Source", assets).gives, light(12, 11, 3, 0));
}

TEST_F(LightOfSection, LightCrossesTheBorderOfASectionAsAnyOtherStep) {
    close_the_sky();
    put({31, 70, 10}, k_torch);
    put({31, 74, 10}, k_torch);
    put({31, 74, 11}, k_stone);
    const auto values = local(2).value();
    const auto giver = light_.giver(SectionLight::ConstValues(values));
    const auto beside = global_beside(giver, -1, 0, 0).value();
    EXPECT_EQ(at(beside, 0, 6, 10), light(10, 9, 8, 0));
    EXPECT_EQ(at(beside, 3, 6, 10), light(7, 6, 5, 0));
    EXPECT_EQ(at(beside, 0, 10, 11), light(9, 8, 7, 0)) << "around the stone, not through it";
}

TEST_F(LightOfSection, LightCrossesTheEdgeOfASectionAsTwoSteps) {
    close_the_sky();
    put({31, 70, 31}, k_torch);
    const auto values = local(2).value();
    const auto giver = light_.giver(SectionLight::ConstValues(values));
    const auto diagonal = global_beside(giver, -1, 0, -1).value();
    EXPECT_EQ(at(diagonal, 0, 6, 0), light(9, 8, 7, 0));
    EXPECT_EQ(at(diagonal, 1, 6, 2), light(6, 5, 4, 0));
    EXPECT_EQ(at(global_beside(giver, 1, 0, 0).value(), 31, 6, 31), 0) << "the far side gets nothing";
}

TEST_F(LightOfSection, LightAtACornerIsUnknownIfItWouldCount) {
    close_the_sky();
    put({31, 95, 31}, k_torch);
    const auto values = local(2).value();
    const auto giver = light_.giver(SectionLight::ConstValues(values));
    EXPECT_FALSE(global_beside(giver, -1, -1, -1));
    EXPECT_TRUE(global_beside(giver, 1, -1, -1)) << "at this corner it is dark";
}

TEST_F(LightOfSection, AnUnknownBlockAtTheBorderMattersOnlyWhereItIsLit) {
    close_the_sky();
    put({31, 70, 10}, "Somebodys_Own_Block");
    light_.read(chunk_.section(2), world::Assets::built_in());
    std::vector<std::uint16_t> values(k_cells);
    EXPECT_TRUE(global_beside(light_.giver(SectionLight::ConstValues(values)), -1, 0, 0));
    light_.read(chunk_.section(2), world::Assets::built_in());
    values[static_cast<std::size_t>(CellIndex(31, 6, 10).value)] = light(0, 0, 0, 9);
    EXPECT_FALSE(global_beside(light_.giver(SectionLight::ConstValues(values)), -1, 0, 0));
}

} // namespace
} // namespace orbis::jobs
