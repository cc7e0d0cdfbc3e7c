#include "bson/extended_json.hpp"
#include "bson/patch.hpp"
#include "chunk/chunk.hpp"
#include "chunk/chunk_documents_test.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <functional>
#include <initializer_list>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace orbis::chunk {
namespace {

using test_documents::document;
using test_documents::ten_sections;

Buffer encoded(const Chunk& chunk) {
    Buffer out;
    const auto bytes = chunk.encode(out);
    EXPECT_TRUE(bytes) << bytes.error().text();
    return bytes ? Buffer(bytes->begin(), bytes->end()) : Buffer();
}

/// Text of the document with only those binaries that `path` names replaced by a mark.
std::string without(const Buffer& bytes, std::initializer_list<std::vector<std::string_view>> paths) {
    auto text = *bson::to_extended_json(*bson::open_validated(bytes));
    for (const auto& path : paths) {
        bson::Document here = *bson::Document::open(bytes);
        std::optional<bson::Element> found;
        for (const auto key : path) {
            if (found) here = found->type() == bson::Type::array ? *found->array() : *found->document();
            found = here.find(key);
        }
        const auto data = bson::to_base64(found->binary()->data);
        text.replace(text.find(data), data.size(), "*");
    }
    return text;
}

TEST(Chunk, ReadsAllPartsOfADocument) {
    const auto bytes = document(ten_sections());
    const auto chunk = Chunk::decode(bytes);
    ASSERT_TRUE(chunk) << chunk.error().text();
    EXPECT_TRUE(chunk->problems().empty());
    EXPECT_EQ(chunk->block({-32, 10, 64}).key, "Rock_Stone"); // world positions will do
    EXPECT_EQ(chunk->block({4, 32, 1}).key, "Plant_Crop_Wheat_Block");
    EXPECT_EQ(chunk->block({0, -1, 0}).key, "Empty");
    EXPECT_EQ(chunk->block({0, 320, 0}).key, "Empty");
    EXPECT_EQ(chunk->fluid({4, 32, 3}), (FluidState{"Water_Source", 1}));
    EXPECT_EQ(chunk->support({13, 32, 2}), 15);
    EXPECT_EQ(chunk->heights().at(ColumnIndex(1, 1)), -1);
    EXPECT_EQ(chunk->tints().at(ColumnIndex(0)), -8000000);
    EXPECT_EQ(chunk->environment({0, 30, 0}), "Env_Caves");
    EXPECT_EQ(chunk->environment({0, 31, 0}), "Env_Plains");
    const auto crop = chunk->block_components().find(BlockIndex(BlockPos{4, 2, 1}));
    ASSERT_TRUE(crop);
    EXPECT_EQ(component_names(*crop), std::vector<std::string_view>{"FarmingBlock"});
    ASSERT_EQ(chunk->entities().holders().size(), 1U);
    EXPECT_EQ(component(chunk->entities().holders()[0], "Nameplate")->find("Text")->string(), "Bob");
    EXPECT_EQ(encoded(*chunk), bytes);
}

TEST(Chunk, AllSectionsBetweenTheOldAndTheNewHeightLoseTheirLight) {
    // The stored height of all columns is 40, in section 1.
    for (const auto& [y, low, high] : {std::array{200, 1, 6}, std::array{63, 1, 1}, std::array{64, 1, 2},
                                       std::array{319, 1, 9}, std::array{41, 1, 1}}) {
        auto chunk = *Chunk::decode(document(ten_sections()));
        ASSERT_TRUE(chunk.set_block({7, y, 7}, {"Wood_Log", {}, {}}));
        ASSERT_EQ(*chunk.update_heights([](std::string_view key) { return key != "Wood_Log"; }), 1U);
        EXPECT_EQ(chunk.heights().at(ColumnIndex(7, 7)), y);
        for (int section = 0; section < k_sections; ++section)
            EXPECT_EQ(chunk.section(section).local_light_valid(), section < low || section > high)
                << y << ", section " << section;
    }
    // And down again, to nothing at all.
    auto chunk = *Chunk::decode(document(ten_sections()));
    ASSERT_TRUE(chunk.set_block({7, 100, 7}, {"Wood_Log", {}, {}}));
    ASSERT_EQ(*chunk.update_heights([](std::string_view) { return true; }), 1U);
    EXPECT_EQ(chunk.heights().at(ColumnIndex(7, 7)), 0);
    EXPECT_FALSE(chunk.section(0).local_light_valid());
    EXPECT_FALSE(chunk.section(1).local_light_valid());
    EXPECT_TRUE(chunk.section(2).local_light_valid());
}

/// The same with light that was computed: only that becomes stale because of a section beside it.
std::vector<test::SectionImage> lit_sections() {
    auto sections = ten_sections();
    for (auto& section : sections)
        section.local_id = section.local_counter = section.global_id = section.global_counter = 1;
    return sections;
}

TEST(Chunk, AChangedBlockChangesOnlyItsSectionItsHeightAndTheCounters) {
    const auto bytes = document(lit_sections());
    auto chunk = *Chunk::decode(bytes);
    ASSERT_TRUE(chunk.set_block({3, 40, 5}, {"Wood_Log", Rotation::of_degrees(90), {}}));
    const auto heights = chunk.update_heights([](std::string_view key) { return key.starts_with("Plant"); });
    ASSERT_TRUE(heights);
    EXPECT_EQ(*heights, 0U); // the stored height of 40 is right now
    const auto again = *Chunk::decode(encoded(chunk));
    EXPECT_TRUE(again.problems().empty());
    EXPECT_TRUE(again.check().empty());
    EXPECT_EQ(again.block({3, 40, 5}), (BlockState{"Wood_Log", Rotation::of_degrees(90), {}}));
    EXPECT_FALSE(again.section(1).local_light_valid());
    EXPECT_FALSE(again.section(1).global_light_valid());
    EXPECT_TRUE(again.section(0).local_light_valid());
    EXPECT_FALSE(again.section(0).global_light_valid());
    EXPECT_FALSE(again.section(2).global_light_valid());
    EXPECT_TRUE(again.section(3).global_light_valid());
    EXPECT_EQ(again.section(1).local_light.at(CellIndex(5)).packed, 0xF123);
    const auto block = [](std::string_view y) {
        return std::vector<std::string_view>{"Components", "ChunkColumn", "Sections", y,
                                             "Components", "Block",       "Data"};
    };
    EXPECT_EQ(without(encoded(chunk), {block("2"), block("1"), block("0")}),
              without(bytes, {block("2"), block("1"), block("0")}));

    ASSERT_TRUE(chunk.set_block({3, 100, 5}, {"Wood_Log", {}, {}}));
    EXPECT_EQ(*chunk.update_heights([](std::string_view) { return false; }), 1U);
    EXPECT_EQ(chunk.heights().at(ColumnIndex(3, 5)), 100);
    EXPECT_FALSE(chunk.section(2).local_light_valid()); // lost the sky
}

TEST(Chunk, SettingWhatIsThereAlreadyChangesNothing) {
    const auto bytes = document(ten_sections());
    auto chunk = *Chunk::decode(bytes);
    ASSERT_TRUE(chunk.set_block({0, 0, 0}, {"Rock_Stone", {}, {}}));
    ASSERT_TRUE(chunk.set_fluid({4, 32, 3}, {"Water_Source", 1}));
    ASSERT_TRUE(chunk.set_support({13, 32, 2}, 15));
    EXPECT_FALSE(chunk.changed());
    EXPECT_EQ(encoded(chunk), bytes);
}

TEST(Chunk, HeightsAreTheHighestBlocksThatAreNotTransparent) {
    auto chunk = *Chunk::decode(document(ten_sections()));
    const auto changes =
        chunk.recompute_heights([](std::string_view key) { return key.starts_with("Plant"); });
    ASSERT_TRUE(changes);
    EXPECT_EQ(*changes, 1024U);
    EXPECT_EQ(chunk.heights().at(ColumnIndex(0, 0)), 32); // grass
    EXPECT_EQ(chunk.heights().at(ColumnIndex(4, 1)), 31); // a plant on stone
    EXPECT_EQ(Chunk::decode(encoded(chunk))->heights().at(ColumnIndex(0, 0)), 32);
}

TEST(Chunk, ChangesOutsideOfTheWorldOrItsRulesAreRefused) {
    auto chunk = Chunk::create();
    EXPECT_EQ(chunk.set_block({0, 320, 0}, {}).error().code, Errc::out_of_range);
    EXPECT_EQ(chunk.set_block({0, 0, 0}, {"A", {64}, {}}).error().code, Errc::out_of_range);
    EXPECT_EQ(chunk.set_fluid({0, 0, 0}, {"Water", 0}).error().code, Errc::bad_value);
    EXPECT_EQ(chunk.set_fluid({0, 0, 0}, {"Empty", 3}).error().code, Errc::bad_value);
    EXPECT_EQ(chunk.set_support({0, 0, 0}, 16).error().code, Errc::out_of_range);
    EXPECT_EQ(chunk.set_ticking({0, 0, 0}, true).error().code, Errc::bad_value);
    EXPECT_EQ(chunk.set_component("BlockChunk", bson::empty_document()).error().code, Errc::bad_value);
    EXPECT_FALSE(chunk.changed());
}

TEST(Chunk, FromNothingHoldsWhatWasPutIn) {
    auto chunk = Chunk::create();
    EXPECT_FALSE(chunk.changed());
    EXPECT_TRUE(chunk.check().empty());
    ASSERT_TRUE(chunk.set_block({1, 64, 2}, {"Door", Rotation::of_degrees(180), {}}));
    ASSERT_TRUE(chunk.set_block({1, 65, 2}, {"Door", Rotation::of_degrees(180), Filler::of_offset(0, 1, 0)}));
    ASSERT_TRUE(chunk.set_ticking({1, 64, 2}, true));
    ASSERT_TRUE(chunk.set_fluid({9, 5, 9}, {"Water_Source", 1}));
    ASSERT_TRUE(chunk.set_support({9, 6, 9}, 4));
    (*chunk.edit_tints())->set(ColumnIndex(7), 0x00FF00);
    (*chunk.edit_environments())->fill("Env_Plains");
    Buffer holder;
    bson::Writer(holder)
        .document("Components")
        .document("ItemContainerBlock")
        .int32("Capacity", 5)
        .end()
        .end()
        .finish();
    ASSERT_TRUE((*chunk.edit_block_components())->set(BlockIndex(BlockPos{1, 64, 2}), holder));
    ASSERT_TRUE((*chunk.edit_entities())->add(holder));
    (*chunk.edit_health())->set({{{1, 64, 2}, 0.5F, 9}}, {});
    std::vector<std::uint16_t> light(k_cells, 0x1234);
    auto* section = *chunk.edit_section(2);
    section->local_light.set(Light::ConstExpanded(light), section->local_counter);
    ASSERT_TRUE(chunk.set_component("ModData", holder));
    ASSERT_TRUE(chunk.update_heights([](std::string_view) { return false; }));

    const auto again = *Chunk::decode(encoded(chunk));
    EXPECT_TRUE(again.problems().empty());
    EXPECT_TRUE(again.check().empty());
    EXPECT_EQ(again.block({1, 65, 2}),
              (BlockState{"Door", Rotation::of_degrees(180), Filler::of_offset(0, 1, 0)}));
    EXPECT_EQ(again.block({1, 65, 2}).filler.base({1, 65, 2}), (BlockPos{1, 64, 2}));
    EXPECT_EQ(again.cells_of({1, 64, 2}), (std::vector<BlockPos>{{1, 64, 2}, {1, 65, 2}}));
    EXPECT_TRUE(again.section(2).ticking.contains(CellIndex(1, 64, 2)));
    EXPECT_EQ(again.section(2).local_light.at(CellIndex(0)).packed, 0x1234);
    EXPECT_EQ(again.fluid({9, 5, 9}), (FluidState{"Water_Source", 1}));
    EXPECT_EQ(again.support({9, 6, 9}), 4);
    EXPECT_EQ(again.tints().at(ColumnIndex(7)), 0x00FF00);
    EXPECT_EQ(again.environment({0, 0, 0}), "Env_Plains");
    EXPECT_EQ(again.heights().at(ColumnIndex(1, 2)), 65);
    EXPECT_EQ(again.block_components().entries().size(), 1U);
    EXPECT_EQ(again.entities().holders().size(), 1U);
    EXPECT_EQ(again.health().damaged().size(), 1U);
    EXPECT_TRUE(again.component("ModData"));
}

TEST(Chunk, ComponentsAndEntitiesAreReplacedAndRemovedOneByOne) {
    const auto bytes = document(ten_sections());
    auto chunk = *Chunk::decode(bytes);
    auto* components = *chunk.edit_block_components();
    Buffer holder;
    bson::Writer(holder)
        .document("Components")
        .document("BenchBlock")
        .int32("TierLevel", 2)
        .end()
        .end()
        .finish();
    ASSERT_TRUE(components->set(BlockIndex(7), holder));
    ASSERT_TRUE(components->set(BlockIndex(8), holder));
    EXPECT_TRUE(components->remove(BlockIndex(8)));
    EXPECT_TRUE(components->remove(BlockIndex(2084)));
    EXPECT_FALSE(components->remove(BlockIndex(2084)));
    EXPECT_FALSE(components->set(BlockIndex(9), {1, 2, 3}));
    auto* entities = *chunk.edit_entities();
    ASSERT_TRUE(entities->add(holder));
    EXPECT_TRUE(entities->remove(0));
    ASSERT_TRUE(chunk.remove_component("MadeByAMod"));
    const auto again = *Chunk::decode(encoded(chunk));
    ASSERT_EQ(again.block_components().entries().size(), 1U);
    EXPECT_EQ(again.block_components().entries()[0].index, BlockIndex(7));
    ASSERT_EQ(again.entities().holders().size(), 1U);
    EXPECT_EQ(component_names(again.entities().holders()[0]), std::vector<std::string_view>{"BenchBlock"});
    EXPECT_FALSE(again.component("MadeByAMod"));
}

TEST(Chunk, OnlyWantedPartsAreReadAndOnlyReadPartsCanBeChanged) {
    const auto bytes = document(ten_sections());
    auto chunk = *Chunk::decode(bytes, k_map_parts);
    EXPECT_EQ(chunk.block({0, 0, 0}).key, "Rock_Stone");
    EXPECT_EQ(chunk.heights().at(ColumnIndex(0)), 40);
    EXPECT_EQ(chunk.entities_state(), PartState::skipped);
    EXPECT_TRUE(chunk.entities().holders().empty());
    EXPECT_EQ(chunk.set_block({0, 0, 0}, {"A", {}, {}}).error().code, Errc::unsupported);
    EXPECT_EQ(chunk.edit_entities().error().code, Errc::unsupported);
    EXPECT_EQ(encoded(chunk), bytes);
}

TEST(Chunk, ADamagedPartIsNamedAndKeptWhileTheOthersStayReadable) {
    const auto good = document(ten_sections());
    const auto root = *bson::Document::open(good);
    struct Case {
        std::initializer_list<std::string_view> path;
        std::size_t skip; ///< from the start of the value
        const char* component;
        int section;
    };
    for (const auto& damage :
         {Case{{"Components", "EnvironmentChunk", "Data"}, 5, "EnvironmentChunk", -1},
          Case{{"Components", "BlockChunk", "Data"}, 7, "BlockChunk", -1},
          Case{{"Components", "BlockHealthChunk", "Data"}, 5, "BlockHealthChunk", -1},
          Case{{"Components", "ChunkColumn", "Sections", "0", "Components", "Block", "Data"}, 9, "Block", 0},
          Case{{"Components", "ChunkColumn", "Sections", "1", "Components", "Fluid", "Data"}, 5, "Fluid", 1},
          Case{{"Components", "EntityChunk", "Entities", "0"}, 0, "EntityChunk", -1}}) {
        SCOPED_TRACE(damage.component);
        auto bad = good;
        bad[root.find_path(damage.path)->value_offset() + damage.skip] = 0x77;
        auto chunk = Chunk::decode(bad);
        ASSERT_TRUE(chunk);
        ASSERT_EQ(chunk->problems().size(), 1U);
        EXPECT_EQ(chunk->problems()[0].component, damage.component);
        EXPECT_EQ(chunk->problems()[0].section, damage.section);
        EXPECT_TRUE(chunk->problems()[0].error.offset);
        EXPECT_EQ(chunk->block({0, 32, 0}).key, "Soil_Grass");
        EXPECT_EQ(encoded(*chunk), bad);
        if (damage.section == 1) continue; // its fluid goes with it
        ASSERT_TRUE(chunk->set_block({9, 33, 9}, {"New", {}, {}}));
        const auto changed = encoded(*chunk);
        const auto again = *Chunk::decode(changed);
        EXPECT_EQ(again.problems().size(), 1U);
        EXPECT_EQ(again.block({9, 33, 9}).key, "New");
        EXPECT_FALSE(damage.section == 0 && chunk->set_block({0, 0, 0}, {"New", {}, {}}).has_value());
    }
}

TEST(Chunk, NoSectionOfADamagedColumnIsWritten) {
    auto bytes = document(ten_sections());
    const auto root = *bson::Document::open(bytes);
    bytes[root.find_path({"Components", "ChunkColumn", "Sections", "3"})->offset() + 1] = 'x';
    auto chunk = *Chunk::decode(bytes);
    EXPECT_EQ(chunk.set_block({0, 0, 0}, {"New", {}, {}}).error().code, Errc::unsupported);
    EXPECT_EQ(chunk.recompute_heights([](std::string_view) { return false; }).error().code,
              Errc::unsupported);
    EXPECT_EQ(encoded(chunk), bytes);
    (*chunk.edit_heights())->set(ColumnIndex(0), 7);
    const auto again = *Chunk::decode(encoded(chunk));
    EXPECT_EQ(again.heights().at(ColumnIndex(0)), 7);
    EXPECT_EQ(again.stored_sections(), 3);
    EXPECT_EQ(again.problems().size(), 1U);
}

TEST(Chunk, BytesBehindTheBlockHealthAreAProblemAndAreKept) {
    const auto good = document(ten_sections());
    Buffer health = {1, 0, 0, 0, 0, 0xAB, 0xCD}; // version 1 has no second list
    bson::Patch patch(*bson::Document::open(good));
    ASSERT_TRUE(patch.set({"Components", "BlockHealthChunk", "Data"}, bson::Value::binary(health)));
    Buffer bytes;
    ASSERT_TRUE(patch.apply(bytes));
    auto chunk = *Chunk::decode(bytes);
    ASSERT_EQ(chunk.problems().size(), 1U);
    EXPECT_EQ(chunk.problems()[0].component, "BlockHealthChunk");
    EXPECT_EQ(chunk.health_state(), PartState::broken);
    EXPECT_EQ(chunk.edit_health().error().code, Errc::unsupported);
    EXPECT_EQ(encoded(chunk), bytes);
}

TEST(Chunk, AChangedFluidMakesTheLightOfTheSectionsAroundItStale) {
    auto chunk = *Chunk::decode(document(lit_sections()));
    ASSERT_TRUE(chunk.set_fluid({3, 40, 5}, {"Lava_Source", 1}));
    const auto again = *Chunk::decode(encoded(chunk));
    EXPECT_FALSE(again.section(1).local_light_valid());
    for (const int y : {0, 1, 2}) EXPECT_FALSE(again.section(y).global_light_valid()) << y;
    EXPECT_TRUE(again.section(0).local_light_valid());
    EXPECT_TRUE(again.section(3).global_light_valid());
}

TEST(Chunk, LightThatWasNeverComputedDoesNotBecomeStaleBecauseOfASectionBesideIt) {
    auto chunk = *Chunk::decode(document(ten_sections()));
    ASSERT_TRUE(chunk.set_block({3, 70, 5}, {"Wood_Log", {}, {}}));
    EXPECT_FALSE(chunk.section(2).global_light_valid());
    EXPECT_TRUE(chunk.section(3).global_light_valid());
}

TEST(Chunk, TouchedBlocksGetNewHeightsAndLight) {
    auto chunk = *Chunk::decode(document(lit_sections()));
    for (const int y : {-1, 10, 1'000'000})
        EXPECT_EQ(chunk.touch_blocks(y).error().code, Errc::out_of_range) << y;
    EXPECT_FALSE(chunk.changed());
    auto* section = *chunk.edit_section(2);
    section->blocks.set(CellIndex(3, 4, 5), "Wood_Log");
    ASSERT_TRUE(chunk.touch_blocks(2));
    EXPECT_FALSE(chunk.section(2).local_light_valid());
    EXPECT_FALSE(chunk.section(1).global_light_valid());
    EXPECT_FALSE(chunk.section(3).global_light_valid());
    ASSERT_TRUE(chunk.update_heights([](std::string_view) { return false; }));
    EXPECT_EQ(chunk.heights().at(ColumnIndex(3, 5)), 68);

    auto map = *Chunk::decode(chunk.document(), k_map_parts);
    EXPECT_EQ(map.touch_blocks(2).error().code, Errc::unsupported);
    EXPECT_FALSE(map.changed());
}

TEST(Chunk, WhatIsNoChunkIsAnError) {
    EXPECT_EQ(Chunk::decode(as_bytes("")).error().code, Errc::truncated);
    EXPECT_EQ(Chunk::decode(bson::empty_document()).error().code, Errc::not_found);
    Buffer other;
    bson::Writer(other).int32("Components", 1).finish();
    EXPECT_EQ(Chunk::decode(other).error().code, Errc::bad_value);
}

TEST(Chunk, AVersionFromTheFutureIsAProblemOfItsPartAlone) {
    const auto good = document(ten_sections());
    const auto root = *bson::Document::open(good);
    auto bad = good;
    bad[root.find_path({"Components", "ChunkColumn", "Sections", "3", "Components", "Block", "Version"})
            ->value_offset()] = 7;
    const auto chunk = *Chunk::decode(bad);
    ASSERT_EQ(chunk.problems().size(), 1U);
    EXPECT_EQ(chunk.problems()[0].error.code, Errc::unsupported);
    EXPECT_EQ(chunk.problems()[0].section, 3);
    EXPECT_EQ(chunk.block({0, 0, 0}).key, "Rock_Stone");
}

TEST(Chunk, OfTwoComponentsWithOneNameTheFirstCountsAndBothAreKept) {
    const auto once = document(ten_sections());
    const auto root = *bson::Document::open(once);
    Buffer bytes;
    bson::Writer writer(bytes);
    writer.document("Components");
    for (const int time : {0, 1})
        for (bson::Cursor at(*root.document("Components")); at.next();)
            if (time == 0 || at->key() != "MadeByAMod") writer.element(at.element());
    writer.end().finish();
    auto chunk = *Chunk::decode(bytes);
    EXPECT_EQ(chunk.problems().size(), 6U);
    for (const auto& problem : chunk.problems())
        EXPECT_EQ(problem.error.code, Errc::overlap) << problem.text();
    EXPECT_EQ(encoded(chunk), bytes);
    ASSERT_TRUE(chunk.set_block({0, 0, 0}, {"New", {}, {}}));
    EXPECT_EQ(Chunk::decode(encoded(chunk))->block({0, 0, 0}).key, "New");
}

TEST(Chunk, InnerSectionsBesideAColumnAreKeptAndNotRead) {
    Buffer bytes;
    bson::Writer writer(bytes);
    writer.document("Components").document("BlockChunk").int32("Version", 2);
    writer.binary("Data", test::block_chunk_image(2, std::vector<std::int32_t>(1024, 9),
                                                  std::vector<std::int32_t>(1024, 9), ten_sections(2)));
    writer.end().document("ChunkColumn").array("Sections").document("0").document("Components");
    writer.document("Block").int32("Version", 6).binary("Data", test::section_image({}));
    writer.end().end().end().end().end().end().finish();
    auto chunk = *Chunk::decode(bytes);
    ASSERT_EQ(chunk.problems().size(), 1U);
    EXPECT_EQ(chunk.problems()[0].component, "BlockChunk");
    EXPECT_EQ(chunk.heights().at(ColumnIndex(0)), 9);
    EXPECT_EQ(chunk.block({0, 0, 0}).key, "Empty");
    EXPECT_FALSE(chunk.edit_heights());
    EXPECT_EQ(encoded(chunk), bytes);
}

TEST(Chunk, EveryTruncationAndManyFlippedBitsNeverCrash) {
    auto sections = ten_sections();
    sections.resize(2);
    const auto good = document(sections);
    std::mt19937_64 random(5);
    Chunk chunk;
    Buffer out;
    const auto use = [&](Bytes bytes) {
        if (!chunk.read(bytes)) return;
        (void)chunk.check();
        (void)chunk.block({1, 1, 1});
        (void)chunk.set_block({1, 40, 1}, {"X", {}, {}});
        (void)chunk.recompute_heights([](std::string_view) { return false; });
        (void)chunk.encode(out);
    };
    for (std::size_t cut = 0; cut < good.size(); cut += 211)
        use(Buffer(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(cut)));
    // Cells fill most of the document, so half of the flips go where the structure is.
    std::vector<std::size_t> structure;
    for (std::size_t i = 0; i < good.size(); ++i)
        if (i < 700 || good[i] != good[i - 1]) structure.push_back(i);
    for (int flips = 0; flips < 1500; ++flips) {
        auto bad = good;
        const auto at = flips % 2 == 0 ? structure[random() % structure.size()] : random() % bad.size();
        bad[at] ^= static_cast<std::uint8_t>(1U << random() % 8);
        use(bad);
    }
}

RC_GTEST_PROP(Chunk, RandomEditsReadBackAsTheyWereMade, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    auto chunk = *Chunk::decode(document(ten_sections()));
    std::map<std::tuple<int, int, int>, BlockState> expected;
    static const std::array<std::string, 4> keys = {"Empty", "A", "Bb", "Ccc"};
    for (int step = 0; step < 60; ++step) {
        const BlockPos pos{static_cast<int>(random() % 32), static_cast<int>(random() % 320),
                           static_cast<int>(random() % 32)};
        const BlockState block{keys[random() % 4],
                               {static_cast<std::uint8_t>(random() % 64)},
                               {static_cast<std::uint16_t>(random() % 32768)}};
        RC_ASSERT(chunk.set_block(pos, block).has_value());
        expected[{pos.x, pos.y, pos.z}] = block;
    }
    const auto again = *Chunk::decode(encoded(chunk));
    RC_ASSERT(again.problems().empty());
    RC_ASSERT(again.check().empty());
    for (const auto& [pos, block] : expected)
        RC_ASSERT(again.block({std::get<0>(pos), std::get<1>(pos), std::get<2>(pos)}) == block);
}

TEST(Chunk, SkippedEnvironmentsCanBeReadAfterAll) {
    const auto document = test_documents::document(test_documents::ten_sections());
    auto chunk = Chunk::decode(Bytes(document), k_blocks).value();
    EXPECT_EQ(chunk.environments_state(), PartState::skipped);
    EXPECT_EQ(chunk.environment({0, 40, 0}), k_unknown_environment);
    chunk.read_environments();
    EXPECT_EQ(chunk.environments_state(), PartState::decoded);
    EXPECT_EQ(chunk.environment({0, 40, 0}), "Env_Plains");
    auto empty = Chunk::decode(Bytes(document), k_everything).value();
    empty.read_environments(); // nothing to do
    EXPECT_EQ(empty.environment({0, 20, 0}), "Env_Caves");
}

TEST(Chunk, ABlockOfManyCellsIsGatheredAcrossSectionsAndNotAcrossBorders) {
    auto chunk = Chunk::create();
    const auto up = Filler::of_offset(0, 1, 0);
    const auto down = Filler::of_offset(0, -1, 0);
    const auto east = Filler::of_offset(1, 0, 0);
    ASSERT_TRUE(chunk.set_block({1, 63, 2}, {"Door", {}, {}}));
    ASSERT_TRUE(chunk.set_block({1, 64, 2}, {"Door", {}, up})); // alone in the section above
    EXPECT_EQ(chunk.cells_of({1, 63, 2}), (std::vector<BlockPos>{{1, 63, 2}, {1, 64, 2}}));
    ASSERT_TRUE(chunk.set_block({5, 128, 2}, {"Lamp", {}, {}}));
    ASSERT_TRUE(chunk.set_block({5, 127, 2}, {"Lamp", {}, down})); // alone in the section below
    EXPECT_EQ(chunk.cells_of({5, 128, 2}), (std::vector<BlockPos>{{5, 128, 2}, {5, 127, 2}}));
    ASSERT_TRUE(chunk.set_block({5, 129, 2}, {"Other", {}, up})); // of another block
    EXPECT_EQ(chunk.cells_of({5, 128, 2}).size(), 2U);
    // What belongs to a block of the chunk in the west looks, from the other side, like a part of this one.
    ASSERT_TRUE(chunk.set_block({31, 200, 9}, {"Gate", {}, {}}));
    ASSERT_TRUE(chunk.set_block({0, 200, 9}, {"Gate", {}, east}));
    EXPECT_EQ(chunk.cells_of({31, 200, 9}), (std::vector<BlockPos>{{31, 200, 9}}));
    // At the ends of the world.
    ASSERT_TRUE(chunk.set_block({7, 319, 7}, {"Top", {}, {}}));
    ASSERT_TRUE(chunk.set_block({7, 318, 7}, {"Top", {}, down}));
    EXPECT_EQ(chunk.cells_of({7, 319, 7}).size(), 2U);
    EXPECT_EQ(chunk.block({7, 319, 7}).key, "Top");
    ASSERT_TRUE(chunk.set_block({8, 0, 8}, {"Bottom", {}, {}}));
    EXPECT_EQ(chunk.cells_of({8, 0, 8}).size(), 1U);
}

TEST(Chunk, EachPartThatIsChangedMakesTheChunkChangedAndIsWritten) {
    const auto bytes = document(ten_sections());
    Buffer holder;
    bson::Writer(holder).document("Components").end().finish();
    const std::vector<std::pair<const char*, std::function<void(Chunk&)>>> changes{
        {"block", [](Chunk& c) { ASSERT_TRUE(c.set_block({1, 1, 1}, {"New", {}, {}})); }},
        {"fluid", [](Chunk& c) { ASSERT_TRUE(c.set_fluid({1, 1, 1}, {"Water", 3})); }},
        {"support", [](Chunk& c) { ASSERT_TRUE(c.set_support({1, 1, 1}, 3)); }},
        {"ticking", [](Chunk& c) { ASSERT_TRUE(c.set_ticking({1, 1, 1}, true)); }},
        {"heights", [](Chunk& c) { (*c.edit_heights())->set(ColumnIndex(3), 9); }},
        {"tints", [](Chunk& c) { (*c.edit_tints())->set(ColumnIndex(3), 9); }},
        {"environments", [](Chunk& c) { (*c.edit_environments())->fill("Env_New"); }},
        {"health", [](Chunk& c) { (*c.edit_health())->set({{{1, 64, 2}, 0.5F, 9}}, {}); }},
        {"components",
         [&](Chunk& c) { ASSERT_TRUE((*c.edit_block_components())->set(BlockIndex(9), holder)); }},
        {"entities", [&](Chunk& c) { ASSERT_TRUE((*c.edit_entities())->add(holder)); }},
        {"other", [&](Chunk& c) { ASSERT_TRUE(c.set_component("Mod", holder)); }},
        {"removed", [](Chunk& c) { ASSERT_TRUE(c.remove_component("MadeByAMod")); }}};
    Chunk reused;
    for (const auto& [what, change] : changes) {
        SCOPED_TRACE(what);
        auto chunk = *Chunk::decode(bytes);
        ASSERT_FALSE(chunk.changed());
        change(chunk);
        EXPECT_TRUE(chunk.changed());
        const auto written = encoded(chunk);
        EXPECT_NE(written, bytes);
        // Another document in the same memory knows nothing of it.
        ASSERT_TRUE(reused.read(bytes));
        change(reused);
        ASSERT_TRUE(reused.read(bytes));
        EXPECT_FALSE(reused.changed());
        EXPECT_EQ(*reused.update_heights([](std::string_view) { return false; }), 0U);
        EXPECT_EQ(encoded(reused), bytes);
        ASSERT_TRUE(reused.read(written));
        EXPECT_TRUE(reused.problems().empty());
        EXPECT_TRUE(reused.check().empty());
    }
}

Buffer patched(const Buffer& bytes, std::initializer_list<std::string_view> path, bson::Value value) {
    bson::Patch patch(*bson::Document::open(bytes));
    EXPECT_TRUE(patch.set(path, std::move(value)));
    Buffer out;
    EXPECT_TRUE(patch.apply(out));
    return out;
}

TEST(Chunk, TheNewestVersionOfEachPartIsExact) {
    const auto good = document(ten_sections());
    const auto problems = [&](std::initializer_list<std::string_view> path, int version) {
        const auto bytes = patched(good, path, bson::Value::int32(version));
        const auto chunk = *Chunk::decode(bytes);
        if (chunk.problems().empty()) return std::string();
        EXPECT_EQ(chunk.problems()[0].error.code, Errc::unsupported);
        EXPECT_EQ(encoded(chunk), bytes);
        return chunk.problems()[0].component;
    };
    EXPECT_EQ(problems({"Components", "BlockChunk", "Version"}, 3), "");
    EXPECT_EQ(problems({"Components", "BlockChunk", "Version"}, 4), "BlockChunk");
    EXPECT_EQ(problems({"Components", "BlockChunk", "Version"}, -1), "BlockChunk");
    for (const std::string_view part : {"EnvironmentChunk", "BlockHealthChunk"}) {
        EXPECT_EQ(problems({"Components", part, "Version"}, 0), "");
        EXPECT_EQ(problems({"Components", part, "Version"}, 1), part);
    }
    for (const std::string_view part : {"Fluid", "BlockPhysics"}) {
        EXPECT_EQ(problems({"Components", "ChunkColumn", "Sections", "1", "Components", part, "Version"}, 0),
                  "");
        EXPECT_EQ(problems({"Components", "ChunkColumn", "Sections", "1", "Components", part, "Version"}, 1),
                  part);
    }
}

TEST(Chunk, AProblemSaysWhereInTheDocumentItIs) {
    const auto good = document(ten_sections());
    const auto root = *bson::Document::open(good);
    const auto data = root.find_path({"Components", "EnvironmentChunk", "Data"})->value_offset() + 5;
    auto bad = good;
    bad[data] = 0x77; // the number of environments
    const auto chunk = *Chunk::decode(bad);
    ASSERT_EQ(chunk.problems().size(), 1U);
    EXPECT_EQ(chunk.problems()[0].error.offset, data);
    EXPECT_TRUE(chunk.problems()[0].text().starts_with("EnvironmentChunk, offset "))
        << chunk.problems()[0].text();
    const auto palette =
        root.find_path({"Components", "ChunkColumn", "Sections", "3", "Components", "Block", "Data"})
            ->value_offset()
        + 5 + 4;
    bad = good;
    bad[palette] = 9;
    const auto other = *Chunk::decode(bad);
    ASSERT_EQ(other.problems().size(), 1U);
    EXPECT_EQ(other.problems()[0].error.offset, palette);
    EXPECT_TRUE(other.problems()[0].text().starts_with("section 3, Block, offset "))
        << other.problems()[0].text();
}

TEST(Chunk, AnEleventhSectionIsAProblemAndIsKept) {
    auto sections = ten_sections();
    sections.push_back(sections[0]);
    const auto bytes = document(sections);
    const auto chunk = *Chunk::decode(bytes);
    ASSERT_EQ(chunk.problems().size(), 1U);
    EXPECT_EQ(chunk.problems()[0].component, "ChunkColumn");
    EXPECT_EQ(chunk.problems()[0].section, 10);
    EXPECT_EQ(chunk.problems()[0].error.code, Errc::out_of_range);
    EXPECT_EQ(encoded(chunk), bytes);
}

TEST(Chunk, AWaitForPhysicsIsReadAndKept) {
    auto bytes = document(ten_sections());
    EXPECT_FALSE(Chunk::decode(bytes)->needs_physics());
    bytes[bson::Document::open(bytes)->find_path({"Components", "BlockChunk", "Data"})->value_offset() + 5] =
        1;
    auto chunk = *Chunk::decode(bytes);
    EXPECT_TRUE(chunk.needs_physics());
    (*chunk.edit_heights())->set(ColumnIndex(3), 9);
    EXPECT_TRUE(Chunk::decode(encoded(chunk))->needs_physics());
}

TEST(Chunk, HealthThatIsFollowedByMoreIsNotShown) {
    BlockHealth health;
    health.set({{{1, 64, 2}, 0.5F, 9}}, {});
    Buffer data;
    health.append_to(data);
    data.push_back(0);
    const auto bytes = patched(document(ten_sections()), {"Components", "BlockHealthChunk", "Data"},
                               bson::Value::binary(data));
    const auto chunk = *Chunk::decode(bytes);
    EXPECT_EQ(chunk.health_state(), PartState::broken);
    EXPECT_TRUE(chunk.health().damaged().empty());
}

TEST(Chunk, NoSectionIsWrittenWhereTheListOfThemIsCutShort) {
    auto bytes = document(ten_sections());
    const auto root = *bson::Document::open(bytes);
    bytes[root.find_path({"Components", "ChunkColumn", "Sections", "9"})->offset()] = 0x55; // no such type
    auto chunk = *Chunk::decode(bytes);
    EXPECT_FALSE(chunk.problems().empty());
    EXPECT_EQ(chunk.set_block({0, 0, 0}, {"New", {}, {}}).error().code, Errc::unsupported);
    EXPECT_EQ(encoded(chunk), bytes);
}

TEST(Chunk, TheKeyOfASectionIsItsNumberAndNothingMore) {
    auto bytes = document(ten_sections());
    const auto root = *bson::Document::open(bytes);
    std::vector<std::size_t> lengths{0};
    lengths.push_back(root.find_path({"Components"})->value_offset());
    lengths.push_back(root.find_path({"Components", "ChunkColumn"})->value_offset());
    lengths.push_back(root.find_path({"Components", "ChunkColumn", "Sections"})->value_offset());
    const auto key = root.find_path({"Components", "ChunkColumn", "Sections", "3"})->offset() + 1;
    for (const auto at : lengths) store_le(bytes.data() + at, load_le<std::int32_t>(bytes.data() + at) + 1);
    bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(key) + 1, '0');
    auto chunk = *Chunk::decode(bytes);
    ASSERT_EQ(chunk.problems().size(), 1U);
    EXPECT_EQ(chunk.problems()[0].error.problem, "section 3 has the key '30'");
    EXPECT_EQ(chunk.set_block({0, 0, 0}, {"New", {}, {}}).error().code, Errc::unsupported);
    EXPECT_EQ(encoded(chunk), bytes);
}

TEST(Chunk, AnotherBlockNoLongerTicksAndTheSameBlockTurnedStillDoes) {
    auto chunk = *Chunk::decode(document(ten_sections()));
    const BlockPos crop{4, 32, 1};
    const CellIndex cell = crop.cell();
    ASSERT_TRUE(chunk.section(1).ticking.contains(cell));
    ASSERT_TRUE(chunk.set_block(crop, {"Plant_Crop_Wheat_Block", {3}, {}}));
    EXPECT_TRUE(chunk.section(1).ticking.contains(cell));
    ASSERT_TRUE(chunk.set_block(crop, {"Rock_Stone", {3}, {}}));
    EXPECT_FALSE(chunk.section(1).ticking.contains(cell));
}

TEST(Chunk, AnotherLevelOfAFluidMakesLightStaleToo) {
    auto chunk = *Chunk::decode(document(ten_sections()));
    ASSERT_TRUE(chunk.section(1).local_light_valid());
    ASSERT_TRUE(chunk.set_fluid({4, 32, 3}, {"Water_Source", 2}));
    EXPECT_FALSE(chunk.section(1).local_light_valid());
    auto support = *Chunk::decode(document(ten_sections()));
    ASSERT_TRUE(support.set_support({4, 32, 3}, 2));
    EXPECT_TRUE(support.section(1).local_light_valid()) << "nothing to see";
}

TEST(Chunk, LimitsOfWhatCanBePutIn) {
    auto chunk = Chunk::create();
    EXPECT_TRUE(chunk.set_block({0, 319, 0}, {std::string(0xFFFF, 'k'), {63}, {}}));
    EXPECT_EQ(chunk.set_block({0, 0, 0}, {std::string(0x10000, 'k'), {}, {}}).error().code, Errc::too_large);
    EXPECT_EQ(chunk.set_block({0, -1, 0}, {"A", {}, {}}).error().code, Errc::out_of_range);
    EXPECT_TRUE(chunk.set_fluid({0, 0, 0}, {"Water", 15}));
    EXPECT_EQ(chunk.set_fluid({0, 0, 0}, {"Water", 16}).error().code, Errc::out_of_range);
    EXPECT_TRUE(chunk.set_support({0, 0, 0}, 15));
    Buffer holder;
    bson::Writer(holder).document("Components").end().finish();
    auto* components = *chunk.edit_block_components();
    EXPECT_TRUE(components->set(BlockIndex((512 << 10) - 1), holder));
    EXPECT_EQ(components->set(BlockIndex(512 << 10), holder).error().code, Errc::out_of_range);
    EXPECT_EQ(components->set(BlockIndex(-1), holder).error().code, Errc::out_of_range);
    for (const std::string_view own : {"BlockChunk", "ChunkColumn", "EnvironmentChunk", "BlockHealthChunk",
                                       "BlockComponentChunk", "EntityChunk"})
        EXPECT_EQ(chunk.set_component(own, holder).error().code, Errc::bad_value) << own;
    EXPECT_EQ(chunk.set_component(std::string_view("a\0b", 3), holder).error().code, Errc::bad_text);
    EXPECT_FALSE(chunk.set_component("Mod", Buffer{1, 2, 3}));
    EXPECT_TRUE(chunk.set_component("Mod", holder));
    EXPECT_EQ(chunk.remove_component("Nothing").error().code, Errc::not_found);
    EXPECT_EQ(Chunk::decode(encoded(chunk))->block({0, 319, 0}).key.size(), 0xFFFFU);
}

TEST(Chunk, OnlyTheUsualSpellingOfAnIndexIsOne) {
    const auto good = document(ten_sections());
    Buffer holder;
    bson::Writer(holder).document("Components").end().finish();
    const auto state = [&](std::string_view key) {
        return Chunk::decode(patched(good, {"Components", "BlockComponentChunk", "BlockComponents", key},
                                     bson::Value::document(holder)))
            ->block_components_state();
    };
    for (const std::string_view key : {"0", "7", "524287"}) EXPECT_EQ(state(key), PartState::decoded) << key;
    for (const std::string_view key : {"", "00", "07", "-1", "+7", "7 ", " 7", "524288", "4294967296", "x"})
        EXPECT_EQ(state(key), PartState::broken) << key;
}

TEST(Chunk, WhatIsChangedAndThenRemovedIsGone) {
    auto chunk = *Chunk::decode(document(ten_sections()));
    Buffer holder;
    bson::Writer(holder).document("Components").end().finish();
    auto* components = *chunk.edit_block_components();
    ASSERT_TRUE(components->set(BlockIndex(2084), holder)); // it was there
    EXPECT_TRUE(components->remove(BlockIndex(2084)));
    auto* entities = *chunk.edit_entities();
    EXPECT_FALSE(entities->remove(1)) << "there is one";
    EXPECT_EQ(entities->replace(1, holder).error().code, Errc::out_of_range);
    ASSERT_TRUE(entities->replace(0, holder));
    const auto again = *Chunk::decode(encoded(chunk));
    EXPECT_TRUE(again.block_components().entries().empty());
    ASSERT_EQ(again.entities().holders().size(), 1U);
    EXPECT_TRUE(component_names(again.entities().holders()[0]).empty());
}

TEST(Chunk, PartsWithNothingAreReadAsAnyOthers) {
    const auto made = Chunk::create();
    const Buffer stored(made.document().begin(), made.document().end());
    const std::initializer_list<std::string_view> fluid{"Components", "ChunkColumn", "Sections", "3",
                                                        "Components", "Fluid",       "Data"};
    const std::initializer_list<std::string_view> physics{"Components", "ChunkColumn",  "Sections", "3",
                                                          "Components", "BlockPhysics", "Data"};
    const auto chunk = *Chunk::decode(stored);
    EXPECT_TRUE(chunk.problems().empty());
    EXPECT_EQ(chunk.section(3).fluid_state, PartState::decoded);
    EXPECT_EQ(chunk.section(3).physics_state, PartState::decoded);
    EXPECT_TRUE(chunk.section(3).editable());
    for (const auto& path : {fluid, physics}) {
        const auto data = *bson::Document::open(stored)->find_path(path)->binary();
        for (std::size_t i = 0; i < data.data.size(); ++i) {
            auto damaged = stored;
            damaged[static_cast<std::size_t>(data.data.data() - stored.data()) + i] =
                1; // cells should follow
            const auto read = *Chunk::decode(damaged);
            EXPECT_EQ(read.problems().size(), 1U) << i;
            EXPECT_FALSE(read.section(3).editable()) << i;
        }
    }
}

TEST(Chunk, SectionsOfAirThatAreTheSameBytesAreEachReadAndWrittenInTheirPlace) {
    const auto made = Chunk::create();
    const Buffer stored(made.document().begin(), made.document().end());
    for (int y = 0; y < k_sections; ++y) {
        const auto only_blocks = *Chunk::decode(stored, k_blocks);
        EXPECT_EQ(only_blocks.section(y).fluid_state, PartState::skipped);
        EXPECT_TRUE(only_blocks.section(y).partly_read);
        auto chunk = *Chunk::decode(stored);
        ASSERT_TRUE(chunk.section(y).has_current_block());
        ASSERT_TRUE(chunk.set_block({3, y * k_side + 4, 5}, {"Rock_Stone", {}, {}}));
        Buffer out;
        const auto read = *Chunk::decode(*chunk.encode(out));
        EXPECT_TRUE(read.problems().empty());
        EXPECT_TRUE(read.check().empty());
        for (int other = 0; other < k_sections; ++other)
            EXPECT_EQ(read.block({3, other * k_side + 4, 5}).key, other == y ? "Rock_Stone" : "Empty");
    }
}

} // namespace
} // namespace orbis::chunk
