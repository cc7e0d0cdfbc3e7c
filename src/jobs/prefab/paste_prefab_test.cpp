#include "bson/extended_json.hpp"
#include "bson/writer.hpp"
#include "chunk/chunk.hpp"
#include "chunk/chunk_reader.hpp"
#include "jobs/prefab/export_prefab.hpp"
#include "jobs/prefab/made_prefabs_test.hpp"
#include "jobs/prefab/paste_prefab.hpp"
#include "jobs/prefab/prefab_clip.hpp"
#include "jobs/prefab/prefab_file.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "jobs/undo/undo.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numbers>

namespace orbis::jobs::prefab {
namespace {

using namespace made;
using test_worlds::make_world;

const world::Assets& assets() { return world::Assets::built_in(); }

struct PastedCell {
    std::string key;
    unsigned rotation = 0;
    unsigned filler = 0;
    unsigned support = 0;
    std::string components;
    std::string fluid;
    unsigned level = 0;
    friend bool operator==(const PastedCell&, const PastedCell&) = default;
};

/// The cells of a prefab from its anchor on. Where a fluid is not listed there is none, and block names are
/// those of today.
std::map<BlockPos, PastedCell> cells_of(const Prefab& prefab) {
    std::vector<std::string> notes;
    const auto clip = to_clip(prefab, assets().migrations, notes).value();
    std::map<BlockPos, PastedCell> out;
    for (const auto& block : clip.blocks) {
        auto& cell = out[block.at];
        cell = {
            clip.keys[block.key], block.rotation.index, block.filler.stored, block.support, {}, "Empty", 0};
        if (block.components != Clip::k_no_components)
            cell.components =
                bson::to_extended_json(
                    bson::Document::open(clip.components[static_cast<std::size_t>(block.components)]).value())
                    .value();
    }
    for (const auto& fluid : clip.fluids) {
        out[fluid.at].fluid = clip.keys[fluid.key];
        out[fluid.at].level = fluid.level;
    }
    return out;
}

struct Pasted {
    test::TemporaryFolder folder;
    world::World world = make_world(folder / "world", {});
    std::vector<std::string> notes;

    Result<PutReport> paste(const Prefab& prefab, BlockPos at, PutOptions options = {}) {
        options.edit.create_chunks = true;
        NoProgress quiet;
        return paste_prefab(world, prefab, at, options, assets(), quiet, notes);
    }

    [[nodiscard]] Result<Prefab> export_again(const Prefab& prefab, BlockPos at, bool skips_empty) const {
        const auto bounds = bounds_of(prefab).value();
        const auto moved = [&](BlockPos corner) {
            return BlockPos{corner.x - prefab.anchor.x + at.x, corner.y - prefab.anchor.y + at.y,
                            corner.z - prefab.anchor.z + at.z};
        };
        const auto store = world.open({}).value();
        TRY(auto done, export_prefab(*store, {moved(bounds.least), moved(bounds.most)}, assets(),
                                     {.anchor = at, .skips_empty = skips_empty}));
        return std::move(done.prefab);
    }
};

/// Whether cells of air are among those that are listed.
bool lists_air(const Prefab& prefab) {
    for (const auto& [at, cell] : cells_of(prefab))
        if (cell.key == "Empty" && cell.fluid == "Empty") return true;
    return false;
}

TEST(PastePrefab, EveryRealPrefabIsTheSameAfterAPasteIntoAnEmptyWorldAndAnExport) {
    const auto files = real_files();
    if (files.empty()) GTEST_SKIP() << "no real prefabs here";
    for (const auto& file : files) {
        SCOPED_TRACE(file.string());
        const auto prefab = read_prefab(file).value();
        const BlockPos at{-13, 100, 45};
        Pasted pasted;
        const auto report = pasted.paste(prefab, at);
        ASSERT_TRUE(report) << report.error().text();
        EXPECT_EQ(report->counts.entities_added, prefab.entities.size());
        const auto again = pasted.export_again(prefab, at, !lists_air(prefab));
        ASSERT_TRUE(again) << again.error().text();
        EXPECT_EQ(again->blocks.size(), prefab.blocks.size());
        EXPECT_EQ(again->fluids.size(), prefab.fluids.size());
        EXPECT_EQ(cells_of(*again), cells_of(prefab));
    }
}

TEST(PastePrefab, AListedEmptyClearsAndACellThatIsNotListedStays) {
    Prefab rock;
    rock.block_id_version = 11;
    for (int x = 0; x < 3; ++x)
        rock.blocks.push_back({{x, 0, 0}, rock.keys.id_of("Rock_Stone"), -1, {}, {}, {}, 0});
    Prefab air;
    air.block_id_version = 11;
    air.blocks.push_back({{0, 0, 0}, air.keys.id_of("Empty"), -1, {}, {}, {}, 0});
    const BlockPos at{10, 50, 10};
    for (const bool skips : {false, true}) {
        Pasted pasted;
        ASSERT_TRUE(pasted.paste(rock, at));
        PutOptions options;
        options.skip_empty = skips;
        ASSERT_TRUE(pasted.paste(air, at, options));
        const auto now = cells_of(pasted.export_again(rock, at, false).value());
        EXPECT_EQ(now.at({0, 0, 0}).key, skips ? "Rock_Stone" : "Empty");
        EXPECT_EQ(now.at({1, 0, 0}).key, "Rock_Stone");
    }
}

TEST(PastePrefab, AMaskLeavesOtherBlocksAlone) {
    Prefab rock;
    rock.block_id_version = 11;
    rock.blocks.push_back({{0, 0, 0}, rock.keys.id_of("Rock_Stone"), -1, {}, {}, {}, 0});
    auto wood = rock;
    wood.keys = {};
    wood.blocks = {{{0, 0, 0}, wood.keys.id_of("Wood_Oak_Trunk"), -1, {}, {}, {}, 0},
                   {{1, 0, 0}, wood.keys.id_of("Wood_Oak_Trunk"), -1, {}, {}, {}, 0}};
    const BlockPos at{0, 50, 0};
    Pasted pasted;
    ASSERT_TRUE(pasted.paste(rock, at));
    PutOptions options;
    options.mask = [](std::string_view key) { return key == "Empty"; };
    ASSERT_TRUE(pasted.paste(wood, at, options));
    const auto now = cells_of(pasted.export_again(wood, at, false).value());
    EXPECT_EQ(now.at({0, 0, 0}).key, "Rock_Stone");
    EXPECT_EQ(now.at({1, 0, 0}).key, "Wood_Oak_Trunk");
}

TEST(PastePrefab, FourQuarterTurnsAndTwoMirrorsAreNothing) {
    const auto files = real_files();
    if (files.empty()) GTEST_SKIP() << "no real prefabs here";
    for (const auto& file : files) {
        std::vector<std::string> notes;
        const auto clip = to_clip(read_prefab(file).value(), assets().migrations, notes).value();
        for (const auto& turn : {Turn::of(90, false, false), Turn::of(270, false, false)}) {
            auto turned_clip = clip;
            for (int i = 0; i < 4; ++i) turned_clip = turned(turned_clip, turn).value();
            EXPECT_EQ(cells_of(from_clip(turned_clip, false).value()),
                      cells_of(from_clip(clip, false).value()))
                << file;
        }
    }
}

TEST(PastePrefab, BadPlacesAreErrorsBeforeAnythingIsWritten) {
    Prefab tower;
    tower.block_id_version = 11;
    for (int y = 0; y < 20; ++y)
        tower.blocks.push_back({{0, y, 0}, tower.keys.id_of("Rock_Stone"), -1, {}, {}, {}, 0});
    Pasted pasted;
    EXPECT_EQ(pasted.paste(tower, {0, 310, 0}).error().code, Errc::out_of_range);
    EXPECT_EQ(pasted.paste(tower, {0, -1, 0}).error().code, Errc::out_of_range);
    EXPECT_EQ(pasted.paste(tower, {2'000'000'000, 10, 0}).error().code, Errc::out_of_range);
    NoProgress quiet;
    EXPECT_EQ(
        paste_prefab(pasted.world, tower, {0, 10, 0}, {}, assets(), quiet, pasted.notes).error().text(),
        "the world does not have 1 of the 1 chunks that the prefab reaches, such as chunk 0,0 (let the game "
        "generate them first, or use --create-chunks to make them of air)");
    auto wide = tower;
    wide.blocks.push_back({{k_farthest, 0, 0}, 0, -1, {}, {}, {}, 0});
    PutOptions options;
    options.replace_entities = true;
    EXPECT_EQ(pasted.paste(wide, {0, 10, 0}, options).error().code, Errc::too_large);
    const auto store = pasted.world.open({}).value();
    EXPECT_FALSE(store->contains({0, 0}).value());
}

double yaw_of(const Buffer& entity) {
    return *bson::Document::open(entity)
                .value()
                .find_path({"Components", "Transform", "Rotation", "Yaw"})
                ->real();
}

TEST(PrefabClip, AnglesAreDegreesInOlderFilesAndRadiansInClips) {
    Prefab prefab;
    prefab.entities.push_back(entity(1, 2, 3, 180));
    std::vector<std::string> notes;
    for (const auto& [version, wanted] :
         {std::pair{8, std::numbers::pi}, {10, std::numbers::pi}, {11, 180.0}}) {
        prefab.block_id_version = version;
        const auto clip = to_clip(prefab, assets().migrations, notes).value();
        EXPECT_DOUBLE_EQ(yaw_of(clip.entities.at(0)), wanted) << version;
    }
    auto clip = to_clip(prefab, assets().migrations, notes).value();
    clip.migration_count = 10; // as a world of an older game has it
    EXPECT_DOUBLE_EQ(yaw_of(from_clip(clip, false).value().entities.at(0)), 180 * 180 / std::numbers::pi);
}

TEST(PrefabClip, BlocksWithAChanceAreCounted) {
    Prefab prefab;
    for (int x = 0; x < 5; ++x)
        prefab.blocks.push_back({{x, 0, 0}, prefab.keys.id_of("Rock_Stone"), -1, {}, {}, {}, 0});
    const auto notes = [&] {
        std::vector<std::string> out;
        EXPECT_TRUE(to_clip(prefab, assets().migrations, out));
        return out;
    };
    EXPECT_TRUE(notes().empty());
    for (const std::size_t i : {0U, 2U, 4U}) prefab.blocks[i].chance = 0.5F;
    EXPECT_EQ(notes(), std::vector<std::string>{"blocks with a chance: 3; they are always there"});
}

TEST(PrefabClip, NamesOfOlderGamesBecomeThoseOfToday) {
    Prefab prefab;
    prefab.block_id_version = 0;
    prefab.blocks.push_back({{0, 0, 0}, prefab.keys.id_of("Plant_Crop_Berry_Stage_0"), -1, {}, {}, {}, 0});
    EXPECT_NE(cells_of(prefab).at({0, 0, 0}).key, "Plant_Crop_Berry_Stage_0");
    EXPECT_NE(assets().block(cells_of(prefab).at({0, 0, 0}).key), nullptr);
}

TEST(PrefabClip, PositionsInComponentsBecomeThoseOfTheBlocks) {
    Prefab prefab;
    prefab.anchor = {5, 5, 5};
    prefab.components.push_back(chest(20, 80, 6));
    prefab.blocks.push_back({{8, 6, 4}, prefab.keys.id_of("Chest"), 0, {}, {}, {}, 0});
    std::vector<std::string> notes;
    const auto clip = to_clip(prefab, assets().migrations, notes).value();
    EXPECT_EQ(clip.blocks.at(0).at, (BlockPos{3, 1, -1}));
    EXPECT_EQ(clip.components.at(0), chest(3, 1, -1));
}

TEST(PrefabClip, AnNpcReturnsToWhereItStands) {
    const auto npc = bson::from_extended_json(
        R"({"Components":{"Transform":{"Position":{"X":1.5,"Y":2.0,"Z":3.5}},"NPC":{"LeashPos":{"X":-25.5,"Y":80.0,"Z":3.5}}}})");
    Prefab prefab;
    prefab.block_id_version = 11;
    prefab.entities.push_back(*npc);
    prefab.entities.push_back(bson::empty_document());
    std::vector<std::string> notes;
    const auto clip = to_clip(prefab, assets().migrations, notes).value();
    ASSERT_EQ(clip.entities.size(), 1U);
    const auto document = bson::Document::open(clip.entities[0]).value();
    EXPECT_EQ(document.find_path({"Components", "NPC", "LeashPos", "X"})->real(), 1.5);
    EXPECT_EQ(document.find_path({"Components", "NPC", "LeashPos", "Y"})->real(), 2.0);
    EXPECT_EQ(notes, std::vector<std::string>{"entities without a position: 1; they are left out"});
    // And in the world it is where the NPC stands, too.
    Pasted pasted;
    ASSERT_TRUE(pasted.paste(prefab, {100, 50, -40}));
    chunk::ChunkReader reader;
    const auto store = pasted.world.open({}).value();
    const auto* chunk = reader.read(*store, BlockPos{101, 0, -37}.chunk()).value();
    ASSERT_NE(chunk, nullptr);
    ASSERT_EQ(chunk->entities().holders().size(), 1U);
    const auto placed = chunk->entities().holders()[0];
    EXPECT_EQ(placed.find_path({"Components", "NPC", "LeashPos", "X"})->real(), 101.5);
    EXPECT_EQ(placed.find_path({"Components", "Transform", "Position", "X"})->real(), 101.5);
}

/// A small world with a chunk that has some of everything.
struct ExportedFrom {
    test::TemporaryFolder folder;
    world::World world = make_world(
        folder / "world", {test_worlds::edited(test_worlds::plain(), [](chunk::Chunk& chunk) {
            ASSERT_TRUE(chunk.set_block({4, 100, 4}, {"Rock_Marble", chunk::Rotation::of_degrees(90), {}}));
            ASSERT_TRUE(chunk.set_support({4, 100, 4}, 3));
            ASSERT_TRUE(chunk.set_fluid({5, 100, 4}, {"Water", 5}));
            Buffer holder;
            bson::Writer writer(holder);
            writer.document("Components").document("container").end().end().finish();
            ASSERT_TRUE(
                (*chunk.edit_block_components())->set(chunk::BlockIndex(BlockPos{6, 100, 4}), holder));
        })});

    [[nodiscard]] Result<ExportedPrefab> take(const BlockBox& box, const ExportOptions& options = {}) const {
        const auto store = world.open({}).value();
        return export_prefab(*store, box, assets(), options);
    }
};

TEST(ExportPrefab, SkippedAirLeavesCellsWithABlockAFluidOrComponents) {
    const ExportedFrom from;
    const BlockBox box{{3, 100, 4}, {8, 100, 4}};
    const auto whole = from.take(box).value().prefab;
    EXPECT_EQ(whole.blocks.size(), 6U);
    EXPECT_EQ(whole.fluids.size(), 6U);
    const auto some = from.take(box, {.anchor = {}, .skips_empty = true}).value().prefab;
    EXPECT_EQ(some.block_id_version, whole.block_id_version);
    std::vector<BlockPos> listed;
    for (const auto& block : some.blocks) listed.push_back(block.at);
    EXPECT_EQ(listed, (std::vector<BlockPos>{{1, 0, 0}, {2, 0, 0}, {3, 0, 0}}));
    ASSERT_EQ(some.components.size(), 1U);
    EXPECT_EQ(some.blocks[2].components, 0);
    EXPECT_EQ(some.blocks[0].components, Prefab::k_no_components);
    EXPECT_EQ(some.keys[some.blocks[0].key], "Rock_Marble");
    EXPECT_EQ(some.blocks[0].rotation.yaw(), 90);
    EXPECT_EQ(some.blocks[0].support, 3);
    EXPECT_EQ(some.anchor, BlockPos{});
    ASSERT_EQ(some.fluids.size(), 3U);
    EXPECT_EQ(some.keys[some.fluids[1].key], "Water");
    EXPECT_EQ(some.fluids[1].level, 5);
}

TEST(ExportPrefab, TheAnchorMustBeNearAndAChunkMustBeThere) {
    const ExportedFrom from;
    const BlockBox box{{0, 10, 0}, {1, 10, 1}};
    const auto anchored = [&](BlockPos anchor) { return from.take(box, {.anchor = anchor}); };
    EXPECT_EQ(anchored({-7, 12, 5}).value().prefab.anchor, (BlockPos{-7, 2, 5}));
    for (const BlockPos near :
         {BlockPos{k_farthest, 10, 0}, BlockPos{-k_farthest, 10, 0}, BlockPos{0, 10, k_farthest},
          BlockPos{0, 10 + k_highest, 0}, BlockPos{0, 10 + k_lowest, 0}})
        EXPECT_TRUE(anchored(near)) << near.x << " " << near.y << " " << near.z;
    for (const BlockPos far :
         {BlockPos{k_farthest + 1, 10, 0}, BlockPos{-k_farthest - 1, 10, 0}, BlockPos{0, 10, k_farthest + 1},
          BlockPos{0, 10, -k_farthest - 1}, BlockPos{0, 11 + k_highest, 0}, BlockPos{0, 9 + k_lowest, 0}}) {
        const auto refused = anchored(far);
        ASSERT_FALSE(refused) << far.x << " " << far.y << " " << far.z;
        EXPECT_EQ(refused.error().code, Errc::usage);
        EXPECT_EQ(refused.error().advice, "choose one in or near the box");
    }
    const auto nothing = from.take({{1000, 10, 1000}, {1001, 10, 1001}});
    ASSERT_FALSE(nothing);
    EXPECT_EQ(nothing.error().code, Errc::not_found);
    const auto large = from.take({{0, 0, 0}, {999, 99, 100}});
    ASSERT_FALSE(large);
    EXPECT_EQ(large.error().problem.find("has more than 10000000 cells"), large.error().problem.size() - 28);
    const auto half = from.take({{-1, 10, 0}, {0, 10, 0}}).value();
    EXPECT_EQ(half.missing, (std::vector<ChunkPos>{{-1, 0}}));
    EXPECT_TRUE(half.cut.empty());
    EXPECT_FALSE(half.whole);
}

} // namespace
} // namespace orbis::jobs::prefab
