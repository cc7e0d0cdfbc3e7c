#include "bson/writer.hpp"
#include "jobs/compare/diff_chunks.hpp"
#include "jobs/compare/diff_holders.hpp"
#include "jobs/test_worlds/old_documents_test.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>

#include <array>

namespace orbis::jobs {
namespace {

using namespace test_worlds;
using chunk::Chunk;

constexpr ChunkPos k_compared_pos{-2, 3};
constexpr DiffOptions k_all{};
constexpr DiffOptions k_terrain{.terrain = true};

ChunkDiff diff(const Buffer& a, const Buffer& b, const DiffOptions& options = k_all) {
    const auto before = Chunk::decode(Bytes(a), ChunkComparer::parts(options));
    const auto after = Chunk::decode(Bytes(b), ChunkComparer::parts(options));
    EXPECT_TRUE(before && after);
    ChunkComparer comparer;
    return comparer.compare(k_compared_pos, *before, *after, options);
}

TEST(DiffChunks, AChunkEqualsItself) {
    EXPECT_TRUE(diff(plain(), plain()).empty());
    const auto old = documents::document(old_sections());
    EXPECT_TRUE(diff(old, old).empty());
    EXPECT_TRUE(diff(damaged_document(), damaged_document()).empty()) << "the same damage is no difference";
}

TEST(DiffChunks, ChangedBlocksAreListedWithTheirPlaceInTheWorld) {
    const auto changed = edited(plain(), [](Chunk& chunk) {
        ASSERT_TRUE(chunk.set_block({5, 7, 9}, {"Wood_Stairs", chunk::Rotation::of_degrees(90), {}}));
        ASSERT_TRUE(chunk.set_block({0, 32, 0}, {"Soil_Grass", chunk::Rotation::of_degrees(180), {}}));
    });
    for (const auto& options : {k_all, k_terrain}) {
        const auto found = diff(plain(), changed, options);
        EXPECT_EQ(found.blocks, 2U);
        ASSERT_EQ(found.block_changes.size(), 2U);
        EXPECT_EQ(found.block_changes[0].pos, (BlockPos{-64 + 5, 7, 96 + 9}));
        EXPECT_EQ(found.block_changes[0].before, (BlockValue{"Rock_Stone", {}, {}}));
        EXPECT_EQ(found.block_changes[0].after, (BlockValue{"Wood_Stairs", {1}, {}}));
        EXPECT_EQ(found.block_changes[1].after.rotation.yaw(), 180);
        EXPECT_EQ((found.block_pairs.at({"Rock_Stone", "Wood_Stairs"})), 1U);
        EXPECT_EQ((found.block_pairs.at({"Soil_Grass", "Soil_Grass"})), 1U);
        EXPECT_TRUE(found.columns[ColumnIndex(5, 9).value]);
        EXPECT_EQ(found.columns.count(), 2U);
        EXPECT_EQ(found.fluids, 0U);
    }
    const auto back = diff(changed, plain());
    EXPECT_EQ(back.block_changes.at(0).after.key, "Rock_Stone");
}

TEST(DiffChunks, AnotherBlockAndAnotherRotationInOneSectionAreBothFound) {
    const auto turned = [](int degrees, std::string_view key) {
        return edited(plain(), [&](Chunk& chunk) {
            ASSERT_TRUE(chunk.set_block({5, 7, 9}, {key, {}, {}}));
            ASSERT_TRUE(
                chunk.set_block({6, 7, 9}, {"Wood_Stairs", chunk::Rotation::of_degrees(degrees), {}}));
        });
    };
    const auto found = diff(turned(90, "Soil_Grass"), turned(180, "Soil_Dirt"));
    EXPECT_EQ(found.blocks, 2U);
    EXPECT_EQ((found.block_pairs.at({"Soil_Grass", "Soil_Dirt"})), 1U);
}

TEST(DiffChunks, TheFormInWhichBlocksAreStoredDoesNotMatter) {
    // Entries in another order.
    const auto other = edited(plain(), [](Chunk& chunk) {
        auto* section = chunk.edit_section(1).value();
        section->blocks.set(CellIndex(0), "Empty");
        section->blocks.set(CellIndex(36), "Empty");
        section->blocks.set(CellIndex(36), "Plant_Crop_Wheat_Block");
        section->blocks.set(CellIndex(0), "Soil_Grass");
    });
    EXPECT_NE(plain(), other);
    EXPECT_TRUE(diff(plain(), other).empty());
}

TEST(DiffChunks, AnOldChunkEqualsItsUpgrade) {
    const auto old = documents::document(old_sections());
    const auto upgraded = edited(old, [](Chunk& chunk) {
        for (int y = 0; y < k_sections; ++y) ASSERT_TRUE(chunk.edit_section(y));
    });
    EXPECT_NE(old, upgraded);
    const auto found = diff(old, upgraded);
    EXPECT_TRUE(found.empty()) << found.blocks << " " << found.fluids << " " << found.supports << " "
                               << found.light_sections;
}

TEST(DiffChunks, FluidsAreComparedByKeyAndLevel) {
    const auto changed = edited(plain(), [](Chunk& chunk) {
        ASSERT_TRUE(chunk.set_fluid({4, 32, 3}, {"Water_Source", 5})); // cell 100
        ASSERT_TRUE(chunk.set_fluid({0, 100, 0}, {"Lava", 3}));
    });
    const auto found = diff(plain(), changed, k_terrain);
    EXPECT_EQ(found.fluids, 2U);
    EXPECT_EQ(found.blocks, 0U);
    ASSERT_EQ(found.fluid_changes.size(), 2U);
    EXPECT_EQ(found.fluid_changes[0].before, (FluidValue{"Water_Source", 1}));
    EXPECT_EQ(found.fluid_changes[0].after, (FluidValue{"Water_Source", 5}));
    EXPECT_EQ(found.fluid_changes[1].pos, (BlockPos{-64, 100, 96}));
}

TEST(DiffChunks, HeightsTintsAndEnvironmentsCountColumns) {
    const auto changed = edited(plain(), [](Chunk& chunk) {
        (*chunk.edit_heights())->set(ColumnIndex(7), 99);
        (*chunk.edit_tints())->set(ColumnIndex(8), 5);
        (*chunk.edit_tints())->set(ColumnIndex(9), 5);
        const std::array runs{chunk::EnvironmentRun{40, "Env_Caves"},
                              chunk::EnvironmentRun{.key = "Env_Plains"}};
        (*chunk.edit_environments())->set_runs(ColumnIndex(10), runs);
        // The same thing in two runs.
        const std::array split{chunk::EnvironmentRun{10, "Env_Caves"}, chunk::EnvironmentRun{30, "Env_Caves"},
                               chunk::EnvironmentRun{.key = "Env_Plains"}};
        (*chunk.edit_environments())->set_runs(ColumnIndex(11), split);
    });
    for (const auto& options : {k_all, k_terrain}) {
        const auto found = diff(plain(), changed, options);
        EXPECT_EQ(found.heights, 1U);
        EXPECT_EQ(found.tints, 2U);
        EXPECT_EQ(found.environments, 1U);
        EXPECT_EQ(found.columns.count(), 4U);
    }
}

TEST(DiffChunks, TerrainLeavesOutLightTickingSupportComponentsAndEntities) {
    const auto changed = edited(plain(), [](Chunk& chunk) {
        ASSERT_TRUE(chunk.set_support({0, 0, 0}, 3));
        ASSERT_TRUE(chunk.set_ticking({0, 0, 0}, true));
        (*chunk.edit_section(5))->invalidate_light();
        ASSERT_TRUE((*chunk.edit_block_components())->remove(chunk::BlockIndex(2084)));
        ASSERT_TRUE((*chunk.edit_entities())->remove(0));
        ASSERT_TRUE(chunk.remove_component("MadeByAMod"));
    });
    EXPECT_TRUE(diff(plain(), changed, k_terrain).empty());
    const auto found = diff(plain(), changed);
    EXPECT_EQ(found.supports, 1U);
    EXPECT_EQ(found.ticking, 1U);
    EXPECT_EQ(found.light_sections, 1U);
    EXPECT_EQ(found.components, 1U);
    EXPECT_EQ(found.entities, 1U);
    EXPECT_EQ(found.other, (std::vector<std::string>{"MadeByAMod"}));
    EXPECT_EQ(found.component_changes.at(0).kind, ChangeKind::removed);
    EXPECT_EQ(found.component_changes.at(0).names, (std::vector<std::string>{"FarmingBlock"}));
    EXPECT_EQ(found.entity_changes.at(0).what, "Bob");
}

Buffer holder(std::string_view component, std::string_view text, int id = 0) {
    Buffer out;
    bson::Writer writer(out);
    writer.document("Components");
    if (id != 0) {
        std::array<std::uint8_t, 16> uuid{};
        uuid[15] = static_cast<std::uint8_t>(id);
        writer.document("UUID").uuid("UUID", uuid).end();
    }
    writer.document(component).string("Text", text).end();
    writer.end().finish();
    return out;
}

TEST(DiffChunks, ComponentsOfABlockAreComparedByName) {
    const auto a = edited(plain(), [](Chunk& chunk) {
        auto& components = **chunk.edit_block_components();
        ASSERT_TRUE(components.set(chunk::BlockIndex(5), holder("BenchBlock", "one")));
        ASSERT_TRUE(components.set(chunk::BlockIndex(6), holder("BenchBlock", "same")));
    });
    const auto b = edited(a, [](Chunk& chunk) {
        auto& components = **chunk.edit_block_components();
        ASSERT_TRUE(components.set(chunk::BlockIndex(5), holder("BenchBlock", "two")));
        ASSERT_TRUE(components.set(chunk::BlockIndex(7), holder("RespawnBlock", "new")));
    });
    const auto found = diff(a, b);
    EXPECT_EQ(found.components, 2U);
    ASSERT_EQ(found.component_changes.size(), 2U);
    EXPECT_EQ(found.component_changes[0].kind, ChangeKind::changed);
    EXPECT_EQ(found.component_changes[0].names, (std::vector<std::string>{"BenchBlock"}));
    EXPECT_EQ(found.component_changes[0].pos, (BlockPos{-64 + 5, 0, 96}));
    EXPECT_EQ(found.component_changes[1].kind, ChangeKind::added);
}

TEST(DiffChunks, EntitiesAreFollowedByTheirId) {
    const auto with = [](std::vector<Buffer> holders) {
        return edited(plain(), [&](Chunk& chunk) {
            auto& entities = **chunk.edit_entities();
            entities.remove(0);
            for (auto& one : holders) ASSERT_TRUE(entities.add(one));
        });
    };
    const auto a =
        with({holder("Nameplate", "Ann", 1), holder("Nameplate", "Bea", 2), holder("Nameplate", "Z")});
    const auto b =
        with({holder("Nameplate", "Z"), holder("Nameplate", "Bee", 2), holder("Nameplate", "Cid", 3)});
    const auto found = diff(a, b);
    EXPECT_EQ(found.entities, 3U) << "the one without an id only changed its place in the list";
    ASSERT_EQ(found.entity_changes.size(), 3U);
    EXPECT_EQ(found.entity_changes[0].kind, ChangeKind::removed);
    EXPECT_EQ(found.entity_changes[0].what, "Ann");
    EXPECT_EQ(found.entity_changes[1].kind, ChangeKind::changed);
    EXPECT_EQ(found.entity_changes[1].names, (std::vector<std::string>{"Nameplate"}));
    EXPECT_EQ(found.entity_changes[2].kind, ChangeKind::added);
    EXPECT_EQ(found.entity_changes[2].uuid, "00000000-0000-0000-0000-000000000003");
}

TEST(DiffChunks, DetailsStopAtTheLimitAndCountsDoNot) {
    const auto changed = edited(plain(), [](Chunk& chunk) {
        (*chunk.edit_section(0))->blocks.fill("Rock_Marble");
        ASSERT_TRUE(chunk.touch_blocks(0));
    });
    const auto found = diff(plain(), changed, {.terrain = true, .most_details = 7});
    EXPECT_EQ(found.blocks, 32768U);
    EXPECT_EQ(found.block_changes.size(), 7U);
    EXPECT_EQ((found.block_pairs.at({"Rock_Stone", "Rock_Marble"})), 32768U);
    EXPECT_EQ(found.columns.count(), 1024U);
}

TEST(DiffChunks, APartThatCannotBeReadDiffersUnlessItsBytesAreTheSame) {
    const auto found = diff(plain(), damaged_document());
    EXPECT_EQ(found.unreadable, (std::vector<std::string>{"section 0 Block"}));
    EXPECT_EQ(found.blocks, 0U) << "nothing is said about cells that nobody can read";
    const auto elsewhere = edited(damaged_document(), [](Chunk& chunk) {
        ASSERT_TRUE(chunk.set_block({0, 200, 0}, {"Rock_Stone", {}, {}}));
    });
    EXPECT_TRUE(diff(damaged_document(), elsewhere).unreadable.empty());
    EXPECT_EQ(diff(damaged_document(), elsewhere).blocks, 1U);
}

TEST(DiffChunks, DetailsOfEachKindStopAtTheirLimit) {
    const auto changed = edited(plain(), [](Chunk& chunk) {
        for (int i = 0; i < 5; ++i) {
            ASSERT_TRUE(chunk.set_fluid({i, 100, 0}, {"Water", 3}));
            ASSERT_TRUE((*chunk.edit_block_components())->set(chunk::BlockIndex(i), holder("Bench", "x")));
            ASSERT_TRUE((*chunk.edit_entities())->add(holder("Nameplate", "x", 20 + i)));
        }
    });
    for (const std::size_t most : {0U, 1U, 4U, 5U, 6U}) {
        const auto found = diff(plain(), changed, {.terrain = false, .most_details = most});
        const auto listed = std::min<std::size_t>(most, 5);
        EXPECT_EQ(found.fluids, 5U);
        EXPECT_EQ(found.fluid_changes.size(), listed) << most;
        EXPECT_EQ(found.components, 5U);
        EXPECT_EQ(found.component_changes.size(), listed) << most;
        EXPECT_EQ(found.entities, 5U);
        EXPECT_EQ(found.entity_changes.size(), listed) << most;
    }
}

TEST(DiffChunks, RemovedComponentsAndEntitiesAreToldLikeAddedOnes) {
    const auto changed = edited(plain(), [](Chunk& chunk) {
        ASSERT_TRUE((*chunk.edit_block_components())->set(chunk::BlockIndex(33), holder("Bench", "x")));
        ASSERT_TRUE((*chunk.edit_entities())->add(holder("Nameplate", "Ann", 7)));
    });
    for (const bool is_removed : {false, true}) {
        const auto found = is_removed ? diff(changed, plain()) : diff(plain(), changed);
        const auto kind = is_removed ? ChangeKind::removed : ChangeKind::added;
        ASSERT_EQ(found.component_changes.size(), 1U);
        EXPECT_EQ(found.component_changes[0].kind, kind);
        EXPECT_EQ(found.component_changes[0].names, std::vector<std::string>{"Bench"});
        EXPECT_EQ(found.component_changes[0].pos, (BlockPos{-64 + 1, 0, 96 + 1}));
        EXPECT_TRUE(found.columns[33]);
        EXPECT_EQ(found.columns.count(), 1U);
        ASSERT_EQ(found.entity_changes.size(), 1U);
        EXPECT_EQ(found.entity_changes[0].kind, kind);
        EXPECT_EQ(found.entity_changes[0].what, "Ann");
    }
    EXPECT_EQ(name(ChangeKind::added), "added");
    EXPECT_EQ(name(ChangeKind::removed), "removed");
    EXPECT_EQ(name(ChangeKind::changed), "changed");
}

/// The first of these names that an entity has says what it is.
TEST(DiffChunks, AnEntityIsCalledByItsFirstName) {
    static constexpr std::array<std::string_view, 5> k_names{"Nameplate", "Item", "Model", "BlockEntity",
                                                             "SpawnMarkerComponent"};
    for (std::size_t first = 0; first < k_names.size(); ++first) {
        Buffer out;
        bson::Writer writer(out);
        writer.document("Components");
        for (std::size_t i = first; i < k_names.size(); ++i) {
            writer.document(k_names[i]);
            if (i == 0) writer.string("Text", "Nameplate");
            if (i == 1) writer.document("Item").string("Id", "Item").end();
            if (i == 2) writer.document("Model").string("Id", "Model").end();
            if (i == 3) writer.string("BlockTypeKey", "BlockEntity");
            if (i == 4) writer.string("SpawnMarker", "SpawnMarkerComponent");
            writer.end();
        }
        writer.document("Transform").document("Position").real("X", -1.5).real("Y", 2.25).real("Z", 3).end();
        writer.end().end().finish();
        const auto found = describe_entity(bson::Document::open(out).value());
        EXPECT_EQ(found.what, k_names.at(first));
        EXPECT_EQ(found.x, -1.5);
        EXPECT_EQ(found.y, 2.25);
        EXPECT_EQ(found.z, 3);
        EXPECT_EQ(found.uuid, "");
    }
}

TEST(DiffChunks, NamesThatDifferAreListedOnceAndInOrder) {
    const auto made = [](const auto& write) {
        Buffer out;
        bson::Writer writer(out);
        write(writer);
        writer.finish();
        return out;
    };
    const auto names = [&](const auto& a, const auto& b) {
        const auto left = made(a);
        const auto right = made(b);
        return differing_names(bson::Document::open(left).value(), bson::Document::open(right).value());
    };
    using Names = std::vector<std::string>;
    const auto one = [](bson::Writer& to) {
        to.int32("b", 1).string("a", "x").document("d").int32("x", 1).int32("y", 2).end();
        to.array("l").int32("0", 1).int32("1", 2).end();
    };
    EXPECT_EQ(names(one, one), Names{});
    EXPECT_EQ(names(one,
                    [](bson::Writer& to) {
                        to.array("l").int32("0", 1).int32("1", 2).end();
                        to.document("d").int32("y", 2).int32("x", 1).end().string("a", "x").int32("b", 1);
                    }),
              Names{})
        << "the order of keys does not matter";
    EXPECT_EQ(names(one,
                    [](bson::Writer& to) {
                        to.string("a", "y").int32("b", 1).document("d").int32("x", 1).int32("y", 3).end();
                        to.array("l").int32("0", 1).int32("1", 3).end();
                    }),
              (Names{"a", "d", "l"}));
    EXPECT_EQ(names(one, [](bson::Writer& to) { to.int64("b", 1).string("c", "x"); }),
              (Names{"a", "b", "c", "d", "l"}))
        << "another type is another value";
    EXPECT_EQ(names([](bson::Writer&) {}, one), (Names{"a", "b", "d", "l"}));
}

TEST(DiffChunks, LightIsComparedByItsCells) {
    const auto with = [](int value, bool local, std::int16_t counter) {
        return edited(with_computed_light(plain()), [&](Chunk& chunk) {
            std::vector<std::uint16_t> cells(k_cells, 0);
            cells.back() = static_cast<std::uint16_t>(value);
            auto* section = chunk.edit_section(4).value();
            auto& light = local ? section->local_light : section->global_light;
            light.set(chunk::Light::ConstExpanded(cells.data(), k_cells), counter);
        });
    };
    for (const bool local : {false, true}) {
        EXPECT_EQ(diff(with(5, local, 1), with(5, local, 1)).light_sections, 0U);
        EXPECT_EQ(diff(with(5, local, 1), with(6, local, 1)).light_sections, 1U) << local;
        EXPECT_EQ(diff(with(5, local, 1), with(5, local, 9)).light_sections, 1U) << "stale in one";
        EXPECT_EQ(diff(with(5, local, 1), with_computed_light(plain())).light_sections, 1U);
    }
}

TEST(DiffChunks, ASectionOfOneBlockIsComparedAsAWhole) {
    const auto filled = [](std::string_view key, std::uint8_t rotation) {
        return edited(plain(), [&](Chunk& chunk) {
            auto* section = chunk.edit_section(0).value();
            section->blocks.fill(key);
            section->rotations.fill(rotation);
            ASSERT_TRUE(chunk.touch_blocks(0));
        });
    };
    EXPECT_EQ(diff(filled("Rock_Stone", 0), filled("Rock_Stone", 0)).blocks, 0U);
    EXPECT_EQ(diff(filled("Rock_Stone", 0), filled("Rock_Marble", 0)).blocks, 32768U);
    EXPECT_EQ(diff(filled("Rock_Stone", 0), filled("Rock_Stone", 1)).blocks, 32768U);
}

TEST(DiffChunks, EnvironmentsAreThoseOfTheCellsWhateverTheirRuns) {
    const auto with = [](const std::vector<chunk::EnvironmentRun>& runs) {
        return edited(plain(),
                      [&](Chunk& chunk) { (*chunk.edit_environments())->set_runs(ColumnIndex(40), runs); });
    };
    const auto differs = [&](const std::vector<chunk::EnvironmentRun>& a,
                             const std::vector<chunk::EnvironmentRun>& b) {
        const auto found = diff(with(a), with(b));
        EXPECT_EQ(found.columns.count(), found.environments);
        return found.environments == 1;
    };
    constexpr auto k_end = chunk::EnvironmentRun::k_no_end;
    EXPECT_FALSE(differs({{10, "a"}, {k_end, "a"}}, {{k_end, "a"}})) << "two runs with the same key";
    EXPECT_TRUE(differs({{10, "a"}, {k_end, "b"}}, {{11, "a"}, {k_end, "b"}}));
    EXPECT_TRUE(differs({{318, "a"}, {k_end, "b"}}, {{k_end, "a"}}));
    EXPECT_FALSE(differs({{319, "a"}, {k_end, "b"}}, {{k_end, "a"}})) << "above the world";
    EXPECT_TRUE(differs({{0, "a"}, {k_end, "b"}}, {{k_end, "b"}})) << "the lowest cell";
}

TEST(DiffChunks, HealthAndFlagsAreOtherDifferences) {
    const auto damaged =
        edited(plain(), [](Chunk& chunk) { (*chunk.edit_health())->set({{{1, 2, 3}, 0.5F, 7}}, {}); });
    const auto fragile =
        edited(plain(), [](Chunk& chunk) { (*chunk.edit_health())->set({}, {{{1, 2, 3}, 5.0F}}); });
    EXPECT_TRUE(diff(plain(), damaged).health);
    EXPECT_TRUE(diff(plain(), fragile).health);
    EXPECT_TRUE(diff(damaged, fragile).health);
    EXPECT_FALSE(diff(damaged, damaged).health);
    ChunkDiff none;
    EXPECT_TRUE(none.empty());
    const auto is_told = [](const auto& set) {
        ChunkDiff one;
        set(one);
        return !one.empty();
    };
    EXPECT_TRUE(is_told([](ChunkDiff& to) { to.blocks = 1; }));
    EXPECT_TRUE(is_told([](ChunkDiff& to) { to.fluids = 1; }));
    EXPECT_TRUE(is_told([](ChunkDiff& to) { to.supports = 1; }));
    EXPECT_TRUE(is_told([](ChunkDiff& to) { to.ticking = 1; }));
    EXPECT_TRUE(is_told([](ChunkDiff& to) { to.light_sections = 1; }));
    EXPECT_TRUE(is_told([](ChunkDiff& to) { to.heights = 1; }));
    EXPECT_TRUE(is_told([](ChunkDiff& to) { to.tints = 1; }));
    EXPECT_TRUE(is_told([](ChunkDiff& to) { to.environments = 1; }));
    EXPECT_TRUE(is_told([](ChunkDiff& to) { to.components = 1; }));
    EXPECT_TRUE(is_told([](ChunkDiff& to) { to.entities = 1; }));
    EXPECT_TRUE(is_told([](ChunkDiff& to) { to.health = true; }));
    EXPECT_TRUE(is_told([](ChunkDiff& to) { to.other = {"x"}; }));
    EXPECT_TRUE(is_told([](ChunkDiff& to) { to.unreadable = {"x"}; }));
}

TEST(DiffChunks, ManyEntitiesWithoutAnIdAreMatchedByTheirBytes) {
    const auto with = [](std::vector<std::string> texts) {
        return edited(plain(), [&](Chunk& chunk) {
            auto& entities = **chunk.edit_entities();
            entities.remove(0);
            for (const auto& text : texts) ASSERT_TRUE(entities.add(holder("Nameplate", text)));
        });
    };
    EXPECT_EQ(diff(with({"c", "a", "b"}), with({"b", "c", "a"})).entities, 0U);
    const auto found = diff(with({"c", "a", "b"}), with({"d", "b", "c"}));
    ASSERT_EQ(found.entities, 2U);
    EXPECT_EQ(found.entity_changes[0].what, "a");
    EXPECT_EQ(found.entity_changes[0].kind, ChangeKind::removed);
    EXPECT_EQ(found.entity_changes[1].what, "d");
    EXPECT_EQ(found.entity_changes[1].kind, ChangeKind::added);
}

} // namespace
} // namespace orbis::jobs
