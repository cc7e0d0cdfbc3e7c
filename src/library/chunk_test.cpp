#include "library/library_worlds_test.hpp"
#include "orbis/count.hpp"
#include "orbis/describe.hpp"

#include <numeric>

namespace orbis::library_tests {
namespace {

Chunk only_chunk(const std::filesystem::path& folder, const Buffer& document) {
    return opened(folder, {document}).chunk({0, 0}).value();
}

TEST(Chunk, HasEveryCellAsTheModelHasIt) {
    const test::TemporaryFolder folder;
    for (const auto& document : {plain(), old_document(), furnished()}) {
        const auto chunk = only_chunk(folder / "world", document);
        const auto model = chunk::Chunk::decode(Bytes(document)).value();
        for (const auto& section : chunk.sections()) {
            const auto& inner = model.section(section.y());
            const auto fluid_keys = section.fluid_keys();
            const auto fluids = section.fluids();
            const auto levels = section.fluid_levels();
            const auto rotations = section.rotations();
            const auto lights = section.lights();
            for (int i = 0; i < k_cells; ++i) {
                const CellIndex cell(i);
                const auto at = static_cast<std::size_t>(i);
                const auto wanted = inner.block_at(cell);
                ASSERT_EQ(section.keys()[section.blocks()[at]], wanted.key);
                ASSERT_EQ(rotations[at], wanted.rotation.index);
                ASSERT_EQ(fluid_keys[fluids[at]], inner.fluid_at(cell).key);
                ASSERT_EQ(levels[at], inner.fluid_at(cell).level);
                ASSERT_EQ(lights[at], inner.global_light.at(cell).packed);
            }
            const auto counts = section.counts();
            ASSERT_EQ(counts.size(), section.keys().size());
            EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0U), static_cast<unsigned>(k_cells));
        }
        for (int column = 0; column < k_columns; ++column) {
            EXPECT_EQ(chunk.height(ColumnIndex(column)), model.heights().at(ColumnIndex(column)));
            EXPECT_EQ(chunk.heights()[static_cast<std::size_t>(column)],
                      model.heights().at(ColumnIndex(column)));
        }
        EXPECT_EQ(chunk.environment({3, 60, 3}), model.environment({3, 60, 3}));
        std::filesystem::remove_all(folder / "world");
    }
}

TEST(Chunk, OutsideOfTheWorldIsNothing) {
    const test::TemporaryFolder folder;
    const auto chunk = only_chunk(folder / "world", plain());
    EXPECT_EQ(chunk.block({0, -1, 0}).key, "Empty");
    EXPECT_EQ(chunk.block({0, 320, 0}).key, "Empty");
    EXPECT_EQ(chunk.light({0, 320, 0}).packed, 0);
    EXPECT_EQ(chunk.section(99).y(), 9);
    EXPECT_TRUE(chunk.section(9).empty());
    EXPECT_EQ(chunk.section(0).block(CellIndex(-1)).key, "Rock_Stone");
    EXPECT_EQ(chunk.height(ColumnIndex(1 << 20)), chunk.height(ColumnIndex(0)));
    EXPECT_FALSE(chunk.section(0).empty());
}

TEST(Chunk, AContainerHasTheFirstDroplistOfItsParts) {
    const test::TemporaryFolder folder;
    const auto document = edited(plain(), [](chunk::Chunk& chunk) {
        Buffer holder;
        bson::Writer out(holder);
        out.document("Components");
        for (const auto& [name, list] :
             {std::pair("First", ""), {"Second", "Drop_Zone1"}, {"Third", "Drop_Zone2"}}) {
            out.document(name);
            if (*list != '\0') out.string("Droplist", list);
            out.document("ItemContainer").int32("Capacity", 3).document("Items").end().end().end();
        }
        out.end().finish();
        EXPECT_TRUE(
            chunk.edit_block_components().value()->set(chunk::BlockIndex(BlockPos{1, 33, 2}), holder));
    });
    const auto containers = only_chunk(folder / "world", document).containers();
    ASSERT_EQ(containers.size(), 1U);
    EXPECT_EQ(containers[0].droplist(), "Drop_Zone1");
    EXPECT_EQ(containers[0].capacity(), 9);
}

TEST(Chunk, HasContainersWithItems) {
    const test::TemporaryFolder folder;
    const auto containers = only_chunk(folder / "world", furnished()).containers();
    ASSERT_EQ(containers.size(), 2U) << "a bench holds nothing";
    const auto& chest = containers[0];
    EXPECT_EQ(chest.position(), (BlockPos{1, 33, 2}));
    EXPECT_EQ(chest.block().key, "Furniture_Chest");
    EXPECT_EQ(chest.capacity(), 18);
    EXPECT_EQ(chest.droplist(), "");
    const auto items = chest.items();
    ASSERT_EQ(items.size(), 2U);
    EXPECT_EQ(items[0], (Item{"Tool_Axe_Iron", 1, 0, "ItemContainer", 50, 50, ""}));
    EXPECT_EQ(items[1].quantity, 12);
    EXPECT_EQ(items[1].slot, 2);
    EXPECT_EQ(containers[1].items().at(0).part, "InputContainer");
    EXPECT_NE(chest.json().find("Tool_Axe_Iron"), std::string::npos);
}

TEST(Chunk, HasEntities) {
    const test::TemporaryFolder folder;
    const auto entities = only_chunk(folder / "world", furnished()).entities();
    ASSERT_EQ(entities.size(), 2U);
    EXPECT_EQ(entities[0].type(), "Entity");
    EXPECT_FALSE(entities[0].position());
    EXPECT_EQ(entities[1].type(), "Pig");
    EXPECT_EQ(entities[1].name(), "Berta");
    EXPECT_EQ(entities[1].position(), (Point{3.5, 34, 7.25}));
    EXPECT_EQ(entities[1].components(), (std::vector<std::string>{"Transform", "Model", "Nameplate"}));
    EXPECT_EQ(entities[1].component("Nameplate"), R"({"Text": "Berta"})");
    EXPECT_FALSE(entities[1].component("Wings"));
}

TEST(Chunk, HasTheComponentsOfBlocks) {
    const test::TemporaryFolder folder;
    const auto chunk = only_chunk(folder / "world", furnished());
    EXPECT_EQ(chunk.blocks_with_components().size(), 4U);
    const auto components = chunk.components({5, 40, 4});
    ASSERT_EQ(components.size(), 1U);
    EXPECT_EQ(components[0].name, "BenchBlock");
    EXPECT_TRUE(chunk.components({5, 41, 4}).empty());
}

TEST(Chunk, IsJsonAsAWhole) {
    const test::TemporaryFolder folder;
    const auto chunk = only_chunk(folder / "world", furnished());
    EXPECT_NE(chunk.json()->find("Berta"), std::string::npos);
    EXPECT_EQ(chunk.json({.component = "NoSuchThing"}).error().code, Errc::not_found);
    EXPECT_TRUE(std::ranges::equal(chunk.document(), furnished()));
}

TEST(CountBlocksOfAWorld, TellsProgressAndProblems) {
    const test::TemporaryFolder folder;
    const auto world = opened(folder / "world", {plain(), Buffer{1, 2, 3}, plain()});
    std::vector<std::uint64_t> told;
    const auto counts = count_blocks(world, {.on_progress = [&](std::uint64_t done, std::uint64_t total) {
                                         EXPECT_EQ(total, 3U);
                                         told.push_back(done);
                                     }});
    EXPECT_EQ(told, (std::vector<std::uint64_t>{0, 1, 2, 3}));
    EXPECT_EQ(counts.chunks, 2U);
    EXPECT_EQ(counts.keys.at("Rock_Stone").cells, 2U * k_cells);
    EXPECT_EQ(world.problems().size(), 1U);
}

TEST(DescribeBlockOfAWorld, HasEverything) {
    const test::TemporaryFolder folder;
    const auto world = opened(folder / "world", {furnished()});
    const auto chest = describe_block(world, {1, 33, 2});
    ASSERT_TRUE(chest) << chest.error().text();
    EXPECT_EQ(chest->key, "Furniture_Chest");
    EXPECT_EQ(chest->components.at(0).name, "ItemContainerBlock");
    EXPECT_EQ(describe_block(world, {-1, 0, 0}).error().code, Errc::not_found);
}

} // namespace
} // namespace orbis::library_tests
