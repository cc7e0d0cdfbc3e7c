#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "jobs/repair/repair.hpp"
#include "jobs/test_worlds/older_versions_test.hpp"
#include "jobs/test_worlds/world_jobs_test.hpp"
#include "storage/region_store.hpp"
#include "world/made_world_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace orbis::jobs {
namespace {

namespace fs = std::filesystem;
using namespace test_worlds;

constexpr std::size_t k_first_blob = 32 + 4 * 1024;

/// Repairs of small worlds, with all that is told and all that is there afterwards.
class RepairScene : public testing::Test {
protected:
    /// Chunks of which each is another one; equal numbers are equal chunks.
    static Buffer chunk(int number) { return version_document({.seed = number}); }
    static test::RegionContent chunks(const std::map<int, int>& numbers) {
        test::RegionContent content;
        for (const auto& [slot, number] : numbers) content[slot] = test::compressed_blob(chunk(number));
        return content;
    }

    /// A world with one region file of these bytes.
    void make(const std::string& name, const Buffer& image) const {
        fs::remove_all(folder_ / name);
        put(folder_ / name / "config.json",
            as_bytes(R"({"Version": 4, "ChunkStorage": {"Type": "Hytale"}})"));
        put(folder_ / name / "chunks" / "0.0.region.bin", image);
    }
    static void lead(Buffer& image, int slot, std::int32_t segment) {
        store_be(image.data() + 32 + 4 * static_cast<std::size_t>(slot), segment);
    }
    static std::int32_t segment_of(const Buffer& image, int slot) {
        return load_be<std::int32_t>(image.data() + 32 + 4 * static_cast<std::size_t>(slot));
    }
    /// Where the blob of a slot begins.
    static std::uint8_t* blob_of(Buffer& image, int slot) {
        return image.data() + k_first_blob
               + std::size_t{4096} * static_cast<std::size_t>(segment_of(image, slot) - 1);
    }
    [[nodiscard]] Buffer file(const std::string& path = "world/chunks/0.0.region.bin") const {
        std::ifstream in(folder_ / path, std::ios::binary);
        return Buffer(std::istreambuf_iterator<char>(in), {});
    }

    /// Every step, one in a line, and the counts of the report.
    std::string repaired(RepairOptions options = {}) {
        options.damage_only = true;
        options.force = true; // without a look at all processes
        for (auto& from : options.from) from = (folder_ / from).string();
        std::string text;
        const auto report = repair(
            world::find_location(folder_ / "world").value(), world::Assets::built_in(), options,
            [&](const RepairStep& step) { text += to_text(step) + "\n"; }, quiet_);
        if (!report) return report.error().text();
        for (const auto& note : report->notes) text += "note " + note + "\n";
        text += fmt::format("chunks {}, repaired {}, restored {}, removed {}, missing {}, left {}, files {}",
                            report->chunks, report->chunks_repaired, report->chunks_restored,
                            report->chunks_removed, report->chunks_missing, report->left, report->files);
        text = std::regex_replace(text, std::regex(folder_.path().string() + "/"), "");
        return std::regex_replace(text, std::regex("world/chunks/0.0.region.bin"), "FILE");
    }
    /// `SLOT:NUMBER` of each chunk of the world; `?` for one that cannot be read.
    [[nodiscard]] std::string content() const {
        const auto store = world::find_location(folder_ / "world").value().worlds.at(0).open({}).value();
        storage::ReadContext context;
        std::string text;
        const auto cursor = store->chunks();
        for (auto next = cursor->next(); next && *next; next = cursor->next()) {
            const auto read = store->read(**next, context);
            std::string number = "?";
            for (int i = 0; i < 30 && read && *read; ++i)
                if (std::ranges::equal(**read, chunk(i))) number = std::to_string(i);
            text += fmt::format("{}{}:{}", text.empty() ? "" : " ", (*next)->slot().value, number);
        }
        return text;
    }
    /// Names of the files that were set aside.
    [[nodiscard]] std::string aside() const {
        std::set<std::string> names;
        std::error_code code;
        for (fs::recursive_directory_iterator at(folder_ / "world" / "orbis-set-aside", code), end;
             !code && at != end; at.increment(code))
            if (at->is_regular_file()) names.insert(at->path().filename().string());
        std::string text;
        for (const auto& name : names) text += (text.empty() ? "" : " ") + name;
        return text;
    }

    test::TemporaryFolder folder_;
    NoProgress quiet_;
};

TEST_F(RepairScene, ASoundWorldStaysAsItIs) {
    make("world", test::region_v1_image(chunks({{0, 1}, {7, 2}})));
    const auto before = file();
    EXPECT_EQ(repaired(), "chunks 2, repaired 0, restored 0, removed 0, missing 0, left 0, files 0");
    EXPECT_EQ(file(), before);
    EXPECT_FALSE(fs::exists(folder_ / "world" / "orbis-undo"));
}

TEST_F(RepairScene, OfThreeEntriesOnOneChunkTheOneThatIsLikeTheBackupKeepsIt) {
    auto image = test::region_v1_image(chunks({{0, 1}, {1, 2}, {2, 3}, {9, 4}}));
    lead(image, 0, segment_of(image, 2));
    lead(image, 1, segment_of(image, 2));
    const auto restored = [](int slot, int owner) {
        return fmt::format(
            "restored FILE: chunk {},0: its index entry points to chunk {},0 (as in a backup); "
            "restored from backup\n",
            slot, owner);
    };
    for (const int owner : {0, 1, 2}) {
        SCOPED_TRACE(owner);
        make("world", image);
        std::map<int, int> older{{0, 11}, {1, 12}, {2, 13}};
        older[owner] = 3;
        make("backup", test::region_v1_image(chunks(older)));
        std::string steps;
        std::string now;
        for (const auto& [slot, number] : older) {
            if (slot != owner) steps += restored(slot, owner);
            now += fmt::format("{}:{} ", slot, number);
        }
        EXPECT_EQ(repaired({.from = {"backup"}}),
                  steps + "chunks 4, repaired 0, restored 2, removed 0, missing 0, left 0, files 0");
        EXPECT_EQ(content(), now + "9:4");
        EXPECT_EQ(segment_of(file(), owner), segment_of(image, 2)) << "it stays where it is";
        EXPECT_EQ(aside(), owner == 0   ? "chunk.1.0.zst chunk.2.0.zst"
                           : owner == 1 ? "chunk.0.0.zst chunk.2.0.zst"
                                        : "chunk.0.0.zst chunk.1.0.zst");
    }
}

TEST_F(RepairScene, OfThreeEntriesOnOneChunkNoneGoesWhereTwoAreAsLikeTheBackup) {
    auto image = test::region_v1_image(chunks({{0, 1}, {1, 2}, {2, 3}, {9, 4}}));
    lead(image, 0, segment_of(image, 2));
    lead(image, 1, segment_of(image, 2));
    make("world", image);
    make("backup", test::region_v1_image(chunks({{0, 3}, {1, 11}, {2, 3}})));
    const auto told = [](std::string_view outcome, int slot, int other, std::string_view end) {
        return fmt::format("{} FILE: chunk {},0: its index entry and that of chunk {},0 point to the same "
                           "content, and neither a backup nor the neighbouring chunks show which is right; "
                           "{}\n",
                           outcome, slot, other, end);
    };
    constexpr auto k_stays =
        "not changed; give backups with --from, or let the game generate all chunks that share this content "
        "again with --remove-ambiguous; the content is set aside, and orbis undo restores it";
    EXPECT_EQ(repaired({.from = {"backup"}}),
              told("left", 0, 1, k_stays) + told("left", 1, 0, k_stays) + told("left", 2, 0, k_stays)
                  + "chunks 4, repaired 0, restored 0, removed 0, missing 0, left 3, files 0");
    EXPECT_EQ(file(), image);
    constexpr auto k_restored = "restored from backup";
    EXPECT_EQ(repaired({.from = {"backup"}, .remove_ambiguous = true}),
              told("restored", 0, 1, k_restored) + told("restored", 1, 0, k_restored)
                  + told("restored", 2, 0, k_restored)
                  + "chunks 4, repaired 0, restored 3, removed 0, missing 0, left 0, files 0");
    EXPECT_EQ(content(), "0:3 1:11 2:3 9:4");
    make("world", image);
    constexpr auto k_removed = "removed, the game will generate it again; its bytes were set aside";
    EXPECT_EQ(repaired({.remove_ambiguous = true}),
              told("removed", 0, 1, k_removed) + told("removed", 1, 0, k_removed)
                  + told("removed", 2, 0, k_removed)
                  + "chunks 4, repaired 0, restored 0, removed 3, missing 0, left 0, files 0");
    EXPECT_EQ(content(), "9:4");
    EXPECT_EQ(aside(), "chunk.0.0.zst chunk.1.0.zst chunk.2.0.zst");
}

TEST_F(RepairScene, AChunkThatCannotBeReadComesFromABackupOrGoes) {
    auto image = test::region_v1_image(chunks({{0, 1}, {1, 2}, {2, 3}}));
    std::fill_n(blob_of(image, 1) + 8, 40, std::uint8_t{0xFF});
    lead(image, 2, 5000); // leads to nothing
    make("world", image);
    const auto frame = fmt::format("FILE: chunk 1,0: expected a Zstandard frame, found {} other bytes; ",
                                   test::compressed_blob(chunk(2)).frame.size());
    const auto entry = fmt::format("FILE: chunk 2,0: expected an index entry inside the file of {} bytes, "
                                   "found 5000; ",
                                   image.size());
    const auto advice = [](std::string_view backups, std::string_view copies) {
        return fmt::format("{}, {}, or let the game generate it again with --remove-unreadable\n", backups,
                           copies);
    };
    constexpr auto k_give = "give backups with --from";
    constexpr auto k_look = "look for an older copy with --from-orphans";
    EXPECT_EQ(repaired(), "left " + frame + advice(k_give, k_look) + "left " + entry + advice(k_give, k_look)
                              + "chunks 3, repaired 0, restored 0, removed 0, missing 0, left 2, files 0");
    const auto removed = "removed " + frame
                         + "removed, the game will generate it again; its bytes were set aside\nremoved "
                         + entry
                         + "removed, the game will generate it again\n"
                           "chunks 3, repaired 0, restored 0, removed 2, missing 0, left 0, files 0";
    EXPECT_EQ(repaired({.remove_unreadable = true, .dry_run = true}), removed);
    EXPECT_EQ(file(), image);
    EXPECT_EQ(repaired({.remove_unreadable = true}), removed);
    EXPECT_EQ(content(), "0:1");
    EXPECT_EQ(aside(), "chunk.1.0.zst") << "the entry of the other leads to nothing";
    make("world", image);
    make("backup", test::region_v1_image(chunks({{1, 22}, {4, 5}})));
    EXPECT_EQ(repaired({.from = {"backup"}}),
              "restored " + frame + "restored from backup\nleft " + entry
                  + advice("no backup has a good copy", k_look)
                  + "left FILE: region 0.0: 1 chunk in backup is not in the world; restore missing chunks "
                    "with --missing\n"
                    "chunks 3, repaired 0, restored 1, removed 0, missing 1, left 2, files 0");
    EXPECT_EQ(content(), "0:1 1:22 2:?");
}

TEST_F(RepairScene, AChunkThatCannotBeReadComesFromAnOlderCopyInItsFile) {
    // Slot 900 becomes an older copy of slot 1, of which its entity tells the place.
    auto blobs = chunks({{0, 1}, {1, 2}});
    blobs[900] = test::compressed_blob(version_document({.seed = 7, .entity = {{40.0, 3.0}}}));
    auto image = test::region_v1_image(blobs);
    const auto offset = blob_of(image, 900) - image.data();
    lead(image, 900, 0);
    std::fill_n(blob_of(image, 1) + 8, 40, std::uint8_t{0xFF});
    make("world", image);
    const auto frame = fmt::format("FILE: chunk 1,0: expected a Zstandard frame, found {} other bytes; ",
                                   blobs[1].frame.size());
    const auto counts = "chunks 2, repaired 0, restored 1, removed 0, missing 0, left 0, files 0";
    const auto steps = fmt::format(
        "restored {}restored from an older copy at offset {} of the file (certain, positions)\n{}", frame,
        offset, counts);
    EXPECT_EQ(repaired({.from_orphans = true, .dry_run = true}), steps);
    EXPECT_EQ(file(), image);
    EXPECT_EQ(repaired({.from_orphans = true}), steps);
    EXPECT_EQ(segment_of(file(), 1), 3) << "where the copy was already";
    EXPECT_EQ(aside(), "chunk.1.0.zst");
    make("world", image);
    make("backup", test::region_v1_image(chunks({{1, 22}})));
    EXPECT_EQ(repaired({.from = {"backup"}, .from_orphans = true}),
              fmt::format("restored {}restored from backup\n{}", frame, counts))
        << "a backup comes first";
}

TEST_F(RepairScene, WrongLengthsBeforeAWholeChunkAreSetRight) {
    auto image = test::region_v1_image(chunks({{0, 1}, {3, 2}}));
    store_be(blob_of(image, 3) + 4, 0x7FFFFFFF);
    make("world", image);
    EXPECT_EQ(repaired(),
              "repaired FILE: chunk 3,0, container: its stored lengths were wrong; the chunk itself is whole "
              "and was rewritten\n"
              "chunks 2, repaired 1, restored 0, removed 0, missing 0, left 0, files 0");
    EXPECT_EQ(content(), "0:1 3:2");
    EXPECT_EQ(aside(), "");
}

TEST_F(RepairScene, AnEntryThatWasLostLeadsToTheVeryBytesAgain) {
    auto blobs = chunks({{0, 1}, {1, 2}});
    blobs[5] = test::compressed_blob(version_document({.seed = 5, .entity = {{165.0, 3.0}}}));
    const auto sound = test::region_v1_image(blobs);
    auto image = sound;
    lead(image, 5, 0);
    make("world", image);
    const std::string found = "restored FILE: chunk 5,0: the index does not list it; the chunk was found at "
                              "offset 12320 of the file (certain, positions)\n";
    const auto counts = "chunks 2, repaired 0, restored 1, removed 0, missing 0, left 0, files 0";
    EXPECT_EQ(repaired({.from_orphans = true, .dry_run = true}), found + counts);
    EXPECT_EQ(file(), image);
    EXPECT_EQ(repaired({.from_orphans = true}), found + counts);
    EXPECT_EQ(file(), sound) << "only its entry was written";
    // The same beside a chunk that has to be written: the copy is led to before its segments are taken.
    std::fill_n(blob_of(image, 0) + 8, 40, std::uint8_t{0xFF});
    make("world", image);
    make("backup", test::region_v1_image(chunks({{0, 8}})));
    EXPECT_EQ(
        repaired({.from = {"backup"}, .from_orphans = true}),
        fmt::format("restored FILE: chunk 0,0: expected a Zstandard frame, found {} other bytes; restored "
                    "from backup\n",
                    blobs[0].frame.size())
            + found + "chunks 2, repaired 0, restored 2, removed 0, missing 0, left 0, files 0");
    EXPECT_EQ(segment_of(file(), 5), segment_of(sound, 5));
    EXPECT_EQ(content(), "0:8 1:2 5:?");
}

TEST_F(RepairScene, ChunksThatShareSegmentsGetTheirOwn) {
    // Bytes that do not compress are stored as they are, so that both can be read.
    test::RegionContent blobs{{0, test::compressed_blob(version_document({.seed = 1, .padding = 30000}))}};
    blobs[1] = test::compressed_blob(chunk(2));
    auto image = test::region_v1_image(blobs);
    const auto own = blob_of(image, 1);
    std::copy_n(own, 8 + blobs[1].frame.size(), blob_of(image, 0) + 3 * 4096);
    lead(image, 1, segment_of(image, 0) + 3);
    make("world", image);
    EXPECT_EQ(repaired(), "repaired FILE: chunk 1,0, container: shared segments with another chunk; moved to "
                          "its own segments\n"
                          "chunks 2, repaired 1, restored 0, removed 0, missing 0, left 0, files 0");
    EXPECT_GE(segment_of(file(), 1), 9);
    EXPECT_EQ(segment_of(file(), 0), 1);
    EXPECT_EQ(repaired(), "chunks 2, repaired 0, restored 0, removed 0, missing 0, left 0, files 0");
    EXPECT_TRUE(content().ends_with("1:2")) << content();
}

/// Chunks of which entities tell where they belong.
class MisplacedChunks : public RepairScene {
protected:
    static Buffer standing(int seed, double x) {
        return edited(version_document({.seed = seed}), [&](chunk::Chunk& chunk) {
            for (const double z : {3.0, 4.0, 5.0})
                EXPECT_TRUE(chunk.edit_entities().value()->add(world::made::entity("Pig", "", x, 40, z)));
        });
    }
    /// These two and a third one, each in its place or not.
    Buffer make_world_of(const Buffer& a, const Buffer& b) const {
        const auto image = test::region_v1_image({{0, test::compressed_blob(a)},
                                                  {1, test::compressed_blob(b)},
                                                  {2, test::compressed_blob(standing(3, 70))}});
        make("world", image);
        return image;
    }
    [[nodiscard]] Buffer read(ChunkPos pos) const {
        const auto store = world::find_location(folder_ / "world").value().worlds.at(0).open({}).value();
        storage::ReadContext context;
        const auto document = store->read(pos, context).value();
        return document ? Buffer(document->begin(), document->end()) : Buffer();
    }

    const Buffer first_ = standing(1, 5);
    const Buffer second_ = standing(2, 37);
};

TEST_F(MisplacedChunks, InEachOthersPlacesAreSwapped) {
    make_world_of(first_, second_);
    EXPECT_EQ(repaired(), "chunks 3, repaired 0, restored 0, removed 0, missing 0, left 0, files 0");
    const auto image = make_world_of(second_, first_);
    const auto steps = "repaired FILE: chunk 0,0: swapped with chunk 1,0\n"
                       "repaired FILE: chunk 1,0: swapped with chunk 0,0\n"
                       "chunks 3, repaired 2, restored 0, removed 0, missing 0, left 0, files 0";
    EXPECT_EQ(repaired({.dry_run = true}), steps);
    EXPECT_EQ(file(), image);
    EXPECT_EQ(repaired(), steps);
    EXPECT_EQ(read({0, 0}), first_);
    EXPECT_EQ(read({1, 0}), second_);
    EXPECT_EQ(aside(), "");
}

TEST_F(MisplacedChunks, StayWhereAToolMayHaveCopiedThem) {
    const auto image = make_world_of(second_, second_);
    EXPECT_EQ(repaired(), "left FILE: chunk 0,0: all its entities are in chunk 1,0; not changed\n"
                          "chunks 3, repaired 0, restored 0, removed 0, missing 0, left 1, files 0");
    EXPECT_EQ(file(), image);
}

TEST_F(MisplacedChunks, GoWhereTheirEntryLeadsToAnother) {
    const auto sound = make_world_of(first_, second_);
    auto stray = sound;
    lead(stray, 0, segment_of(sound, 1));
    make("world", stray);
    EXPECT_EQ(repaired(), "left FILE: chunk 0,0: its index entry points to chunk 1,0; give backups with "
                          "--from, look for an older copy with --from-orphans, or let the game generate it "
                          "again with --remove-unreadable\n"
                          "chunks 3, repaired 0, restored 0, removed 0, missing 0, left 1, files 0");
    EXPECT_EQ(file(), stray) << "what shows whose it is stays";
    EXPECT_EQ(repaired({.remove_unreadable = true}),
              "removed FILE: chunk 0,0: its index entry points to chunk 1,0; removed, the game will generate "
              "it again; its bytes were set aside\n"
              "chunks 3, repaired 0, restored 0, removed 1, missing 0, left 0, files 0");
    EXPECT_EQ(segment_of(file(), 0), 0);
    EXPECT_EQ(segment_of(file(), 1), segment_of(sound, 1));
    EXPECT_EQ(read({1, 0}), second_);
}

TEST_F(RepairScene, AFileThatCannotBeOpenedIsSetAsideOnlyWhereThatHelps) {
    const auto sound = test::region_v1_image(chunks({{0, 1}, {1, 2}}));
    make("backup", test::region_v1_image(chunks({{0, 1}, {9, 4}})));
    make("other", test::region_v1_image({}));
    auto image = sound;
    image.resize(3000);
    make("world", image);
    const std::string problem =
        "FILE: region 0.0: expected an index of 1024 entries up to offset 4128, found "
        "the end of the file at 3000; ";
    const std::string again = ", or let the game generate the region again with --remove-unreadable\n";
    const auto left = "chunks 0, repaired 0, restored 0, removed 0, missing 0, left 1, files 0";
    EXPECT_EQ(repaired(), "left " + problem + "give backups with --from" + again + left);
    EXPECT_EQ(repaired({.from = {"other"}}),
              "left " + problem + "no backup has a chunk of it" + again + left);
    EXPECT_EQ(file(), image);
    const auto replaced = "removed " + problem
                          + "the file was set aside\n"
                            "restored FILE: chunk 0,0: restored from backup\n"
                            "restored FILE: chunk 9,0: restored from backup\n"
                            "chunks 0, repaired 0, restored 2, removed 0, missing 0, left 0, files 1";
    EXPECT_EQ(repaired({.from = {"backup"}, .dry_run = true}), replaced);
    EXPECT_EQ(file(), image);
    EXPECT_EQ(repaired({.from = {"backup"}}), replaced);
    EXPECT_EQ(content(), "0:1 9:4");
    EXPECT_EQ(aside(), "0.0.region.bin");
    make("world", image);
    EXPECT_EQ(repaired({.remove_unreadable = true}),
              "removed " + problem
                  + "the file was set aside\n"
                    "chunks 0, repaired 0, restored 0, removed 0, missing 0, left 0, files 1");
    EXPECT_FALSE(fs::exists(folder_ / "world/chunks/0.0.region.bin"));
    EXPECT_EQ(aside(), "0.0.region.bin");
}

/// One of the five may be a copy of the chunk that cannot be read.
TEST_F(RepairScene, WhereManyEntriesWereLostNothingElseOfTheFileIsRepaired) {
    std::map<int, int> numbers{{0, 1}, {1, 2}};
    for (int i = 0; i < 5; ++i) numbers[10 + i] = 10 + i;
    const auto sound = test::region_v1_image(chunks(numbers));
    auto image = sound;
    for (int i = 0; i < 5; ++i) lead(image, 10 + i, 0);
    std::fill_n(blob_of(image, 1) + 8, 40, std::uint8_t{0xFF});
    make("world", image);
    make("backup", sound);
    const std::string left =
        "left FILE: region 0.0: this file has 4 whole chunks that its index does not list (it lists 2): the "
        "index was damaged, or chunks were removed; put them back with --from-orphans; until then nothing "
        "else in this file is repaired, because that could overwrite them\n";
    EXPECT_EQ(repaired({.from = {"backup"}}),
              left + "chunks 0, repaired 0, restored 0, removed 0, missing 0, left 1, files 0");
    EXPECT_EQ(repaired({.remove_unreadable = true}),
              left + "chunks 0, repaired 0, restored 0, removed 0, missing 0, left 1, files 0");
    EXPECT_EQ(file(), image);
    EXPECT_EQ(aside(), "");
}

TEST_F(RepairScene, TheOnlyCopyThatFitsNoOtherChunkIsThatOfTheOnlyOneWithoutContent) {
    auto image = test::region_v1_image(chunks({{0, 1}, {1, 2}, {900, 9}}));
    const auto offset = blob_of(image, 900) - image.data();
    lead(image, 900, 0);
    std::fill_n(blob_of(image, 1) + 8, 40, std::uint8_t{0xFF});
    make("world", image);
    EXPECT_EQ(
        repaired({.from_orphans = true}),
        fmt::format("restored FILE: chunk 1,0: expected a Zstandard frame, found {} other bytes; restored "
                    "from an older copy at offset {} of the file (guess, elimination)\n"
                    "chunks 2, repaired 0, restored 1, removed 0, missing 0, left 0, files 0",
                    test::compressed_blob(chunk(2)).frame.size(), offset));
    EXPECT_EQ(content(), "0:1 1:9");
}

TEST_F(RepairScene, FilesComeFromTheirCopyOrFromABackup) {
    make("world", test::region_v1_image(chunks({{0, 1}})));
    make("backup", test::region_v1_image(chunks({{0, 1}})));
    const auto counts = [](int left, int files) {
        return fmt::format("chunks 1, repaired 0, restored 0, removed 0, missing 0, left {}, files {}", left,
                           files);
    };
    put(folder_ / "world/resources/Time.json", as_bytes("{"));
    const auto broken = repaired();
    EXPECT_TRUE(broken.starts_with("left world/resources/Time.json: ")) << broken;
    EXPECT_TRUE(broken.ends_with("; give backups with --from\n" + counts(1, 0))) << broken;
    const auto nobody = repaired({.from = {"backup"}});
    EXPECT_TRUE(nobody.ends_with("; none of the backups has a good one\n" + counts(1, 0))) << nobody;
    put(folder_ / "backup/resources/Time.json", as_bytes(R"({"a": 1})"));
    for (const bool dry : {true, false}) {
        const auto restored = repaired({.from = {"backup"}, .dry_run = dry});
        EXPECT_TRUE(restored.starts_with("restored world/resources/Time.json: ")) << restored;
        EXPECT_TRUE(restored.ends_with("; restored from backup\n" + counts(0, 1))) << restored;
        EXPECT_EQ(as_text(file("world/resources/Time.json")), dry ? "{" : R"({"a": 1})");
    }
    put(folder_ / "world/resources/Time.json", as_bytes("{"));
    put(folder_ / "world/resources/Time.json.bak", as_bytes(R"({"a": 2})"));
    const auto copied = repaired({.from = {"backup"}});
    EXPECT_TRUE(copied.ends_with("; restored from its .bak\n" + counts(0, 1))) << copied;
    EXPECT_EQ(as_text(file("world/resources/Time.json")), R"({"a": 2})") << "its own copy comes first";
    fs::remove(folder_ / "world/config.json");
    put(folder_ / "world/config.json.bak", as_bytes(R"({"Version": 4})"));
    EXPECT_EQ(repaired(),
              "restored world/config.json: the file is missing; restored from its .bak\n" + counts(0, 1));
    put(folder_ / "backup/resources/More.json", as_bytes(R"({"a": 3})"));
    EXPECT_EQ(
        repaired({.from = {"backup"}, .other_world = true}),
        "left world/resources: 1 file in backup is missing here: More.json; add --missing to restore it\n"
            + counts(1, 0));
    EXPECT_EQ(repaired({.from = {"backup"}, .other_world = true, .missing = true}),
              "restored world/resources/More.json: it was missing; restored from backup\n" + counts(0, 1));
    EXPECT_EQ(as_text(file("world/resources/More.json")), R"({"a": 3})");
}

TEST_F(RepairScene, ADamagedHeaderAloneIsWrittenAgain) {
    const auto sound = test::region_v1_image(chunks({{0, 1}, {1, 2}}));
    auto image = sound;
    image[3] = 'x';
    make("world", image);
    const auto steps =
        "repaired FILE: region 0.0: rewrote the header: expected the magic HytaleIndexedStorage, found "
        "HytxleIndexedStorage\n"
        "chunks 2, repaired 0, restored 0, removed 0, missing 0, left 0, files 1";
    EXPECT_EQ(repaired({.dry_run = true}), steps);
    EXPECT_EQ(file(), image);
    EXPECT_EQ(repaired(), steps);
    EXPECT_EQ(file(), sound);
}

TEST_F(RepairScene, OfMissingChunksThoseWithAGoodCopyComeBack) {
    make("world", test::region_v1_image(chunks({{0, 1}})));
    auto backup = test::region_v1_image(chunks({{0, 9}, {1, 2}, {2, 3}, {3, 4}, {4, 5}}));
    std::fill_n(blob_of(backup, 2) + 8, 40, std::uint8_t{0xFF});
    make("backup", backup);
    make("older", test::region_v1_image(chunks({{3, 14}, {6, 7}})));
    const auto now = fs::file_time_type::clock::now();
    fs::last_write_time(folder_ / "backup", now - std::chrono::hours(1));
    fs::last_write_time(folder_ / "older", now - std::chrono::hours(2));
    const auto missing = [](std::string_view which, int count) {
        return fmt::format(
            "left FILE: region 0.0: {} not in the world; restore missing chunks with --missing\n"
            "chunks 1, repaired 0, restored 0, removed 0, missing {}, left 1, files 0",
            which, count);
    };
    EXPECT_EQ(repaired({.from = {"older", "backup"}}), missing("5 chunks in backup are", 5));
    EXPECT_EQ(repaired({.from = {"older"}}), missing("2 chunks in older are", 2));
    const std::string without = "left FILE: region 0.0: 1 missing chunk: no backup has a good copy\n";
    const auto steps = "restored FILE: region 0.0: 3 missing chunks restored from backup\n"
                       "restored FILE: region 0.0: 1 missing chunk restored from older\n"
                       + without + "chunks 1, repaired 0, restored 4, removed 0, missing 1, left 1, files 0";
    EXPECT_EQ(repaired({.from = {"older", "backup"}, .missing = true, .dry_run = true}), steps);
    EXPECT_EQ(content(), "0:1");
    EXPECT_EQ(repaired({.from = {"older", "backup"}, .missing = true}), steps);
    EXPECT_EQ(content(), "0:1 1:2 3:4 4:5 6:7") << "the newer of two copies";
    EXPECT_EQ(repaired({.from = {"older", "backup"}, .missing = true}),
              without + "chunks 5, repaired 0, restored 0, removed 0, missing 1, left 1, files 0");
    fs::create_directory(folder_ / "world/chunks/0.1.region.bin");
    EXPECT_EQ(repaired(),
              "left world/chunks/0.1.region.bin: region 0.1: this is a folder, not a region file; "
              "move the folder somewhere else\n"
              "chunks 5, repaired 0, restored 0, removed 0, missing 0, left 1, files 0");
}

} // namespace
} // namespace orbis::jobs
