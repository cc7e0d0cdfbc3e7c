#include "bson/writer.hpp"
#include "chunk/chunk_reader.hpp"
#include "jobs/clip/put_clip.hpp"
#include "jobs/clip/take_clip.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "jobs/undo/undo.hpp"

#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

namespace orbis::jobs {
namespace {

using namespace test_worlds;
using chunk::BlockIndex;
using chunk::Chunk;

const world::Assets& clip_assets() { return world::Assets::built_in(); }

Buffer clip_entity(double x, double y, double z, int id, int friend_id) {
    const auto uuid = [](int number) {
        std::array<std::uint8_t, 16> out{};
        out[15] = static_cast<std::uint8_t>(number);
        return out;
    };
    Buffer out;
    bson::Writer writer(out);
    writer.document("Components");
    writer.document("UUID").uuid("UUID", uuid(id)).end();
    writer.document("Transform");
    writer.document("Position").real("X", x).real("Y", y).real("Z", z).end();
    writer.document("Rotation").real("Pitch", 0).real("Yaw", 0.5).real("Roll", 0).end().end();
    writer.document("Velocity").document("Velocity").real("X", 2).real("Y", 0).real("Z", 0).end().end();
    writer.document("SpawnMarkerComponent");
    writer.document("SpawnPosition").real("X", x + 1).real("Y", y).real("Z", z).end();
    writer.uuid("Friend", uuid(friend_id)).uuid("Player", uuid(99)).end();
    writer.end().finish();
    return out;
}

Buffer clip_chest(int x, int y, int z) {
    Buffer out;
    bson::Writer writer(out);
    writer.document("Components").document("container");
    writer.document("Position").int32("X", x).int32("Y", y).int32("Z", z).end();
    writer.string("Droplist", "Gold").end().end().finish();
    return out;
}

/// A house: a bed of two cells, a chest, water, a creature and its friend.
Buffer house() {
    return edited(plain(), [](Chunk& chunk) {
        ASSERT_TRUE(chunk.set_block({4, 40, 4}, {"Furniture_Bed", Rotation::of_degrees(90), {}}));
        ASSERT_TRUE(chunk.set_block({5, 40, 4},
                                    {"Furniture_Bed", Rotation::of_degrees(90), Filler::of_offset(1, 0, 0)}));
        ASSERT_TRUE(chunk.set_block({4, 40, 6}, {"Furniture_Chest", {}, {}}));
        ASSERT_TRUE(chunk.set_support({4, 40, 6}, 5));
        ASSERT_TRUE(chunk.set_ticking({4, 40, 6}, true));
        ASSERT_TRUE(chunk.set_fluid({6, 40, 4}, {"Water", 5}));
        ASSERT_TRUE(
            (*chunk.edit_block_components())->set(BlockIndex(BlockPos{4, 40, 6}), clip_chest(4, 40, 6)));
        ASSERT_TRUE((*chunk.edit_entities())->add(clip_entity(5.5, 41, 5.25, 1, 2)));
        ASSERT_TRUE((*chunk.edit_entities())->add(clip_entity(6.5, 41, 5.25, 2, 1)));
        ASSERT_TRUE(chunk.update_heights([](auto key) { return key == "Empty"; }));
    });
}

const BlockBox k_house{{4, 40, 4}, {7, 43, 7}};

class ClipWorld : public testing::Test {
protected:
    ClipWorld() : world_(make_world(folder_ / "world", {house(), plain(), with_computed_light(plain())})) {}

    [[nodiscard]] TakenClip take(const BlockBox& box = k_house, const TakeOptions& options = {}) const {
        const auto store = world_.open({}).value();
        auto taken = take_clip(*store, box, clip_assets(), options);
        EXPECT_TRUE(taken) << taken.error().text();
        return taken ? *std::move(taken) : TakenClip{};
    }
    PutReport put(const Clip& clip, BlockPos origin, const PutOptions& options = {}) {
        NoProgress quiet;
        auto report = put_clip(world_, clip, origin, options, clip_assets(), quiet);
        EXPECT_TRUE(report) << report.error().text();
        return report ? *std::move(report) : PutReport{};
    }
    void see(ChunkPos pos, const std::function<void(const Chunk&)>& look) const {
        const auto store = world_.open({}).value();
        chunk::ChunkReader reader;
        const auto chunk = reader.read(*store, pos);
        ASSERT_TRUE(chunk && *chunk != nullptr);
        look(**chunk);
    }
    [[nodiscard]] std::map<ChunkPos, Buffer> documents() const {
        std::map<ChunkPos, Buffer> out;
        const auto store = world_.open({}).value();
        storage::ReadContext context;
        for (int x = 0; x < 3; ++x) {
            const auto bytes = store->read({x, 0}, context).value().value();
            out[{x, 0}] = {bytes.begin(), bytes.end()};
        }
        return out;
    }
    void undo() {
        std::vector<Error> problems;
        const auto found = world::find_location(folder_ / "world").value();
        const auto changes = past_changes(found, problems).value();
        ASSERT_FALSE(changes.empty());
        NoProgress quiet;
        ASSERT_TRUE(undo_change(changes.front(), {}, quiet));
    }

    test::TemporaryFolder folder_;
    world::World world_;
};

TEST_F(ClipWorld, AClipHasEverythingWithPositionsFromItsCorner) {
    const auto taken = take();
    EXPECT_TRUE(taken.cut.empty());
    EXPECT_TRUE(taken.missing.empty());
    const auto& clip = taken.clip;
    EXPECT_EQ(clip.migration_count, 11);
    EXPECT_EQ(clip.blocks.size(), 4U * 4 * 4);
    ASSERT_EQ(clip.fluids.size(), 1U);
    EXPECT_EQ(clip.fluids[0].at, (BlockPos{2, 0, 0}));
    ASSERT_EQ(clip.entities.size(), 2U);
    const auto entity = bson::Document::open(clip.entities[0]).value();
    EXPECT_EQ(entity_point(entity), (Turn::Point{1.5, 1, 1.25}));
    const auto chest = std::ranges::find_if(
        clip.blocks, [&](const auto& block) { return clip.keys[block.key] == "Furniture_Chest"; });
    ASSERT_NE(chest, clip.blocks.end());
    EXPECT_EQ(chest->at, (BlockPos{0, 0, 2}));
    EXPECT_EQ(chest->support, 5);
    EXPECT_TRUE(chest->ticks);
    ASSERT_EQ(chest->components, 0);
    const auto holder = bson::Document::open(clip.components[0]).value();
    EXPECT_EQ(holder.find_path({"Components", "container", "Position", "Z"})->int32(), 2);
}

TEST_F(ClipWorld, ABoxThatCutsABlockSaysSo) {
    EXPECT_EQ(take({{5, 40, 4}, {7, 40, 7}}).cut, (std::vector<BlockPos>{{4, 40, 4}}));
    const auto whole = take({{5, 40, 4}, {7, 40, 7}}, {.only_whole_blocks = true}).clip;
    EXPECT_EQ(std::ranges::count(whole.keys, "Furniture_Bed"), 0);
    EXPECT_EQ(whole.blocks.size(), 3U * 4 - 1);
    const auto store = world_.open({}).value();
    EXPECT_EQ(box_with_whole(*store, {{5, 40, 4}, {7, 40, 7}}, {{4, 40, 4}}).value(),
              (BlockBox{{4, 40, 4}, {7, 40, 7}}));
}

TEST_F(ClipWorld, APutClipIsWhatWasTaken) {
    const auto taken = take();
    const auto report = put(taken.clip, {40, 100, 8}, {.clears_fluids = true});
    EXPECT_EQ(report.chunks, 1U);
    EXPECT_EQ(report.counts.entities_added, 2U);
    EXPECT_EQ(report.cells_without_chunk, 0U);
    see({1, 0}, [](const Chunk& chunk) {
        EXPECT_EQ(chunk.block({41, 100, 8}),
                  (chunk::BlockState{"Furniture_Bed", Rotation::of_degrees(90), Filler::of_offset(1, 0, 0)}));
        EXPECT_EQ(chunk.support({40, 100, 10}), 5);
        EXPECT_TRUE(chunk.section(3).ticking.contains(BlockPos{40, 100, 10}.cell()));
        EXPECT_EQ(chunk.fluid({42, 100, 8}), (chunk::FluidState{"Water", 5}));
        EXPECT_EQ(chunk.heights().at(ColumnIndex(8, 10)), 100);
        EXPECT_FALSE(chunk.section(3).local_light_valid());
        const auto chest = chunk.block_components().find(BlockIndex(BlockPos{40, 100, 10}));
        ASSERT_TRUE(chest);
        EXPECT_EQ(chest->find_path({"Components", "container", "Position", "X"})->int32(), 8);
        EXPECT_EQ(chest->find_path({"Components", "container", "Position", "Y"})->int32(), 100);
        EXPECT_TRUE(chunk.check().empty());
    });
    const auto again = take({{40, 100, 8}, {43, 103, 11}}).clip;
    EXPECT_EQ(again.blocks.size(), taken.clip.blocks.size());
    EXPECT_EQ(again.components, taken.clip.components);
    EXPECT_NE(again.entities, taken.clip.entities) << "they have ids of their own";
}

TEST_F(ClipWorld, EntitiesGetNewIdsAndStillKnowEachOther) {
    put(take().clip, {40, 100, 8});
    see({1, 0}, [](const Chunk& chunk) {
        const auto entities = chunk.entities().holders();
        ASSERT_EQ(entities.size(), 3U); // Bob was there before
        const auto id = [](const bson::Document& entity, std::initializer_list<std::string_view> path) {
            const auto data = entity.find_path(path)->binary()->data;
            return Buffer(data.begin(), data.end());
        };
        const auto first = id(entities[1], {"Components", "UUID", "UUID"});
        const auto second = id(entities[2], {"Components", "UUID", "UUID"});
        EXPECT_NE(first, second);
        EXPECT_EQ(first[6] >> 4, 4) << "a random UUID";
        EXPECT_EQ(id(entities[1], {"Components", "SpawnMarkerComponent", "Friend"}), second);
        EXPECT_EQ(id(entities[1], {"Components", "SpawnMarkerComponent", "Player"})[15], 99);
        EXPECT_EQ(entities[1].find_path({"Components", "SpawnMarkerComponent", "SpawnPosition", "X"})->real(),
                  42.5);
    });
}

TEST_F(ClipWorld, ATurnedClipTurnsBlocksFluidsAndEntities) {
    put(take().clip, {40, 100, 20}, {.turn = Turn::of(90, false, false)});
    see({1, 0}, [](const Chunk& chunk) {
        EXPECT_EQ(chunk.block({40, 100, 19}), (chunk::BlockState{"Furniture_Bed", Rotation::of_degrees(180),
                                                                 Filler::of_offset(0, 0, -1)}));
        EXPECT_EQ(chunk.fluid({40, 100, 18}).key, "Water");
        EXPECT_EQ(chunk.block({41, 102, 18}), chunk::BlockState{}) << "air is not turned";
        EXPECT_EQ(chunk.block({42, 100, 20}).key, "Furniture_Chest");
        const auto entity = chunk.entities().holders()[1];
        EXPECT_EQ(entity_point(entity), (Turn::Point{41.25, 101, 19.5}));
        EXPECT_DOUBLE_EQ(*entity.find_path({"Components", "Transform", "Rotation", "Yaw"})->real(),
                         0.5 + std::numbers::pi / 2);
        EXPECT_EQ(entity.find_path({"Components", "Velocity", "Velocity", "Z"})->real(), -2);
    });
}

TEST(Clip, AMirroredBlockOfSeveralCellsIsTurnedByAllOfThem) {
    const std::vector<Filler> cells{Filler::of_offset(0, 0, 1), Filler::of_offset(1, 0, 0),
                                    Filler::of_offset(1, 0, 1)};
    int differ = 0;
    for (const auto& turn : {Turn::of(0, true, false), Turn::of(0, false, true), Turn::of(90, false, true)})
        for (std::uint8_t index = 0; index < 4; ++index) {
            Clip clip;
            clip.keys = {"Furniture_Table"};
            Clip::Block base;
            base.at = {5, 6, 7};
            base.rotation = Rotation{index};
            clip.blocks = {base};
            for (const auto cell : cells) {
                auto part = base;
                part.filler = cell;
                part.at = {5 + cell.x(), 6 + cell.y(), 7 + cell.z()};
                ASSERT_EQ(part.filler.base(part.at), base.at);
                clip.blocks.push_back(part);
            }
            const auto wanted = turn.apply(Rotation{index}, cells);
            differ += wanted == turn.apply(Rotation{index}) ? 0 : 1;
            const auto now = turned(clip, turn).value();
            for (const auto& block : now.blocks) EXPECT_EQ(block.rotation, wanted);
        }
    EXPECT_GT(differ, 0) << "one cell alone would be turned in another way";
}

TEST_F(ClipWorld, AFullTurnOfAClipIsTheIdentity) {
    const auto clip = take().clip;
    for (const auto& step :
         {Turn::of(90, false, false), Turn::of(0, true, false), Turn::of(90, false, true)}) {
        auto now = clip;
        for (int i = 0; i < 4; ++i) now = turned(std::move(now), step).value();
        ASSERT_EQ(now.blocks.size(), clip.blocks.size());
        for (std::size_t i = 0; i < clip.blocks.size(); ++i) {
            EXPECT_EQ(now.blocks[i].at, clip.blocks[i].at);
            EXPECT_EQ(now.blocks[i].rotation, clip.blocks[i].rotation);
            EXPECT_EQ(now.blocks[i].filler, clip.blocks[i].filler);
        }
        EXPECT_EQ(now.components, clip.components);
        for (std::size_t i = 0; i < clip.entities.size(); ++i) {
            const auto a = entity_point(bson::Document::open(now.entities[i]).value()).value();
            const auto b = entity_point(bson::Document::open(clip.entities[i]).value()).value();
            EXPECT_NEAR(a.x, b.x, 1e-9);
            EXPECT_NEAR(a.z, b.z, 1e-9);
        }
    }
}

TEST_F(ClipWorld, BlocksInTheWayGoAsAWholeAlsoInChunksBeside) {
    const auto before = documents();
    { // A bed from 31 into the next chunk.
        Clip bed{.migration_count = 11, .keys = {"Furniture_Bed"}};
        bed.blocks = {{.at = {0, 0, 0}}, {.at = {1, 0, 0}, .filler = Filler::of_offset(1, 0, 0)}};
        EXPECT_EQ(put(bed, {31, 200, 3}).chunks, 2U);
    }
    Clip stone{.migration_count = 11, .keys = {"Rock_Stone"}, .blocks = {{.at = {0, 0, 0}}}};
    const auto report = put(stone, {31, 200, 3});
    EXPECT_EQ(report.cut_blocks, 1U);
    EXPECT_EQ(report.counts.cut_cells, 1U);
    see({1, 0}, [](const Chunk& chunk) { EXPECT_EQ(chunk.block({32, 200, 3}).key, "Empty"); });
    see({0, 0}, [](const Chunk& chunk) { EXPECT_EQ(chunk.block({31, 200, 3}).key, "Rock_Stone"); });
    undo();
    see({1, 0}, [](const Chunk& chunk) { EXPECT_EQ(chunk.block({32, 200, 3}).key, "Furniture_Bed"); });
    undo();
    EXPECT_EQ(documents(), before);
}

TEST_F(ClipWorld, ChunksBesideOnlyLoseTheirLight) {
    Clip stone{.migration_count = 11, .keys = {"Rock_Stone"}, .blocks = {{.at = {0, 0, 0}}}};
    const auto report = put(stone, {63, 40, 3});
    EXPECT_EQ(report.chunks, 1U);
    EXPECT_EQ(report.light_chunks, 1U);
    see({2, 0}, [](const Chunk& chunk) {
        EXPECT_FALSE(chunk.section(1).global_light_valid());
        EXPECT_TRUE(chunk.section(5).global_light_valid());
    });
}

TEST_F(ClipWorld, AMaskAndSkippedAirLeaveCellsAlone) {
    Clip clip{.migration_count = 11, .keys = {"Rock_Marble", "Empty"}};
    for (int y = 0; y < 4; ++y) clip.blocks.push_back({.at = {0, y, 0}, .key = y < 2 ? 0U : 1U});
    const auto masked = put(clip, {40, 30, 8}, {.mask = [](std::string_view key) { return key == "Empty"; }});
    EXPECT_EQ(masked.counts.blocks, 0U) << "stone below is left, and air is air";
    EXPECT_EQ(put(clip, {40, 28, 8}, {.skip_empty = true}).counts.blocks, 2U);
    see({1, 0}, [](const Chunk& chunk) {
        EXPECT_EQ(chunk.block({40, 29, 8}).key, "Rock_Marble");
        EXPECT_EQ(chunk.block({40, 30, 8}).key, "Rock_Stone");
    });
}

TEST_F(ClipWorld, ChunksThatAreNotThereAreCountedOrMade) {
    Clip clip{.migration_count = 11, .keys = {"Rock_Marble"}};
    clip.blocks = {{.at = {0, 0, 0}}, {.at = {0, 0, 100}}};
    EXPECT_EQ(put(clip, {40, 100, 8}).cells_without_chunk, 1U);
    PutOptions making;
    making.edit.create_chunks = true;
    const auto report = put(clip, {41, 100, 8}, making);
    EXPECT_EQ(report.cells_without_chunk, 0U);
    EXPECT_EQ(report.created, 1U);
    see({1, 3}, [](const Chunk& chunk) { EXPECT_EQ(chunk.block({41, 100, 108}).key, "Rock_Marble"); });
}

TEST_F(ClipWorld, NothingBeyondTheWorldIsWritten) {
    const auto before = documents();
    Clip clip{.migration_count = 11, .keys = {"Rock_Marble"}, .blocks = {{.at = {0, 0, 0}}}};
    NoProgress quiet;
    for (const BlockPos at : {BlockPos{0, -1, 0}, BlockPos{0, 320, 0}, BlockPos{1 << 26, 0, 0},
                              BlockPos{0, 0, std::numeric_limits<std::int32_t>::min()}}) {
        const auto done = put_clip(world_, clip, at, {}, clip_assets(), quiet);
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().code, Errc::out_of_range);
    }
    clip.blocks[0].at.x = std::numeric_limits<std::int32_t>::min();
    EXPECT_FALSE(put_clip(world_, clip, {}, {.turn = Turn::of(180, false, false)}, clip_assets(), quiet));
    EXPECT_EQ(documents(), before);
}

TEST_F(ClipWorld, ADamagedChunkStopsEverythingBeforeItBegins) {
    make_world(folder_ / "world", {damaged_document(), plain(), plain()});
    const auto before = documents();
    Clip clip{.migration_count = 11, .keys = {"Rock_Marble"}};
    clip.blocks = {{.at = {0, 0, 0}}, {.at = {32, 0, 0}}};
    const auto refused = put(clip, {0, 0, 0});
    EXPECT_TRUE(refused.refused);
    ASSERT_EQ(refused.problems.size(), 1U);
    EXPECT_EQ(refused.problems[0].chunk, (ChunkPos{0, 0}));
    EXPECT_EQ(documents(), before);
    PutOptions careless;
    careless.edit.skip_damaged = true;
    EXPECT_FALSE(put(clip, {0, 0, 0}, careless).refused);
    see({1, 0}, [](const Chunk& chunk) { EXPECT_EQ(chunk.block({32, 0, 0}).key, "Rock_Marble"); });
    EXPECT_EQ(documents().at({0, 0}), before.at({0, 0}));
}

TEST_F(ClipWorld, ADryRunCountsTheSameAndWritesNothing) {
    const auto before = documents();
    const auto clip = take().clip;
    PutOptions dry;
    dry.edit.dry_run = true;
    std::vector<ChunkPos> shown;
    dry.edit.preview = [&](ChunkPos pos, const storage::CompressedChunk&) -> Result<void> {
        shown.push_back(pos);
        return {};
    };
    const auto would = put(clip, {40, 100, 8}, dry);
    EXPECT_EQ(documents(), before);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "world" / "orbis-undo"));
    const auto did = put(clip, {40, 100, 8});
    EXPECT_EQ(would.counts.blocks, did.counts.blocks);
    EXPECT_EQ(would.counts.components, did.counts.components);
    EXPECT_EQ(would.chunks, did.chunks);
    EXPECT_NE(std::ranges::find(shown, ChunkPos{1, 0}), shown.end());
}

} // namespace
} // namespace orbis::jobs
