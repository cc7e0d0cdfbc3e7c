#include "chunk/chunk_documents_test.hpp"
#include "chunk/upgrade.hpp"
#include "support/real_chunks.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace orbis::chunk {
namespace {

using test::k_image_cells;

/// Two steps: A becomes B, then B becomes C.
const Migrations& two_steps() {
    static const Migrations table{2, [](std::string_view key, int stored) -> std::string_view {
                                      if (stored <= 0 && key == "A") key = "B";
                                      if (stored <= 1 && key == "B") key = "C";
                                      return key;
                                  }};
    return table;
}

Chunk reread(const Chunk& chunk) {
    Buffer out;
    const auto bytes = chunk.encode(out);
    EXPECT_TRUE(bytes) << bytes.error().text();
    auto again = Chunk::decode(Buffer(bytes->begin(), bytes->end()));
    EXPECT_TRUE(again);
    EXPECT_TRUE(again->problems().empty());
    EXPECT_TRUE(again->check().empty());
    return *std::move(again);
}

std::vector<test::SectionImage> old_sections(int version) {
    std::vector<test::SectionImage> sections(10);
    for (auto& section : sections) section.version = version;
    auto& blocks = sections[1].blocks;
    blocks.assign(k_image_cells, "Empty");
    blocks[0] = "A";
    blocks[1] = "A|Yaw=90|Pitch=180";
    blocks[2] = "Door|Filler=0,1,0";
    blocks[3] = "Torch|Deco";
    blocks[4] = "Beam|Support=5";
    blocks[5] = "Fluid_Lava";
    blocks[6] = "Seaweed|Fluid=Fluid_Water|FluidLevel=3";
    blocks[150] = "Fluid_Lava"; // where the document has water of its own
    if (version == 4) {
        sections[1].fillers.assign(k_image_cells, 0);
        sections[1].fillers[2] = Filler::of_offset(0, 0, 1).stored;
    }
    return sections;
}

void expect_upgraded(const Chunk& chunk, int version) {
    EXPECT_EQ(chunk.section(1).version, 6);
    EXPECT_EQ(chunk.section(1).migration_count, 2);
    EXPECT_EQ(chunk.block({0, 32, 0}), (BlockState{"C", {}, {}}));
    EXPECT_EQ(chunk.block({1, 32, 0}), (BlockState{"A", Rotation::of_degrees(90, 180), {}}));
    EXPECT_EQ(chunk.block({2, 32, 0}).filler,
              version == 4 ? Filler::of_offset(0, 0, 1) : Filler::of_offset(0, 1, 0));
    EXPECT_EQ(chunk.block({2, 32, 0}).key, "Door");
    EXPECT_EQ(chunk.support({3, 32, 0}), 15);
    EXPECT_EQ(chunk.support({4, 32, 0}), 5);
    EXPECT_EQ(chunk.block({5, 32, 0}).key, "Empty");
    EXPECT_EQ(chunk.fluid({5, 32, 0}), (FluidState{"Lava_Source", 1}));
    EXPECT_EQ(chunk.block({6, 32, 0}).key, "Seaweed");
    EXPECT_EQ(chunk.fluid({6, 32, 0}), (FluidState{"Water", 3}));
}

TEST(Upgrade, BringsSectionsOfVersionThreeAndFourToSixWithoutALoss) {
    for (const int version : {3, 4}) {
        SCOPED_TRACE(version);
        const auto bytes = test_documents::document(old_sections(version));
        auto chunk = *Chunk::decode(bytes);
        // Readable as it is, too.
        EXPECT_EQ(chunk.block({1, 32, 0}), (BlockState{"A", Rotation::of_degrees(90, 180), {}}));
        EXPECT_EQ(chunk.fluid({5, 32, 0}), (FluidState{"Lava_Source", 1}));
        EXPECT_EQ(chunk.support({4, 32, 0}), 5);
        const auto report = upgrade(chunk, two_steps());
        ASSERT_TRUE(report) << report.error().text();
        EXPECT_EQ(report->sections_from_old_versions, 10);
        EXPECT_EQ(report->fluids, 3U);
        EXPECT_EQ(report->supports, 2U);
        EXPECT_EQ(report->rotations, 1U);
        EXPECT_EQ(report->renamed.at("A"), "C");
        const auto again = reread(chunk);
        expect_upgraded(again, version);
        EXPECT_EQ(again.fluid({22, 32, 4}), (FluidState{"Water_Source", 1})); // the section's own wins
        EXPECT_TRUE(again.component("MadeByAMod"));
        auto twice = reread(again);
        EXPECT_FALSE(upgrade(twice, two_steps())->changed());
        EXPECT_FALSE(twice.changed());
    }
}

TEST(Upgrade, KeepsSupportsAlsoWhereNoKeyHasAFluid) {
    auto sections = old_sections(4);
    for (const auto wet : {5U, 6U, 150U}) sections[1].blocks[wet] = "Empty";
    auto chunk = *Chunk::decode(test_documents::document(sections));
    ASSERT_TRUE(upgrade(chunk, two_steps()));
    const auto again = reread(chunk);
    EXPECT_EQ(again.support({4, 32, 0}), 5);
    EXPECT_EQ(again.block({4, 32, 0}).key, "Beam");
}

TEST(Upgrade, MovesInnerSectionsOfBlockChunkIntoAColumn) {
    for (int version = 0; version <= 2; ++version) {
        SCOPED_TRACE(version);
        Buffer bytes;
        bson::Writer root(bytes);
        root.document("Components").document("BlockChunk").int32("Version", version);
        root.binary("Data",
                    test::block_chunk_image(version, std::vector<std::int32_t>(1024, 33),
                                            std::vector<std::int32_t>(1024, 5), old_sections(version)));
        root.end().document("WorldChunk").end().end().finish();
        auto chunk = *Chunk::decode(bytes);
        ASSERT_TRUE(chunk.problems().empty()) << chunk.problems()[0].text();
        EXPECT_EQ(chunk.stored_sections(), 10);
        EXPECT_EQ(chunk.block({1, 32, 0}).key, "A");
        const auto report = upgrade(chunk, two_steps());
        ASSERT_TRUE(report);
        EXPECT_TRUE(report->sections_moved);
        const auto again = reread(chunk);
        EXPECT_EQ(again.block_chunk_version(), 3);
        EXPECT_EQ(again.heights().at(ColumnIndex(9)), 33);
        EXPECT_EQ(again.tints().at(ColumnIndex(9)), 5);
        expect_upgraded(again, version);
    }
}

/// As the game wrote chunks when it moved from one place to the other: blocks in `BlockChunk`, and a column
/// with nothing but fluids.
Buffer chunk_with_fluid_column(Bytes fluid) {
    Buffer bytes;
    bson::Writer root(bytes);
    root.document("Components").document("BlockChunk").int32("Version", 2);
    root.binary("Data", test::block_chunk_image(2, std::vector<std::int32_t>(1024, 33),
                                                std::vector<std::int32_t>(1024, 5), old_sections(2)));
    root.end().document("ChunkColumn").array("Sections");
    for (std::size_t y = 0; y < 10; ++y) {
        root.document(bson::index_key(y)).document("Components");
        if (y == 3) root.document("Fluid").binary("Data", fluid).end();
        root.end().end();
    }
    root.end().end().document("WorldChunk").end().end().finish();
    return bytes;
}

TEST(Upgrade, InnerSectionsJoinTheFluidsOfAColumnWithoutBlocks) {
    std::vector<std::string> keys(k_image_cells, "Empty");
    std::vector<int> levels(k_image_cells, 0);
    keys[5] = "Lava_Source";
    levels[5] = 1;
    const auto bytes = chunk_with_fluid_column(test::fluid_image(keys, levels));
    auto chunk = *Chunk::decode(bytes);
    ASSERT_TRUE(chunk.problems().empty()) << chunk.problems()[0].text();
    EXPECT_EQ(chunk.block({1, 32, 0}).key, "A");
    EXPECT_EQ(chunk.fluid({5, 96, 0}), (FluidState{"Lava_Source", 1}));
    const auto report = upgrade(chunk, two_steps());
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->sections_moved);
    const auto again = reread(chunk);
    EXPECT_TRUE(again.problems().empty());
    EXPECT_EQ(again.block_chunk_version(), 3);
    EXPECT_EQ(again.fluid({5, 96, 0}), (FluidState{"Lava_Source", 1}));
    expect_upgraded(again, 2);

    auto edited = *Chunk::decode(bytes);
    ASSERT_TRUE(edited.set_block({7, 33, 7}, {"New", {}, {}}));
    const auto after = reread(edited);
    EXPECT_EQ(after.block({7, 33, 7}).key, "New");
    EXPECT_EQ(after.block({1, 32, 0}).key, "A");
    EXPECT_EQ(after.fluid({5, 96, 0}), (FluidState{"Lava_Source", 1}));
}

TEST(Upgrade, InnerSectionsStayWhereAFluidOfTheColumnIsDamaged) {
    const auto bytes = chunk_with_fluid_column(Buffer{9, 9});
    auto chunk = *Chunk::decode(bytes);
    ASSERT_EQ(chunk.problems().size(), 1U);
    const auto report = upgrade(chunk, two_steps());
    ASSERT_TRUE(report);
    EXPECT_FALSE(report->sections_moved);
    EXPECT_FALSE(chunk.set_block({7, 33, 7}, {"New", {}, {}}));
    Buffer out;
    const auto encoded = chunk.encode(out);
    ASSERT_TRUE(encoded);
    EXPECT_TRUE(std::ranges::equal(*encoded, bytes));
}

TEST(Upgrade, AnEditOfAnOldChunkWritesTodaysFormats) {
    auto chunk = *Chunk::decode(test_documents::document(old_sections(4)));
    ASSERT_TRUE(chunk.set_block({7, 33, 7}, {"New", {}, {}}));
    const auto again = reread(chunk);
    EXPECT_EQ(again.section(1).version, 6);
    EXPECT_EQ(again.section(1).migration_count, 0); // so that the game migrates the keys
    EXPECT_EQ(again.section(2).version, 4);
    EXPECT_EQ(again.block({0, 32, 0}).key, "A");
    EXPECT_EQ(again.block({1, 32, 0}).rotation, Rotation::of_degrees(90, 180));
    EXPECT_EQ(again.block({7, 33, 7}).key, "New");
}

TEST(Upgrade, MigratesKeysFromTheStoredCountOn) {
    auto sections = old_sections(6);
    sections[1].blocks.assign(k_image_cells, "A");
    sections[2].blocks.assign(k_image_cells, "A");
    sections[1].migrations = 0;
    sections[2].migrations = 1;
    sections[1].blocks[9] = "C"; // joins what A becomes
    auto chunk = *Chunk::decode(test_documents::document(sections));
    const auto report = upgrade(chunk, two_steps());
    EXPECT_EQ(report->sections_migrated, 2); // the others say 11 already
    const auto again = reread(chunk);
    EXPECT_EQ(again.block({0, 32, 0}).key, "C");
    EXPECT_EQ(again.section(1).blocks.entries().size(), 1U);
    EXPECT_EQ(again.block({0, 64, 0}).key, "A");
    EXPECT_EQ(again.section(2).migration_count, 2);
}

TEST(Upgrade, LeavesAllSectionsOfAColumnWithAnOddKey) {
    auto bytes = test_documents::document(old_sections(4));
    const auto root = *bson::Document::open(bytes);
    bytes[root.find_path({"Components", "ChunkColumn", "Sections", "3"})->offset() + 1] = 'x';
    auto chunk = *Chunk::decode(bytes);
    ASSERT_EQ(chunk.problems().size(), 1U);
    const auto report = upgrade(chunk, two_steps());
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->sections_left, 10);
    EXPECT_FALSE(report->changed());
    Buffer out;
    const auto kept = chunk.encode(out);
    ASSERT_TRUE(kept) << kept.error().text();
    EXPECT_EQ(as_text(*kept), as_text(bytes));
}

TEST(Upgrade, LeavesASectionWhoseFluidsOrSupportsCannotBeRead) {
    for (const std::string_view part : {"Fluid", "BlockPhysics"}) {
        SCOPED_TRACE(part);
        auto bytes = test_documents::document(old_sections(4));
        const auto root = *bson::Document::open(bytes);
        bytes[root.find_path({"Components", "ChunkColumn", "Sections", "1", "Components", part, "Data"})
                  ->value_offset()
              + 5] = 0x77;
        auto chunk = *Chunk::decode(bytes);
        ASSERT_EQ(chunk.problems().size(), 1U);
        const auto report = upgrade(chunk, two_steps());
        ASSERT_TRUE(report) << report.error().text();
        EXPECT_EQ(report->sections_left, 1);
        EXPECT_EQ(report->sections_from_old_versions, 9);
        Buffer out;
        const auto written = chunk.encode(out);
        ASSERT_TRUE(written) << written.error().text();
        const auto again = *Chunk::decode(*written);
        EXPECT_EQ(again.problems().size(), 1U);
        EXPECT_EQ(again.section(1).version, 4);
        EXPECT_EQ(again.section(2).version, 6);
        const auto section = [](Bytes document) {
            return bson::Document::open(document)
                ->find_path({"Components", "ChunkColumn", "Sections", "1"})
                ->document()
                ->bytes();
        };
        EXPECT_EQ(as_text(section(*written)), as_text(section(bytes)));
    }
}

TEST(Upgrade, LeavesASectionWithAKeyThatWouldLoseAPart) {
    for (const std::string key : {"A|Mod=7", "Seaweed|Fluid=Fluid_Water|FluidLevel=16"}) {
        auto sections = old_sections(4);
        sections[1].blocks[9] = key;
        const auto bytes = test_documents::document(sections);
        auto chunk = *Chunk::decode(bytes);
        const auto report = upgrade(chunk, two_steps());
        ASSERT_TRUE(report) << report.error().text();
        EXPECT_EQ(report->keys_left, std::set{key});
        EXPECT_EQ(report->sections_left, 1);
        const auto again = reread(chunk);
        EXPECT_EQ(again.section(1).version, 4);
        EXPECT_EQ(again.section(1).blocks.at(CellIndex(9)), key);
        EXPECT_EQ(again.section(2).version, 6);
        auto edited = *Chunk::decode(bytes);
        EXPECT_EQ(edited.set_block({7, 33, 7}, {"New", {}, {}}).error().code, Errc::unsupported);
        EXPECT_TRUE(edited.set_block({7, 65, 7}, {"New", {}, {}}));
    }
}

TEST(Upgrade, LeavesAllInnerSectionsWhereOneWouldLoseAPart) {
    auto sections = old_sections(2);
    sections[4].blocks.assign(k_image_cells, "A|Mod=7");
    Buffer bytes;
    bson::Writer root(bytes);
    root.document("Components").document("BlockChunk").int32("Version", 2);
    root.binary("Data", test::block_chunk_image(2, std::vector<std::int32_t>(1024, 33),
                                                std::vector<std::int32_t>(1024, 5), sections));
    root.end().end().finish();
    auto chunk = *Chunk::decode(bytes);
    const auto report = upgrade(chunk, two_steps());
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->sections_left, 10);
    EXPECT_FALSE(report->changed());
    EXPECT_EQ(chunk.edit_heights().error().code, Errc::unsupported);
    EXPECT_EQ(chunk.set_block({7, 33, 7}, {"New", {}, {}}).error().code, Errc::unsupported);
    EXPECT_FALSE(chunk.changed());
}

TEST(Upgrade, MovesOldBlockStatesIntoBlockComponents) {
    Buffer bytes;
    bson::Writer root(bytes);
    root.document("Components").document("BlockStateChunk").array("States");
    root.document("0").document("Components").document("container").document("Position");
    root.int32("X", 3).int32("Y", 70).int32("Z", 31).end().string("Custom", "x").end().end().end();
    root.end().end().document("WorldChunk").end().end().finish();
    auto chunk = *Chunk::decode(bytes);
    ASSERT_EQ(chunk.old_block_states().size(), 1U);
    const auto report = upgrade(chunk, two_steps());
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->block_states_moved, 1U);
    const auto again = reread(chunk);
    EXPECT_FALSE(again.component("BlockStateChunk"));
    const auto holder = again.block_components().find(BlockIndex(BlockPos{3, 70, 31}));
    ASSERT_TRUE(holder);
    EXPECT_EQ(component(*holder, "container")->find("Custom")->string(), "x");
}

TEST(Upgrade, RealOldChunksKeepTheirBlocksAndFluids) {
    const Migrations none{11, [](std::string_view key, int) { return key; }};
    for (const auto& file : test::real_region_files()) {
        if (file.string().find("old-") == std::string::npos) continue;
        test::for_each_real_chunk(file, [&](Bytes document) {
            const auto before = *Chunk::decode(document);
            auto chunk = *Chunk::decode(document);
            const auto report = upgrade(chunk, none);
            ASSERT_TRUE(report) << report.error().text();
            const auto again = reread(chunk);
            for (int y = 0; y < k_sections; ++y)
                for (int i = 0; i < k_cells; i += 3) {
                    const CellIndex cell(i);
                    ASSERT_EQ(again.section(y).version, 6);
                    ASSERT_EQ(again.section(y).block_at(cell), before.section(y).block_at(cell));
                    ASSERT_EQ(again.section(y).fluid_at(cell), before.section(y).fluid_at(cell));
                    ASSERT_EQ(again.section(y).support_at(cell), before.section(y).support_at(cell));
                }
        });
    }
}

TEST(UpgradeReport, SaysWhetherAnythingChanged) {
    EXPECT_FALSE(UpgradeReport().changed());
    for (const auto& change : std::vector<std::function<void(UpgradeReport&)>>{
             [](auto& r) { r.sections_from_old_versions = 1; }, [](auto& r) { r.sections_migrated = 1; },
             [](auto& r) { r.sections_moved = true; }, [](auto& r) { r.block_states_moved = 1; },
             [](auto& r) { r.health_rewritten = true; }}) {
        UpgradeReport report;
        change(report);
        EXPECT_TRUE(report.changed());
    }
    UpgradeReport left;
    left.sections_left = 1;
    left.block_states_kept = 1;
    EXPECT_FALSE(left.changed());
}

TEST(Upgrade, OldBlockStatesWithoutAPlaceOrWithATakenOneStay) {
    struct State {
        double x, y, z;
        bool has_z = true;
    };
    const auto run = [](const std::vector<State>& states, bool with_components) {
        Buffer bytes;
        bson::Writer root(bytes);
        root.document("Components").document("BlockStateChunk").array("States");
        for (std::size_t i = 0; i < states.size(); ++i) {
            root.document(bson::index_key(i)).document("Components").document("container");
            root.document("Position").real("X", states[i].x).real("Y", states[i].y);
            if (states[i].has_z) root.real("Z", states[i].z);
            root.end().end().end().end();
        }
        root.end().end();
        if (with_components) {
            root.document("BlockComponentChunk").document("BlockComponents");
            root.document(std::to_string(BlockIndex(BlockPos{3, 70, 31}).value)).int32("own", 1).end();
            root.end().end();
        }
        root.end().finish();
        auto chunk = *Chunk::decode(bytes);
        const auto report = *upgrade(chunk, two_steps());
        const auto again = reread(chunk);
        EXPECT_EQ(again.component("BlockStateChunk").has_value(), report.block_states_kept > 0);
        const auto there = again.block_components().find(BlockIndex(BlockPos{3, 70, 31}));
        EXPECT_EQ(there && there->find("own"), with_components) << "what was there is not replaced";
        return std::pair(report.block_states_moved, report.block_states_kept);
    };
    using Counts = std::pair<std::size_t, std::size_t>;
    EXPECT_EQ(run({{3.9, 70.5, 31.0}}, false), (Counts{1, 0}));
    EXPECT_EQ(run({{3, 70, 31}}, true), (Counts{0, 1}));
    EXPECT_EQ(run({{3, 70, 31}, {3, 70, 31}}, false), (Counts{1, 1})) << "the second of one place";
    EXPECT_EQ(run({{4, 70, 31, false}, {5, 70, 31}}, false), (Counts{1, 1}));
    constexpr double far = 1 << 30;
    EXPECT_EQ(run({{far, 70, -far}}, false), (Counts{1, 0}));
    EXPECT_EQ(run({{far + 1, 70, 0}, {0, 70, -far - 1}, {std::nan(""), 1, 1}}, false), (Counts{0, 3}));
}

TEST(Upgrade, ASectionThatIsNotThereIsNotUpgraded) {
    auto sections = old_sections(3);
    sections.resize(2);
    auto chunk = *Chunk::decode(test_documents::document(sections));
    const auto report = *upgrade(chunk, two_steps());
    EXPECT_EQ(report.sections_from_old_versions, 2);
    EXPECT_EQ(report.sections_migrated, 0) << "those above are none";
    EXPECT_EQ(report.sections_left, 0);
}

TEST(Upgrade, ASectionOfTodayHasFluidsAndItsMark) {
    auto image = old_sections(3)[1];
    Buffer bytes;
    bson::Writer root(bytes);
    root.document("Components")
        .document("ChunkColumn")
        .array("Sections")
        .document("0")
        .document("Components");
    root.document("Block").int32("Version", 3).binary("Data", test::section_image(image)).end();
    root.end().end().end().end().end().finish();
    auto chunk = *Chunk::decode(bytes);
    ASSERT_FALSE(chunk.section(0).has_marker);
    ASSERT_EQ(chunk.section(0).fluid_state, PartState::absent);
    ASSERT_TRUE(upgrade(chunk, two_steps()));
    EXPECT_TRUE(reread(chunk).section(0).has_marker);
    EXPECT_EQ(reread(chunk).section(0).fluid_state, PartState::decoded);
    // Also where no key holds a fluid.
    image.blocks.assign(k_image_cells, "A");
    Buffer plain;
    bson::Writer again(plain);
    again.document("Components")
        .document("ChunkColumn")
        .array("Sections")
        .document("0")
        .document("Components");
    again.document("Block").int32("Version", 3).binary("Data", test::section_image(image)).end();
    again.end().end().end().end().end().finish();
    auto other = *Chunk::decode(plain);
    ASSERT_TRUE(upgrade(other, two_steps()));
    EXPECT_EQ(reread(other).section(0).fluid_state, PartState::decoded);
    EXPECT_TRUE(reread(other).section(0).has_marker);
}

TEST(UpgradeReport, AddsUpFieldByField) {
    UpgradeReport one;
    one.sections_from_old_versions = 1;
    one.sections_migrated = 2;
    one.renamed = {{"a", "b"}};
    one.rotations = 3;
    one.fillers = 4;
    one.fluids = 5;
    one.supports = 6;
    one.block_states_moved = 7;
    one.block_states_kept = 8;
    one.sections_left = 9;
    one.keys_left = {"x"};
    UpgradeReport other = one;
    other.renamed = {{"c", "d"}};
    other.keys_left = {"y"};
    auto sum = one;
    sum += UpgradeReport();
    sum += other;
    EXPECT_EQ(sum.sections_from_old_versions, 2);
    EXPECT_EQ(sum.sections_migrated, 4);
    EXPECT_EQ(sum.renamed, (std::map<std::string, std::string>{{"a", "b"}, {"c", "d"}}));
    EXPECT_EQ(sum.rotations, 6U);
    EXPECT_EQ(sum.fillers, 8U);
    EXPECT_EQ(sum.fluids, 10U);
    EXPECT_EQ(sum.supports, 12U);
    EXPECT_EQ(sum.block_states_moved, 14U);
    EXPECT_EQ(sum.block_states_kept, 16U);
    EXPECT_EQ(sum.sections_left, 18);
    EXPECT_EQ(sum.keys_left, (std::set<std::string>{"x", "y"}));
    EXPECT_FALSE(sum.sections_moved);
    EXPECT_FALSE(sum.health_rewritten);
}

TEST(UpgradeReport, WhatWasDoneToOneChunkWasDone) {
    using Flag = bool UpgradeReport::*;
    for (const Flag flag : {&UpgradeReport::sections_moved, &UpgradeReport::health_rewritten})
        for (const bool first : {false, true})
            for (const bool second : {false, true}) {
                UpgradeReport sum;
                UpgradeReport other;
                sum.*flag = first;
                other.*flag = second;
                sum += other;
                EXPECT_EQ(sum.*flag, first || second);
                EXPECT_EQ(sum.changed(), first || second);
            }
}

} // namespace
} // namespace orbis::chunk
