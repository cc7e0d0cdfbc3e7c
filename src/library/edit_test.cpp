#include "bytes/progress.hpp"
#include "jobs/undo/undo.hpp"
#include "library/library_worlds_test.hpp"
#include "orbis/edit.hpp"

namespace orbis::library_tests {
namespace {

TEST(Edit, SavesAChangedBlock) {
    const test::TemporaryFolder folder;
    const auto world = opened(folder / "world", {plain(), plain()});
    const auto before = world.chunk({0, 0}).value();
    {
        auto edit = Edit::begin(world);
        ASSERT_TRUE(edit) << edit.error().text();
        ASSERT_TRUE(edit->set_block({3, 64, 5}, "Rock_Marble"));
        ASSERT_TRUE(edit->set_block({40, 0, 0}, {"Wood_Stairs", Rotation::of_degrees(90), {}}));
        EXPECT_EQ(edit->block({3, 64, 5})->key, "Rock_Marble");
        EXPECT_EQ(world.block({3, 64, 5})->key, "Empty") << "nothing is written before it is saved";
        EXPECT_EQ(edit->changed_chunks(), 2U);
        const auto saved = edit->save();
        ASSERT_TRUE(saved) << saved.error().text();
        EXPECT_EQ(saved->chunks_written, 2U);
        EXPECT_TRUE(std::filesystem::exists(saved->undo_archive));
        EXPECT_EQ(edit->set_block({0, 0, 0}, "Rock_Marble").error().code, Errc::usage);
    }
    EXPECT_EQ(world.block({3, 64, 5})->key, "Rock_Marble");
    EXPECT_EQ(world.chunk({0, 0})->height(ColumnIndex(3, 5)), 64);
    EXPECT_EQ(open_world((folder / "world").string())->block({40, 0, 0})->rotation.yaw(), 90);
    EXPECT_EQ(before.block({3, 64, 5}).key, "Empty") << "a chunk is what it was when it was read";
}

TEST(Edit, CanBeUndone) {
    const test::TemporaryFolder folder;
    const auto world = opened(folder / "world", {plain()});
    {
        auto edit = Edit::begin(world, {.title = "a tower"}).value();
        ASSERT_TRUE(edit.fill({0, 32, 0}, {0, 70, 0}, {"Rock_Marble", {}, {}}));
        ASSERT_TRUE(edit.save());
    }
    const auto place = world::find_location(folder / "world").value();
    std::vector<Error> problems;
    const auto changes = jobs::past_changes(place, problems).value();
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes[0].title.command, "a tower");
    NoProgress quiet;
    ASSERT_TRUE(jobs::undo_change(changes[0], {}, quiet));
    EXPECT_EQ(open_world((folder / "world").string())->block({0, 50, 0})->key, "Empty");
}

TEST(Edit, WithoutSavingNothingIsChanged) {
    const test::TemporaryFolder folder;
    const auto world = opened(folder / "world", {plain()});
    {
        auto edit = Edit::begin(world).value();
        ASSERT_TRUE(edit.set_block({0, 0, 0}, "Rock_Marble"));
    }
    EXPECT_EQ(open_world((folder / "world").string())->block({0, 0, 0})->key, "Rock_Stone");
    EXPECT_TRUE(Edit::begin(world)) << "the world is free again";
}

TEST(Edit, KeepsOtherWritersOut) {
    const test::TemporaryFolder folder;
    const auto world = opened(folder / "world", {plain()});
    const auto first = Edit::begin(world);
    ASSERT_TRUE(first);
    EXPECT_EQ(Edit::begin(world).error().code, Errc::busy);
}

TEST(Edit, RemovesBlocksWithAllThatBelongsToThem) {
    const test::TemporaryFolder folder;
    const auto wide = edited(furnished(), [](chunk::Chunk& chunk) { // from 31, 50, 0 on into the next chunk
        EXPECT_TRUE(chunk.set_block({31, 50, 0}, {"Furniture_Bed", {}, {}}));
    });
    const auto rest = edited(plain(), [](chunk::Chunk& chunk) {
        EXPECT_TRUE(chunk.set_block({32, 50, 0}, {"Furniture_Bed", {}, Filler::of_offset(1, 0, 0)}));
    });
    const auto world = opened(folder / "world", {wide, rest});
    auto edit = Edit::begin(world).value();
    ASSERT_TRUE(edit.set_block({1, 33, 2}, "Empty"));
    ASSERT_TRUE(edit.set_block({32, 50, 0}, "Rock_Marble"));
    ASSERT_TRUE(edit.save());
    EXPECT_EQ(world.chunk({0, 0})->containers().size(), 1U) << "the chest is gone with its content";
    EXPECT_EQ(world.block({31, 50, 0})->key, "Empty");
    EXPECT_EQ(world.block({32, 50, 0}).value(), (Block{"Rock_Marble", {}, {}}));
}

TEST(Edit, ANewBlockHasNothingOfTheOneBeforeIt) {
    const test::TemporaryFolder folder;
    const BlockPos changed{4, 60, 4};
    const BlockPos other{5, 60, 4};
    const auto damaged = edited(plain(), [&](chunk::Chunk& chunk) {
        for (const auto pos : {changed, other}) {
            EXPECT_TRUE(chunk.set_block(pos, {"Rock_Stone", {}, {}}));
            EXPECT_TRUE(chunk.set_support(pos, 7));
        }
        chunk.edit_health().value()->set({{changed, 0.5F, 1}, {other, 0.5F, 1}}, {{changed, 2}, {other, 2}});
    });
    const auto world = opened(folder / "world", {damaged});
    auto edit = Edit::begin(world).value();
    ASSERT_TRUE(edit.set_block(changed, "Rock_Marble"));
    ASSERT_TRUE(edit.save());
    storage::ReadContext context;
    const auto location = world::find_location(folder / "world").value();
    const auto store = location.worlds.front().open({}).value();
    const auto document = store->read({0, 0}, context).value().value();
    const auto chunk = chunk::Chunk::decode(Buffer(document.begin(), document.end())).value();
    EXPECT_EQ(chunk.support(changed), 0);
    EXPECT_EQ(chunk.support(other), 7);
    ASSERT_EQ(chunk.health().damaged().size(), 1U);
    EXPECT_EQ(chunk.health().damaged()[0].pos, other);
    ASSERT_EQ(chunk.health().fragile().size(), 1U);
    EXPECT_EQ(chunk.health().fragile()[0].pos, other);
}

TEST(Edit, ChangesWhatElseAChunkHas) {
    const test::TemporaryFolder folder;
    const auto world = opened(folder / "world", {furnished(), plain()});
    const auto pig = world.chunk({0, 0})->entities().at(1).json();
    const auto chest = world.chunk({0, 0})->containers().at(0).json();
    auto edit = Edit::begin(world).value();
    ASSERT_TRUE(edit.set_fluid({2, 90, 2}, {"Water", 8}));
    ASSERT_TRUE(edit.set_tint({2, 0, 2}, 0xFF102030));
    ASSERT_TRUE(edit.set_environment({2, 0, 2}, "Env_Zone1_Plains"));
    ASSERT_TRUE(edit.set_components({9, 9, 9}, chest));
    ASSERT_TRUE(edit.set_components({1, 33, 2}, ""));
    ASSERT_TRUE(edit.add_entity({1, 0}, pig));
    ASSERT_TRUE(edit.remove_entity({0, 0}, 1));
    EXPECT_EQ(edit.remove_entity({0, 0}, 1).error().code, Errc::out_of_range);
    EXPECT_FALSE(edit.add_entity({1, 0}, "no JSON"));
    const auto saved = edit.save();
    ASSERT_TRUE(saved) << saved.error().text();
    const auto chunk = world.chunk({0, 0}).value();
    EXPECT_EQ(chunk.fluid({2, 90, 2}), (Fluid{"Water", 8}));
    EXPECT_EQ(chunk.tint(ColumnIndex(2, 2)), 0xFF102030);
    EXPECT_EQ(chunk.environment({2, 0, 2}), "Env_Zone1_Plains");
    EXPECT_EQ(chunk.containers().at(0).position(), (BlockPos{9, 9, 9}));
    EXPECT_EQ(chunk.entities().size(), 1U);
    EXPECT_EQ(world.chunk({1, 0})->entities().at(1).name(), "Berta");
}

TEST(Edit, RemovesChunks) {
    const test::TemporaryFolder folder;
    const auto world = opened(folder / "world", {plain(), plain()});
    auto edit = Edit::begin(world).value();
    ASSERT_TRUE(edit.remove_chunk({1, 0}));
    EXPECT_EQ(edit.remove_chunk({1, 0}).error().code, Errc::not_found);
    EXPECT_EQ(edit.block({32, 0, 0}).error().code, Errc::not_found);
    EXPECT_EQ(edit.save()->chunks_removed, 1U);
    EXPECT_EQ(world.positions(), (std::vector<ChunkPos>{{0, 0}}));
}

TEST(Edit, RefusesWhatItCannotDo) {
    const test::TemporaryFolder folder;
    const auto world = opened(folder / "world", {plain(), damaged_document()});
    auto edit = Edit::begin(world).value();
    EXPECT_EQ(edit.set_block({0, 320, 0}, "Rock_Stone").error().code, Errc::out_of_range);
    EXPECT_EQ(edit.set_block({0, 0, 0}, "").error().code, Errc::usage);
    EXPECT_EQ(edit.set_block({-1, 0, 0}, "Rock_Stone").error().code, Errc::not_found);
    EXPECT_EQ(edit.set_block({32, 0, 0}, "Rock_Stone").error().code, Errc::unsupported);
    EXPECT_EQ(edit.fill({0, 0, 0}, {999, 0, 0}, {"Rock_Marble", {}, {}}).error().code, Errc::not_found);
    EXPECT_EQ(edit.changed_chunks(), 0U);
    EXPECT_EQ(edit.save()->chunks_written, 0U);
}

} // namespace
} // namespace orbis::library_tests
