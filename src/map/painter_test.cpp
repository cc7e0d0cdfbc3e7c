#include "map/compare_test.hpp"
#include "map/made_chunks_test.hpp"
#include "map/painter.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

namespace orbis::map {
namespace {

using made::Content;

const std::vector<Layer> k_layers{
    {LayerKind::surface, 0}, {LayerKind::slice, 0}, {LayerKind::slice, 77},
    {LayerKind::slice, 319}, {LayerKind::cave, 12}, {LayerKind::cave, 319},
    {LayerKind::height, 0},  {LayerKind::light, 0}, {LayerKind::environment, 0}};

Content flat(const char* key, int y) {
    Content content;
    for (int z = 0; z < k_side; ++z)
        for (int x = 0; x < k_side; ++x) content.block(x, y, z) = key;
    std::ranges::fill(content.heights, y);
    return content;
}

std::array<Rgba, k_columns> pixels_of(const Content& content, Layer layer = {}) {
    static const Colours colours(world::Assets::built_in());
    ChunkPainter painter(colours);
    const auto document = made::document(content);
    std::array<Rgba, k_columns> pixels;
    EXPECT_TRUE(painter.read(document, parts_of(layer)));
    painter.paint(layer, {}, pixels.data(), k_side);
    return pixels;
}

void expect_all(const std::array<Rgba, k_columns>& pixels, Rgba wanted) {
    const auto text = [](Rgba p) { return fmt::format("{} {} {} {}", p.r, p.g, p.b, p.a); };
    for (const auto pixel : pixels) ASSERT_EQ(text(pixel), text(wanted));
}

// Flat ground has n·l = 0.8 / sqrt(0.93) and keeps 0.4 + 0.6·0.829558 = 0.897735 of its colour.
TEST(Painter, FlatGroundHasTheColoursThatAPencilGives) {
    const auto* stone = world::Assets::built_in().block("Rock_Stone");
    ASSERT_TRUE(stone != nullptr && stone->particle && stone->tint_up.empty());
    const auto kept = [](int channel) { return static_cast<std::uint8_t>(channel * 0.897735); };
    expect_all(pixels_of(flat("Rock_Stone", 60)),
               {kept(stone->particle->red), kept(stone->particle->green), kept(stone->particle->blue), 255});
}

TEST(Painter, AColumnWithoutABlockIsTransparent) {
    expect_all(pixels_of(Content{}), {});
    auto low = flat("Rock_Stone", 60);
    std::ranges::fill(low.heights, -1);
    expect_all(pixels_of(low), {});
    std::ranges::fill(low.heights, 320);
    expect_all(pixels_of(low), {});
    std::ranges::fill(low.heights, 61); // air
    expect_all(pixels_of(low), {});
}

TEST(Painter, WaterTakesTheTintOfItsEnvironmentAndCoversTheGroundWithItsDepth) {
    auto lake = flat("Rock_Stone", 60);
    for (int z = 0; z < k_side; ++z)
        for (int x = 0; x < k_side; ++x)
            for (int y = 61; y <= 64; ++y) lake.fluid(x, y, z) = y % 2 == 0 ? "Water" : "Water_Source";
    // Env_Portals_Hedera has #264D3D; four deep leaves a quarter of the ground.
    lake.environments.assign(k_columns, {{63, "Env_Zone1_Plains"}, {0, "Env_Portals_Hedera"}});
    const auto ground = pixels_of(flat("Rock_Stone", 60))[0];
    const auto mixed = [](int f, int c) { return static_cast<std::uint8_t>(f + (c - f) * 0.25); };
    expect_all(pixels_of(lake), {mixed(0x26, ground.r), mixed(0x4D, ground.g), mixed(0x3D, ground.b), 255});
}

TEST(Painter, StaleLightFromAroundHidesNoLightOfTheSectionItself) {
    const Layer night{LayerKind::light, 0};
    const auto lit = [&](std::uint16_t own, std::uint16_t stale) {
        auto content = flat("Rock_Stone", 60);
        content.global_light = false;
        content.light.assign(content.blocks.size(), own);
        content.stale_light.assign(content.blocks.size(), stale);
        return pixels_of(content, night);
    };
    const auto open_sky = lit(0xF000, 0xF000);
    expect_all(lit(0xF000, 0), open_sky[0]);
    expect_all(lit(0x0100, 0xF021), lit(0xF121, 0xF121)[0]); // by channels
    EXPECT_LT(lit(0, 0)[0].b, open_sky[0].b);
}

TEST(Painter, WhereNoChunkLiesBesideTheEdgeIsShadedAsIfTheGroundWentOn) {
    const auto pixels = pixels_of(flat("Rock_Stone", 60));
    expect_all(pixels, pixels[500]);
}

TEST(Painter, MadeChunksAreThoseOfTheReferenceInEveryLayer) {
    SEEDED_RANDOM(random);
    reference::Documents documents;
    for (const int x : {-33, -32, -1, 0, 1, 31, 32}) // region borders, zero, and gaps
        for (const int z : {-1, 0})
            if (random() % 5 != 0)
                documents.emplace(ChunkPos{x, z}, made::document(made::random_content(random, {x, z})));
    for (const auto layer : k_layers) reference::expect_same_pixels(documents, layer);
}

TEST(Painter, OldFormatsAreThoseOfTheReference) {
    SEEDED_RANDOM(random);
    for (const int version : {0, 1, 2, 3, 4, 5, 6}) {
        SCOPED_TRACE(version);
        auto content = made::random_content(random, {0, 0});
        content.version = version;
        content.migrations = static_cast<int>(random() % 12);
        if (version <= 4)
            for (auto& key : content.blocks) {
                if (key == "Soil_Dirt" && random() % 2 == 0) key = "Soil_Dirt|Yaw=90|Deco";
                if (key == "Rock_Stone" && random() % 9 == 0) key = "Fluid_Lava";
                if (key == "Empty" && random() % 50 == 0) key = "Fluid_Water|FluidLevel=3";
                if (key == "Wood_Oak_Trunk") key = "Wood_Oak_Trunk|Fluid=Fluid_Water";
            }
        for (auto& key : content.blocks)
            if (key == "Rock_Stone" && random() % 50 == 0) key = "Ore_Cobalt_Slate"; // renamed by a migration
        const reference::Documents documents{{{-1, -1}, made::document(content)}};
        for (const auto layer : k_layers) reference::expect_same_pixels(documents, layer);
    }
}

TEST(Painter, DamagedDocumentsPaintWhatTheyHave) {
    SEEDED_RANDOM(random);
    const auto whole = made::document(made::random_content(random, {0, 0}));
    int readable = 0;
    for (int round = 0; round < 60; ++round) {
        auto damaged = whole;
        for (int flips = 1 + static_cast<int>(random() % 30); flips > 0; --flips)
            damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
        if (round % 4 == 0) damaged.resize(random() % damaged.size());
        const reference::Documents documents{{{0, 0}, damaged}};
        readable += chunk::Chunk::decode(Bytes(damaged)).has_value() ? 1 : 0;
        for (const auto layer : {k_layers[0], k_layers[2], k_layers[5], k_layers[7], k_layers[8]})
            reference::expect_same_pixels(documents, layer);
    }
    EXPECT_GT(readable, 5);
}

TEST(Painter, HeightsThatCannotBeReadAreWorkedOutFromTheBlocks) {
    auto content = flat("Rock_Stone", 60);
    for (int x = 0; x < k_side; ++x) content.block(x, 70, 4) = "Plant_Grass_Lush_Short"; // see-through
    const auto expected = pixels_of(content);
    auto document = made::document(content);
    const auto text = as_text(document);
    const auto at = text.find("BlockChunk");
    ASSERT_NE(at, std::string_view::npos);
    const auto renamed = std::string_view("GlockChunk");
    std::ranges::copy(renamed, document.begin() + static_cast<std::ptrdiff_t>(at));
    const Colours colours(world::Assets::built_in());
    ChunkPainter painter(colours);
    std::array<Rgba, k_columns> pixels;
    ASSERT_TRUE(painter.read(document, parts_of({})));
    painter.paint({}, {}, pixels.data(), k_side);
    EXPECT_TRUE(pixels == expected);
}

TEST(Painter, FluidsOfTheSurfaceAreThoseOverGroundInsideTheWorld) {
    auto lake = flat("Rock_Stone", 0);
    for (int x = 0; x < 6; ++x)
        for (int y = 1; y < 4; ++y) lake.fluid(x, y, 9) = "Lava_Source";
    lake.fluid(20, 0, 20) = "Lava_Source"; // in the cell of the ground itself
    lake.height(0, 9) = -1;                // of a column with lava
    lake.height(1, 9) = -32'768;
    lake.height(2, 9) = 3; // its own cell is empty
    lake.block(3, 3, 9) = "Rock_Stone";
    lake.height(3, 9) = 3; // the highest layer with a fluid
    lake.height(4, 9) = 4; // above it
    lake.height(30, 9) = -1;
    const Colours colours(world::Assets::built_in());
    ChunkPainter painter(colours);
    const auto document = made::document(lake); // the painter looks into it
    ASSERT_TRUE(painter.read(document, parts_of({})));
    int columns = 0;
    painter.for_each_surface_fluid([&](std::string_view key, Rgba, int count) {
        EXPECT_EQ(key, "Lava_Source");
        columns += count;
    });
    EXPECT_EQ(columns, 3) << "at 3,9 and 5,9 and 20,20";
    std::ranges::fill(lake.heights, -1);
    const auto without_ground = made::document(lake);
    ASSERT_TRUE(painter.read(without_ground, parts_of({})));
    painter.for_each_surface_fluid([](auto...) { ADD_FAILURE(); });
}

TEST(Painter, OutsideTheWorldTheEnvironmentIsThatOfItsNearestLayer) {
    auto content = flat("Rock_Stone", 60);
    content.environments.assign(k_columns, {{200, "Env_Zone1_Plains"}, {0, "Env_Portals_Hedera"}});
    const auto environment = [&](int height) {
        std::ranges::fill(content.heights, height);
        return pixels_of(content, {LayerKind::environment, 0})[0];
    };
    EXPECT_TRUE(environment(-1) == environment(0));
    EXPECT_TRUE(environment(320) == environment(319));
    EXPECT_FALSE(environment(-1) == environment(320));
}

TEST(Painter, APainterThatHasSeenOtherChunksPaintsTheSame) {
    SEEDED_RANDOM(random);
    const Colours colours(world::Assets::built_in());
    ChunkPainter used(colours);
    std::array<Rgba, k_columns> first;
    std::array<Rgba, k_columns> second;
    for (int round = 0; round < 4; ++round) {
        auto content = made::random_content(random, {round, 0});
        content.version = round % 2 == 0 ? 6 : 3;
        // More keys than the cache has places, so that they push each other out.
        for (auto& key : content.blocks)
            if (key == "Rock_Stone" && random() % 4 == 0) key = fmt::format("Mod_{}", random() % 20'000);
        const auto document = made::document(content);
        for (const auto layer : k_layers) {
            ChunkPainter fresh(colours);
            ASSERT_TRUE(fresh.read(document, parts_of(layer)));
            fresh.paint(layer, {}, first.data(), k_side);
            ASSERT_TRUE(used.read(document, parts_of(layer)));
            used.paint(layer, {}, second.data(), k_side);
            ASSERT_TRUE(first == second) << id(layer);
        }
    }
}

TEST(Painter, ASliceAtTheTopOfTheWorldIsTheSurface) {
    SEEDED_RANDOM(random);
    const auto content = made::random_content(random, {0, 0});
    EXPECT_TRUE(pixels_of(content) == pixels_of(content, {LayerKind::slice, 319}));
}

} // namespace
} // namespace orbis::map
