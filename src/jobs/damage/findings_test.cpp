#include "bson/writer.hpp"
#include "bytes/file.hpp"
#include "bytes/writer.hpp"
#include "jobs/repair/fix_cells.hpp"
#include "jobs/repair/fix_parts.hpp"
#include "jobs/repair/rebuild_header.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "jobs/verify/check_chunk.hpp"
#include "jobs/verify/check_container.hpp"
#include "jobs/verify/check_files.hpp"
#include "jobs/verify/misspelt.hpp"
#include "jobs/verify/verify.hpp"
#include "storage/region.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

/// What findings say beside their code: how many, where, and what was expected; and what exactly the steps of
/// a repair change.
namespace orbis::jobs {
namespace {

using namespace test_worlds;
using chunk::BlockIndex;
using chunk::Chunk;

constexpr ChunkPos k_found_in{-2, 3}; // blocks from -64, 96 on

using FindingsByCode = std::map<Code, Finding>;

/// By code; no code twice.
FindingsByCode by_code(std::vector<Finding> all) {
    FindingsByCode found;
    for (auto& finding : all) {
        const auto code = finding.code;
        EXPECT_TRUE(found.emplace(code, std::move(finding)).second) << code_info(code).name << " twice";
    }
    return found;
}

std::vector<Finding> findings_of(const Buffer& document, ChunkPos pos = k_found_in) {
    std::vector<Finding> out;
    ChunkChecks checks(world::Assets::built_in());
    const auto chunk = Chunk::decode(Bytes(document)).value();
    checks.run(chunk, pos, [](BlockPos) { return NeighbourBlock(); }, out);
    return out;
}

/// A chunk with nothing to find.
const Buffer& sound() {
    auto sections = documents::ten_sections();
    sections[1].local_light.reset(); // which every change of a block would make stale
    static const auto made = edited(documents::document(sections), [](Chunk& chunk) {
        ASSERT_TRUE((*chunk.edit_entities())->remove(0));
        (*chunk.edit_block_components())->remove(BlockIndex(2084));
        ASSERT_TRUE(chunk.recompute_heights(
            [](std::string_view key) { return world::Assets::built_in().is_transparent(key); }));
    });
    return made;
}

Buffer entity_standing_at(double x, double z) {
    Buffer out;
    bson::Writer writer(out);
    writer.document("Components").document("Transform").document("Position");
    writer.real("X", x).real("Y", 40).real("Z", z).end().end().end().finish();
    return out;
}

Buffer with_entities(const std::vector<std::pair<double, double>>& places) {
    return edited(sound(), [&](Chunk& chunk) {
        for (const auto& [x, z] : places)
            ASSERT_TRUE((*chunk.edit_entities())->add(entity_standing_at(x, z)));
    });
}

TEST(ChunkFindings, ASoundChunkHasNone) {
    for (const auto& finding : findings_of(sound())) ADD_FAILURE() << to_text(finding);
}

TEST(ChunkFindings, AnEntityBelongsToTheChunkThatItStandsIn) {
    const auto outside = [](double x, double z) {
        return by_code(findings_of(with_entities({{x, z}}))).contains(Code::entity_outside);
    };
    EXPECT_FALSE(outside(-64.0, 96.0));
    EXPECT_FALSE(outside(-32.001, 127.999));
    EXPECT_TRUE(outside(-32.0, 100));
    EXPECT_TRUE(outside(-64.001, 100));
    EXPECT_TRUE(outside(-40, 95.999));
    EXPECT_TRUE(outside(-40, 128.0));
    const auto strayed = by_code(findings_of(with_entities({{-40, 100}, {5, 100}, {-70, 90}})));
    EXPECT_EQ(strayed.at(Code::entity_outside).count, 2U);
    EXPECT_EQ(strayed.at(Code::entity_outside).text,
              "stored in chunk -2,3, but its position is 5.0,40.0,100.0 in chunk 0,3");
    const auto nowhere = by_code(findings_of(
        with_entities({{std::nan(""), 100}, {-40, std::numeric_limits<double>::infinity()}, {-40, 100}})));
    EXPECT_EQ(nowhere.at(Code::entity_no_position).count, 2U);
    EXPECT_FALSE(nowhere.contains(Code::entity_outside));
}

TEST(ChunkFindings, AChunkIsMisplacedWhereAllItsEntitiesStandInOneOther) {
    const auto home = [](const std::vector<std::pair<double, double>>& places) {
        const auto found = by_code(findings_of(with_entities(places)));
        const auto misplaced = found.find(Code::chunk_misplaced);
        return misplaced == found.end() ? std::nullopt : misplaced->second.home;
    };
    EXPECT_EQ(home({{5, 100}}), std::nullopt) << "one may have strayed";
    EXPECT_EQ(home({{5, 100}, {6, 100}}), (ChunkPos{0, 3}));
    EXPECT_EQ(home({{-5, -100}, {-6, -100}, {-7, -100}}), (ChunkPos{-1, -4}));
    EXPECT_EQ(home({{5, 100}, {6, 100}, {-40, 100}}), std::nullopt) << "one is at home";
    EXPECT_EQ(home({{-40, 100}, {5, 100}, {6, 100}}), std::nullopt);
    EXPECT_EQ(home({{5, 100}, {6, 100}, {-5, 100}}), std::nullopt) << "in two others";
    EXPECT_EQ(home({{-5, 100}, {5, 100}, {6, 100}}), std::nullopt);
}

TEST(ChunkFindings, BlockComponentsNeedABlockOfTheWorld) {
    const auto found = [](const std::vector<int>& indices) {
        return by_code(findings_of(edited(sound(), [&](Chunk& chunk) {
            ASSERT_TRUE(chunk.set_block({-64, 200, 96}, {"Furniture_Crude_Bed", {}, {}}));
            ASSERT_TRUE(chunk.set_block({-63, 200, 96},
                                        {"Furniture_Crude_Bed", {}, chunk::Filler::of_offset(1, 0, 0)}));
            ASSERT_TRUE(chunk.recompute_heights(
                [](std::string_view key) { return world::Assets::built_in().is_transparent(key); }));
            for (const int index : indices) {
                Buffer holder;
                bson::Writer(holder).document("Components").end().finish();
                ASSERT_TRUE((*chunk.edit_block_components())->set(BlockIndex(index), std::move(holder)));
            }
        })));
    };
    const int bed = BlockIndex(BlockPos{-64, 200, 96}).value;
    const int part = BlockIndex(BlockPos{-63, 200, 96}).value;
    EXPECT_TRUE(found({bed}).empty());
    const auto on_part = found({part}).at(Code::block_component_host);
    EXPECT_TRUE(on_part.text.ends_with("at -63,200,96 are on a part of Furniture_Crude_Bed")) << on_part.text;
    const auto at_top = found({319 * 1024, 319 * 1024 + 5});
    EXPECT_EQ(at_top.at(Code::block_component_host).count, 2U);
    EXPECT_FALSE(at_top.contains(Code::block_component_place));
    const auto above = found({320 * 1024, 320 * 1024 + 1, 400 * 1024});
    EXPECT_EQ(above.at(Code::block_component_place).count, 3U);
    EXPECT_FALSE(above.contains(Code::block_component_host));
}

TEST(ChunkFindings, HealthOfBothKindsIsLookedAt) {
    const auto found = by_code(findings_of(edited(sound(), [](Chunk& chunk) {
        (*chunk.edit_health())
            ->set({{{-64, 5, 96}, 0.5F, 1}},
                  {{{-33, 5, 127}, 1.0F}, {{-32, 5, 127}, 1.0F}, {{-33, 5, 128}, 1.0F}});
    })));
    ASSERT_TRUE(found.contains(Code::health_outside));
    EXPECT_EQ(found.at(Code::health_outside).count, 2U);
    EXPECT_EQ(found.at(Code::health_outside).text, "block -32,5,127 is not in this chunk");
}

TEST(ChunkFindings, FluidsAreCountedAndTheFirstIsNamed) {
    const auto found = by_code(findings_of(edited(sound(), [](Chunk& chunk) {
        auto* section = chunk.edit_section(1).value();
        section->levels.set(CellIndex(3, 4, 5), 7); // without a fluid
        section->levels.set(CellIndex(100), 0);     // a fluid without
        section->levels.set(CellIndex(31, 31, 31), 1);
        section->fluids.set(CellIndex(31, 31, 31), "Mod_Fluid");
        section->fluids.set(CellIndex(30, 31, 31), "Mod_Fluid");
        section->levels.set(CellIndex(30, 31, 31), 1);
    })));
    const auto& levels = found.at(Code::fluid_level);
    EXPECT_EQ(levels.count, 2U);
    EXPECT_EQ(levels.part, "section 1, Fluid");
    EXPECT_TRUE(levels.text.ends_with("such as Water_Source with level 0 at -60,32,99")) << levels.text;
    EXPECT_EQ(found.at(Code::fluid_unknown).count, 2U);
}

TEST(ChunkFindings, TickingCellsNeedABlockOrAFluidAndAreSummedUp) {
    const auto document = edited(sound(), [](Chunk& chunk) {
        for (const int y : {1, 5}) {
            auto* section = chunk.edit_section(y).value();
            section->blocks.set(CellIndex(1), "Rock_Stone");
            section->ticking.set(CellIndex(100), true); // in section 1 water is there
            section->ticking.set(CellIndex(300), true);
        }
    });
    const auto found = by_code(findings_of(document));
    EXPECT_EQ(found.at(Code::ticking_empty).count, 3U);
    // Each chunk has its own.
    std::vector<Finding> out;
    ChunkChecks checks(world::Assets::built_in());
    const auto chunk = Chunk::decode(Bytes(document)).value();
    for (const ChunkPos pos : {ChunkPos{0, 0}, ChunkPos{1, 0}})
        checks.run(chunk, pos, [](BlockPos) { return NeighbourBlock(); }, out);
    std::erase_if(out, [](const Finding& finding) { return finding.code != Code::ticking_empty; });
    ASSERT_EQ(out.size(), 2U);
    EXPECT_EQ(out[0].count, 3U);
    EXPECT_EQ(out[1].chunk, (ChunkPos{1, 0}));
}

TEST(ChunkFindings, StaleLightIsThatOfOneSourceOrTheOther) {
    const auto with = [](bool local, bool global) {
        auto sections = documents::ten_sections();
        auto& lit = sections[1];
        lit.global_light.emplace(test::k_image_cells, std::uint16_t{0x1111});
        lit.local_id = lit.global_id = 3;
        lit.local_counter = local ? 4 : 3;
        lit.global_counter = global ? 4 : 3;
        return documents::document(sections);
    };
    const auto stale = [&](bool local, bool global) {
        const auto found = findings_of(with(local, global));
        return std::ranges::count(found, Code::light_stale, &Finding::code);
    };
    EXPECT_EQ(stale(false, false), 0);
    EXPECT_EQ(stale(true, false), 1);
    EXPECT_EQ(stale(false, true), 1);
    // And the repair drops what is stale, no more, so that the game computes it.
    for (const auto& [local, global] : {std::pair{true, false}, std::pair{false, true}}) {
        auto chunk = Chunk::decode(with(local, global)).value();
        const auto document = with(local, global);
        chunk = Chunk::decode(Bytes(document)).value();
        ASSERT_TRUE(fix_cells(chunk, k_found_in, world::Assets::built_in(),
                              [](BlockPos) { return NeighbourBlock(); }));
        EXPECT_EQ(chunk.section(1).local_light.present(), !local);
        EXPECT_EQ(chunk.section(1).global_light.present(), !global);
        EXPECT_EQ(chunk.section(1).local_light_valid(), !local);
        EXPECT_EQ(chunk.section(1).global_light_valid(), !global);
    }
}

TEST(ChunkFindings, EveryWrongCountOfAPaletteCounts) {
    auto document = sound();
    for (const std::string_view key : {"Soil_Grass", "Plant_Crop_Wheat_Block"}) {
        const auto at = as_text(document).find(key) + key.size(); // a number of 16 bits after the key
        store_be(document.data() + at, static_cast<std::uint16_t>(9));
    }
    const auto found = by_code(findings_of(document));
    EXPECT_EQ(found.at(Code::palette_count).count, 2U);
    EXPECT_EQ(found.at(Code::palette_count).part, "section 1, blocks");
}

TEST(ChunkFindings, PartsOfBiggerBlocksAreLookedUpWhereverTheirBaseLies) {
    using Kind = NeighbourBlock::Kind;
    const auto with = [](BlockPos at, chunk::Filler filler) {
        return edited(sound(), [&](Chunk& chunk) { ASSERT_TRUE(chunk.set_block(at, {"Door", {}, filler})); });
    };
    const auto faults = [&](const Buffer& document, NeighbourBlock neighbour) {
        const auto chunk = Chunk::decode(Bytes(document)).value();
        const auto found = find_filler_faults(chunk, k_found_in, [&](BlockPos) { return neighbour; });
        return std::pair(found.dangling.size(), found.lost.size());
    };
    const auto at_edge = with({-64, 50, 100}, chunk::Filler::of_offset(1, 0, 0)); // the base at x -65
    EXPECT_EQ(faults(at_edge, {Kind::absent}), std::pair(0UZ, 1UZ));
    EXPECT_EQ(faults(at_edge, {Kind::unknown}), std::pair(0UZ, 0UZ));
    EXPECT_EQ(faults(at_edge, {Kind::there, {"Door", {}, {}}}), std::pair(0UZ, 0UZ));
    EXPECT_EQ(faults(at_edge, {Kind::there, {"Rock_Stone", {}, {}}}), std::pair(1UZ, 0UZ));
    EXPECT_EQ(faults(at_edge, {Kind::there, {"Door", {}, chunk::Filler::of_offset(0, 1, 0)}}),
              std::pair(1UZ, 0UZ))
        << "a part is no base";
    for (const auto& [y, down] : {std::pair{319, -1}, std::pair{0, 1}}) // bases at 320 and -1
        EXPECT_EQ(faults(with({-60, y, 100}, chunk::Filler::of_offset(0, down, 0)), {Kind::absent}),
                  std::pair(1UZ, 0UZ))
            << y;
    const auto two = edited(sound(), [](Chunk& chunk) {
        for (const int x : {-60, -50})
            ASSERT_TRUE(chunk.set_block({x, 50, 100}, {"Door", {}, chunk::Filler::of_offset(0, 1, 0)}));
    });
    EXPECT_EQ(by_code(findings_of(two)).at(Code::filler_dangling).count, 2U);
}

TEST(ChunkFindings, SectionsInsideOfAnOldBlockChunkAreNotMissed) {
    for (const int version : {2, 3}) {
        Buffer bytes;
        bson::Writer root(bytes);
        root.document("Components").document("BlockChunk").int32("Version", version);
        root.binary("Data", test::block_chunk_image(version, std::vector<std::int32_t>(1024, 33),
                                                    std::vector<std::int32_t>(1024, 5),
                                                    version == 2 ? documents::ten_sections(2)
                                                                 : std::vector<test::SectionImage>()));
        root.end().document("WorldChunk").end().end().finish();
        EXPECT_EQ(by_code(findings_of(bytes)).contains(Code::component_missing), version == 3) << version;
    }
}

TEST(ChunkFindings, ANameIsMisspeltByAsManyLettersAsItsLengthAllows) {
    const auto misspelt = [](std::string_view right, std::string_view wrong) {
        auto document = plain();
        const auto at = as_text(document).find(std::string(right) + '\0');
        EXPECT_NE(at, std::string_view::npos) << right;
        std::ranges::copy(wrong, document.begin() + static_cast<std::ptrdiff_t>(at));
        const auto chunk = Chunk::decode(Bytes(document));
        if (!chunk) return std::size_t{99};
        const auto found = find_misspelt(*chunk);
        if (found.size() == 1) {
            EXPECT_EQ(found[0].meant, right);
            EXPECT_EQ(found[0].offset, at);
            EXPECT_TRUE(std::ranges::equal(with_right_names(document, found), plain()));
        }
        return found.size();
    };
    EXPECT_EQ(misspelt("Sections", "Sectiona"), 1U);
    EXPECT_EQ(misspelt("Sections", "Sectiaoa"), 0U);
    EXPECT_EQ(misspelt("Sections", "Sectioaa"), 1U) << "two letters of eight";
    EXPECT_EQ(misspelt("BlockChunk", "BlockChuaa"), 1U);
    EXPECT_EQ(misspelt("BlockChunk", "BlockChaaa"), 0U) << "three letters";
    EXPECT_EQ(misspelt("Fluid", "Fluia"), 1U);
    EXPECT_EQ(misspelt("Fluid", "Fluaa"), 0U) << "two letters of five";
    // Beside the right one: a long name is told and left, a short one may well be a mod's.
    const auto beside = edited(plain(), [](Chunk& chunk) {
        ASSERT_TRUE(chunk.set_component("WorldChuck", bson::empty_document()));
    });
    const auto found = find_misspelt(Chunk::decode(Bytes(beside)).value());
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(found[0].is_beside);
    EXPECT_TRUE(std::ranges::equal(with_right_names(beside, found), beside));
    for (const auto& [name, is_told] :
         {std::pair("Sectionz", true), std::pair("Versioz", false)}) { // eight letters, and seven
        const auto fields = edited(plain(), [&](Chunk& chunk) {
            Buffer out;
            bson::Writer to(out);
            to.int32("Version", 3).int32("Sections", 1).int32(name, 1).finish();
            ASSERT_TRUE(chunk.set_component("WorldChunk", out));
        });
        EXPECT_EQ(find_misspelt(Chunk::decode(Bytes(fields)).value()).size(), is_told ? 1U : 0U) << name;
    }
}

TEST(Findings, HelpOnlyReadsWhereItCanAndElseBeginsWithACopy) {
    const auto help = [](std::string_view name, const HelpTarget& place) {
        const auto found = std::ranges::find(all_codes(), name, &CodeInfo::name);
        EXPECT_NE(found, all_codes().end()) << name;
        return help_for(static_cast<Code>(found - all_codes().begin()), place);
    };
    const HelpTarget folder{"'my world'"};
    const HelpTarget zip{"a.zip", "orbis convert a.zip NEW"};
    EXPECT_EQ(help("block.unknown", folder), "orbis blocks 'my world' --unknown");
    EXPECT_EQ(help("block.unknown", zip), "orbis blocks a.zip --unknown");
    EXPECT_EQ(help("fluid.unknown", zip), "orbis verify a.zip --assets FOLDER");
    EXPECT_EQ(help("height.wrong", folder), "orbis repair 'my world'");
    EXPECT_EQ(help("height.wrong", zip), "orbis convert a.zip NEW && orbis repair NEW");
    EXPECT_EQ(help("entity.outside", zip), "");
}

TEST(Findings, AChunkOfNoBytesIsToldOnceWithItsFile) {
    const test::TemporaryFolder folder;
    const auto world = make_world(folder / "w", {Buffer{}, plain()});
    const auto store = world.open({}).value();
    ChunkVerifier verifier(*store, world::Assets::built_in());
    std::vector<Finding> found;
    verifier.run({0, 0}, found);
    EXPECT_TRUE(found.empty()) << to_text(found.front());
}

TEST(Findings, SayWhereTheyAreAndWhatIsThere) {
    Finding finding;
    finding.code = Code::height_wrong;
    finding.world = "w";
    finding.file = "0.0.region.bin";
    finding.text = "it is wrong";
    finding.count = 4;
    EXPECT_EQ(to_text(finding), "wrong height.wrong 0.0.region.bin: it is wrong");
    EXPECT_EQ(to_json(finding, {"PLACE"}),
              R"({"code":"height.wrong","severity":"wrong","world":"w","file":"0.0.region.bin","count":4,)"
              R"("message":"it is wrong","help":"orbis repair PLACE"})");
    finding.chunk = ChunkPos{-1, 2};
    EXPECT_EQ(to_text(finding), "wrong height.wrong 0.0.region.bin: chunk -1,2: it is wrong");
    finding.part = "section 3, Block";
    finding.offset = 4128;
    finding.in_chunk = 77;
    finding.home = ChunkPos{5, -6};
    finding.help = "ask somebody";
    EXPECT_EQ(to_text(finding),
              "wrong height.wrong 0.0.region.bin: chunk -1,2, section 3, Block, offset 4128, "
              "byte 77 of the document: it is wrong");
    EXPECT_EQ(to_json(finding, {"PLACE"}),
              R"({"code":"height.wrong","severity":"wrong","world":"w","file":"0.0.region.bin",)"
              R"("chunk":[-1,2],"offset":4128,"document_offset":77,"part":"section 3, Block",)"
              R"("belongs_to":[5,-6],"count":4,"message":"it is wrong","help":"ask somebody"})");
}

// Region files and other files.

class ContainerFindings : public testing::Test {
protected:
    FindingsByCode found(Bytes image) {
        const auto path = folder_ / "0.0.region.bin";
        put(path, image);
        const auto region = storage::open_region(open_file(path, FileMode::read).value(), {0, 0});
        EXPECT_TRUE(region) << region.error().text();
        std::vector<Finding> out;
        check_region(**region, out);
        return by_code(std::move(out));
    }
    static test::BlobImage noise(std::size_t size) {
        auto blob = test::compressed_blob(Buffer(100, 7));
        blob.frame.resize(size);
        return blob;
    }

    test::TemporaryFolder folder_;
};

TEST_F(ContainerFindings, UnusedSegmentsAreCountedToTheLast) {
    const test::RegionContent content{{0, noise(4088)}, {1, noise(4089)}, {2, noise(100)}};
    auto image = test::region_v1_image(content);
    ASSERT_GT(image.size(), 4128U + 3 * 4096U);
    EXPECT_FALSE(found(image).contains(Code::container_orphans)) << "1 + 2 + 1 segments, all in use";
    for (const auto& [slot, unused] : {std::pair{0, 1}, std::pair{1, 2}, std::pair{2, 1}}) {
        auto without = image;
        store_be(without.data() + 32 + 4 * slot, std::int32_t{0});
        const auto orphans = found(without).at(Code::container_orphans);
        EXPECT_EQ(orphans.count, static_cast<std::uint64_t>(unused)) << slot;
        EXPECT_TRUE(orphans.text.starts_with(fmt::format("{} of 4 segments", unused))) << orphans.text;
        EXPECT_EQ(orphans.offset, 4128U);
    }
}

TEST_F(ContainerFindings, EachKindOfBadEntryHasItsCode) {
    const auto image = test::region_v1_image({{0, noise(100)}, {1, noise(100)}});
    const auto with = [&](std::size_t offset, std::int32_t value) {
        auto bytes = image;
        store_be(bytes.data() + offset, value);
        return found(bytes);
    };
    EXPECT_TRUE(with(32 + 4, 100).contains(Code::container_entry_outside));
    EXPECT_TRUE(with(4128 + 4096 + 4, 90000).contains(Code::container_cut_off));
    EXPECT_TRUE(with(4128 + 4096 + 4, -1).contains(Code::container_lengths));
    EXPECT_TRUE(with(4128 + 4096, 0).contains(Code::document_empty));
    EXPECT_EQ(with(32 + 4, 1).at(Code::container_overlap).chunk, (ChunkPos{1, 0}));
    EXPECT_EQ(with(4128 + 4096, 0).at(Code::document_empty).chunk, (ChunkPos{1, 0}));
    EXPECT_EQ(with(4128 + 4096, 0).at(Code::document_empty).offset, 4128U + 4096U);
    EXPECT_FALSE(found(image).contains(Code::container_shape));
    EXPECT_TRUE(found(test::region_v1_image({{0, noise(100)}}, {.segment_size = 8192}))
                    .contains(Code::container_shape));
    EXPECT_EQ(unreadable_region({0, 0}, error(Errc::truncated, "")).code, Code::container_short);
    EXPECT_EQ(unreadable_region({0, 0}, error(Errc::io, "")).code, Code::store_unreadable);
    EXPECT_EQ(unreadable_region({0, 0}, error(Errc::bad_magic, "")).code, Code::container_header);
    EXPECT_EQ(unreadable_region({-3, 4}, error(Errc::io, "")).part, "region -3.4");
}

TEST_F(ContainerFindings, WhatLiesBesideRegionFilesIsToldApart) {
    for (const auto* name : {"0.0.region.bin", "1.0.region.bin.orbis-tmp", "2.0.region.bin.old", "readme"})
        put(folder_ / name, Bytes());
    std::filesystem::create_directories(folder_ / "3.0.region.bin");
    std::filesystem::create_directories(folder_ / "somebody");
    std::vector<Finding> out;
    check_stray_files(storage::Folder(storage::open_disk_tree(folder_.path())), out);
    std::map<std::string, std::string> texts;
    for (const auto& finding : out)
        texts[std::filesystem::path(finding.file).filename()] =
            fmt::format("{} {}", code_info(finding.code).name, finding.text);
    ASSERT_EQ(texts.size(), 4U);
    EXPECT_NE(texts.at("1.0.region.bin.orbis-tmp").find("it can be deleted"), std::string::npos);
    EXPECT_NE(texts.at("2.0.region.bin.old").find("may contain older chunks"), std::string::npos);
    EXPECT_NE(texts.at("readme").find("the game ignores it"), std::string::npos);
    EXPECT_TRUE(texts.at("3.0.region.bin").starts_with("container.folder "));
}

TEST_F(ContainerFindings, FilesOfTheNewestVersionAreKnownAndOnesOfTheNextAreNot) {
    const auto player = [](int version) {
        return fmt::format(R"({{"Components": {{"Player": {{"Version": {}}}}}}})", version);
    };
    const auto codes = [&](int config, int player_version) {
        const auto world = folder_ / "u" / "worlds" / "w";
        make_world(world, {plain()});
        put(world / "config.json",
            as_bytes(fmt::format(R"({{"Version": {}, "ChunkStorage": {{"Type": "Hytale"}}}})", config)));
        put(folder_ / "u" / "players" / "1.json", as_bytes(player(player_version)));
        const auto location = world::find_location(folder_ / "u").value();
        std::vector<Finding> out;
        check_universe_files(location, out);
        check_world_files(location.worlds.at(0), out);
        return by_code(std::move(out));
    };
    EXPECT_TRUE(codes(4, 5).empty());
    EXPECT_TRUE(codes(5, 5).contains(Code::config_too_new));
    EXPECT_TRUE(codes(4, 6).contains(Code::player_too_new));
    // What the game makes of a broken file depends on whether it looks at the copy beside it.
    const auto world = folder_ / "u" / "worlds" / "w";
    for (const auto* name : {"paths.json", "resources/Time.json"}) {
        put(world / name, as_bytes("{"));
        put(world / (std::string(name) + ".bak"), as_bytes("{}"));
    }
    const auto found = codes(4, 5);
    EXPECT_TRUE(found.at(Code::config_backup_used).file.ends_with("paths.json"));
    EXPECT_TRUE(found.at(Code::resource_unreadable).text.ends_with("the game does not use it"));
    EXPECT_EQ(found.at(Code::resource_unreadable).offset, 1U);
    EXPECT_FALSE(found.contains(Code::player_backup_used));
    put(folder_ / "u" / "players" / "2.json", as_bytes("{"));
    EXPECT_TRUE(codes(4, 5).contains(Code::player_unreadable));
    put(folder_ / "u" / "players" / "2.json.bak", as_bytes("{}"));
    EXPECT_TRUE(codes(4, 5).contains(Code::player_backup_used));
    EXPECT_FALSE(codes(4, 5).contains(Code::player_unreadable));
    const auto is_missing = [&] {
        std::vector<Finding> out;
        check_world_files(world::find_location(folder_ / "u").value().worlds.at(0), out);
        return by_code(std::move(out)).contains(Code::config_missing);
    };
    for (const auto* name : {"config.json", "paths.json", "paths.json.bak"})
        std::filesystem::remove(world / name);
    EXPECT_TRUE(is_missing());
    for (const auto* name : {"config.bson", "instance.bson", "config.json.bak"}) {
        put(world / name, as_bytes("{}"));
        EXPECT_FALSE(is_missing()) << name;
        std::filesystem::remove(world / name);
    }
}

TEST_F(ContainerFindings, AFolderOfChunksIsLookedThroughForOtherFilesToo) {
    make_world(folder_ / "w", {plain()});
    put(folder_ / "w" / "chunks" / "readme", Bytes());
    NoProgress quiet;
    for (const auto& path : {folder_ / "w", folder_ / "w" / "chunks"}) {
        const auto report = verify(
            world::find_location(path).value(), world::Assets::built_in(), {.quick = true, .threads = 1},
            [](const Finding&) {}, quiet);
        EXPECT_EQ(report.notes, 1U) << path;
        EXPECT_EQ(report.chunks, 1U);
    }
}

TEST_F(ContainerFindings, ChunksOfSeveralWorldsAreCountedEachForItself) {
    for (const auto* name : {"a", "b"})
        make_world(folder_ / "u" / "worlds" / name, {plain(), plain(), plain()});
    const auto break_chunk = [&](const char* world, std::size_t slot) {
        const auto path = folder_ / "u" / "worlds" / world / "chunks" / "0.0.region.bin";
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(32 + 4 * slot)).write("\x7F\0\0\0", 4);
    };
    break_chunk("a", 0);
    break_chunk("b", 1);
    break_chunk("b", 2);
    NoProgress quiet;
    for (const bool quick : {true, false}) {
        const auto report = verify(
            world::find_location(folder_ / "u").value(), world::Assets::built_in(),
            {.quick = quick, .threads = 2}, [](const Finding&) {}, quiet);
        EXPECT_EQ(report.damaged_chunks, 3U);
        EXPECT_EQ(report.chunks, 6U) << quick;
        EXPECT_EQ(report.files, 2U);
        EXPECT_EQ(report.worlds, 2U);
        EXPECT_EQ(report.by_code[static_cast<std::size_t>(Code::container_entry_outside)], 3U);
    }
}

// Repairs.

/// The document with four bytes of nonsense in the blob of a component, from its byte `first` on.
Buffer with_nonsense(Buffer document, std::string_view component, std::size_t first = 0) {
    const auto at = as_text(document).find(std::string("\x03") + std::string(component) + '\0');
    const auto data = as_text(document).find(std::string_view("\x05"
                                                              "Data\0",
                                                              6),
                                             at);
    for (std::size_t i = 0; i < 4; ++i) document[data + 6 + 5 + first + i] = 0xFE;
    return document;
}

TEST(FixParts, WhatCannotBeReadComesFromTheBackup) {
    const auto donor_document = edited(with_block(77), [](Chunk& chunk) {
        (*chunk.edit_tints())->set(ColumnIndex(5), 5);
        (*chunk.edit_environments())
            ->set_runs(ColumnIndex(1), std::array{chunk::EnvironmentRun{.key = "Env_New"}});
        (*chunk.edit_health())->set({{{1, 2, 3}, 0.5F, 7}}, {});
        ASSERT_TRUE(chunk.set_fluid({3, 40, 3}, {"Lava", 3}));
    });
    const auto donor = Chunk::decode(Bytes(donor_document)).value();
    const auto repaired = [&](const Buffer& broken, bool with_donor) {
        const auto chunk = Chunk::decode(Bytes(broken)).value();
        EXPECT_FALSE(chunk.problems().empty());
        auto parts = fix_parts(chunk, with_donor ? &donor : nullptr).value();
        EXPECT_TRUE(parts.left.empty()) << parts.left.front();
        EXPECT_EQ(parts.steps.size(), 1U) << chunk.problems().front().text();
        for (const auto& step : parts.steps) EXPECT_TRUE(step.loses) << step.what;
        return parts;
    };
    const auto same = [&](const FixedParts& parts, auto part) {
        const auto chunk = Chunk::decode(Bytes(parts.document)).value();
        EXPECT_TRUE(chunk.problems().empty());
        return part(chunk) == part(donor);
    };
    const auto fluid = [](const Chunk& chunk) { return std::string(chunk.fluid({3, 40, 3}).key); };
    const auto block = [](const Chunk& chunk) {
        return std::string(chunk.section(1).blocks.at(CellIndex(77)));
    };
    const auto tint = [](const Chunk& chunk) { return chunk.tints().at(ColumnIndex(5)); };
    const auto health = [](const Chunk& chunk) { return chunk.health().damaged().size(); };
    const auto environment = [](const Chunk& chunk) {
        const auto runs = chunk.environments().runs(ColumnIndex(1));
        return runs.empty() ? std::string() : std::string(runs.front().key);
    };
    const auto heights = with_nonsense(plain(), "BlockChunk");
    const auto waters = with_nonsense(plain(), "Fluid");
    const auto blocks = [] { // the palette of the second section is of no type
        auto document = plain();
        const auto at = as_text(document).find("Soil_Grass");
        const auto start = as_text(document).rfind(std::string_view("Data\0", 5), at) + 5 + 5;
        document[start + 4] = 9;
        return document;
    }();
    const auto lands = with_nonsense(plain(), "EnvironmentChunk");
    const auto wounds = with_nonsense(plain(), "BlockHealthChunk", 1); // after its version
    EXPECT_TRUE(same(repaired(waters, true), fluid));
    EXPECT_FALSE(same(repaired(waters, false), fluid));
    EXPECT_TRUE(same(repaired(blocks, true), block));
    EXPECT_FALSE(same(repaired(blocks, false), block));
    EXPECT_TRUE(same(repaired(heights, true), tint));
    EXPECT_FALSE(same(repaired(heights, false), tint));
    EXPECT_TRUE(same(repaired(lands, true), environment));
    EXPECT_FALSE(same(repaired(lands, false), environment));
    EXPECT_TRUE(same(repaired(wounds, true), health));
    EXPECT_FALSE(same(repaired(wounds, false), health));
    EXPECT_NE(repaired(waters, true).steps[0].what.find("from the backup"), std::string::npos);
    EXPECT_NE(repaired(waters, false).steps[0].what.find("is now empty"), std::string::npos);
}

TEST(FixParts, EntitiesThatCanBeReadStayInOrder) {
    const auto document = edited(plain(), [](Chunk& chunk) {
        for (const double x : {1.0, 2.0})
            ASSERT_TRUE((*chunk.edit_entities())->add(entity_standing_at(x, 1)));
    });
    auto broken = document;
    const auto bob = as_text(broken).find("Bob");
    broken[bob] = 0xC3; // no UTF-8
    const auto chunk = Chunk::decode(Bytes(broken)).value();
    const auto parts = fix_parts(chunk, nullptr).value();
    ASSERT_EQ(parts.steps.size(), 1U);
    EXPECT_EQ(parts.steps[0].what, "kept 2 readable ones; 1 unreadable was removed");
    const auto list =
        bson::Document::open(parts.document)->find_path({"Components", "EntityChunk", "Entities"})->array();
    std::vector<std::string> keys;
    for (bson::Cursor at(*list); at.next();) keys.emplace_back(at->key());
    EXPECT_EQ(keys, (std::vector<std::string>{"0", "1"}));
}

TEST(FixCells, RightsWhatIsWrongAndNothingBesideIt) {
    const auto document = edited(sound(), [](Chunk& chunk) {
        auto* section = chunk.edit_section(1).value();
        section->rotations.set(CellIndex(1), 63);
        section->rotations.set(CellIndex(2), 64);
        section->levels.set(CellIndex(100), 0); // Water_Source
        section->fluids.set(CellIndex(300), "Lava");
        section->levels.set(CellIndex(301), 4);
        section->ticking.set(CellIndex(0), true);
        ASSERT_TRUE((*chunk.edit_heights())->set(ColumnIndex(7), 319));
        ASSERT_TRUE((*chunk.edit_heights())->set(ColumnIndex(8), 319));
    });
    auto chunk = Chunk::decode(Bytes(document)).value();
    const auto steps =
        fix_cells(chunk, k_found_in, world::Assets::built_in(), [](BlockPos) { return NeighbourBlock(); });
    ASSERT_TRUE(steps) << steps.error().text();
    const auto& section = chunk.section(1);
    EXPECT_EQ(section.rotations.at(CellIndex(1)), 63);
    EXPECT_EQ(section.rotations.at(CellIndex(2)), 0);
    const auto most = [](const char* key) { return world::Assets::built_in().fluid(key)->max_level; };
    EXPECT_EQ(section.levels.at(CellIndex(100)), most("Water_Source"));
    EXPECT_EQ(section.levels.at(CellIndex(300)), most("Lava"));
    EXPECT_GT(most("Lava"), 1);
    EXPECT_EQ(section.levels.at(CellIndex(301)), 0);
    EXPECT_TRUE(section.ticking.contains(CellIndex(0)));
    EXPECT_EQ(section.ticking.count(), 2U);
    std::vector<std::string> said;
    for (const auto& step : *steps) said.push_back(step.part + ": " + step.what);
    EXPECT_EQ(said, (std::vector<std::string>{
                        "section 1, rotations: set rotations above 63 to 0",
                        "section 1, Fluid: set 2 fluid cells without a level to the full level",
                        "section 1, Fluid: removed 1 levels without a fluid",
                        "BlockChunk: recalculated 2 heights"}));
}

TEST(FixCells, AFluidThatNoTableKnowsGetsTheLevelThatItsNameTells) {
    const auto document = edited(sound(), [](Chunk& chunk) {
        auto* section = chunk.edit_section(1).value();
        section->fluids.set(CellIndex(300), "Honey_Source");
        section->fluids.set(CellIndex(301), "Honey");
    });
    auto chunk = Chunk::decode(Bytes(document)).value();
    ASSERT_TRUE(
        fix_cells(chunk, k_found_in, world::Assets::built_in(), [](BlockPos) { return NeighbourBlock(); }));
    EXPECT_EQ(chunk.section(1).levels.at(CellIndex(300)), 1);
    EXPECT_EQ(chunk.section(1).levels.at(CellIndex(301)), 8);
}

TEST(RebuildHeader, IsBelievedWhereMoreEntriesLeadToChunksThanNotAndToMostOfTheFile) {
    const test::TemporaryFolder folder;
    const auto header = [&](int good, int bad, int unlisted) {
        test::RegionContent content;
        for (int i = 0; i < good + unlisted; ++i) content[i] = test::compressed_blob(plain());
        auto image = test::region_v1_image(content);
        for (int i = good; i < good + unlisted; ++i) store_be(image.data() + 32 + 4 * i, std::int32_t{0});
        for (int i = 0; i < bad; ++i) store_be(image.data() + 32 + 4 * (500 + i), std::int32_t{100'000});
        const Buffer right(image.begin(), image.begin() + 32);
        std::fill_n(image.begin(), 32, std::uint8_t{0xAA});
        put(folder / "file", image);
        const auto found = rebuilt_header(*open_file(folder / "file", FileMode::read).value());
        if (found) {
            EXPECT_TRUE(std::ranges::equal(*found, right));
        }
        return found.has_value();
    };
    EXPECT_TRUE(header(3, 2, 0));
    EXPECT_FALSE(header(3, 3, 0));
    EXPECT_FALSE(header(0, 0, 3));
    EXPECT_TRUE(header(3, 0, 3)) << "half of the file";
    EXPECT_FALSE(header(3, 0, 7));
}

} // namespace
} // namespace orbis::jobs
