#include "bson/writer.hpp"
#include "chunk/chunk_reader.hpp"
#include "jobs/edit/copy_cells.hpp"
#include "jobs/edit/fill_cells.hpp"
#include "jobs/edit/remove_entities.hpp"
#include "jobs/edit/replace_blocks.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "jobs/undo/undo.hpp"
#include "support/amount.hpp"
#include "support/seed.hpp"
#include "support/shared.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace orbis::jobs {
namespace {

using namespace test_worlds;
using chunk::BlockIndex;
using chunk::BlockState;
using chunk::Chunk;

const world::Assets& edit_assets() { return world::Assets::built_in(); }

Buffer edit_holder(std::string_view model, double x, double y, double z, int id) {
    std::array<std::uint8_t, 16> uuid{};
    uuid[15] = static_cast<std::uint8_t>(id);
    Buffer out;
    bson::Writer writer(out);
    writer.document("Components");
    writer.document("UUID").uuid("UUID", uuid).end();
    writer.document("Transform").document("Position").real("X", x).real("Y", y).real("Z", z).end().end();
    writer.document("Model").document("Model").string("Id", model).end().end();
    writer.end().finish();
    return out;
}

Buffer furnished_room() {
    return edited(plain(), [](Chunk& chunk) {
        ASSERT_TRUE(
            chunk.set_block({10, 40, 10}, {"Furniture_Crude_Chest_Small", Rotation::of_degrees(90), {}}));
        ASSERT_TRUE(chunk.set_support({10, 40, 10}, 3));
        ASSERT_TRUE((*chunk.edit_block_components())
                        ->set(BlockIndex(BlockPos{10, 40, 10}), edit_holder("gold", 0, 0, 0, 9)));
        ASSERT_TRUE(chunk.set_block({12, 40, 10}, {"Furniture_Crude_Bed", {}, {}}));
        ASSERT_TRUE(chunk.set_block({12, 40, 11}, {"Furniture_Crude_Bed", {}, Filler::of_offset(0, 0, 1)}));
        ASSERT_TRUE((*chunk.edit_entities())->add(edit_holder("Pig", 10.5, 41, 10.5, 1)));
        ASSERT_TRUE((*chunk.edit_entities())->add(edit_holder("Skeleton", 20.5, 41, 20.5, 2)));
        ASSERT_TRUE(
            chunk.update_heights([](auto key) { return world::Assets::built_in().is_transparent(key); }));
    });
}

class EditCells : public testing::Test {
protected:
    EditCells() : world_(make_world(folder_ / "world", {furnished_room(), plain(), plain(), plain()})) {}

    FillReport fill(std::string_view box, std::string_view block, const CellMask& mask = {}) {
        Area area;
        area.add(BlockBox::parse(box).value());
        NoProgress quiet;
        auto done = fill_cells(world_, edit_assets(), area, mask, {Filling::parse_block(block).value(), {}},
                               {}, quiet);
        EXPECT_TRUE(done) << done.error().text();
        return done ? *std::move(done) : FillReport{};
    }
    FillReport replace(const std::vector<std::string>& texts, const Area& area = {}) {
        std::vector<Replacement> rules;
        for (const auto& text : texts) rules.push_back(Replacement::parse(text).value());
        NoProgress quiet;
        auto done = replace_blocks(world_, edit_assets(), area, {}, rules, {}, quiet);
        EXPECT_TRUE(done) << done.error().text();
        return done ? *std::move(done) : FillReport{};
    }
    void see(ChunkPos pos, const std::function<void(const Chunk&)>& look) const {
        const auto store = world_.open({}).value();
        chunk::ChunkReader reader;
        const auto chunk = reader.read(*store, pos);
        ASSERT_TRUE(chunk && *chunk != nullptr);
        look(**chunk);
        for (const auto& problem : (*chunk)->check()) ADD_FAILURE() << problem.text();
    }
    [[nodiscard]] std::map<ChunkPos, Buffer> documents() const {
        std::map<ChunkPos, Buffer> out;
        const auto store = world_.open({}).value();
        storage::ReadContext context;
        const auto cursor = store->chunks();
        while (const auto pos = cursor->next().value()) {
            const auto bytes = store->read(*pos, context).value().value();
            out[*pos] = {bytes.begin(), bytes.end()};
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

TEST_F(EditCells, FillPutsOneBlockIntoABoxAndCanBeUndone) {
    const auto before = documents();
    const auto report = fill("30,20,4..40,50,6", "Rock_Marble@90");
    EXPECT_EQ(report.counts.blocks, 11U * 31 * 3);
    EXPECT_EQ(report.chunks, 2U);
    EXPECT_EQ(report.cells_without_chunk, 0U);
    see({1, 0}, [](const Chunk& chunk) {
        EXPECT_EQ(chunk.block({40, 50, 6}), (BlockState{"Rock_Marble", Rotation::of_degrees(90), {}}));
        EXPECT_EQ(chunk.block({41, 50, 6}).key, "Empty");
        EXPECT_EQ(chunk.heights().at(ColumnIndex(8, 6)), 50);
        EXPECT_FALSE(chunk.section(1).local_light_valid());
    });
    EXPECT_EQ(fill("30,20,4..40,50,6", "Rock_Marble@90").counts.blocks, 0U) << "it is that already";
    undo();
    EXPECT_EQ(documents(), before);
}

TEST_F(EditCells, WhatIsFilledOverGoesWithAllThatBelongsToIt) {
    const auto report = fill("10,40,10..12,40,10", "Rock_Marble");
    EXPECT_EQ(report.counts.components, 1U);
    EXPECT_EQ(report.cut_blocks, 1U) << "the bed reaches out of the box";
    see({0, 0}, [](const Chunk& chunk) {
        EXPECT_FALSE(chunk.block_components().find(BlockIndex(BlockPos{10, 40, 10})));
        EXPECT_EQ(chunk.support({10, 40, 10}), 0);
        EXPECT_EQ(chunk.block({12, 40, 11}), BlockState{});
    });
}

TEST_F(EditCells, CellsWithoutAChunkAreCounted) {
    EXPECT_EQ(fill("120,40,0..135,40,0", "Rock_Marble").cells_without_chunk, 8U);
}

TEST_F(EditCells, AMaskChoosesCells) {
    CellMask mask;
    mask.blocks = KeyPatterns::parse("Empty").value();
    const auto report = fill("0,30,0..31,33,31", "Rock_Marble", mask);
    EXPECT_EQ(report.counts.area, 4U * k_columns);
    EXPECT_EQ(report.counts.blocks, 2U * k_columns - 2) << "grass and wheat stay";
}

TEST_F(EditCells, FluidsAreFilledBesideBlocks) {
    Area area;
    area.add(BlockBox::parse("5,100,5..6,101,6").value());
    NoProgress quiet;
    const Filling water{{}, Filling::parse_fluid("Water:5", edit_assets()).value()};
    const auto done = fill_cells(world_, edit_assets(), area, {}, water, {}, quiet);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(done->counts.fluids, 8U);
    EXPECT_EQ(done->counts.blocks, 0U);
    see({0, 0},
        [](const Chunk& chunk) { EXPECT_EQ(chunk.fluid({6, 101, 6}), (chunk::FluidState{"Water", 5})); });
    const Filling none{{}, Filling::parse_fluid("Empty", edit_assets()).value()};
    EXPECT_EQ(fill_cells(world_, edit_assets(), area, {}, none, {}, quiet)->counts.fluids, 8U);
}

TEST_F(EditCells, ReplaceKeepsRotationsAndWhatBelongsToABlock) {
    const auto report = replace({"Furniture_Crude_Chest_Small=Furniture_Ancient_Chest_Small",
                                 "Rock_Stone=Rock_Basalt", "Soil_Grass*=Soil_Sand"});
    EXPECT_EQ(report.counts.blocks, 1U + 4 * k_cells + 4);
    EXPECT_EQ(report.counts.components, 0U);
    see({0, 0}, [](const Chunk& chunk) {
        EXPECT_EQ(chunk.block({10, 40, 10}),
                  (BlockState{"Furniture_Ancient_Chest_Small", Rotation::of_degrees(90), {}}));
        EXPECT_TRUE(chunk.block_components().find(BlockIndex(BlockPos{10, 40, 10})));
        EXPECT_EQ(chunk.support({10, 40, 10}), 3);
        EXPECT_EQ(chunk.block({0, 32, 0}).key, "Soil_Sand");
        EXPECT_EQ(chunk.block({5, 5, 5}).key, "Rock_Basalt");
    });
}

TEST_F(EditCells, TwoRulesThatExchangeBlocksDoNotMixThem) {
    Area area;
    area.add(BlockBox::parse("0,0,0..31,40,31").value());
    for (const auto& where : {Area(), area}) {
        replace({"Rock_Stone=Soil_Grass", "Soil_Grass=Rock_Stone"}, where);
        see({0, 0}, [](const Chunk& chunk) {
            EXPECT_EQ(chunk.block({0, 32, 0}).key, "Rock_Stone");
            EXPECT_EQ(chunk.block({5, 5, 5}).key, "Soil_Grass");
        });
        undo();
    }
}

TEST_F(EditCells, ABlockOfSeveralCellsIsReplacedWhereItsBaseIs) {
    Area base;
    base.add(BlockBox::parse("12,40,10..12,40,10").value());
    replace({"Furniture_Crude_Bed=Furniture_Village_Bed"}, base);
    see({0, 0}, [](const Chunk& chunk) {
        EXPECT_EQ(chunk.block({12, 40, 11}),
                  (BlockState{"Furniture_Village_Bed", {}, Filler::of_offset(0, 0, 1)}));
    });
    Area rest;
    rest.add(BlockBox::parse("12,40,11..12,40,11").value());
    EXPECT_EQ(replace({"Furniture_Village_Bed=Furniture_Crude_Bed"}, rest).counts.blocks, 0U);
}

TEST_F(EditCells, WhatBecomesAirLosesEverything) {
    EXPECT_EQ(replace({"Furniture_*=Empty"}).counts.components, 1U);
    see({0, 0}, [](const Chunk& chunk) {
        EXPECT_EQ(chunk.block({10, 40, 10}), BlockState{});
        EXPECT_EQ(chunk.block({12, 40, 11}), BlockState{});
    });
}

TEST(Replace, StatesBecomeTheSameStateOfTheOtherBlock) {
    const std::vector<Replacement> rules{Replacement::parse("Bench_Alchemy=Bench_Arcane").value(),
                                         Replacement::parse("Rock_*=Soil_Sand").value()};
    const auto& assets = world::Assets::built_in();
    EXPECT_EQ(replaced_key(rules, "*Bench_Alchemy_State_Definitions_CraftCompleted", assets)->to,
              "*Bench_Arcane_State_Definitions_CraftCompleted");
    EXPECT_EQ(replaced_key(rules, "*Bench_Alchemy_State_Definitions_Unheard_Of", assets)->to, "Bench_Arcane");
    EXPECT_EQ(replaced_key(rules, "Bench_Alchemy", assets)->to, "Bench_Arcane");
    EXPECT_FALSE(replaced_key(rules, "Bench_Alchemy_Large", assets));
    EXPECT_TRUE(replaced_key(rules, "Rock_Stone", assets)->same_light);
    for (const auto* text : {"", "=", "=A", "A", "A=", "A=B@45", "A=B@90,0,0,0"})
        EXPECT_FALSE(Replacement::parse(text)) << text;
}

TEST_F(EditCells, ACopyIsTurnedAndAMoveLeavesNothingBehind) {
    NoProgress quiet;
    CopyOptions options;
    options.box = BlockBox::parse("9,39,9..13,42,13").value();
    options.to = {40, 100, 3};
    options.turn = Turn::of(90, false, false);
    const auto copied = copy_cells(world_, nullptr, edit_assets(), options, quiet);
    ASSERT_TRUE(copied) << copied.error().text();
    EXPECT_EQ(copied->counts.entities_added, 1U);
    see({1, 0}, [](const Chunk& chunk) {
        // 1,1,1 from the corner; the box is five wide, so that its north is at z 3 + 4 - 1.
        EXPECT_EQ(chunk.block({41, 101, 6}),
                  (BlockState{"Furniture_Crude_Chest_Small", Rotation::of_degrees(180), {}}));
    });
    options.turn = {};
    options.moves = true;
    options.to = {10, 39, 9}; // one block to the east, onto itself
    const auto moved = copy_cells(world_, nullptr, edit_assets(), options, quiet);
    ASSERT_TRUE(moved) << moved.error().text();
    see({0, 0}, [](const Chunk& chunk) {
        EXPECT_EQ(chunk.block({10, 40, 10}), BlockState{});
        EXPECT_EQ(chunk.block({11, 40, 10}).key, "Furniture_Crude_Chest_Small");
        EXPECT_TRUE(chunk.block_components().find(BlockIndex(BlockPos{11, 40, 10})));
        EXPECT_EQ(chunk.block({13, 40, 11}).filler, Filler::of_offset(0, 0, 1));
        ASSERT_EQ(chunk.entities().holders().size(), 3U);
        const auto id =
            chunk.entities().holders()[2].find_path({"Components", "UUID", "UUID"})->binary()->data;
        EXPECT_EQ(id[15], 1) << "it is the same pig";
    });
}

TEST_F(EditCells, ACopyThatCutsABlockIsRefusedWithABoxThatDoesNot) {
    NoProgress quiet;
    CopyOptions options;
    options.box = BlockBox::parse("9,39,9..13,42,10").value();
    options.to = {40, 100, 3};
    const auto refused = copy_cells(world_, nullptr, edit_assets(), options, quiet);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().advice.find("9,39,9..13,42,11"), std::string::npos) << refused.error().text();
    options.leaves_cut = true;
    const auto done = copy_cells(world_, nullptr, edit_assets(), options, quiet);
    ASSERT_TRUE(done);
    EXPECT_EQ(done->left_out, 1U);
}

TEST_F(EditCells, ACopyFromAnotherWorldAndAMoveBetweenWorlds) {
    const auto other = make_world(folder_ / "other", {plain()});
    NoProgress quiet;
    CopyOptions options;
    options.box = BlockBox::parse("9,39,9..13,42,13").value();
    options.to = {1, 60, 1};
    options.moves = true;
    const auto moved = copy_cells(other, &world_, edit_assets(), options, quiet);
    ASSERT_TRUE(moved) << moved.error().text();
    ASSERT_TRUE(moved->cleared);
    EXPECT_EQ(moved->cleared->counts.entities_removed, 1U);
    see({0, 0}, [](const Chunk& chunk) { EXPECT_EQ(chunk.block({12, 40, 11}), BlockState{}); });
    const auto store = other.open({}).value();
    chunk::ChunkReader reader;
    EXPECT_EQ((*reader.read(*store, {0, 0}))->block({4, 61, 3}).key, "Furniture_Crude_Bed");
}

/// Everything of a chunk that a copy brings, but for the ids of its entities, which are new in every copy.
struct CopiedContent {
    std::vector<std::pair<std::string, int>> cells; ///< and how many of a kind follow each other
    std::map<BlockIndex, Buffer> components;
    std::vector<std::int16_t> heights;
    std::multiset<std::string> entities;
    friend bool operator==(const CopiedContent&, const CopiedContent&) = default;
};

CopiedContent copied_content(const world::World& world) {
    CopiedContent out;
    const auto store = world.open({}).value();
    chunk::ChunkReader reader;
    const auto cursor = store->chunks();
    while (const auto pos = cursor->next().value()) {
        const auto& chunk = **reader.read(*store, *pos);
        for (const auto& problem : chunk.check()) ADD_FAILURE() << problem.text();
        std::optional<std::tuple<BlockState, chunk::FluidState, std::uint8_t>> last;
        for (int y = 0; y < k_sections; ++y)
            for (int i = 0; i < k_cells; ++i) {
                const CellIndex cell(i);
                const BlockPos at{pos->x * 32 + cell.x(), y * 32 + cell.y(), pos->z * 32 + cell.z()};
                const auto block = chunk.block(at);
                const auto fluid = chunk.fluid(at);
                const auto now = std::tuple(block, fluid, chunk.support(at));
                if (last != now)
                    out.cells.emplace_back(fmt::format("{} {} {} {} {} {}", block.key, block.rotation.index,
                                                       block.filler.stored, fluid.key, fluid.level,
                                                       chunk.support(at)),
                                           0);
                ++out.cells.back().second;
                last = now;
            }
        for (const auto& entry : chunk.block_components().entries()) {
            const auto bytes = entry.holder.bytes();
            out.components[entry.index] = {bytes.begin(), bytes.end()};
        }
        for (int i = 0; i < k_columns; ++i) out.heights.push_back(chunk.heights().at(ColumnIndex(i)));
        for (const auto& holder : chunk.entities().holders()) {
            const auto place = holder.find_path({"Components", "Transform", "Position"});
            if (!place) continue;
            const auto bytes = place->raw();
            out.entities.emplace(bytes.begin(), bytes.end());
        }
    }
    return out;
}

TEST_F(EditCells, ACopyThatIsNotHeldInMemoryIsTheSame) {
    fill("28,39,3..40,50,20", "Rock_Marble");
    fill("30,51,3..33,51,9", "Furniture_Crude_Chest_Small@90");
    int number = 0;
    for (const auto turn : {Turn{}, Turn::of(90, false, false), Turn::of(180, true, false)}) {
        CopyOptions options;
        options.box = BlockBox::parse("5,36,2..45,60,30").value();
        options.to = {20, 70, 1};
        options.turn = turn;
        std::vector<CopiedContent> copies;
        for (const std::uint64_t held : {options.box.cells(), std::uint64_t{0}}) {
            const auto target =
                make_world(folder_ / fmt::format("copy{}", number++), {plain(), plain(), plain(), plain()});
            options.held_cells = held;
            NoProgress quiet;
            const auto copied = copy_cells(target, &world_, edit_assets(), options, quiet);
            ASSERT_TRUE(copied) << copied.error().text();
            EXPECT_GE(copied->counts.entities_added, 1U); // a turned one may land where no chunk is
            EXPECT_GT(copied->counts.blocks, 1000U);
            copies.push_back(copied_content(target));
        }
        EXPECT_EQ(copies[0].cells, copies[1].cells);
        EXPECT_EQ(copies[0].components, copies[1].components);
        EXPECT_EQ(copies[0].heights, copies[1].heights);
        EXPECT_EQ(copies[0].entities, copies[1].entities);
    }
}

TEST_F(EditCells, ChunksAreTheSameWhetherTheyWereKeptFromThePlanOrMadeAgain) {
    const auto made = [&](std::size_t keep, std::size_t threads) {
        const auto place = folder_ / fmt::format("kept{}-{}", keep, threads);
        const auto lit = with_computed_light(plain());
        const auto copy = make_world(place, {with_computed_light(furnished_room()), lit, lit, lit});
        EditOptions options;
        options.keep = keep;
        options.threads = threads;
        NoProgress quiet;
        const std::vector<Replacement> rules{Replacement::parse("Furniture_Crude_Chest*=Empty").value(),
                                             Replacement::parse("Rock_*=Rock_Crystal_Blue_Large").value()};
        Area area;
        area.add(BlockBox::parse("9,30,9..12,41,10").value()); // cuts the bed in two
        area.add(BlockBox::parse("20,100,9..52,140,12").value());
        // The chunks of the next two are both changed, and make the light of each other stale.
        const auto edit_both = [&](std::string_view block) {
            return fill_cells(copy, edit_assets(), area, {}, {Filling::parse_block(block).value(), {}},
                              options, quiet);
        };
        const auto filled = edit_both("Rock_Marble");
        EXPECT_TRUE(filled) << filled.error().text();
        EXPECT_EQ(filled->cut_blocks, 1U);
        EXPECT_EQ(filled->light_chunks, 1U);
        const auto replaced = replace_blocks(copy, edit_assets(), {}, {}, rules, options, quiet);
        EXPECT_TRUE(replaced) << replaced.error().text();
        std::map<ChunkPos, Buffer> out;
        const auto store = copy.open({}).value();
        storage::ReadContext context;
        const auto cursor = store->chunks();
        while (const auto pos = cursor->next().value()) {
            const auto bytes = store->read(*pos, context).value().value();
            out[*pos] = {bytes.begin(), bytes.end()};
        }
        return out;
    };
    const auto again = made(0, 1);
    EXPECT_EQ(made(std::size_t{1} << 30, 1), again);
    EXPECT_EQ(made(std::size_t{1} << 30, 3), again);
    EXPECT_EQ(made(2000, 2), again) << "one frame fits";
}

/// All blocks of two chunks beside each other, from the lowest: how many of which follow each other.
std::vector<std::pair<std::string, int>> blocks_of(const world::World& world) {
    std::vector<std::pair<std::string, int>> out;
    const auto store = world.open({}).value();
    chunk::ChunkReader reader;
    for (const ChunkPos pos : {ChunkPos{0, 0}, ChunkPos{1, 0}}) {
        const auto* chunk = reader.read(*store, pos).value();
        for (const auto& problem : chunk->check()) ADD_FAILURE() << problem.text();
        std::optional<BlockState> last;
        for (int y = 0; y < k_sections; ++y)
            for (int i = 0; i < k_cells; ++i) {
                const auto block = chunk->section(y).block_at(CellIndex(i));
                if (last != block)
                    out.emplace_back(
                        fmt::format("{} {} {}", block.key, block.rotation.index, block.filler.stored), 0);
                ++out.back().second;
                last = block;
            }
    }
    return out;
}

TEST_F(EditCells, AReplacementOfEverythingIsThatOfAnAreaWithEverything) {
    // A bed that lies on the border of two chunks.
    const auto west = edited(furnished_room(), [](Chunk& chunk) {
        ASSERT_TRUE(chunk.set_block({31, 60, 5}, {"Furniture_Crude_Bed", {}, {}}));
    });
    const auto east = edited(plain(), [](Chunk& chunk) {
        ASSERT_TRUE(chunk.set_block({0, 60, 5}, {"Furniture_Crude_Bed", {}, Filler::of_offset(1, 0, 0)}));
    });
    // Keys of a time before the migrations, in old sections and in those of today.
    auto sections = documents::ten_sections();
    for (auto& section : sections) section.migrations = 0;
    sections[2].blocks = old_sections()[2].blocks;
    sections[2].blocks[0] = sections[2].blocks[1025] = "Mod_Block"; // that had attributes
    const auto unmigrated = documents::document(sections);
    const std::vector<std::pair<Buffer, Buffer>> pairs{{west, east}, {old_document(), unmigrated}};
    const std::vector<std::vector<std::string>> rule_sets{
        {"Furniture_*=Rock_Basalt", "Rock_Stone=Rock_Basalt", "Soil_*=Rock_Basalt"}, // become one
        {"Furniture_Crude_Bed=Furniture_Village_Bed", "Rock_*=Empty"},
        {"Empty=Rock_Stone", "Rock_Stone=Empty"},
        {"Furniture_*=Empty", "Wood_*=Wood_Oak_Trunk@90", "Mod_Block=Rock_Stone"},
        {"*=Rock_Stone@180"},
        {"Nothing_Has_This=Rock_Stone"}};
    int number = 0;
    for (const auto& [first, second] : pairs)
        for (const auto& texts : rule_sets) {
            SCOPED_TRACE(fmt::format("{}", fmt::join(texts, " ")));
            std::vector<Replacement> rules;
            for (const auto& text : texts) rules.push_back(Replacement::parse(text).value());
            Area everywhere;
            everywhere.add(BlockBox::parse("0,0,0..63,319,31").value());
            NoProgress quiet;
            std::vector<FillReport> reports;
            std::vector<std::vector<std::pair<std::string, int>>> blocks;
            for (const auto& area : {Area(), everywhere}) {
                const auto world = make_world(folder_ / fmt::format("whole{}", number++), {first, second});
                reports.push_back(replace_blocks(world, edit_assets(), area, {}, rules, {}, quiet).value());
                blocks.push_back(blocks_of(world));
            }
            EXPECT_TRUE(blocks[0] == blocks[1]);
            EXPECT_EQ(reports[0].counts.cells, reports[1].counts.cells);
            EXPECT_EQ(reports[0].counts.blocks, reports[1].counts.blocks);
            EXPECT_EQ(reports[0].counts.components, reports[1].counts.components);
            EXPECT_EQ(reports[0].counts.cut_cells, reports[1].counts.cut_cells);
            EXPECT_EQ(reports[0].chunks, reports[1].chunks);
        }
}

TEST_F(EditCells, KeysThatAreMigratedAndReplacedInOneStepAreStoredAsInTwo) {
    SEEDED_RANDOM(random);
    // Up to 23 with Rock_Stone. As they become 14 at most, the palette of many becomes narrower in between.
    std::vector<std::string> keys{"Rock_Basalt", "Soil_Dirt", "Mod_Block_1", "Mod_Block_2"};
    for (const auto* crop :
         {"Berry", "Carrot", "Cauliflower", "Chilli", "Corn", "Cotton", "Lettuce", "Onion", "Wheat"})
        for (const auto* end : {"Stage_0", "Block"})
            keys.push_back(fmt::format("Plant_Crop_{}_{}", crop, end));
    const auto table = edit_assets().migrations.for_chunks();
    ASSERT_EQ(table.apply("Plant_Crop_Carrot_Stage_0", 0), "Plant_Crop_Carrot_Block");
    const std::vector<Replacement> rules{Replacement::parse("Rock_*=Rock_Basalt").value(),
                                         Replacement::parse("Soil_*=Plant_Crop_Berry_Block").value(),
                                         Replacement::parse("Mod_Block_1=Empty").value()};
    int joined = 0;
    int round = 0;
    for (const std::size_t values :
         {1U, 2U, 3U, 5U, 9U, 13U, 14U, 15U, 16U, 17U, 19U, 21U, 22U, 22U, 22U, 22U}) {
        ++round;
        SCOPED_TRACE(values);
        std::ranges::shuffle(keys, random);
        auto sections = documents::ten_sections();
        sections[0].migrations = 0;
        auto& blocks = sections[0].blocks;
        for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = keys[i < values ? i : random() % values];
        blocks.back() = "Rock_Stone"; // so that there is something to replace
        const auto stored = documents::document(sections);
        const auto migrated =
            edited(stored, [&](Chunk& chunk) { (*chunk.edit_section(0))->modernise(&table); });
        std::vector<Buffer> made;
        for (const auto& document : {stored, migrated}) {
            const auto world =
                make_world(folder_ / fmt::format("steps{}-{}", round, made.size()), {document});
            NoProgress quiet;
            ASSERT_TRUE(replace_blocks(world, edit_assets(), {}, {}, rules, {}, quiet));
            const auto store = world.open({}).value();
            storage::ReadContext context;
            const auto bytes = store->read({0, 0}, context).value().value();
            made.emplace_back(bytes.begin(), bytes.end());
        }
        EXPECT_EQ(made[0], made[1]);
        const auto chunk = Chunk::decode(made[0]).value();
        EXPECT_EQ(chunk.section(0).migration_count, table.count);
        EXPECT_TRUE(chunk.check().empty());
        joined += chunk.section(0).blocks.entries().size() < values ? 1 : 0;
    }
    EXPECT_GT(joined, 0);
}

TEST_F(EditCells, AChunkThatWasCompressedBeforeTheOneBesideItMadeItsLightStaleIsMarked) {
    const auto lit = with_computed_light(plain());
    const auto with_crystal = with_computed_light(edited(plain(), [](Chunk& chunk) {
        ASSERT_TRUE(chunk.set_block({1, 5, 5}, {"Rock_Crystal_Blue_Large", {}, {}}));
    }));
    const std::vector<Replacement> rules{Replacement::parse("Rock_Stone=Rock_Basalt").value(),
                                         Replacement::parse("Rock_Crystal_Blue_Large=Empty").value()};
    std::vector<std::map<ChunkPos, Buffer>> made;
    for (const std::size_t keep : {std::size_t{0}, std::size_t{1} << 30}) {
        const auto world = make_world(folder_ / fmt::format("marked{}", keep), {lit, with_crystal, lit});
        EditOptions options;
        options.keep = keep;
        NoProgress quiet;
        ASSERT_TRUE(replace_blocks(world, edit_assets(), {}, {}, rules, options, quiet));
        const auto store = world.open({}).value();
        chunk::ChunkReader reader;
        made.emplace_back();
        for (const ChunkPos pos : {ChunkPos{0, 0}, ChunkPos{1, 0}, ChunkPos{2, 0}}) {
            const auto* chunk = reader.read(*store, pos).value();
            EXPECT_EQ(chunk->section(0).local_light_valid(), pos.x != 1);
            EXPECT_FALSE(chunk->section(0).global_light_valid());
            EXPECT_TRUE(chunk->section(3).global_light_valid());
            EXPECT_EQ(chunk->block({3, 3, 3}).key, "Rock_Basalt");
            made.back()[pos] = {chunk->document().begin(), chunk->document().end()};
        }
    }
    EXPECT_EQ(made[0], made[1]);
}

TEST_F(EditCells, EntitiesAreRemovedByKindAndArea) {
    NoProgress quiet;
    Area area;
    area.add(BlockBox::parse("0,0,0..15,319,15").value());
    const auto kinds = KeyPatterns::parse("Skel*").value();
    EXPECT_EQ(remove_entities(world_, edit_assets(), area, kinds, {}, quiet)->counts.entities_removed, 0U);
    EXPECT_EQ(remove_entities(world_, edit_assets(), {}, kinds, {}, quiet)->counts.entities_removed, 1U);
    EXPECT_EQ(remove_entities(world_, edit_assets(), area, {}, {}, quiet)->counts.entities_removed, 1U);
    see({0, 0},
        [](const Chunk& chunk) { EXPECT_EQ(chunk.entities().holders().size(), 1U) << "Bob has no place"; });
}

TEST_F(EditCells, RandomEditsOfAllKindsAreUndoneByteForByte) {
    SEEDED_RANDOM(random);
    const auto before = documents();
    const auto number = [&](int least, int most) {
        return std::uniform_int_distribution<int>(least, most)(random);
    };
    for (int i = 0; i < 12; ++i) {
        const BlockPos a{number(-10, 130), number(0, 319), number(0, 40)};
        const auto box = fmt::format("{:n}..{},{},{}", a, a.x + number(0, 50),
                                     std::min(319, a.y + number(0, 60)), a.z + number(0, 50));
        if (i % 2 == 0)
            fill(box, i % 4 == 0 ? "Rock_Marble" : "Empty");
        else
            replace({"Rock_*=Soil_Sand", "Empty=Rock_Basalt", "Furniture_*=Empty"}, [&] {
                Area area;
                area.add(BlockBox::parse(box).value());
                return area;
            }());
    }
    for (int i = 0; i < 12 && documents() != before; ++i) undo();
    EXPECT_EQ(documents(), before);
}

/// Each real world: edit a copy, look whether it is sound, undo, and it is as before.
TEST(EditRealWorlds, AreSoundAfterEditsAndTheSameAfterUndo) {
    const auto shared = test::shared_folder();
    if (!shared) GTEST_SKIP() << "no real worlds here";
    std::set<std::filesystem::path> worlds;
    for (const auto& entry : std::filesystem::directory_iterator(*shared / "worlds"))
        if (std::filesystem::is_directory(entry.path() / "chunks")) worlds.insert(entry.path());
    int number = 0;
    for (const auto& original : worlds) {
        if (++number % test::step() != 0) continue;
        SCOPED_TRACE(original.string());
        const test::TemporaryFolder folder;
        const auto place = folder / "world";
        std::filesystem::copy(original, place, std::filesystem::copy_options::recursive);
        for (const auto& file : std::filesystem::recursive_directory_iterator(place))
            std::filesystem::permissions(file.path(), std::filesystem::perms::owner_all,
                                         std::filesystem::perm_options::add);
        std::filesystem::permissions(place, std::filesystem::perms::owner_all,
                                     std::filesystem::perm_options::add);
        const auto world = world::find_location(place).value().worlds.at(0);
        const auto stored = [&] {
            std::map<ChunkPos, Sha256> out;
            const auto store = world.open({}).value();
            storage::ReadContext context;
            const auto cursor = store->chunks();
            while (const auto pos = cursor->next().value())
                out[*pos] = *stored_hash(*store, *pos, context).value();
            return out;
        };
        const auto before = stored();
        NoProgress quiet;
        const std::vector<Replacement> rules{Replacement::parse("Rock_*=Rock_Basalt").value(),
                                             Replacement::parse("Soil_Grass*=Soil_Sand").value(),
                                             Replacement::parse("Plant_*=Empty").value()};
        EditOptions options;
        options.threads = 2;
        const auto replaced = replace_blocks(world, edit_assets(), {}, {}, rules, options, quiet);
        ASSERT_TRUE(replaced) << replaced.error().text();
        EXPECT_FALSE(replaced->refused);
        Area area;
        area.limit_to_surface(3);
        const auto filled = fill_cells(world, edit_assets(), area, {},
                                       {Filling::parse_block("Rock_Marble").value(), {}}, options, quiet);
        ASSERT_TRUE(filled) << filled.error().text();
        const auto store = world.open({}).value();
        chunk::ChunkReader reader;
        const auto cursor = store->chunks();
        while (const auto pos = cursor->next().value()) {
            auto* chunk = reader.read(*store, *pos).value();
            for (const auto& problem : chunk->check())
                ADD_FAILURE() << pos->x << "," << pos->z << problem.text();
            for (int y = 0; y < k_sections; ++y)
                for (const auto& each : chunk->section(y).blocks.entries())
                    EXPECT_FALSE(each.cells > 0 && each.value.starts_with("Plant_")) << each.value;
        }
        std::vector<Error> problems;
        for (int i = 0; i < 2; ++i) {
            const auto found = world::find_location(place).value();
            const auto changes = past_changes(found, problems).value();
            if (changes.empty()) break;
            ASSERT_TRUE(undo_change(changes.front(), {}, quiet));
        }
        EXPECT_EQ(stored(), before);
    }
}

} // namespace
} // namespace orbis::jobs
