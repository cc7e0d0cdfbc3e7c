#include "chunk/chunk_reader.hpp"
#include "jobs/edit/fill_cells.hpp"
#include "jobs/edit/relight.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "jobs/undo/undo.hpp"

#include <functional>
#include <map>
#include <set>
#include <vector>

namespace orbis::jobs {
namespace {

using namespace test_worlds;
using chunk::Chunk;

const world::Assets& relight_assets() { return world::Assets::built_in(); }

enum class FloorLight { stale, never_computed, only_global_stale };

/// A chunk with a floor of stone at y 80 and air above it.
Buffer floor_chunk(FloorLight light) {
    auto chunk = Chunk::create();
    for (int z = 0; z < k_side; ++z)
        for (int x = 0; x < k_side; ++x) EXPECT_TRUE(chunk.set_block({x, 80, z}, {"Rock_Stone", {}, {}}));
    EXPECT_TRUE(
        chunk.update_heights([](std::string_view key) { return relight_assets().is_transparent(key); }));
    if (light != FloorLight::stale)
        for (const int y : {0, 1, 2}) {
            auto* section = chunk.edit_section(y).value();
            section->local_counter = 0;
            section->global_counter = light == FloorLight::never_computed ? 0 : 1;
        }
    Buffer out;
    const auto bytes = chunk.encode(out).value();
    return {bytes.begin(), bytes.end()};
}

/// Chunks 0,0 to 4,4, but for those in `missing`.
world::World make_floor(const std::filesystem::path& folder, const std::set<int>& missing = {},
                        FloorLight light = FloorLight::stale) {
    const auto document = floor_chunk(light);
    test::RegionContent content;
    for (int z = 0; z < 5; ++z)
        for (int x = 0; x < 5; ++x)
            if (const int slot = z << 5 | x; !missing.contains(slot))
                content[slot] = test::compressed_blob(document);
    put(folder / "config.json", as_bytes(R"({"Version": 4, "ChunkStorage": {"Type": "Hytale"}})"));
    put(folder / "chunks" / "0.0.region.bin", test::region_v1_image(content));
    return world::find_location(folder).value().worlds.at(0);
}

class Relight : public testing::Test {
protected:
    RelightReport relight_all(const world::World& world, const EditOptions& options = {},
                              const Area& area = {}) {
        NoProgress quiet;
        auto done = relight(world, relight_assets(), area, options, quiet);
        EXPECT_TRUE(done) << done.error().text();
        return done ? *std::move(done) : RelightReport{};
    }
    void put_block(const world::World& world, BlockPos pos, std::string_view key) {
        Area area;
        area.add(std::vector<BlockPos>{pos});
        NoProgress quiet;
        ASSERT_TRUE(fill_cells(world, relight_assets(), area, {}, {Filling::parse_block(key).value(), {}}, {},
                               quiet));
    }
    static void see(const world::World& world, ChunkPos pos, const std::function<void(const Chunk&)>& look) {
        const auto store = world.open({}).value();
        chunk::ChunkReader reader;
        const auto chunk = reader.read(*store, pos);
        ASSERT_TRUE(chunk && *chunk != nullptr);
        look(**chunk);
        for (const auto& problem : (*chunk)->check()) ADD_FAILURE() << problem.text();
    }
    static std::map<ChunkPos, Buffer> documents(const world::World& world) {
        std::map<ChunkPos, Buffer> out;
        const auto store = world.open({}).value();
        storage::ReadContext context;
        const auto cursor = store->chunks();
        while (const auto pos = cursor->next().value()) {
            const auto bytes = store->read(*pos, context).value().value();
            out[*pos] = {bytes.begin(), bytes.end()};
        }
        return out;
    }
    static void undo(const std::filesystem::path& folder) {
        std::vector<Error> problems;
        const auto found = world::find_location(folder).value();
        const auto changes = past_changes(found, problems).value();
        ASSERT_FALSE(changes.empty());
        NoProgress quiet;
        ASSERT_TRUE(undo_change(changes.front(), {}, quiet));
    }

    test::TemporaryFolder folder_;
};

TEST_F(Relight, StaleLightBecomesValidWhereAllChunksAroundAreThere) {
    const auto world = make_floor(folder_ / "world");
    put_block(world, {64, 85, 70}, "Wood_Torch_Wall"); // at the western border of chunk 2,2
    const auto before = documents(world);
    const auto planned = relight_all(world, {.dry_run = true});
    EXPECT_EQ(documents(world), before);
    const auto done = relight_all(world);
    EXPECT_EQ(done.counts.sections_lit, planned.counts.sections_lit);
    EXPECT_EQ(done.counts.sections_waiting, planned.counts.sections_waiting);
    EXPECT_EQ(done.chunks, planned.chunks);
    EXPECT_EQ(done.counts.sections_unknown, 0U);
    see(world, {2, 2}, [](const Chunk& chunk) {
        const auto& section = chunk.section(2);
        EXPECT_TRUE(section.local_light_valid());
        EXPECT_TRUE(section.global_light_valid());
        EXPECT_EQ(section.local_light.at(CellIndex(0, 21, 6)), LightValue::of(11, 10, 9, 15));
        EXPECT_EQ(section.local_light.at(CellIndex(0, 15, 6)).packed, 0) << "below the floor";
    });
    see(world, {1, 2}, [](const Chunk& chunk) {
        const auto& section = chunk.section(2);
        EXPECT_TRUE(section.global_light_valid());
        EXPECT_EQ(section.local_light.at(CellIndex(31, 21, 6)), LightValue::of(0, 0, 0, 15));
        EXPECT_EQ(section.global_light.at(CellIndex(31, 21, 6)), LightValue::of(10, 9, 8, 15));
    });
    const auto again = relight_all(world);
    EXPECT_EQ(again.counts.sections_lit, 0U);
    EXPECT_EQ(again.chunks, 0U);
    EXPECT_EQ(again.counts.sections_waiting, done.counts.sections_waiting);
}

TEST_F(Relight, WithoutAChunkBesideItGlobalLightWaits) {
    const auto world = make_floor(folder_ / "world", {1 << 5 | 1});
    const auto done = relight_all(world);
    see(world, {2, 2}, [](const Chunk& chunk) {
        EXPECT_TRUE(chunk.section(2).local_light_valid());
        EXPECT_FALSE(chunk.section(2).global_light_valid());
    });
    see(world, {3, 3}, [](const Chunk& chunk) {
        EXPECT_TRUE(chunk.section(2).global_light_valid()) << "the missing one is not beside it";
    });
    EXPECT_EQ(done.chunks, 24U) << "local light does not wait";
    EXPECT_GT(done.counts.sections_waiting, 0U);
}

TEST_F(Relight, EditsLeaveLightAroundThatWasNeverComputed) {
    const auto world = make_floor(folder_ / "world", {}, FloorLight::never_computed);
    const auto before = documents(world);
    put_block(world, {64, 81, 70}, "Wood_Torch_Wall"); // at the western border of chunk 2,2
    auto after = documents(world);
    EXPECT_NE(after.at({2, 2}), before.at({2, 2}));
    after[{2, 2}] = before.at({2, 2});
    EXPECT_EQ(after, before);
    const auto done = relight_all(world);
    EXPECT_EQ(done.counts.sections_lit, 1U);
    see(world, {2, 2}, [](const Chunk& chunk) {
        EXPECT_EQ(chunk.section(2).global_light.at(CellIndex(0, 17, 6)), LightValue::of(11, 10, 9, 15));
        EXPECT_FALSE(chunk.section(3).global_light_computed());
    });
}

TEST_F(Relight, GlobalLightIsNotComputedFromALocalOneThatWasNever) {
    const auto world = make_floor(folder_ / "world", {}, FloorLight::only_global_stale);
    relight_all(world);
    see(world, {2, 2}, [](const Chunk& chunk) {
        const auto& section = chunk.section(2);
        EXPECT_TRUE(section.local_light_valid() && section.global_light_valid());
        EXPECT_EQ(section.local_light.at(CellIndex(5, 17, 6)), LightValue::of(0, 0, 0, 15));
        EXPECT_EQ(section.global_light.at(CellIndex(5, 17, 6)), LightValue::of(0, 0, 0, 15));
        EXPECT_EQ(section.global_light.at(CellIndex(5, 15, 6)).packed, 0) << "below the floor";
    });
}

TEST_F(Relight, ASectionWithAnUnknownBlockStaysStaleAndIsNamed) {
    const auto world = make_floor(folder_ / "world");
    relight_all(world);
    put_block(world, {80, 85, 80}, "Somebodys_Own_Block");
    const auto done = relight_all(world);
    EXPECT_TRUE(done.unknown_keys.contains("Somebodys_Own_Block"));
    EXPECT_GE(done.counts.sections_unknown, 1U);
    see(world, {2, 2}, [](const Chunk& chunk) {
        EXPECT_FALSE(chunk.section(2).local_light_valid());
        EXPECT_FALSE(chunk.section(2).global_light_valid());
    });
}

TEST_F(Relight, AnUnknownLampHoldsNothingBackThatItCannotReach) {
    const auto world = make_floor(folder_ / "world");
    relight_all(world);
    put_block(world, {74, 85, 80}, "Deco_Scarak_Eggsacks"); // at most 9 levels, 10 blocks from the border
    see(world, {1, 2}, [](const Chunk& chunk) { EXPECT_FALSE(chunk.section(2).global_light_valid()); });
    EXPECT_EQ(relight_all(world).counts.sections_unknown, 1U);
    see(world, {1, 2}, [](const Chunk& chunk) { EXPECT_TRUE(chunk.section(2).global_light_valid()); });
    put_block(world, {67, 85, 80}, "Deco_Scarak_Eggsacks");
    EXPECT_GT(relight_all(world).counts.sections_unknown, 1U);
    see(world, {1, 2}, [](const Chunk& chunk) { EXPECT_FALSE(chunk.section(2).global_light_valid()); });
}

TEST_F(Relight, ABlockSetAndTakenBackGivesTheLightOfBefore) {
    const auto world = make_floor(folder_ / "world");
    relight_all(world);
    const auto all_trees = [&] {
        std::map<ChunkPos, Buffer> out;
        for (const auto& [pos, document] : documents(world)) {
            const auto chunk = Chunk::decode(Bytes(document)).value();
            for (int y = 0; y < k_sections; ++y)
                for (const auto* light : {&chunk.section(y).local_light, &chunk.section(y).global_light})
                    out[pos].insert(out[pos].end(), light->tree().begin(), light->tree().end());
        }
        return out;
    };
    const auto before = all_trees();
    put_block(world, {64, 85, 70}, "Wood_Torch_Wall");
    relight_all(world);
    EXPECT_NE(all_trees(), before);
    put_block(world, {64, 85, 70}, "Empty");
    relight_all(world);
    EXPECT_EQ(all_trees(), before);
}

TEST_F(Relight, CanBeUndoneByteForByte) {
    const auto world = make_floor(folder_ / "world");
    const auto original = documents(world);
    put_block(world, {64, 85, 70}, "Wood_Torch_Wall");
    const auto edited = documents(world);
    EXPECT_GT(relight_all(world).chunks, 0U);
    EXPECT_NE(documents(world), edited);
    undo(folder_ / "world");
    EXPECT_EQ(documents(world), edited);
    undo(folder_ / "world");
    EXPECT_EQ(documents(world), original);
}

TEST_F(Relight, OneThreadAndManyWriteTheSame) {
    const auto one = make_floor(folder_ / "one");
    const auto many = make_floor(folder_ / "many");
    relight_all(one, {.threads = 1});
    relight_all(many, {.threads = 4});
    EXPECT_EQ(documents(one), documents(many));
}

TEST_F(Relight, OnlySectionsWithACellInTheAreaAreLit) {
    const auto world = make_floor(folder_ / "world");
    const auto before = documents(world);
    Area area;
    area.add(BlockBox::parse("64,90,64..70,100,70").value());
    const auto done = relight_all(world, {}, area);
    EXPECT_EQ(done.chunks, 1U);
    auto after = documents(world);
    EXPECT_NE(after.at({2, 2}), before.at({2, 2}));
    after[{2, 2}] = before.at({2, 2});
    EXPECT_EQ(after, before);
    see(world, {2, 2}, [](const Chunk& chunk) {
        EXPECT_TRUE(chunk.section(2).global_light_valid()) << "the light around is computed, not stored";
    });
}

} // namespace
} // namespace orbis::jobs
