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
        {
            world::made::MadeWorld made(folder_ / "world");
            made.put(pos, document);
        }
        const auto world = world::find_location(folder_ / "world").value().worlds.at(0);
        const auto store = world.open({}).value();
        DonorStores donors({}, world, true, {});
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

} // namespace
} // namespace orbis::jobs
