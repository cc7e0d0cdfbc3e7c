#include "bson/writer.hpp"
#include "jobs/repair/plan_chunk.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "world/made_world_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace orbis::jobs {
namespace {

using namespace test_worlds;

/// Plans for single chunks of a world without backups.
class PlanChunkTest : public testing::Test {
protected:
    ChunkPlan plan(Bytes document, bool damage_only = false) {
        const ChunkPos pos{0, 0};
        make_world(folder_ / "world", {Buffer(document.begin(), document.end())});
        const auto world = world::find_location(folder_ / "world").value().worlds.at(0);
        const auto store = world.open({}).value();
        std::vector<std::string> notes;
        const auto from =
            open_donors(backups_, world::find_location(folder_ / "world").value(), {true}, notes).value();
        DonorStores donors(from, world, true, {true});
        std::mutex mutex;
        const std::set<ChunkPos> untrusted;
        return ChunkPlanner(*store, world::Assets::built_in(), damage_only, donors, mutex, untrusted)
            .plan(pos);
    }
    /// A plain chunk with right heights and a light that is not stale.
    static Buffer sound_chunk() {
        return with_computed_light(edited(plain(), [](chunk::Chunk& chunk) {
            EXPECT_TRUE(chunk.recompute_heights(
                [](std::string_view key) { return world::Assets::built_in().is_transparent(key); }));
        }));
    }
    /// All that a plan does, in one text.
    static std::string steps(const ChunkPlan& plan) {
        std::string all;
        for (const auto& step : plan.steps) all += step.part + ": " + step.what + '\n';
        return all;
    }

    test::TemporaryFolder folder_;
    std::vector<std::string> backups_;
};

TEST_F(PlanChunkTest, ASoundChunkNeedsNothing) {
    const auto found = plan(sound_chunk());
    EXPECT_FALSE(found.unreadable);
    EXPECT_EQ(steps(found), "");
    EXPECT_TRUE(found.left.empty());
    EXPECT_TRUE(found.frame.empty());
}

TEST_F(PlanChunkTest, AChunkOfNoBytesIsUnreadable) {
    const auto found = plan({});
    EXPECT_TRUE(found.unreadable);
    EXPECT_EQ(found.reason, "the chunk has 0 bytes");
}

TEST_F(PlanChunkTest, WhatIsMerelyWrongStaysWhereOnlyDamageIsAskedFor) {
    const auto wrong = edited(sound_chunk(), [](chunk::Chunk& chunk) {
        chunk.edit_heights().value()->set(ColumnIndex(3, 3), 200);
    });
    const auto all = plan(wrong);
    EXPECT_NE(steps(all), "");
    EXPECT_FALSE(all.frame.empty());
    EXPECT_FALSE(all.loses());
    const auto damage = plan(wrong, true);
    EXPECT_EQ(steps(damage), "");
    EXPECT_TRUE(damage.frame.empty());
    EXPECT_FALSE(damage.unreadable);
}

TEST_F(PlanChunkTest, WhatIsNewerThanThisProgramIsLeftAndNotUnreadable) {
    auto sections = documents::ten_sections();
    sections[2].version = 6;
    auto document = documents::document(sections);
    // The version of a `Block` is the number behind its name.
    const std::string_view name("Version\0", 8);
    const auto at = as_text(document).find(name, as_text(document).find("ChunkColumn"));
    ASSERT_NE(at, std::string_view::npos);
    ASSERT_EQ(document[at + name.size()], 6);
    document[at + name.size()] = 7;
    const auto found = plan(document);
    EXPECT_FALSE(found.unreadable) << found.reason;
    EXPECT_FALSE(found.left.empty());
    EXPECT_EQ(steps(found), "");
    EXPECT_TRUE(found.frame.empty());
}

TEST_F(PlanChunkTest, ANameThatIsAlmostRightIsSetRightUnlessTheRightOneIsThereToo) {
    auto misspelt = sound_chunk();
    const auto at = as_text(misspelt).find("EnvironmentChunk");
    misspelt[at + 5] = 't';
    for (const bool damage_only : {false, true}) {
        const auto found = plan(misspelt, damage_only);
        EXPECT_NE(steps(found).find("renamed Envirtnment"), std::string::npos) << steps(found);
        EXPECT_FALSE(found.frame.empty());
    }
    const auto both = edited(sound_chunk(), [](chunk::Chunk& chunk) {
        const auto environments = chunk.component("EnvironmentChunk")->bytes();
        EXPECT_TRUE(
            chunk.set_component("EnvirtnmentChunk", Buffer(environments.begin(), environments.end())));
    });
    const auto unclear = plan(both);
    EXPECT_EQ(steps(unclear), "");
    ASSERT_EQ(unclear.left.size(), 1U);
    EXPECT_EQ(unclear.left[0],
              "there are both EnvirtnmentChunk and EnvironmentChunk, and it is unclear which one is right");
}

TEST_F(PlanChunkTest, ADamagedPartIsReplacedAndWhatIsWrongBesideItIsSetRightToo) {
    const auto found = plan(damaged_document());
    EXPECT_FALSE(found.unreadable);
    EXPECT_NE(steps(found).find("section 0, Block"), std::string::npos) << steps(found);
    EXPECT_TRUE(found.loses());
    EXPECT_FALSE(found.frame.empty());
    Decompressor decompressor;
    const auto document = decompressor.decompress(found.frame, found.raw_size, 1 << 24);
    ASSERT_TRUE(document);
    EXPECT_TRUE(chunk::Chunk::decode(*document)->problems().empty());
    EXPECT_EQ(steps(plan(damaged_document(), true)), steps(found)) << "a chunk that is written is right";
}

TEST_F(PlanChunkTest, AChunkWhoseEntitiesAllStandInAnotherNamesIt) {
    const auto moved = edited(sound_chunk(), [](chunk::Chunk& chunk) {
        auto* entities = chunk.edit_entities().value();
        for (int i = 0; i < 3; ++i)
            EXPECT_TRUE(entities->add(world::made::entity("Pig", "", 5 * 32 + 4 + i, 40, 7 * 32 + 9)));
    });
    EXPECT_EQ(plan(moved).home, (ChunkPos{5, 7}));
    EXPECT_FALSE(plan(sound_chunk()).home);
}

/// All that a plan says, in one text.
std::string told_of(const ChunkPlan& plan) {
    std::string all;
    if (plan.unreadable) all += "unreadable: " + plan.reason + "; ";
    for (const auto& step : plan.steps)
        all += (step.loses ? "loses " : "") + step.part + ": " + step.what + "; ";
    for (const auto& left : plan.left) all += "left: " + left + "; ";
    all += plan.frame.empty() ? "no frame" : "frame";
    return all;
}

/// A chunk whose sections are inside of its BlockChunk, which is damaged.
Buffer broken_old_chunk(int version) {
    Buffer bytes;
    bson::Writer root(bytes);
    root.document("Components").document("BlockChunk").int32("Version", version);
    auto data = test::block_chunk_image(version, std::vector<std::int32_t>(1024, 33),
                                        std::vector<std::int32_t>(1024, 5), documents::ten_sections(version));
    std::fill_n(data.begin() + 1, 4, std::uint8_t{0xFE});
    root.binary("Data", data).end().document("WorldChunk").end().end().finish();
    return bytes;
}

TEST_F(PlanChunkTest, EachKindOfFaultHasItsPlan) {
    using namespace std::literals;
    const auto with = [](std::string_view old, std::string_view now) {
        auto document = sound_chunk();
        std::string text(as_text(document));
        const auto at = text.find(old);
        EXPECT_NE(at, text.npos) << old;
        text.replace(at, old.size(), now);
        return Buffer(text.begin(), text.end());
    };
    const auto in_section = [](auto edit) {
        return edited(sound_chunk(), [&](chunk::Chunk& chunk) { edit(*chunk.edit_section(1).value()); });
    };
    const auto lit = [] {
        auto sections = documents::ten_sections();
        sections[1].global_light.emplace(test::k_image_cells, std::uint16_t{0x1111});
        sections[1].local_id = sections[1].global_id = 3;
        sections[1].local_counter = sections[1].global_counter = 4;
        return documents::document(sections);
    };
    struct Row {
        std::string_view name;
        Buffer document;
        std::string_view all;
        std::string_view damage_only;
    };
    const std::vector<Row> rows{
        {"no fault", sound_chunk(), "no frame", "no frame"},
        {"count", with("Soil_Grass\0\1"sv, "Soil_Grass\0\x09"sv), "section 1, blocks: recounted cells; frame",
         "no frame"},
        {"rotation", in_section([](auto& section) { section.rotations.set(CellIndex(5), 64); }),
         "section 1, rotations: set rotations above 63 to 0; frame", "no frame"},
        {"fluid", in_section([](auto& section) { section.levels.set(CellIndex(5), 3); }),
         "section 1, Fluid: removed 1 levels without a fluid; frame", "no frame"},
        {"height",
         edited(sound_chunk(),
                [](chunk::Chunk& chunk) { chunk.edit_heights().value()->set(ColumnIndex(3, 3), 200); }),
         "BlockChunk: recalculated 1 heights; frame", "no frame"},
        {"filler",
         edited(sound_chunk(),
                [](chunk::Chunk& chunk) {
                    EXPECT_TRUE(
                        chunk.set_block({5, 200, 5}, {"Door", {}, chunk::Filler::of_offset(0, 1, 0)}));
                }),
         "fillers: set 1 cells of bigger blocks whose base is missing to Empty; frame", "no frame"},
        {"light", lit(),
         "BlockChunk: recalculated 1024 heights; section 1, light: removed outdated light; the game "
         "recalculates it; frame",
         "no frame"},
        {"no WorldChunk",
         edited(sound_chunk(),
                [](chunk::Chunk& chunk) { EXPECT_TRUE(chunk.remove_component("WorldChunk")); }),
         "WorldChunk: was missing and was added; frame", "WorldChunk: was missing and was added; frame"},
        {"no columns",
         edited(sound_chunk(),
                [](chunk::Chunk& chunk) { EXPECT_TRUE(chunk.remove_component("ChunkColumn")); }),
         "unreadable: ChunkColumn is missing: the chunk has no blocks; left: ChunkColumn is missing: the "
         "chunk has no blocks; no frame",
         "unreadable: ChunkColumn is missing: the chunk has no blocks; left: ChunkColumn is missing: the "
         "chunk has no blocks; no frame"},
        {"text of a mod", with("kept as it is", "kept \xC3s it is"),
         "unreadable: the document is not valid BSON; no frame",
         "unreadable: the document is not valid BSON; no frame"},
        {"old BlockChunk", broken_old_chunk(2),
         "unreadable: BlockChunk, offset 61: -258 keys, expected 0 to 1024; left: BlockChunk, offset 61: "
         "-258 keys, expected 0 to 1024; no frame",
         "unreadable: BlockChunk, offset 61: -258 keys, expected 0 to 1024; left: BlockChunk, offset 61: "
         "-258 keys, expected 0 to 1024; no frame"},
        {"older BlockChunk", broken_old_chunk(1),
         "unreadable: BlockChunk, offset 61: -258 keys, expected 0 to 1024; left: BlockChunk, offset 61: "
         "-258 keys, expected 0 to 1024; no frame",
         "unreadable: BlockChunk, offset 61: -258 keys, expected 0 to 1024; left: BlockChunk, offset 61: "
         "-258 keys, expected 0 to 1024; no frame"},
        {"more sections", documents::document([] {
             auto sections = documents::ten_sections();
             sections.resize(12);
             return sections;
         }()),
         "loses ChunkColumn: removed 2 sections above the tenth; BlockChunk: recalculated 1024 heights; "
         "frame",
         "loses ChunkColumn: removed 2 sections above the tenth; BlockChunk: recalculated 1024 heights; "
         "frame"},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(told_of(plan(row.document)), row.all) << row.name;
        EXPECT_EQ(told_of(plan(row.document, true)), row.damage_only) << row.name;
    }
}

TEST_F(PlanChunkTest, WhatABackupHasOfABrokenPartIsTaken) {
    EXPECT_EQ(told_of(plan(damaged_document())), "loses section 0, Block: was unreadable and is now empty; "
                                                 "BlockChunk: recalculated 1023 heights; frame");
    test_worlds::make_world(folder_ / "backup", {with_block(3)});
    backups_ = {(folder_ / "backup").string()};
    EXPECT_EQ(told_of(plan(damaged_document())),
              "loses section 0, Block: was unreadable and was restored from the backup; BlockChunk: "
              "recalculated 1024 heights; frame");
    test_worlds::make_world(folder_ / "backup", {damaged_document()});
    EXPECT_EQ(told_of(plan(damaged_document())), "loses section 0, Block: was unreadable and is now empty; "
                                                 "BlockChunk: recalculated 1023 heights; frame")
        << "that of the backup is no better";
}

} // namespace
} // namespace orbis::jobs
