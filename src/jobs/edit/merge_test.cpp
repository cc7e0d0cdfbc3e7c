#include "bson/writer.hpp"
#include "jobs/edit/merge_worlds.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "jobs/undo/undo.hpp"
#include "support/amount.hpp"
#include "support/seed.hpp"

#include <map>

namespace orbis::jobs {
namespace {

using namespace test_worlds;
using chunk::BlockIndex;
using chunk::Chunk;
using Merged = MergedChunk::What;

constexpr ChunkPos k_merged_pos{-2, 3}; // blocks from -64, 96 on

Buffer holder(std::string_view text, double x, int id) {
    Buffer out;
    bson::Writer writer(out);
    std::array<std::uint8_t, 16> uuid{};
    uuid[15] = static_cast<std::uint8_t>(id);
    writer.document("Components");
    writer.document("UUID").uuid("UUID", uuid).end();
    writer.document("Transform").document("Position").real("X", x).real("Y", 10).real("Z", 100).end().end();
    writer.document("Nameplate").string("Text", text).end();
    writer.end().finish();
    return out;
}

/// Something of everything is different from `plain`.
Buffer make_other_world() {
    return edited(plain(), [](Chunk& chunk) {
        ASSERT_TRUE(chunk.set_block({-64, 40, 96}, {"Rock_Marble", chunk::Rotation::of_degrees(90), {}}));
        ASSERT_TRUE(chunk.set_support({-64, 40, 96}, 7));
        ASSERT_TRUE(chunk.set_ticking({-64, 40, 96}, true));
        ASSERT_TRUE(chunk.set_block({-40, 200, 120}, {"Rock_Marble", {}, {}}));
        ASSERT_TRUE(chunk.set_fluid({-64, 50, 96}, {"Lava", 3}));
        ASSERT_TRUE(
            (*chunk.edit_block_components())->set(BlockIndex(BlockPos{-64, 40, 96}), holder("x", 0, 1)));
        ASSERT_TRUE(
            (*chunk.edit_block_components())->set(BlockIndex(BlockPos{-63, 40, 96}), holder("y", 0, 2)));
        ASSERT_TRUE((*chunk.edit_entities())->remove(0));
        ASSERT_TRUE((*chunk.edit_entities())->add(holder("in", -63.5, 5)));
        ASSERT_TRUE((*chunk.edit_entities())->add(holder("out", -40.5, 6)));
        (*chunk.edit_tints())->set(ColumnIndex(0), 5);
        (*chunk.edit_environments())
            ->set_runs(ColumnIndex(1), std::array{chunk::EnvironmentRun{.key = "Env_New"}});
        (*chunk.edit_health())->set({{{-64, 40, 96}, 0.5F, 7}}, {});
        ASSERT_TRUE(chunk.remove_component("MadeByAMod"));
        ASSERT_TRUE(chunk.update_heights([](auto key) { return key == "Empty"; }));
    });
}

const Buffer& other_world() {
    static const auto made = make_other_world();
    return made;
}

ChunkDiff difference(const Buffer& a, const Buffer& b) {
    ChunkComparer comparer;
    return comparer.compare(k_merged_pos, Chunk::decode(Bytes(a)).value(), Chunk::decode(Bytes(b)).value(),
                            {});
}

/// `plain` with the chosen part of `other_world`.
Buffer merged(const MergeParts& parts, const std::optional<BlockBox>& box, ChunkMerge* report = nullptr,
              const Buffer& to = plain(), const Buffer& from = other_world()) {
    CellComparer cells;
    return edited(to, [&](Chunk& chunk) {
        const auto other = Chunk::decode(Bytes(from)).value();
        const auto done =
            merge_chunk(k_merged_pos, chunk, other, parts, box, world::Assets::built_in(), cells);
        ASSERT_TRUE(done) << done.error().text();
        if (report != nullptr) *report = *done;
    });
}

TEST(Merge, EachOutcomeHasItsOwnName) {
    using What = MergedChunk::What;
    for (const auto& [what, word] : {std::pair(What::added, "added"), std::pair(What::replaced, "replaced"),
                                     std::pair(What::removed, "removed"), std::pair(What::edited, "edited"),
                                     std::pair(What::blocked, "blocked")})
        EXPECT_EQ(name(what), word);
}

TEST(MergeChunk, AllPartsTogetherMakeTheChunksEqualButForLight) {
    ChunkMerge report;
    auto left = difference(merged({}, {}, &report), other_world());
    left.light_sections = 0; // which the game recalculates
    EXPECT_TRUE(left.empty()) << left.blocks << left.heights << left.components << left.entities;
    EXPECT_EQ(report.blocks, 2U);
    EXPECT_EQ(report.fluids, 1U);
    EXPECT_EQ(report.components, 2U);
    EXPECT_EQ(report.columns, 2U);
    EXPECT_EQ(report.other, 2U);
}

TEST(MergeChunk, EachPartComesAlone) {
    const auto only = [](std::string_view names) {
        return difference(plain(), merged(MergeParts::parse(names).value(), {}));
    };
    const auto blocks = only("blocks");
    EXPECT_EQ(blocks.blocks, 2U);
    EXPECT_EQ(blocks.supports, 1U);
    EXPECT_EQ(blocks.ticking, 1U);
    EXPECT_EQ(blocks.heights, 1U) << "the other column had that height already";
    EXPECT_GT(blocks.light_sections, 0U) << "the light is stale";
    EXPECT_EQ(blocks.components, 1U) << "what the new block holds, and nothing else";
    EXPECT_EQ(blocks.fluids + blocks.entities + blocks.tints + blocks.environments, 0U);
    EXPECT_EQ(only("fluids").fluids, 1U);
    EXPECT_EQ(only("fluids").blocks, 0U);
    EXPECT_EQ(only("components").components, 2U);
    EXPECT_EQ(only("components").blocks, 0U);
    EXPECT_EQ(only("entities").entities, 3U);
    EXPECT_EQ(only("tints").tints, 1U);
    EXPECT_EQ(only("environments").environments, 1U);
    EXPECT_TRUE(only("health").health);
    EXPECT_EQ(only("other").other, (std::vector<std::string>{"MadeByAMod"}));
}

TEST(MergeChunk, NothingOutsideOfTheBoxChanges) {
    const auto box = BlockBox::parse("-64,40,96..-60,60,105").value();
    const auto found = difference(plain(), merged({}, box));
    EXPECT_EQ(found.blocks, 1U);
    EXPECT_EQ(found.block_changes.at(0).pos, (BlockPos{-64, 40, 96}));
    EXPECT_EQ(found.fluids, 1U);
    EXPECT_EQ(found.components, 2U);
    EXPECT_EQ(found.environments, 1U);
    EXPECT_TRUE(found.other.empty());
    EXPECT_EQ(found.entities, 0U) << "at y 10 nobody is inside";
    const auto chunk = Chunk::decode(merged({}, box)).value();
    const auto runs = chunk.environments().runs(ColumnIndex(1));
    ASSERT_EQ(runs.size(), 4U);
    EXPECT_EQ(runs[2], (chunk::EnvironmentRun{60, "Env_New"}));
    const auto low = BlockBox::parse("-60,0,105..-64,20,96").value(); // corners in any order
    EXPECT_EQ(difference(plain(), merged({}, low)).entities, 1U);
}

TEST(MergeChunk, ABoxHoldsItsLastBlockWithAllThatStandsInIt) {
    const auto from = [](double x) {
        return edited(plain(), [&](Chunk& chunk) {
            ASSERT_TRUE((*chunk.edit_entities())->remove(0));
            ASSERT_TRUE((*chunk.edit_entities())->add(holder("edge", x, 9)));
        });
    };
    const auto comes = [&](std::string_view box, double x) {
        const auto other = from(x);
        const auto chunk = Chunk::decode(merged({}, BlockBox::parse(box).value(), nullptr, plain(), other));
        return std::ranges::any_of(chunk->entities().holders(), [](const auto& each) {
            return as_text(each.bytes()).find("edge") != std::string_view::npos;
        });
    };
    // The blocks -62…-60 reach from -62.0 to just below -59.0; the entity stands at y 10 and z 100.
    constexpr auto k_box = "-62,10,100..-60,10,100";
    EXPECT_FALSE(comes(k_box, -62.001));
    EXPECT_TRUE(comes(k_box, -62.0));
    EXPECT_TRUE(comes(k_box, -60.0));
    EXPECT_TRUE(comes(k_box, -59.999));
    EXPECT_FALSE(comes(k_box, -59.0));
    EXPECT_FALSE(comes("-62,11,100..-60,12,100", -61));
    EXPECT_FALSE(comes("-62,8,100..-60,9,100", -61));
    EXPECT_FALSE(comes("-62,10,101..-60,10,102", -61));
    EXPECT_FALSE(comes("-62,10,98..-60,10,99", -61));
}

TEST(MergeChunk, AnEntityThatMovedIsNotThereTwice) {
    const auto to = edited(plain(), [](Chunk& chunk) {
        ASSERT_TRUE((*chunk.edit_entities())->add(holder("before", -33, 5))); // outside the box now
    });
    const auto box = BlockBox::parse("-64,0,96..-60,20,105").value();
    const auto chunk = Chunk::decode(merged({}, box, nullptr, to)).value();
    EXPECT_EQ(chunk.entities().holders().size(), 2U);
}

TEST(MergeChunk, OldKeysAreBroughtToToday) {
    auto sections = documents::ten_sections(4);
    sections[1].blocks[64] = "Plant_Crop_Carrot_Stage_1|Yaw=90";
    const auto old = documents::document(sections);
    const auto chunk =
        Chunk::decode(merged(MergeParts::parse("blocks").value(), {}, nullptr, plain(), old)).value();
    const auto block = chunk.block({0, 32, 2});
    EXPECT_EQ(block.key, "*Plant_Crop_Carrot_Block_State_Definitions_Stage1");
    EXPECT_EQ(block.rotation.yaw(), 90);
    EXPECT_EQ(chunk.section(1).migration_count, 11);
    // And the other way round: the old chunk gets its keys migrated before new ones come in.
    const auto back =
        Chunk::decode(merged(MergeParts::parse("blocks").value(),
                             BlockBox::parse("-64,32,96..-63,40,96").value(), nullptr, old, other_world()))
            .value();
    EXPECT_EQ(back.block({0, 40, 0}).key, "Rock_Marble");
    EXPECT_EQ(back.block({0, 32, 2}).key, "*Plant_Crop_Carrot_Block_State_Definitions_Stage1");
}

TEST(MergeChunk, BlocksThatAreCutAreCounted) {
    const auto from = edited(plain(), [](Chunk& chunk) {
        ASSERT_TRUE(chunk.set_block({-64, 40, 96}, {"Door", {}, {}}));
        ASSERT_TRUE(chunk.set_block({-64, 41, 96}, {"Door", {}, chunk::Filler::of_offset(0, 1, 0)}));
    });
    ChunkMerge report;
    merged({}, BlockBox::parse("-64,41,96..-64,45,96").value(), &report, plain(), from);
    EXPECT_EQ(report.cut, 1U);
    merged({}, BlockBox::parse("-64,40,96..-64,45,96").value(), &report, plain(), from);
    EXPECT_EQ(report.cut, 0U);
}

TEST(MergeChunk, DamagedPartsAreNotTouched) {
    CellComparer cells;
    auto to = Chunk::decode(plain()).value();
    const auto from = Chunk::decode(damaged_document()).value();
    EXPECT_FALSE(merge_chunk(k_merged_pos, to, from, {}, {}, world::Assets::built_in(), cells));
    auto damaged = Chunk::decode(damaged_document()).value();
    const auto good = Chunk::decode(other_world()).value();
    EXPECT_TRUE(merge_chunk(k_merged_pos, damaged, good, MergeParts::parse("fluids").value(), {},
                            world::Assets::built_in(), cells));
}

TEST(MergeChunk, DamageOfAnyKindIsComparedAndMergedWithoutACrash) {
    SEEDED_RANDOM(random);
    const auto sound = other_world();
    const std::array whole{plain(), old_document()};
    CellComparer cells;
    ChunkComparer comparer;
    for (int round = 0; round < test::amount(200); ++round) {
        auto damaged = whole[static_cast<std::size_t>(round % 2)];
        for (int i = 0; i < 1 + round % 5; ++i)
            damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
        auto chunk = Chunk::decode(Bytes(damaged));
        if (!chunk) continue;
        const auto good = Chunk::decode(Bytes(sound)).value();
        (void)comparer.compare(k_merged_pos, *chunk, good, {});
        (void)comparer.compare(k_merged_pos, good, *chunk, {.terrain = true, .most_details = 3});
        auto target = Chunk::decode(Bytes(sound)).value();
        (void)merge_chunk(k_merged_pos, target, *chunk, {}, {}, world::Assets::built_in(), cells);
        const auto merged = merge_chunk(k_merged_pos, *chunk, good, {}, {}, world::Assets::built_in(), cells);
        if (!merged) continue;
        Buffer out;
        const auto document = chunk->encode(out);
        ASSERT_TRUE(!document || Chunk::decode(*document)) << round;
    }
}

TEST(MergeOptions, WhatMakesNoSenseIsRefused) {
    for (const auto* text : {"", "block", "blocks,", ",blocks", "blocks fluids"})
        EXPECT_FALSE(MergeParts::parse(text)) << text;
    for (const auto* text :
         {"", "1,2,3", "1,2,3..4,5", "1,2,3..4,5,6,", "1,2,3..4,5,x", "1,2,3..4,5,99999999999"})
        EXPECT_FALSE(BlockBox::parse(text)) << text;
}

class MergeWorlds : public testing::Test {
protected:
    /// 0,0 is equal, 1,0 is different, 2,0 only here, 3,0 only there, 4,0 unreadable here, 5,0 there.
    MergeWorlds() {
        const Buffer nonsense{1, 2, 3};
        world_ = make_world(folder_ / "world", {plain(), plain(), plain()});
        other_ = make_world(folder_ / "other", {plain(), other_world()});
        fill("world", {{0, plain()}, {1, plain()}, {2, plain()}, {4, nonsense}, {5, plain()}});
        fill("other", {{0, plain()}, {1, other_world()}, {3, plain()}, {4, plain()}, {5, nonsense}});
    }
    void fill(const char* name, const std::map<int, Buffer>& chunks) const {
        test::RegionContent content;
        for (const auto& [slot, document] : chunks) content[slot] = test::compressed_blob(document);
        put(folder_ / name / "chunks" / "0.0.region.bin", test::region_v1_image(content));
    }
    using Results = std::map<int, Merged>;
    Results run(MergeOptions options) {
        Results results;
        NoProgress quiet;
        options.threads = 2;
        options.on_chunk = [&](const auto& chunk) { results[chunk.pos.x] = chunk.what; };
        const auto report = merge(world_, other_, world::Assets::built_in(), options, quiet);
        EXPECT_TRUE(report) << report.error().text();
        return results;
    }
    [[nodiscard]] Buffer document(int x) const {
        storage::ReadContext context;
        const auto found = world_.open({}).value()->read({x, 0}, context).value();
        return found ? Buffer(found->begin(), found->end()) : Buffer();
    }

    test::TemporaryFolder folder_;
    world::World world_;
    world::World other_;
};

TEST_F(MergeWorlds, WholeChunksComeOverAndNoneGoesUnasked) {
    MergeOptions dry;
    dry.dry_run = true;
    EXPECT_EQ(
        run(dry),
        (Results{{1, Merged::replaced}, {3, Merged::added}, {4, Merged::replaced}, {5, Merged::blocked}}));
    EXPECT_EQ(document(1), plain());
    EXPECT_EQ(
        run({}),
        (Results{{1, Merged::replaced}, {3, Merged::added}, {4, Merged::replaced}, {5, Merged::blocked}}));
    EXPECT_EQ(document(1), other_world());
    EXPECT_EQ(document(2), plain());
    EXPECT_EQ(document(3), plain());
    EXPECT_EQ(document(5), plain()) << "the other's chunk cannot be read";
    EXPECT_EQ(run({}), (Results{{5, Merged::blocked}})) << "nothing is left to do";
}

TEST_F(MergeWorlds, OnlyTheKindsThatAreAskedForAreApplied) {
    MergeOptions options;
    options.added = options.changed = false;
    options.removed = true;
    EXPECT_EQ(run(options), (Results{{2, Merged::removed}}));
    EXPECT_EQ(document(2), Buffer());
    options.removed = false;
    options.added = true;
    EXPECT_EQ(run(options), (Results{{3, Merged::added}}));
}

TEST_F(MergeWorlds, PartsAreEditedAndCanBeTakenBack) {
    MergeOptions options;
    options.parts = MergeParts::parse("blocks").value();
    options.selection = Selection::parse("chunks:0,0..2,0").value();
    EXPECT_EQ(run(options), (Results{{1, Merged::edited}}));
    const auto chunk = Chunk::decode(document(1)).value();
    EXPECT_EQ(chunk.block({0, 40, 0}).key, "Rock_Marble");
    EXPECT_EQ(chunk.fluid({0, 50, 0}).key, "Empty");
    std::vector<Error> problems;
    NoProgress quiet;
    const auto location = world::find_location(folder_ / "world").value();
    const auto changes = past_changes(location, problems);
    ASSERT_TRUE(changes && changes->size() == 1);
    EXPECT_TRUE(undo_change(changes->front(), {}, quiet));
    EXPECT_EQ(document(1), plain());
}

TEST_F(MergeWorlds, ABoxIsMergedWithoutALookAtTheRest) {
    MergeOptions options;
    options.box = BlockBox::parse("32,0,0..33,319,1").value();
    EXPECT_EQ(run(options), (Results{{1, Merged::edited}}));
    options.box = BlockBox::parse("96,0,0..97,319,1").value();
    EXPECT_EQ(run(options), (Results{{3, Merged::blocked}})) << "there is no chunk to put blocks into";
}

TEST(MergeChunk, HealthOfBlocksOutsideOfTheBoxStays) {
    const auto with = [](std::vector<BlockPos> damaged) {
        return edited(plain(), [&](Chunk& chunk) {
            std::vector<chunk::BlockHealth::Damaged> entries;
            for (const auto pos : damaged) entries.push_back({pos, 0.5F, 7});
            (*chunk.edit_health())->set(std::move(entries), {});
        });
    };
    const BlockPos inside{-64, 40, 96};
    const BlockPos last{-60, 45, 100};
    const BlockPos behind{-59, 45, 100};
    const BlockPos outside{-50, 40, 96};
    const auto box = BlockBox::parse("-64,40,96..-60,45,100").value();
    const auto chunk =
        Chunk::decode(merged({}, box, nullptr, with({inside, outside}), with({last, behind}))).value();
    std::vector<BlockPos> found;
    for (const auto& entry : chunk.health().damaged()) found.push_back(entry.pos);
    EXPECT_EQ(found, (std::vector<BlockPos>{outside, last}));
}

TEST(MergeChunk, ABlockThatIsCutHereCountsToo) {
    const auto to = edited(plain(), [](Chunk& chunk) {
        ASSERT_TRUE(chunk.set_block({-64, 40, 96}, {"Door", {}, {}}));
        ASSERT_TRUE(chunk.set_block({-64, 41, 96}, {"Door", {}, chunk::Filler::of_offset(0, 1, 0)}));
    });
    ChunkMerge report;
    merged({}, BlockBox::parse("-64,41,96..-64,45,96").value(), &report, to, plain());
    EXPECT_EQ(report.cut, 1U);
    merged({}, BlockBox::parse("-64,40,96..-64,45,96").value(), &report, to, plain());
    EXPECT_EQ(report.cut, 0U);
}

TEST(MergeChunk, EntitiesThatGoAreCountedLikeThoseThatCome) {
    ChunkMerge report;
    merged(MergeParts::parse("entities").value(), {}, &report);
    EXPECT_EQ(report.entities, 2U) << "one goes, two come";
    merged(MergeParts::parse("entities").value(), {}, &report, other_world(), plain());
    EXPECT_EQ(report.entities, 2U) << "two go, one comes";
}

TEST(MergeChunk, EntitiesWithoutAnIdAreNotTakenForOneAnother) {
    const auto nameless = [](double x) {
        Buffer out;
        bson::Writer writer(out);
        writer.document("Components").document("Transform").document("Position");
        writer.real("X", x).real("Y", 10).real("Z", 100).end().end().end().finish();
        return out;
    };
    const auto with = [&](double x) {
        return edited(plain(), [&](Chunk& chunk) {
            ASSERT_TRUE((*chunk.edit_entities())->remove(0));
            ASSERT_TRUE((*chunk.edit_entities())->add(nameless(x)));
        });
    };
    const auto box = BlockBox::parse("-64,0,96..-60,20,105").value();
    const auto chunk = Chunk::decode(merged({}, box, nullptr, with(-40), with(-62))).value();
    EXPECT_EQ(chunk.entities().holders().size(), 2U) << "the one outside of the box stays";
}

TEST(MergeChunk, ColumnsOutsideOfTheBoxKeepTheirTintAndEnvironmentsEndWithIt) {
    const auto from = edited(plain(), [](Chunk& chunk) {
        for (const int column : {0, 3, 4, 32 * 9 + 3, 32 * 10})
            (*chunk.edit_tints())->set(ColumnIndex(column), 5);
        (*chunk.edit_environments())
            ->set_runs(ColumnIndex(1), std::array{chunk::EnvironmentRun{.key = "Env_New"}});
    });
    const auto box = BlockBox::parse("-64,50,96..-61,60,105").value();
    ChunkMerge report;
    const auto chunk = Chunk::decode(merged({}, box, &report, plain(), from)).value();
    EXPECT_EQ(report.columns, 4U) << "three tints and an environment";
    const auto old = Chunk::decode(Bytes(plain())).value();
    for (const int column : {4, 32 * 10})
        EXPECT_EQ(chunk.tints().at(ColumnIndex(column)), old.tints().at(ColumnIndex(column))) << column;
    const auto runs = chunk.environments().runs(ColumnIndex(1));
    const auto top = std::ranges::find(runs, std::string_view("Env_New"), &chunk::EnvironmentRun::key);
    ASSERT_NE(top, runs.end());
    EXPECT_EQ(top->max_y, 60);
    ASSERT_NE(top, runs.begin());
    EXPECT_EQ(std::prev(top)->max_y, 49);
}

TEST(MergeChunk, WhatABlockHoldsStaysWhereTheBlockStays) {
    const auto with = [](std::string_view text, int support) {
        return edited(plain(), [&](Chunk& chunk) {
            ASSERT_TRUE(chunk.set_block({-64, 40, 96}, {"Rock_Marble", {}, {}}));
            ASSERT_TRUE(chunk.set_support({-64, 40, 96}, static_cast<std::uint8_t>(support)));
            ASSERT_TRUE(
                (*chunk.edit_block_components())->set(BlockIndex(BlockPos{-64, 40, 96}), holder(text, 0, 1)));
        });
    };
    const auto to = with("mine", 1);
    ChunkMerge report;
    const auto made = merged(MergeParts::parse("blocks").value(), {}, &report, to, with("theirs", 7));
    const auto found = difference(to, made);
    EXPECT_EQ(found.supports, 1U);
    EXPECT_EQ(found.components, 0U);
    EXPECT_EQ(report.blocks, 0U);
}

TEST(MergeChunk, KeysOfMoreMigrationsThanAreKnownAreNotMixed) {
    const auto with = [](int count) {
        return edited(plain(), [&](Chunk& chunk) {
            ASSERT_TRUE(chunk.set_block({-60, 40, 100}, {"Rock_Marble", {}, {}}));
            (*chunk.edit_section(1))->migration_count = count;
        });
    };
    CellComparer cells;
    for (const auto& [here, there] : {std::pair{11, 99}, std::pair{99, 11}}) {
        const auto to = edited(with(here), [](Chunk& chunk) {
            ASSERT_TRUE(chunk.set_block({-50, 40, 100}, {"Rock_Marble", {}, {}}));
        });
        auto chunk = Chunk::decode(Bytes(to)).value();
        const auto from_bytes = with(there);
        const auto from = Chunk::decode(Bytes(from_bytes)).value();
        const auto done = merge_chunk(k_merged_pos, chunk, from, {}, {}, world::Assets::built_in(), cells);
        ASSERT_FALSE(done) << here;
        EXPECT_EQ(done.error().code, Errc::unsupported);
    }
}

TEST_F(MergeWorlds, PartsNeverRemoveAChunkAndADifferenceElsewhereIsNone) {
    MergeOptions options;
    options.parts = MergeParts::parse("blocks").value();
    options.selection = Selection::parse("2,0").value();
    options.removed = true;
    EXPECT_EQ(run(options), Results());
    EXPECT_EQ(document(2), plain());
    fill("other", {{1, with_block(5)}});
    options.parts = MergeParts::parse("fluids").value();
    options.selection = Selection::parse("1,0").value();
    EXPECT_EQ(run(options), Results());
}

TEST_F(MergeWorlds, WhatIsSelectedInEitherWorldIsMergedAndTotalsAreSums) {
    const auto chest = edited(other_world(), [](Chunk& chunk) {
        Buffer out;
        bson::Writer writer(out);
        writer.document("Components").document("container").end().end().finish();
        ASSERT_TRUE((*chunk.edit_block_components())->set(BlockIndex(BlockPos{0, 45, 0}), std::move(out)));
    });
    fill("world", {{0, plain()}, {1, plain()}, {2, plain()}, {3, Buffer{1, 2, 3}}});
    fill("other", {{0, chest}, {1, chest}, {2, other_world()}, {3, plain()}});
    MergeOptions options;
    options.parts = MergeParts::parse("blocks,fluids,entities,tints,health").value();
    options.selection = Selection::parse("containers").value();
    NoProgress quiet;
    const auto report = merge(world_, other_, world::Assets::built_in(), options, quiet);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->edited, 2U) << "the third has no chest in either world";
    EXPECT_EQ(report->problems.size(), 1U) << "one that nobody can look into";
    ChunkMerge one;
    merged(options.parts, {}, &one, plain(), chest);
    EXPECT_EQ(report->total.blocks, 2 * one.blocks);
    EXPECT_EQ(report->total.fluids, 2 * one.fluids);
    EXPECT_EQ(report->total.components, 2 * one.components);
    EXPECT_EQ(report->total.entities, 2 * one.entities);
    EXPECT_EQ(report->total.columns, 2 * one.columns);
    EXPECT_EQ(report->total.other, 2 * one.other);
    EXPECT_GT(std::min({one.blocks, one.fluids, one.components, one.entities, one.columns, one.other}), 0U);
}

TEST_F(MergeWorlds, ARegionThatCannotBeReadOrWrittenStopsNothingElse) {
    put(folder_ / "world" / "chunks" / "1.0.region.bin", Bytes());
    auto old = test::region_v0_image({{0, test::compressed_blob(plain())}});
    for (std::size_t i = 0; i < 4; ++i) old[32 + 2 * 4 + i] = i == 0 ? 0x7F : 0xFF; // leads nowhere
    put(folder_ / "world" / "chunks" / "2.0.region.bin", old);
    for (const auto* name : {"1.0.region.bin", "2.0.region.bin"})
        put(folder_ / "other" / "chunks" / name,
            test::region_v1_image({{0, test::compressed_blob(other_world())}}));
    EXPECT_EQ(run({}), (Results{{1, Merged::replaced},
                                {3, Merged::added},
                                {4, Merged::replaced},
                                {5, Merged::blocked},
                                {64, Merged::blocked},
                                {66, Merged::blocked}}));
    EXPECT_EQ(document(64), plain());
}

TEST(MergeChunk, AChestThatBecomesAStoneLosesItsContent) {
    const BlockPos pos{-64, 40, 96};
    const auto to = edited(plain(), [&](Chunk& chunk) {
        ASSERT_TRUE(chunk.set_block(pos, {"Furniture_Chest", {}, {}}));
        ASSERT_TRUE((*chunk.edit_block_components())->set(BlockIndex(pos), holder("gold", 0, 1)));
    });
    const auto from =
        edited(plain(), [&](Chunk& chunk) { ASSERT_TRUE(chunk.set_block(pos, {"Rock_Stone", {}, {}})); });
    for (const auto* parts : {"blocks", "blocks,components"}) {
        ChunkMerge report;
        const auto chunk =
            Chunk::decode(merged(MergeParts::parse(parts).value(), {}, &report, to, from)).value();
        EXPECT_EQ(chunk.block({0, 40, 0}).key, "Rock_Stone");
        EXPECT_FALSE(chunk.block_components().find(BlockIndex(pos))) << parts;
        EXPECT_EQ(report.components, 1U) << parts;
        EXPECT_EQ(report.blocks, 1U);
    }
}

TEST(MergeOptions, APartThatIsNoneIsNamed) {
    for (const auto& [text, shown] :
         {std::pair{"blocks,clouds", "clouds"}, std::pair{"", "nothing"}, std::pair{"blocks,", "nothing"}}) {
        const auto refused = MergeParts::parse(text);
        ASSERT_FALSE(refused) << text;
        EXPECT_EQ(refused.error().code, Errc::usage);
        EXPECT_EQ(refused.error().problem, fmt::format("not a part of a chunk: {}", shown));
    }
    const auto two = MergeParts::parse("health,tints").value();
    EXPECT_TRUE(two.health && two.tints);
    EXPECT_FALSE(two.blocks || two.fluids || two.components || two.entities || two.environments || two.other);
}

} // namespace
} // namespace orbis::jobs
