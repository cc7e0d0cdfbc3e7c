#include "app/captured_test.hpp"
#include "app/command_undelete_list.hpp"
#include "app/print_converted.hpp"
#include "app/print_diff.hpp"

namespace orbis::app {
namespace {

using jobs::ChangeKind;
using jobs::ComparedChunk;
using jobs::Orphan;
using test::captured;
using test::Printed;

/// Every number is another one, so that none can stand in the place of another.
jobs::ChunkDiff whole_diff() {
    jobs::ChunkDiff diff;
    diff.blocks = 1'001;
    diff.fluids = 2;
    diff.supports = 3;
    diff.ticking = 4;
    diff.heights = 5;
    diff.tints = 6;
    diff.environments = 7;
    diff.components = 8;
    diff.entities = 9;
    diff.light_sections = 10;
    diff.health = true;
    diff.other = {"Other\nPart"};
    diff.unreadable = {"BlockChunk"};
    diff.block_pairs = {
        {{"A", "B"}, 3}, {{"A", "C"}, 1'000}, {{"D", "E"}, 2}, {{"F", "G"}, 1}, {{"H", "I"}, 4}};
    diff.block_changes = {{{1, 2, -3},
                           {"Chair", chunk::Rotation::of_degrees(90, 180, 270), {}},
                           {"Bed\x7f", {}, chunk::Filler::of_offset(-1, 2, 3)}}};
    diff.fluid_changes = {{{4, 5, 6}, {"Empty", 0}, {"Water", 7}}};
    diff.component_changes = {{{7, 8, 9}, ChangeKind::removed, {"Chest", "Sign"}}};
    diff.entity_changes = {{ChangeKind::changed, "id-1", "Cow", 1.25, -2, 3, {"Health", "Name"}},
                           {ChangeKind::added, "", "", 0, 0, 0.5, {"Model"}}};
    return diff;
}

Printed compared(const ComparedChunk& chunk, bool json) {
    return captured([&] {
        Console console;
        console.set_json(json);
        print_compared(console, "my world", chunk);
    });
}

TEST(PrintCompared, SaysEveryPartWithItsOwnNumber) {
    EXPECT_EQ(compared({{-3, 4}, ComparedChunk::State::changed, whole_diff(), {}, false}, false).out,
              "changed    -3,4: blocks 1,001, fluids 2, supports 3, ticking 4, heights 5, tints 6, "
              "environments 7, components 8, entities 9, light of sections 10, block health, Other?Part, "
              "BlockChunk (unreadable)\n"
              "  blocks     A → C 1,000×, H → I 4×, A → B 3×, D → E 2×, 1 more\n"
              "  block      1,2,-3: Chair yaw 90 pitch 180 roll 270 → Bed? part -1,2,3\n"
              "  fluid      4,5,6: Empty → Water level 7\n"
              "  component  7,8,9: removed Chest, Sign\n"
              "  entity     1.2,-2.0,3.0: changed Cow id-1 (Health, Name)\n"
              "  entity     0.0,0.0,0.5: added something\n");
    jobs::ChunkDiff little;
    little.blocks = 1;
    little.block_pairs = {{{"A", "B"}, 1}};
    little.block_changes = {{{1, 2, 3}, {"A", {}, {}}, {"B", {}, {}}}};
    EXPECT_EQ(compared({{0, 0}, ComparedChunk::State::changed, little, {}, false}, false).out,
              "changed    0,0: blocks 1\n  block      1,2,3: A → B\n")
        << "the sum says no more than what is listed";
    EXPECT_EQ(parts_text({}), "");
    for (const auto& [state, text] : {std::pair{ComparedChunk::State::added, "added      1,2\n"},
                                      std::pair{ComparedChunk::State::removed, "removed    1,2\n"},
                                      std::pair{ComparedChunk::State::unreadable, "unreadable 1,2\n"},
                                      std::pair{ComparedChunk::State::equal, "equal      1,2\n"}})
        EXPECT_EQ(compared({{1, 2}, state, {}, {}, false}, false).out, text);
}

TEST(PrintCompared, JsonHasEveryMember) {
    EXPECT_EQ(
        compared({{-3, 4}, ComparedChunk::State::changed, whole_diff(), {error(Errc::io, "lost")}, false},
                 true)
            .out,
        R"({"world":"my world","x":-3,"z":4,"change":"changed","blocks":1001,"fluids":2,"supports":3,"ticking":4,)"
        R"("heights":5,"tints":6,"environments":7,"components":8,"entities":9,"light_sections":10,"health":true,)"
        R"("block_keys":[{"before":"A","after":"C","cells":1000},{"before":"H","after":"I","cells":4},)"
        R"({"before":"A","after":"B","cells":3},{"before":"D","after":"E","cells":2},)"
        R"({"before":"F","after":"G","cells":1}],"block_changes":[{"x":1,"y":2,"z":-3,)"
        R"("before":{"key":"Chair","rotation":57,"filler":0},"after":{"key":"Bed)"
        "\\u007f"
        R"(","rotation":0,"filler":2175}}],"fluid_changes":[{"x":4,"y":5,"z":6,"before":{"key":"Empty","level":0},)"
        R"("after":{"key":"Water","level":7}}],"component_changes":[{"x":7,"y":8,"z":9,"change":"removed",)"
        R"("names":["Chest","Sign"]}],"entity_changes":[{"change":"changed","uuid":"id-1","what":"Cow","x":1.25,)"
        R"("y":-2,"z":3,"names":["Health","Name"]},{"change":"added","uuid":"","what":"","x":0,"y":0,)"
        R"("z":0.5,"names":["Model"]}],"other":["Other\nPart"],"unreadable":["BlockChunk"],)"
        R"("problems":[{"code":"io","message":"lost"}]})"
        "\n");
    EXPECT_EQ(compared({{5, 6}, ComparedChunk::State::added, {}, {}, false}, true).out,
              "{\"world\":\"my world\",\"x\":5,\"z\":6,\"change\":\"added\"}\n");
}

TEST(PrintConverted, SaysEveryNumberAndWhatToDoNext) {
    jobs::ConvertReport report;
    report.written = 1'234;
    report.already_there = 2'000;
    report.verified = 3'000;
    report.files_copied = 4;
    report.missing = 5;
    report.problems = {error(Errc::io, "lost"), error(Errc::io, "gone")};
    report.left_out = {"chunks"};
    const auto print = [&](bool json, std::string_view snapshot) {
        return captured([&] {
            Console console;
            console.set_json(json);
            print_converted(console, report, "target", snapshot);
        });
    };
    const std::string left_out = "chunks was not copied: the world does not keep its chunks there\n";
    const auto plain = print(false, "");
    EXPECT_EQ(plain.out,
              "1,234 chunks written to target, 2,000 were already there, 3,000 verified; 4 other files "
              "copied\n");
    EXPECT_EQ(plain.err,
              "orbis: lost\norbis: gone\n" + left_out
                  + "target is incomplete: 5 parts could not be copied. Next: repair the source and run "
                    "the same command again\n");
    const auto named = print(false, "daily");
    EXPECT_EQ(named.out, "daily: " + plain.out);
    EXPECT_TRUE(named.err.ends_with("Next: see the problems above\n")) << named.err;
    EXPECT_EQ(print(true, "daily").out,
              R"({"snapshot":"daily","written":1234,"already_there":2000,"verified":3000,"files_copied":4,)"
              R"("missing":5,"problems":2})"
              "\n");
    report = {};
    EXPECT_EQ(print(true, "").err, "");
    EXPECT_EQ(print(true, "").out,
              R"({"written":0,"already_there":0,"verified":0,"files_copied":0,"missing":0,"problems":0})"
              "\n");
}

Orphan some_orphan() {
    Orphan orphan;
    orphan.region = {-1, 2};
    orphan.first_segment = 31;
    orphan.segments = 3;
    orphan.offset = 135'168;
    orphan.raw_size = 20'480;
    orphan.frame_size = 9'000;
    orphan.problems = 0;
    orphan.basis = Orphan::Basis::similarity;
    orphan.sureness = Orphan::Sureness::guess;
    orphan.telling = 50;
    orphan.matching = 40;
    return orphan;
}

TEST(UndeleteList, SaysWhoseACopyIsAndHowSureThatIs) {
    auto orphan = some_orphan();
    EXPECT_EQ(copy_name(orphan), "-1.2:31");
    EXPECT_EQ(owner_text(orphan), "? (similarity, guess)");
    orphan.candidates = {{1, 2}};
    EXPECT_EQ(owner_text(orphan), "1,2 (similarity, guess)");
    orphan.candidates = {{1, 2}, {-3, 4}, {5, 6}};
    EXPECT_EQ(owner_text(orphan), "1,2 or -3,4 or 5,6 (similarity, guess)");
    orphan.candidates.push_back({7, 8});
    EXPECT_EQ(owner_text(orphan), "1,2 or -3,4 or 5,6 or 1 more (similarity, guess)");
    orphan.basis = Orphan::Basis::neighbours;
    orphan.chance = 0.999;
    EXPECT_EQ(owner_text(orphan), "1,2 or -3,4 or 5,6 or 1 more (neighbours, 99 %)");
    orphan.chunk = ChunkPos{9, -9};
    orphan.sureness = Orphan::Sureness::likely;
    EXPECT_EQ(owner_text(orphan), "9,-9 (neighbours, likely)");
}

TEST(UndeleteList, JsonHasEveryMember) {
    jobs::OlderVersion version{some_orphan(), jobs::PresentState::differs, {}};
    version.orphan.chunk = ChunkPos{-20, 70};
    version.orphan.candidates = {{1, 2}, {3, 4}};
    version.orphan.basis = Orphan::Basis::neighbours;
    version.orphan.chance = 0.5;
    version.orphan.game_time = "day 3";
    version.orphan.lengths_fixed = true;
    version.orphan.problems = 6;
    version.diff.blocks = 12;
    const auto print = [&](bool json) {
        return captured([&] {
                   Console console;
                   console.set_json(json);
                   print_older(console, "w", version);
               })
            .out;
    };
    EXPECT_EQ(
        print(true),
        R"({"world":"w","copy":"-1.2:31","region":"-1.2","segment":31,"segments":3,"offset":135168,)"
        R"("bytes":20480,"compressed":9000,"chunk":[-20,70],"basis":"neighbours","sureness":"guess",)"
        R"("candidates":[[1,2],[3,4]],"chance":0.5,"matching":40,"telling":50,"game_time":"day 3",)"
        R"("sound":false,"overlaps":false,"lengths_fixed":true,"problems":6,"present":"differs",)"
        R"("difference":"12 blocks","changes":{"blocks":12,"fluids":0,"supports":0,"ticking":0,"heights":0,)"
        R"("tints":0,"environments":0,"components":0,"entities":0,"light_sections":0,"health":false}})"
        "\n");
    EXPECT_EQ(print(false),
              "-1.2:31         20.0 KiB  -20,70 (neighbours, guess)      day 3  12 blocks, damaged\n");
    version.orphan.overlaps = true;
    EXPECT_TRUE(print(false).ends_with("12 blocks, partly overwritten\n"));
    version.orphan.overlaps = false;
    version.orphan.problems = 0;
    EXPECT_TRUE(print(false).ends_with("12 blocks, found behind wrong lengths\n"));
    version = {some_orphan(), jobs::PresentState::missing, {}};
    EXPECT_TRUE(print(false).ends_with("-  the world does not have this chunk now\n")) << print(false);
    EXPECT_EQ(print(true),
              R"({"world":"w","copy":"-1.2:31","region":"-1.2","segment":31,"segments":3,"offset":135168,)"
              R"("bytes":20480,"compressed":9000,"chunk":null,"basis":"similarity","sureness":"guess",)"
              R"("candidates":[],"matching":40,"telling":50,"game_time":null,"sound":true,"overlaps":false,)"
              R"("lengths_fixed":false,"problems":0,"present":"missing",)"
              R"("difference":"the world does not have this chunk now"})"
              "\n");
}

TEST(UndeleteList, TheSumHasEveryNumber) {
    jobs::UndeleteReport report;
    report.files = 1;
    report.segments = 2'000;
    report.unused_segments = 1'500;
    report.versions = 4;
    report.attributed = 3;
    report.partly_overwritten = 1;
    const auto print = [&](bool json) {
        return captured([&] {
                   Console console;
                   console.set_json(json);
                   print_undelete_report(console, "w", report);
               })
            .out;
    };
    EXPECT_EQ(print(false),
              "w: 4 older versions in 1 file, 3 with a known chunk; 1,500 of 2,000 segments unused, 1 copy "
              "partly overwritten\n");
    report.partly_overwritten = 2;
    report.no_chunks = 5;
    report.not_searched = 6;
    EXPECT_EQ(print(false),
              "w: 4 older versions in 1 file, 3 with a known chunk; 1,500 of 2,000 segments unused, 2 copies "
              "partly overwritten, 5 frames without a chunk; 6 files of container version 0 not searched\n");
    EXPECT_EQ(print(true), R"({"world":"w","summary":true,"files":1,"not_searched":6,"segments":2000,)"
                           R"("unused_segments":1500,"versions":4,"attributed":3,"partly_overwritten":2,)"
                           R"("no_chunks":5})"
                           "\n");
}

} // namespace
} // namespace orbis::app
