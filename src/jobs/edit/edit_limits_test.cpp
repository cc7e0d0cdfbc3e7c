#include "chunk/chunk_reader.hpp"
#include "jobs/cells/cell_mask.hpp"
#include "jobs/cells/edit_chunks.hpp"
#include "jobs/clip/take_clip.hpp"
#include "jobs/edit/copy_cells.hpp"
#include "jobs/edit/fill_cells.hpp"
#include "jobs/edit/remove_entities.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

/// What edits do at the limits of the world, of chunks and of what can be read.
namespace orbis::jobs {
namespace {

using namespace test_worlds;
using chunk::BlockIndex;
using chunk::Chunk;

const world::Assets& limit_assets() { return world::Assets::built_in(); }

TEST(Filling, ABlockIsAKeyWithQuarterTurns) {
    const auto parsed = [](std::string_view text) {
        const auto block = Filling::parse_block(text);
        if (!block) return fmt::format("{}: {}", name(block.error().code), block.error().problem);
        return fmt::format("{} {} {} {}", block->key, block->rotation.yaw(), block->rotation.pitch(),
                           block->rotation.roll());
    };
    EXPECT_EQ(parsed("Rock_Stone"), "Rock_Stone 0 0 0");
    EXPECT_EQ(parsed("Stairs@90"), "Stairs 90 0 0");
    EXPECT_EQ(parsed("Stairs@180,90"), "Stairs 180 90 0");
    EXPECT_EQ(parsed("Stairs@0,90,270"), "Stairs 0 90 270");
    for (const std::string bad :
         {"a@", "a@45", "a@90,", "a@90,x", "a@0,0,0,0", "a@0,0,0,", "a@90 ", "a@91", "a@0,1", "a@0;90"})
        EXPECT_EQ(parsed(bad), "usage: not a rotation: " + bad);
    EXPECT_EQ(parsed(""), "usage: a block needs a key; Empty is air");
    EXPECT_EQ(parsed("@90"), "usage: a block needs a key; Empty is air");
    EXPECT_EQ(parsed(std::string(65535, 'k')), std::string(65535, 'k') + " 0 0 0");
    EXPECT_EQ(parsed(std::string(65536, 'k')), "too_large: a key of 65536 bytes is too long");
}

TEST(Filling, AFluidHasALevelOrTheHighestThatIsKnown) {
    const auto parsed = [](std::string_view text) {
        const auto fluid = Filling::parse_fluid(text, limit_assets());
        if (!fluid)
            return fmt::format("{}: {} ({})", name(fluid.error().code), fluid.error().problem,
                               fluid.error().advice);
        return fmt::format("{} {}", fluid->key, fluid->level);
    };
    EXPECT_EQ(parsed("Water:1"), "Water 1");
    EXPECT_EQ(parsed("Mod_Fluid:15"), "Mod_Fluid 15");
    EXPECT_EQ(parsed("Empty"), "Empty 0");
    EXPECT_EQ(parsed("Water"), fmt::format("Water {}", limit_assets().fluid("Water")->max_level));
    EXPECT_EQ(parsed("Water_Source"),
              fmt::format("Water_Source {}", std::max(limit_assets().fluid("Water_Source")->max_level, 1)));
    EXPECT_EQ(parsed("Mod_Fluid"),
              "usage: the fluid Mod_Fluid is not in the tables (say its level: KEY:LEVEL, 1 to 15)");
    EXPECT_EQ(parsed(""), "usage: a fluid needs a key; Empty is none ()");
    EXPECT_EQ(parsed(":3"), "usage: a fluid needs a key; Empty is none ()");
    for (const std::string bad : {"Water:0", "Water:16", "Water:", "Water:-1", "Water:1x", "Water:300"})
        EXPECT_EQ(parsed(bad), fmt::format("usage: not a fluid with a level: {} (KEY:LEVEL, 1 to 15, such as "
                                           "Water:8)",
                                           bad));
}

TEST(EditCounts, EachIsAddedToItself) {
    EditCounts one{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    one += {100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100};
    EXPECT_EQ(one.area, 101U);
    EXPECT_EQ(one.cells, 202U);
    EXPECT_EQ(one.blocks, 303U);
    EXPECT_EQ(one.fluids, 404U);
    EXPECT_EQ(one.components, 505U);
    EXPECT_EQ(one.entities_added, 606U);
    EXPECT_EQ(one.entities_removed, 707U);
    EXPECT_EQ(one.cut_cells, 808U);
    EXPECT_EQ(one.sections_lit, 909U);
    EXPECT_EQ(one.sections_unknown, 1010U);
    EXPECT_EQ(one.sections_waiting, 1111U);
}

TEST(PutBlock, WhatBelongsToTheOldBlocksGoesAndTheRestStays) {
    auto chunk = Chunk::create();
    const BlockPos gone{3, 40, 5};
    const BlockPos kept{4, 40, 5};
    for (const auto pos : {gone, kept}) {
        ASSERT_TRUE(chunk.set_block(pos, {"Rock_Marble", chunk::Rotation::of_degrees(90), {}}));
        ASSERT_TRUE(chunk.set_support(pos, 7));
        ASSERT_TRUE(chunk.set_ticking(pos, true));
        Buffer holder{5, 0, 0, 0, 0};
        ASSERT_TRUE((*chunk.edit_block_components())->set(BlockIndex(pos), std::move(holder)));
    }
    (*chunk.edit_health())->set({{gone, 0.5F, 7}, {kept, 0.25F, 8}}, {{gone, 3.0F}, {kept, 4.0F}});
    CellSet cells;
    cells.insert(gone);
    cells.insert(BlockPos{3, 300, 5});
    EditCounts counts;
    ASSERT_TRUE(put_block(chunk, cells, {"Rock_Stone", chunk::Rotation::of_degrees(180), {}}, counts));
    EXPECT_EQ(counts.blocks, 2U);
    EXPECT_EQ(counts.components, 1U);
    EXPECT_EQ(chunk.block(gone), (chunk::BlockState{"Rock_Stone", chunk::Rotation::of_degrees(180), {}}));
    EXPECT_EQ(chunk.block({3, 300, 5}).key, "Rock_Stone");
    EXPECT_EQ(chunk.block(kept), (chunk::BlockState{"Rock_Marble", chunk::Rotation::of_degrees(90), {}}));
    const auto& section = chunk.section(1);
    EXPECT_EQ(section.support_at(gone.cell()), 0);
    EXPECT_EQ(section.support_at(kept.cell()), 7);
    EXPECT_FALSE(section.ticking.contains(gone.cell()));
    EXPECT_TRUE(section.ticking.contains(kept.cell()));
    EXPECT_FALSE(chunk.block_components().find(BlockIndex(gone)));
    EXPECT_TRUE(chunk.block_components().find(BlockIndex(kept)));
    ASSERT_EQ(chunk.health().damaged().size(), 1U);
    EXPECT_EQ(chunk.health().damaged()[0].pos, kept);
    ASSERT_EQ(chunk.health().fragile().size(), 1U);
    EXPECT_EQ(chunk.health().fragile()[0].pos, kept);
}

TEST(PutBlock, HealthOfEitherKindGoes) {
    for (const bool is_fragile : {false, true}) {
        auto chunk = Chunk::create();
        const BlockPos gone{3, 40, 5};
        if (is_fragile)
            (*chunk.edit_health())->set({}, {{gone, 3.0F}});
        else
            (*chunk.edit_health())->set({{gone, 0.5F, 7}}, {});
        CellSet cells;
        cells.insert(gone);
        EditCounts counts;
        ASSERT_TRUE(remove_belongings(chunk, cells, counts));
        EXPECT_TRUE(chunk.health().damaged().empty() && chunk.health().fragile().empty()) << is_fragile;
        EXPECT_EQ(counts.components, 0U);
    }
}

TEST(AgreeOnKeys, KeysOfMoreMigrationsThanAreKnownAreNotMixed) {
    const auto known = limit_assets().migrations.for_chunks().count;
    const auto with = [](std::int32_t count, bool has_block) {
        auto chunk = Chunk::create();
        if (has_block) {
            EXPECT_TRUE(chunk.set_block({0, 0, 0}, {"Rock_Stone", {}, {}}));
        }
        (*chunk.edit_section(0))->migration_count = count;
        return chunk;
    };
    auto same = with(known + 9, true);
    EXPECT_TRUE(agree_on_keys(same, 0, known + 9, limit_assets())) << "nothing is to be brought anywhere";
    auto air = with(known + 9, false);
    EXPECT_TRUE(agree_on_keys(air, 0, known, limit_assets()));
    EXPECT_EQ(air.section(0).migration_count, known);
    auto older = with(known - 1, true);
    ASSERT_TRUE(agree_on_keys(older, 0, known, limit_assets()));
    EXPECT_EQ(older.section(0).migration_count, known);
    for (const auto& [here, there] : {std::pair{known + 1, known}, std::pair{known, known + 1}}) {
        auto chunk = with(here, true);
        const auto refused = agree_on_keys(chunk, 0, there, limit_assets());
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, Errc::unsupported);
        EXPECT_EQ(
            refused.error().problem,
            fmt::format("section 0 has block keys after {} migrations, the new blocks have {}, but only "
                        "{} are known",
                        here, there, known));
    }
}

TEST(CellMask, AboveTheWorldIsAirAndSectionsLieOnOneAnother) {
    auto chunk = Chunk::create();
    for (const int y : {31, 32, 63, 318, 319})
        ASSERT_TRUE(chunk.set_block({5, y, 6}, {"Rock_Stone", {}, {}}));
    const auto narrowed = [&](std::string_view blocks, std::string_view above) {
        CellSet cells;
        for (int y = 0; y < k_world_height; ++y) cells.insert(BlockPos{5, y, 6});
        CellMask mask;
        mask.blocks = KeyPatterns::parse(blocks).value();
        mask.above = KeyPatterns::parse(above).value();
        mask.narrow(chunk, cells);
        std::vector<int> found;
        for (int y = 0; y < k_world_height; ++y)
            if (cells.contains(BlockPos{5, y, 6})) found.push_back(y);
        EXPECT_EQ(cells.count(), found.size());
        return found;
    };
    using Heights = std::vector<int>;
    EXPECT_EQ(narrowed("Rock_Stone", "Empty"), (Heights{32, 63, 319}));
    EXPECT_EQ(narrowed("Rock_Stone", "Rock_Stone"), (Heights{31, 318}));
    EXPECT_EQ(narrowed("Empty", "Rock_Stone"), (Heights{30, 62, 317}));
    EXPECT_EQ(narrowed("Rock_Marble", "Empty"), Heights{});
}

TEST(CellMask, EnvironmentsReachFromTheirRunToTheNext) {
    auto chunk = Chunk::create();
    for (int i = 0; i < k_columns; ++i)
        (*chunk.edit_environments())
            ->set_runs(ColumnIndex(i),
                       std::array{chunk::EnvironmentRun{30, "Low"}, chunk::EnvironmentRun{63, "Middle"},
                                  chunk::EnvironmentRun{.key = "High"}});
    const auto count = [&](std::string_view pattern) {
        CellSet cells;
        for (int y = 0; y < k_sections; ++y) cells.insert_all(y);
        CellMask mask;
        mask.environments = KeyPatterns::parse(pattern).value();
        mask.narrow(chunk, cells);
        bool any = false;
        for (int y = 0; y < k_sections; ++y) any = any || cells.any(y);
        EXPECT_EQ(cells.empty(), !any);
        EXPECT_EQ(any, cells.count() > 0) << "sections that have lost all cells know it";
        return cells.count() / k_columns;
    };
    EXPECT_EQ(count("Low"), 31U);
    EXPECT_EQ(count("Middle"), 33U);
    EXPECT_EQ(count("High"), 256U);
    EXPECT_EQ(count("!High"), 64U);
    EXPECT_EQ(count("Nothing"), 0U);
}

/// Three chunks by three, all lit, with a block of stone in each cell below 32.
class EditLimits : public testing::Test {
protected:
    EditLimits() { make({}); }

    void make(const std::map<ChunkPos, Buffer>& others) {
        test::RegionContent content;
        for (int z = 0; z < 3; ++z)
            for (int x = 0; x < 3; ++x) {
                const auto found = others.find({x, z});
                content[z * 32 + x] = test::compressed_blob(
                    found != others.end() ? found->second : with_computed_light(plain()));
            }
        put(folder_ / "world/config.json", as_bytes(R"({"Version": 4, "ChunkStorage": {"Type": "Hytale"}})"));
        put(folder_ / "world/chunks/0.0.region.bin", test::region_v1_image(content));
        world_ = world::find_location(folder_ / "world").value().worlds.at(0);
    }
    Result<FillReport> fill(std::string_view box, std::string_view block, const EditOptions& options = {}) {
        Area area;
        area.add(BlockBox::parse(box).value());
        NoProgress quiet;
        return fill_cells(world_, limit_assets(), area, {}, {Filling::parse_block(block).value(), {}},
                          options, quiet);
    }
    Result<CopyReport> copy(std::string_view box, BlockPos to, CopyOptions options = {}) {
        options.box = BlockBox::parse(box).value();
        options.to = to;
        NoProgress quiet;
        return copy_cells(world_, nullptr, limit_assets(), options, quiet);
    }
    /// The chunks, in which the light of any section is stale.
    [[nodiscard]] std::vector<ChunkPos> stale() const {
        std::vector<ChunkPos> found;
        const auto store = world_.open({}).value();
        chunk::ChunkReader reader;
        for (int x = 0; x < 3; ++x)
            for (int z = 0; z < 3; ++z) {
                const auto* chunk = reader.read(*store, {x, z}).value();
                bool any = false;
                for (int y = 0; y < k_sections; ++y) any = any || !chunk->section(y).global_light_valid();
                if (any) found.push_back({x, z});
            }
        return found;
    }
    [[nodiscard]] std::string key_at(BlockPos pos) const {
        const auto store = world_.open({}).value();
        chunk::ChunkReader reader;
        return std::string(reader.read(*store, pos.chunk()).value()->block(pos).key);
    }

    test::TemporaryFolder folder_;
    world::World world_;
};

TEST_F(EditLimits, LightIsStaleFifteenBlocksAroundAnEdit) {
    struct Row {
        int x; ///< in the chunk in the middle
        int z;
        std::vector<ChunkPos> stale;
    };
    for (const auto& [x, z, expected] :
         {Row{15, 15, {{1, 1}}}, Row{16, 16, {{1, 1}}}, Row{14, 15, {{0, 1}, {1, 1}}},
          Row{17, 16, {{1, 1}, {2, 1}}}, Row{15, 14, {{1, 0}, {1, 1}}}, Row{16, 17, {{1, 1}, {1, 2}}},
          Row{14, 14, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}}, Row{17, 17, {{1, 1}, {1, 2}, {2, 1}, {2, 2}}},
          Row{17, 14, {{1, 0}, {1, 1}, {2, 0}, {2, 1}}}, Row{14, 17, {{0, 1}, {0, 2}, {1, 1}, {1, 2}}}}) {
        make({});
        EXPECT_EQ(stale(), std::vector<ChunkPos>{});
        const auto report = fill(fmt::format("{0},200,{1}..{0},200,{1}", 32 + x, 32 + z), "Rock_Stone");
        ASSERT_TRUE(report) << report.error().text();
        EXPECT_EQ(stale(), expected) << x << "," << z;
        EXPECT_EQ(report->light_chunks, expected.size() - 1);
        EXPECT_EQ(report->chunks, 1U);
        EXPECT_EQ(report->counts.blocks, 1U);
    }
}

TEST_F(EditLimits, AFrameThatWasMadeBeforeAChunkBesideItIsMarkedWhateverIsKept) {
    for (const std::size_t keep : {std::size_t{0}, std::size_t{1}, std::size_t{128} << 20}) {
        make({});
        EditOptions options;
        options.keep = keep;
        ASSERT_TRUE(fill("30,200,30..65,200,65", "Rock_Stone", options));
        EXPECT_EQ(stale().size(), 9U) << keep;
        EXPECT_EQ(key_at({30, 200, 30}), "Rock_Stone");
        EXPECT_EQ(key_at({65, 200, 65}), "Rock_Stone");
        EXPECT_EQ(key_at({66, 200, 65}), "Empty");
    }
}

TEST_F(EditLimits, ADamagedChunkStopsAnEditOrIsLeftAlone) {
    make({{{1, 1}, damaged_document()}, {{2, 2}, Buffer{1, 2, 3}}});
    const auto refused = fill("0,5,0..95,5,95", "Rock_Marble");
    ASSERT_TRUE(refused) << refused.error().text();
    EXPECT_TRUE(refused->refused);
    ASSERT_EQ(refused->problems.size(), 2U);
    EXPECT_EQ(refused->problems[0].chunk, (ChunkPos{1, 1}));
    EXPECT_EQ(refused->problems[1].chunk, (ChunkPos{2, 2}));
    EXPECT_TRUE(refused->problems[0].file.ends_with("0.0.region.bin"));
    EXPECT_EQ(key_at({0, 5, 0}), "Rock_Stone");
    EditOptions options;
    options.skip_damaged = true;
    const auto done = fill("0,5,0..95,5,95", "Rock_Marble", options);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_FALSE(done->refused);
    EXPECT_EQ(done->problems.size(), 2U);
    EXPECT_EQ(done->chunks, 7U);
    EXPECT_EQ(done->counts.blocks, 7U * k_columns);
    EXPECT_EQ(key_at({0, 5, 0}), "Rock_Marble");
    // Beside an edit nobody looks into what cannot be read.
    const auto beside = fill("60,250,32..60,250,32", "Rock_Stone");
    ASSERT_TRUE(beside) << beside.error().text();
}

TEST_F(EditLimits, EntitiesThatCannotBeReadStopTheirRemoval) {
    auto damaged = with_computed_light(plain());
    const std::string_view name = "EntityChunk";
    const auto at = as_text(damaged).find(name);
    ASSERT_NE(at, std::string_view::npos);
    // The length of its document leads beyond the end.
    damaged[at + name.size() + 1 + 4 + 1 + 8 + 1] ^= 0xFF;
    ASSERT_EQ(Chunk::decode(Bytes(damaged))->entities_state(), chunk::PartState::broken);
    make({{{0, 0}, damaged}});
    NoProgress quiet;
    const auto done = remove_entities(world_, limit_assets(), {}, {}, {}, quiet);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_TRUE(done->refused);
    ASSERT_EQ(done->problems.size(), 1U);
    EXPECT_EQ(done->problems[0].code, Errc::unsupported);
}

TEST_F(EditLimits, ACopyMustLieInsideTheWorld) {
    const auto text = [&](BlockPos to) {
        CopyOptions options;
        options.edit.dry_run = true;
        const auto done = copy("0,10,0..1,12,1", to, options);
        return done ? std::string("yes")
                    : fmt::format("{}: {} ({})", name(done.error().code), done.error().problem,
                                  done.error().advice);
    };
    constexpr int k_edge = 1 << 26;
    EXPECT_EQ(text({40, 0, 40}), "yes");
    EXPECT_EQ(text({40, 317, 40}), "yes");
    EXPECT_EQ(text({40, 318, 40}),
              "usage: the copy would reach from y 318 to y 320, but the world goes from 0 "
              "to 319 (use a y from 0 to 317)");
    EXPECT_EQ(text({40, -1, 40}),
              "usage: the copy would reach from y -1 to y 1, but the world goes from 0 to "
              "319 (use a y from 0 to 317)");
    EXPECT_EQ(text({-k_edge, 0, -k_edge}), "yes");
    EXPECT_EQ(text({k_edge - 2, 0, k_edge - 2}), "yes");
    const std::string beyond =
        "usage: the copy would reach beyond the edge of the world, at 67108864 blocks ()";
    EXPECT_EQ(text({-k_edge - 1, 0, 0}), beyond);
    EXPECT_EQ(text({0, 0, -k_edge - 1}), beyond);
    EXPECT_EQ(text({k_edge - 1, 0, 0}), beyond);
    EXPECT_EQ(text({0, 0, k_edge - 1}), beyond);
    const auto large = copy("-67108864,0,-67108864..67108863,0,67108863", {0, 0, 0});
    ASSERT_FALSE(large);
    EXPECT_EQ(large.error().code, Errc::too_large);
    EXPECT_EQ(large.error().advice, "copy it in several parts");
    CopyOptions moves;
    moves.moves = true;
    const auto too_many = copy("0,0,0..2047,319,2047", {0, 0, 0}, moves);
    ASSERT_FALSE(too_many);
    EXPECT_EQ(too_many.error().code, Errc::too_large);
    EXPECT_EQ(too_many.error().problem,
              fmt::format("a box of {} cells is too large to be moved, or copied onto "
                          "itself",
                          2048ULL * 320 * 2048));
}

TEST_F(EditLimits, ACopyIsTheSameWhetherItIsHeldOrNotAndCountsMissingChunks) {
    make({{{0, 0}, edited(plain(), [](Chunk& chunk) {
               ASSERT_TRUE(chunk.set_block({3, 200, 3}, {"Rock_Marble", {}, {}}));
               ASSERT_TRUE(chunk.set_fluid({4, 200, 3}, {"Water", 5}));
           })}});
    for (const bool held : {true, false}) {
        CopyOptions options;
        options.held_cells = held ? std::uint64_t{1} << 22 : 0;
        options.edit.create_chunks = true;
        // The box reaches one chunk to the west, which is not there, and the copy lies far from it.
        const auto done = copy("-2,200,0..7,201,7", {1000, held ? 100 : 120, 1000}, options);
        ASSERT_TRUE(done) << done.error().text();
        EXPECT_EQ(done->source_chunks_missing, 1U) << held;
        EXPECT_EQ(done->counts.blocks, 1U) << held;
        EXPECT_EQ(done->counts.fluids, 1U) << held;
        EXPECT_EQ(done->left_out, 0U);
        EXPECT_EQ(key_at({1005, held ? 100 : 120, 1003}), "Rock_Marble");
        const auto store = world_.open({}).value();
        chunk::ChunkReader reader;
        EXPECT_EQ(reader.read(*store, {31, 31}).value()->fluid({1006, held ? 100 : 120, 1003}).level, 5);
    }
}

TEST_F(EditLimits, OfBlocksThatABoxCutsFiveAreNamed) {
    const auto with_beds = [](int count) {
        return edited(plain(), [count](Chunk& chunk) {
            for (int i = 0; i < count; ++i) {
                const BlockPos base{2 * i, 100, 10};
                ASSERT_TRUE(chunk.set_block(base, {"Bed", {}, {}}));
                ASSERT_TRUE(
                    chunk.set_block({base.x, 100, 11}, {"Bed", {}, chunk::Filler::of_offset(0, 0, 1)}));
            }
        });
    };
    const auto problem = [&](int count) {
        make({{{0, 0}, with_beds(count)}});
        const auto done = copy("0,100,5..31,100,10", {0, 200, 0});
        EXPECT_FALSE(done);
        EXPECT_EQ(done.error().code, Errc::usage);
        EXPECT_EQ(done.error().advice,
                  "use the box 0,100,5..31,100,11, or --leave-cut to leave these blocks out");
        return done.error().problem;
    };
    EXPECT_EQ(problem(1), "the box cuts 1 block of several cells in two: 0,100,10");
    EXPECT_EQ(problem(2), "the box cuts 2 blocks of several cells in two: 0,100,10; 2,100,10");
    EXPECT_EQ(problem(5), "the box cuts 5 blocks of several cells in two: 0,100,10; 2,100,10; 4,100,10; "
                          "6,100,10; 8,100,10");
    EXPECT_EQ(problem(7), "the box cuts 7 blocks of several cells in two: 0,100,10; 2,100,10; 4,100,10; "
                          "6,100,10; 8,100,10 and 2 more");
    CopyOptions leaving;
    leaving.leaves_cut = true;
    const auto done = copy("0,100,5..31,100,10", {0, 200, 0}, leaving);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(done->left_out, 7U);
}

TEST_F(EditLimits, AClipIsOfABoxInsideTheWorldAndNotTooLarge) {
    const auto store = world_.open({}).value();
    const auto take = [&](const BlockBox& box, std::uint64_t most = k_most_clip_cells) {
        return take_clip(*store, box, limit_assets(), {.most_cells = most});
    };
    EXPECT_TRUE(take({{0, 0, 0}, {1, 319, 1}}));
    for (const BlockBox box : {BlockBox{{0, -1, 0}, {1, 5, 1}}, BlockBox{{0, 0, 0}, {1, 320, 1}}}) {
        const auto refused = take(box);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, Errc::out_of_range);
        EXPECT_EQ(refused.error().advice, "y goes from 0 to 319");
    }
    EXPECT_TRUE(take({{0, 0, 0}, {1, 1, 1}}, 8));
    const auto large = take({{0, 0, 0}, {1, 1, 1}}, 7);
    ASSERT_FALSE(large);
    EXPECT_EQ(large.error().code, Errc::too_large);
    EXPECT_EQ(large.error().advice, "take it in several parts");
    const auto missing = take({{-40, 0, 0}, {1, 0, 0}});
    ASSERT_TRUE(missing);
    EXPECT_EQ(missing->missing, (std::vector<ChunkPos>{{-2, 0}, {-1, 0}}));
}

TEST_F(EditLimits, KeysOfSectionsOfDifferentAgesBecomeThoseOfToday) {
    const auto known = limit_assets().migrations.for_chunks().count;
    const auto with = [&](std::int32_t first, std::int32_t second) {
        return edited(plain(), [&](Chunk& chunk) {
            ASSERT_TRUE(chunk.set_block({0, 100, 0}, {"Rock_Marble", {}, {}}));
            ASSERT_TRUE(chunk.set_block({0, 200, 0}, {"Rock_Marble", {}, {}}));
            (*chunk.edit_section(3))->migration_count = first;
            (*chunk.edit_section(6))->migration_count = second;
        });
    };
    const auto take = [&](std::int32_t first, std::int32_t second) {
        make({{{0, 0}, with(first, second)}});
        const auto store = world_.open({}).value();
        return take_clip(*store, {{0, 100, 0}, {0, 200, 0}}, limit_assets(), {.empty_blocks = false});
    };
    EXPECT_EQ(take(known + 5, known + 5)->clip.migration_count, known + 5) << "all of one age";
    EXPECT_EQ(take(known - 2, known - 2)->clip.migration_count, known - 2);
    const auto mixed = take(known - 2, known - 1);
    ASSERT_TRUE(mixed) << mixed.error().text();
    EXPECT_EQ(mixed->clip.migration_count, known);
    for (const auto& block : mixed->clip.blocks) EXPECT_EQ(mixed->clip.keys[block.key], "Rock_Marble");
    const auto refused = take(known, known + 1);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::unsupported);
    EXPECT_EQ(refused.error().problem,
              fmt::format("the box has block keys after {} and after {} migrations, but only {} are known",
                          known, known + 1, known));
}

} // namespace
} // namespace orbis::jobs
