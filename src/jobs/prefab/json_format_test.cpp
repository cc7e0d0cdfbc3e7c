#include "bson/extended_json.hpp"
#include "bytes/file.hpp"
#include "jobs/prefab/json_format.hpp"
#include "jobs/prefab/made_prefabs_test.hpp"
#include "jobs/prefab/prefab_file.hpp"
#include "jobs/prefab/summary.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace orbis::jobs::prefab {
namespace {

using namespace made;

constexpr std::string_view k_small = R"({
  "version": 8,
  "blockIdVersion": 11,
  "anchorX": 0,
  "anchorY": -1,
  "anchorZ": 2,
  "blocks": [
    {
      "x": 0,
      "y": 0,
      "z": 0,
      "name": "Chest",
      "components": {
        "Components": {
          "Owner": {
            "Id": {
              "$binary": "AQID",
              "$type": "04"
            },
            "Far": 1.0E10,
            "Near": -2.5E-5,
            "One": 1.0,
            "Nothing": {}
          }
        }
      },
      "support": 15,
      "filler": 31744,
      "rotation": 8
    }
  ],
  "fluids": [
    {
      "x": 0,
      "y": 0,
      "z": 0,
      "name": "Empty",
      "level": 0
    }
  ]
})";

std::string head(int version) {
    return fmt::format(R"({{"version":{},"anchorX":0,"anchorY":0,"anchorZ":0)", version);
}

std::string with_blocks(int version, std::string_view blocks) {
    return fmt::format(R"({},"blocks":[{}]}})", head(version), blocks);
}

std::string problem_of(std::string_view text) {
    const auto prefab = read_json(text);
    return prefab ? "nothing" : prefab.error().text();
}

/// As if it had been made, not read: it is written from what is known of it.
std::string written_again(std::string_view text) {
    auto prefab = read_json(text).value();
    prefab.source.clear();
    return as_json(prefab);
}

TEST(PrefabJson, IsWrittenAsTheGameWritesIt) { EXPECT_EQ(written_again(k_small), k_small); }

TEST(PrefabJson, RealFilesAreWrittenToTheLetter) {
    const auto files = real_files();
    if (files.empty()) GTEST_SKIP() << "no real prefabs here";
    for (const auto& file : files) {
        const auto text = read_text(*open_file(file, FileMode::read).value(), 1 << 20).value();
        EXPECT_EQ(written_again(text), text) << file;
        EXPECT_EQ(as_json(read_json(text).value()), text) << file;
    }
}

TEST(PrefabJson, AFileThatWasNotChangedKeepsItsBytesWhateverItsLayout) {
    const auto text = " " + with_blocks(8, R"({"z":0,"y":0,"x":0,"name":"A","odd":[1.50]})") + "\n\n";
    const auto prefab = read_json(text).value();
    EXPECT_EQ(as_json(prefab), text);
    EXPECT_EQ(prefab.notes, std::vector<std::string>{"members that are not known: odd"});
}

RC_GTEST_PROP(PrefabJson, ReadsBackWhatItWrote, ()) {
    const auto prefab = any_prefab();
    const auto text = as_json(prefab);
    const auto again = read_json(text);
    RC_ASSERT(again.has_value());
    RC_ASSERT(again->blocks.size() == prefab.blocks.size() && again->fluids.size() == prefab.fluids.size());
    RC_ASSERT(again->anchor == prefab.anchor && again->block_id_version == prefab.block_id_version);
    RC_ASSERT(again->components == prefab.components && again->entities == prefab.entities);
    RC_ASSERT(written_again(text) == text);
}

TEST(PrefabJson, EveryTruncationIsAnErrorAndNeverACrash) {
    for (std::size_t size = 0; size < k_small.size(); ++size) {
        const std::string cut(k_small.substr(0, size)); // of its own, so that a read behind it is seen
        EXPECT_FALSE(read_json(cut)) << size;
    }
}

RC_GTEST_PROP(PrefabJson, AnyChangedByteIsReadOrRefused, ()) {
    auto text = std::string(k_small);
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i)
        text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
    if (const auto prefab = read_json(text)) RC_ASSERT(as_json(*prefab) == text);
}

TEST(PrefabJson, SaysWhatIsWrongAndWhere) {
    EXPECT_EQ(problem_of("{}"), "offset 0: the prefab has no version");
    EXPECT_EQ(problem_of("[]"), "offset 0: expected an object, found a list");
    EXPECT_EQ(problem_of(head(9) + "}"), "offset 11: expected prefab version 1 to 8, found 9");
    EXPECT_EQ(problem_of(R"({"version":8,"anchorX":0,"anchorY":0})"), "offset 0: the prefab has no anchorZ");
    EXPECT_EQ(problem_of(with_blocks(8, R"({"x":0,"y":0,"z":0})")),
              "block 0, offset 59: the block has no name");
    EXPECT_EQ(problem_of(with_blocks(8, R"({"x":"0"})")),
              "block 0, offset 64: expected a number, found text");
    EXPECT_EQ(problem_of(with_blocks(8, R"({"x":0.5})")),
              "block 0, offset 64: expected a whole number from -67108863 to 67108863, found 0.5");
    EXPECT_EQ(problem_of(with_blocks(8, R"({"x":0,"y":512})")),
              "block 0, offset 70: expected a whole number from -512 to 511, found 512");
    EXPECT_EQ(problem_of(with_blocks(8, R"({"x":1,"x":1})")),
              "block 0, offset 70: the block has two members called x");
    EXPECT_EQ(problem_of(with_blocks(8, R"({"x":0,"y":0,"z":0,"name":"A"},{"x":0,"y":0,"z":0,"name":"B"})")),
              "expected one block per cell, found two at 0,0,0");
    EXPECT_EQ(problem_of(with_blocks(8, R"({"x":0,"y":0,"z":0,"name":"A","components":[]})")),
              "block 0, offset 102: expected an object, found a list");
    EXPECT_EQ(
        problem_of(with_blocks(8, R"({"x":0,"y":0,"z":0,"name":"A","components":{"a":{"$binary":"?"}}})")),
        "block 0, offset 102: 'a': $binary is not base64 or $type not one hexadecimal byte");
    EXPECT_EQ(problem_of(with_blocks(8, R"({"x":0,"y":0,"z":0,"name":""})")),
              "block 0, offset 85: expected a name of 1 to 65535 bytes, found \"\"");
}

TEST(PrefabJson, NothingIsNestedTooDeeplyForIt) {
    const std::string deep(500'000, '[');
    EXPECT_FALSE(read_json(deep));
    for (const auto* member : {"odd", "blocks", "entities", "version"}) {
        const auto text = head(8) + ",\"" + member + "\":" + deep;
        EXPECT_FALSE(read_json(text)) << member;
    }
    std::string objects;
    for (int i = 0; i < 300; ++i) objects += "{\"a\":";
    EXPECT_FALSE(read_json(head(8) + ",\"entities\":[" + objects));
}

TEST(PrefabJson, OldVersionsHaveInTheirNamesWhatTodayHasFieldsOfItsOwn) {
    const auto block = R"({"x":1,"y":2,"z":3,"name":"Rock_Stair|Yaw=90|Pitch=180|Filler=0,1,0|Support=3"})";
    const auto old = read_json(with_blocks(5, block)).value();
    EXPECT_EQ(old.keys[old.blocks.at(0).key], "Rock_Stair");
    EXPECT_EQ(old.blocks[0].rotation, Rotation::of_degrees(90, 180));
    EXPECT_EQ(old.blocks[0].filler, Filler::of_offset(0, 1, 0));
    EXPECT_EQ(old.blocks[0].support, 3);
    EXPECT_TRUE(old.source.empty());
    // Later versions have fields for some of it, which count.
    const auto newer =
        read_json(with_blocks(7, R"({"x":1,"y":2,"z":3,"name":"A|Yaw=90|Support=3","support":4})")).value();
    EXPECT_EQ(newer.blocks.at(0).support, 4);
    EXPECT_EQ(newer.blocks[0].rotation, Rotation::of_degrees(90));
    // Today a name is a name.
    const auto today = read_json(with_blocks(8, R"({"x":1,"y":2,"z":3,"name":"A|Yaw=90"})")).value();
    EXPECT_EQ(today.keys[today.blocks.at(0).key], "A|Yaw=90");
}

TEST(PrefabJson, TheGameStoresARollInThePitch) {
    const auto old = read_json(with_blocks(7, R"({"x":0,"y":0,"z":0,"name":"A|Yaw=270|Roll=90"})")).value();
    EXPECT_EQ(old.blocks.at(0).rotation, Rotation::of_degrees(270, 90));
}

TEST(PrefabJson, OldVersionsHaveFluidsInTheNamesOfBlocks) {
    const auto old =
        read_json(with_blocks(4, R"({"x":0,"y":0,"z":0,"name":"Fence|Fluid=Fluid_Water|FluidLevel=3"},
        {"x":0,"y":1,"z":0,"name":"Fluid_Lava"},{"x":0,"y":2,"z":0,"name":"Rock"})"))
            .value();
    ASSERT_EQ(old.fluids.size(), 2U);
    EXPECT_EQ(old.keys[old.fluids[0].key], "Water");
    EXPECT_EQ(old.fluids[0].level, 3);
    EXPECT_EQ(old.keys[old.fluids[1].key], "Lava_Source");
    EXPECT_EQ(old.fluids[1].level, 1);
    EXPECT_EQ(old.keys[old.blocks.at(0).key], "Fence");
    EXPECT_EQ(old.keys[old.blocks.at(1).key], "Empty");
    const auto newer = read_json(with_blocks(5, R"({"x":0,"y":0,"z":0,"name":"Fluid_Lava"})")).value();
    EXPECT_TRUE(newer.fluids.empty());
    EXPECT_EQ(newer.keys[newer.blocks.at(0).key], "Fluid_Lava");
}

TEST(PrefabJson, AttributesThatAreNotKnownAreNoted) {
    const auto old = read_json(with_blocks(3, R"({"x":0,"y":0,"z":0,"name":"A|Mood=3"})")).value();
    EXPECT_EQ(old.keys[old.blocks.at(0).key], "A");
    EXPECT_EQ(old.notes,
              std::vector<std::string>{"attributes of block names that are not known: \"A|Mood=3\""});
}

TEST(PrefabJson, AttributesWithoutANameAreAName) {
    const auto old = read_json(with_blocks(3, R"({"x":0,"y":0,"z":0,"name":"|Roll=180|Deco"})")).value();
    EXPECT_EQ(old.keys[old.blocks.at(0).key], "|Roll=180|Deco");
    EXPECT_EQ(old.notes.size(), 1U);
}

TEST(PrefabJson, TheFirstVersionsHaveStatesAndOldEntities) {
    const auto block = R"({"x":0,"y":0,"z":0,"name":"A","state":{"Components":{"container":{}}}})";
    const auto old =
        read_json(head(1)
                  + R"(,"worldVersion":3,"entities":[{"EntityType":"Sheep"},{"Components":{}}],"blocks":[)"
                  + block + "]}")
            .value();
    EXPECT_EQ(old.blocks.at(0).components, 0);
    EXPECT_EQ(old.entities.size(), 1U);
    EXPECT_EQ(old.notes.size(), 1U);
    const auto newer = read_json(with_blocks(3, block)).value();
    EXPECT_EQ(newer.blocks.at(0).components, Prefab::k_no_components);
    EXPECT_EQ(newer.notes, std::vector<std::string>{"members that are not known: state"});
}

TEST(PrefabJson, TheMigrationsAreTheFirstWhereAFileDoesNotSay) {
    EXPECT_EQ(read_json(head(8) + "}").value().block_id_version, 8);
    EXPECT_EQ(read_json(head(8) + R"(,"blockIdVersion":10})").value().block_id_version, 10);
}

TEST(PrefabSummary, CountsWhatIsInAPrefab) {
    const auto text = with_blocks(
        8, R"({"x":0,"y":0,"z":0,"name":"Rock_Stone"},{"x":0,"y":3,"z":0,"name":"Mod_Thing","filler":1},
              {"x":-2,"y":0,"z":0,"name":"Empty","components":{"Components":{"container":{"ItemContainer":{"Items":{"0":{},"4":{}}}}}}})");
    const auto summary = summarise(read_json(text).value(), world::Assets::built_in());
    EXPECT_EQ(summary.bounds->least, (BlockPos{-2, 0, 0}));
    EXPECT_EQ(summary.bounds->most, (BlockPos{0, 3, 0}));
    EXPECT_EQ(summary.solid_blocks(), 2U);
    EXPECT_EQ(summary.empty_blocks, 1U);
    EXPECT_EQ(summary.filler_cells, 1U);
    EXPECT_EQ(summary.items, 2U);
    EXPECT_EQ(summary.unknown, std::vector<std::string>{"Mod_Thing"});
    EXPECT_EQ(summary.components.at("container"), 1U);
}

TEST(PrefabSummary, KeysComeByTheirCellsThenByTheirNames) {
    std::string blocks;
    for (const auto& [name, count] : {std::pair{"Rock_Stone", 2}, std::pair{"Mod_B", 1},
                                      std::pair{"Mod_A", 1}, std::pair{"Soil_Grass", 3}})
        for (int i = 0; i < count; ++i)
            blocks += fmt::format(R"({}{{"x":{},"y":0,"z":0,"name":"{}"}})", blocks.empty() ? "" : ",",
                                  blocks.size(), name);
    const auto prefab = read_json(with_blocks(8, blocks)).value();
    const auto summary = summarise(prefab, world::Assets::built_in());
    std::vector<std::string> keys;
    for (const auto& key : summary.blocks) keys.push_back(fmt::format("{} {}", key.name, key.cells));
    EXPECT_EQ(keys, (std::vector<std::string>{"Soil_Grass 3", "Rock_Stone 2", "Mod_A 1", "Mod_B 1"}));
    EXPECT_EQ(summary.unknown, (std::vector<std::string>{"Mod_A", "Mod_B"}));
    EXPECT_EQ(summary.solid_blocks(), 7U);
    EXPECT_EQ(summary.empty_blocks, 0U);
    EXPECT_EQ(summary.renamed, 0U);
    Prefab old;
    old.block_id_version = 0;
    old.blocks.push_back({{0, 0, 0}, old.keys.id_of("Plant_Crop_Carrot_Stage_1"), -1, {}, {}, {}, 0});
    EXPECT_EQ(summarise(old, world::Assets::built_in()).renamed, 1U);
    old.block_id_version = 1;
    EXPECT_EQ(summarise(old, world::Assets::built_in()).renamed, 0U);
}

} // namespace
} // namespace orbis::jobs::prefab
