#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "bytes/zstd.hpp"
#include "jobs/snapshot/last_seen.hpp"
#include "jobs/snapshot/pack.hpp"
#include "jobs/snapshot/snapshot_worlds_test.hpp"
#include "support/amount.hpp"

namespace orbis::jobs::snapshot {
namespace {

using namespace test_worlds;

std::string read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

class DamageTest : public testing::Test {
protected:
    void SetUp() override {
        std::mt19937_64 random(3);
        auto content = first_content(12);
        for (int i = 0; i < 3; ++i) {
            content.chunks[{0, 0}] = edited(content.chunks[{0, 0}], random);
            content.chunks[{i, 9}] = document(random());
            write_world(world_, content);
            taken_[take_world(store_, world_, k_later + i).id] = content;
        }
        now_ = content;
    }

    [[nodiscard]] std::vector<fs::path> files(const char* folder) const {
        std::vector<fs::path> found;
        for (const auto& entry : fs::directory_iterator(store_ / folder)) found.push_back(entry.path());
        return found;
    }

    /// Reads all snapshots as far as they can be read: what is read must be right.
    void expect_nothing_wrong() const {
        std::vector<Error> problems;
        for (const auto& snapshot : SnapshotStore::open(store_).value().list(problems)) {
            const auto location = find_source(store_.string() + "@" + snapshot.id);
            if (!location) continue;
            const auto store = location->worlds.at(0).open({});
            if (!store) continue;
            storage::ReadContext context;
            for (const auto& [pos, bytes] : taken_.at(snapshot.id).chunks) {
                const auto found = (*store)->read(pos, context);
                if (found && *found) {
                    EXPECT_TRUE(std::ranges::equal(**found, bytes));
                }
            }
        }
    }

    test::TemporaryFolder folder_;
    fs::path store_ = folder_ / "store";
    fs::path world_ = folder_ / "world";
    std::map<std::string, WorldContent> taken_;
    WorldContent now_;
    NoProgress quiet_;
};

TEST_F(DamageTest, EveryDamagedByteIsFoundAndNeverReadAsRight) {
    for (const char* kind : {"packs", "snapshots"})
        for (const auto& path : files(kind)) {
            const auto whole = read_file(path);
            const std::size_t share = test::looks_at_fewer() ? 12 : 50;
            const auto step = std::max<std::size_t>(1, whole.size() / share);
            const auto dense = std::min<std::size_t>(step, 350 / share);
            for (std::size_t at = 0; at < whole.size();
                 at += at < 64 || at + 800 > whole.size() ? dense : step) {
                auto damaged = whole;
                damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
                put(path, damaged);
                const bool is_spare = kind == std::string("packs") && (at < 64 || at >= whole.size() - 64);
                if (is_spare) {
                    for (const auto& [id, content] : taken_)
                        ASSERT_EQ(read_path(store_.string() + "@" + id), content) << "one header is enough";
                } else {
                    ASSERT_FALSE(verify_store(store_).problems.empty()) << path << " at " << at;
                }
                expect_nothing_wrong();
            }
            for (const std::size_t size :
                 {std::size_t{0}, std::size_t{7}, whole.size() / 2, whole.size() - 1}) {
                put(path, whole.substr(0, size));
                (void)verify_store(store_);
                expect_nothing_wrong();
            }
            put(path, whole);
        }
    EXPECT_TRUE(verify_store(store_).problems.empty());
}

TEST_F(DamageTest, VerifySaysWhatIsAffectedAndRepairLetsTheNextSnapshotBringItBack) {
    // The block of the first pack with all chunks of the first snapshot.
    const auto report = verify_store(store_);
    ASSERT_TRUE(report.problems.empty());
    for (const auto& path : files("packs")) {
        if (fs::file_size(path) < 10000) continue;
        auto bytes = read_file(path);
        bytes[2000] = static_cast<char>(bytes[2000] ^ 1);
        put(path, bytes);
    }
    const auto found = verify_store(store_);
    EXPECT_FALSE(found.problems.empty());
    EXPECT_EQ(found.affected.size(), 3U);
    const auto& lost = found.affected.front().lost;
    ASSERT_FALSE(lost.empty());
    for (const auto& thing : lost) EXPECT_TRUE(thing.starts_with("chunk ")) << "tables lie apart: " << thing;
    ASSERT_FALSE(found.damaged.empty());
    EXPECT_EQ(found.snapshots, 3U);
    EXPECT_EQ(found.packs, files("packs").size());
    EXPECT_EQ(found.contents, report.contents);
    EXPECT_EQ(found.bytes, report.bytes);
    EXPECT_GT(found.bytes, 10000U);
    const auto repaired = repair_store(store_, found, quiet_);
    ASSERT_TRUE(repaired) << repaired.error().text();
    EXPECT_EQ(repaired->forgotten, found.damaged.size());
    EXPECT_EQ(repaired->packs_repaired, 1U);
    take_world(store_, world_, k_later + 50);
    const auto after = verify_store(store_);
    EXPECT_EQ(read_path(store_.string() + "@latest"), now_);
    for (const auto& affected : after.affected)
        for (const auto& thing : affected.lost)
            EXPECT_EQ(thing, "chunk 0,0 of world") << "the world has no older version of it any more";
}

TEST_F(DamageTest, AfterRepairOnlyWhatIsLostIsReportedAndTheNextSnapshotIsWhole) {
    fs::copy(store_, folder_ / "before", fs::copy_options::recursive);
    const auto packs = files("packs").size();
    for (std::size_t pack = 0; pack < packs; ++pack)
        for (int kind = 0; kind < 40; kind += test::looks_at_fewer() ? 3 : 1) { // every fourth is a cut
            fs::remove_all(store_);
            fs::copy(folder_ / "before", store_, fs::copy_options::recursive);
            const auto path = files("packs").at(pack);
            auto bytes = read_file(path);
            const auto at = bytes.size() * static_cast<std::size_t>(kind) / 40;
            const auto is_cut = kind % 4 == 0;
            if (is_cut)
                bytes.resize(at);
            else
                bytes[at] = static_cast<char>(bytes[at] ^ 0x41);
            put(path, bytes);
            const auto found = verify_store(store_);
            if (!found.is_repairable()) continue; // the spare header
            for (const auto& problem : found.problems)
                EXPECT_NE(problem.advice.find("orbis snapshots " + store_.string() + " --repair"),
                          std::string::npos)
                    << problem.text();
            const auto count = fmt::format("; {} of ", found.damaged.size());
            if (const auto& text = found.problems.front().problem;
                found.problems.size() == 1 && text.ends_with(" of this block are damaged")) {
                EXPECT_NE(text.find(count), std::string::npos) << text << ", not" << count;
            }
            const auto repaired = repair_store(store_, found, quiet_);
            ASSERT_TRUE(repaired) << repaired.error().text();
            EXPECT_EQ(repaired->set_aside.size(), found.unreadable.size());
            const auto after = verify_store(store_);
            EXPECT_FALSE(after.is_repairable()) << path << " at " << at;
            EXPECT_EQ(after.problems.size(), after.affected.size()) << after.problems.front().text();
            expect_nothing_wrong();
            take_world(store_, world_, k_later + 70);
            EXPECT_EQ(read_path(store_.string() + "@latest"), now_) << path << " at " << at;
        }
}

TEST_F(DamageTest, ADamagedMarkIsNamedAndWrittenAnew) {
    const auto mark = store_ / "orbis-snapshots";
    const auto whole = read_file(mark);
    const auto expect_repaired = [&](const std::string& what) {
        const auto refused = SnapshotStore::open(store_);
        ASSERT_FALSE(refused) << what;
        EXPECT_EQ(refused.error().file, mark.string());
        EXPECT_NE(refused.error().text().find("found"), std::string::npos);
        EXPECT_NE(refused.error().advice.find("--repair"), std::string::npos) << refused.error().text();
        EXPECT_TRUE(SnapshotStore::rewrite_marker_file(store_, real_disk()).value());
        EXPECT_EQ(read_file(mark), whole);
        EXPECT_FALSE(SnapshotStore::rewrite_marker_file(store_, real_disk()).value()) << "nothing left to do";
    };
    for (std::size_t at = 0; at < whole.size(); ++at) {
        auto bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ 0x80);
        put(mark, bytes);
        expect_repaired("offset " + std::to_string(at));
        put(mark, whole.substr(0, at));
        expect_repaired("cut at " + std::to_string(at));
    }
    put(mark, std::string(100'000, 'x'));
    EXPECT_TRUE(SnapshotStore::open(store_).error().problem.ends_with("found 100000 bytes"));
    expect_repaired("large");
    put(mark, std::string(4096, 'x'));
    EXPECT_TRUE(
        SnapshotStore::open(store_).error().problem.ends_with("found \"" + std::string(60, 'x') + "\""));
    expect_repaired("not so large");
    fs::remove(mark);
    expect_repaired("missing");
    put(mark, "Orbis snapshot store, version 12\n");
    EXPECT_EQ(SnapshotStore::open(store_).error().code, Errc::unsupported);
    EXPECT_FALSE(SnapshotStore::rewrite_marker_file(store_, real_disk())) << "that is no damage";
    EXPECT_EQ(read_file(mark), "Orbis snapshot store, version 12\n");
    EXPECT_FALSE(SnapshotStore::rewrite_marker_file(world_, real_disk())) << "no store at all";
}

TEST_F(DamageTest, NothingIsFreedWhileAManifestCannotBeRead) {
    const auto path = files("snapshots").front();
    const auto id = path.stem().string();
    auto bytes = read_file(path);
    bytes[50] = static_cast<char>(bytes[50] ^ 1);
    put(path, bytes);
    const auto other = id == taken_.begin()->first ? std::next(taken_.begin())->first : taken_.begin()->first;
    const auto packs = files("packs").size();
    const auto report = remove_snapshots(store_, {other}, false, quiet_).value();
    EXPECT_FALSE(report.freed.problems.empty());
    EXPECT_EQ(report.freed.freed(), 0U);
    EXPECT_EQ(files("packs").size(), packs);
    EXPECT_TRUE(remove_snapshots(store_, {id}, false, quiet_).value().freed.problems.empty());
    EXPECT_TRUE(verify_store(store_).problems.empty());
}

TEST_F(DamageTest, TheLatestIsTheNewestThatCanBeReadAndOneThatIsGoneIsNoProblem) {
    const auto newest = taken_.rbegin()->first;
    const auto older = std::next(taken_.rbegin())->first;
    put(store_ / "snapshots" / (newest + ".snapshot"), "damaged");
    fs::create_symlink(folder_ / "nowhere", store_ / "snapshots" / "9.snapshot"); // removed since the listing
    const auto store = SnapshotStore::open(store_).value();
    EXPECT_EQ(store.find("latest")->id, older);
    std::vector<Error> problems;
    EXPECT_EQ(store.list(problems).size(), 2U);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].part, "snapshot " + newest);
    fs::create_directories(folder_ / "other/snapshots");
    put(folder_ / "other/snapshots/1.snapshot", "x");
    EXPECT_FALSE(SnapshotStore::is_store(folder_ / "other")) << "without packs";
}

TEST_F(DamageTest, ATableWithOtherChunksThanOneManifestSaysIsLostForThatSnapshotAlone) {
    const auto store = SnapshotStore::open(store_).value();
    const auto id = taken_.begin()->first;
    auto manifest = store.load(id).value().manifest;
    const auto source = manifest.source;
    ++manifest.worlds[0].regions[0].chunks;
    put(store.manifest_path(id), as_text(manifest.encode().value()));
    const auto report = verify_store(store_);
    ASSERT_EQ(report.affected.size(), 1U);
    EXPECT_EQ(report.affected[0].lost, std::vector<std::string>{"region -1.0 of world"});
    ASSERT_EQ(report.problems.size(), 1U);
    EXPECT_EQ(report.problems[0].problem, "lost parts of this snapshot: 1");
    EXPECT_EQ(report.problems[0].advice,
              fmt::format("orbis snapshot {} {} saves again what still exists", store_.string(), source));
}

TEST_F(DamageTest, ADryRunLeavesTheNoteOfAKilledRun) {
    put(store_ / "unfinished", "a run is writing, or was killed\n");
    const auto id = taken_.begin()->first;
    EXPECT_EQ(remove_snapshots(store_, {id}, true, quiet_)->removed, std::vector<std::string>{id});
    EXPECT_TRUE(fs::exists(store_ / "unfinished")) << "the next run that writes has to know";
    ASSERT_TRUE(remove_snapshots(store_, {}, false, quiet_));
    EXPECT_FALSE(fs::exists(store_ / "unfinished"));
    ASSERT_TRUE(remove_snapshots(store_, {id}, true, quiet_));
    EXPECT_FALSE(fs::exists(store_ / "unfinished")) << "this run's own";
}

TEST_F(DamageTest, ADamagedMemoryOfTheLastSnapshotOnlyCostsTime) {
    const auto path = files("known").front();
    const auto whole = read_file(path);
    for (std::size_t at = 0; at < whole.size(); at += 11) {
        auto bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
        put(path, bytes);
        EXPECT_FALSE(LastSeen::decode(as_bytes(bytes)));
    }
    take_world(store_, world_, k_later + 60);
    EXPECT_EQ(read_path(store_.string() + "@latest"), now_);
}

TEST(Manifest, ComesBackAndEveryTruncationIsAnError) {
    Manifest manifest;
    manifest.time = -5;
    manifest.name = "before";
    manifest.note = "größer";
    manifest.source = "/srv/universe";
    manifest.kind = world::Location::Kind::universe;
    manifest.chunks = 7;
    manifest.worlds = {{"a", {{{-1, 2}, 1024, key_of(as_bytes("x"))}, {{0, -7}, 1, key_of(as_bytes("y"))}}},
                       {"b", {}}};
    manifest.files = {{"empty/", 0, {}},
                      {"p/a.json", k_piece_size + 1, {key_of(as_bytes("1")), key_of(as_bytes("2"))}}};
    manifest.new_chunks = 3;
    manifest.bytes_added = std::uint64_t{1} << 40;
    for (const unsigned mode : {0U, 0600U, 0644U, 0751U, 0777U}) {
        auto& file = manifest.files.emplace_back();
        file.path = fmt::format("p/{:o}", mode);
        file.permissions = static_cast<std::filesystem::perms>(mode);
    }
    manifest.files.emplace_back().path = "p/of nobody knows which mode";
    const auto bytes = manifest.encode().value();
    const auto back = Manifest::decode(bytes).value();
    EXPECT_EQ(back.time, -5);
    EXPECT_EQ(back.name, "before");
    EXPECT_EQ(back.note, "größer");
    EXPECT_EQ(back.source, "/srv/universe");
    EXPECT_EQ(back.kind, world::Location::Kind::universe);
    EXPECT_EQ(back.chunks, 7U);
    EXPECT_EQ(back.new_chunks, 3U);
    EXPECT_EQ(back.bytes_added, std::uint64_t{1} << 40);
    EXPECT_EQ(back.worlds[0].regions[0].chunks, 1024U);
    ASSERT_EQ(back.worlds.size(), 2U);
    EXPECT_EQ(back.worlds[0].regions[1].pos, (RegionPos{0, -7}));
    ASSERT_EQ(back.files.size(), manifest.files.size());
    for (std::size_t i = 0; i < back.files.size(); ++i) {
        EXPECT_EQ(back.files[i].path, manifest.files[i].path);
        EXPECT_EQ(back.files[i].pieces, manifest.files[i].pieces);
        EXPECT_EQ(back.files[i].permissions, manifest.files[i].permissions) << back.files[i].path;
        EXPECT_EQ(back.files[i].is_link, manifest.files[i].is_link);
    }
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(Manifest::decode(Bytes(bytes).first(size))) << size;
    for (const std::uint32_t version : {0U, 3U, 0xFFFFFFFFU}) {
        auto other = bytes;
        store_be(other.data() + 8, version);
        const auto refused = Manifest::decode(other);
        ASSERT_FALSE(refused) << version;
        EXPECT_EQ(refused.error().code, Errc::unsupported) << refused.error().text();
    }
}

TEST(Manifest, APathThatLeadsOutOfThePlaceIsRefused) {
    for (const char* path : {"../evil", "/etc/passwd", "a/../../b", "a//b", "./a", "", "a/./b"}) {
        Manifest manifest;
        manifest.worlds = {{"w", {}}};
        manifest.files = {{path, 0, {}}};
        EXPECT_FALSE(Manifest::decode(manifest.encode().value())) << path;
        manifest.files.clear();
        manifest.worlds = {{path, {}}};
        EXPECT_FALSE(Manifest::decode(manifest.encode().value())) << path;
    }
}

TEST(SnapshotFiles, ThatGrowFarBeyondTheStoreAreNotOpened) {
    const test::TemporaryFolder folder;
    fs::create_directories(folder / "packs");
    std::vector<Error> problems;
    const std::shared_ptr<const Contents> contents = Contents::open(folder / "packs", problems).value();
    const auto first_file = [&](std::uint64_t pieces, Bytes piece) {
        FileRecord file;
        file.path = "one";
        file.size = pieces * k_piece_size;
        file.pieces.assign(pieces, key_of(piece));
        return make_snapshot_tree(contents, {file}, "store@x")->open("one");
    };
    const Buffer text{1, 2, 3};
    EXPECT_TRUE(first_file(256, text)) << "a gigabyte may be anything";
    const auto refused = first_file(257, text);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::too_large);
    EXPECT_TRUE(first_file(1 << 18, Buffer(k_piece_size))) << "holes take no space";
}

TEST(Table, ComesBack) {
    const std::vector<TableEntry> entries{{{0}, key_of(as_bytes("a")), false, 0},
                                          {{77}, key_of(as_bytes("b")), true, 123456},
                                          {{1023}, key_of(as_bytes("c")), false, 0}};
    const auto bytes = encode_table(entries);
    const auto back = decode_table(bytes).value();
    ASSERT_EQ(back.size(), 3U);
    EXPECT_TRUE(back[1].is_opaque);
    EXPECT_EQ(back[1].raw_size, 123456U);
    EXPECT_EQ(back[2].key, entries[2].key);
    EXPECT_FALSE(decode_table(Bytes(bytes).first(bytes.size() - 1)));
    EXPECT_FALSE(decode_table(encode_table({entries[1], entries[0]}))) << "out of order";
    EXPECT_FALSE(decode_table(encode_table({entries[1], entries[1]}))) << "twice";
    auto above = entries;
    above[2].slot.value = 1024;
    EXPECT_FALSE(decode_table(encode_table(above))) << "a region has 1024";
}

TEST(Manifest, WhatMakesNoSenseIsRefused) {
    const auto encoded = [](const auto& edit) {
        Manifest manifest;
        manifest.kind = world::Location::Kind::world;
        manifest.worlds = {{"a", {{{0, 0}, 1, key_of(as_bytes("x"))}}}};
        edit(manifest);
        return manifest.encode().value();
    };
    const auto refused = [&](const auto& edit) { return !Manifest::decode(encoded(edit)); };
    EXPECT_FALSE(refused([](Manifest&) {}));
    EXPECT_TRUE(refused([](Manifest& manifest) { manifest.kind = static_cast<world::Location::Kind>(5); }));
    EXPECT_TRUE(refused([](Manifest& manifest) { manifest.worlds.push_back({"b", {}}); }))
        << "two worlds without a universe";
    EXPECT_TRUE(refused([](Manifest& manifest) { manifest.worlds.clear(); }));
    EXPECT_FALSE(refused([](Manifest& manifest) {
        manifest.kind = world::Location::Kind::universe;
        manifest.worlds.push_back({"b", {}});
    }));
    EXPECT_TRUE(refused([](Manifest& manifest) {
        manifest.worlds[0].regions.push_back(manifest.worlds[0].regions[0]); // twice
    }));
    EXPECT_TRUE(refused([](Manifest& manifest) { manifest.worlds[0].name = "a/b"; }));
    auto longer = encoded([](Manifest&) {});
    longer.push_back(0);
    EXPECT_EQ(
        Manifest::decode(longer).error().problem,
        fmt::format("expected {} bytes after the header, found {}", longer.size() - 41, longer.size() - 40));
    // A body that goes on after its last file, with the right hash.
    const auto bytes = encoded([](Manifest&) {});
    Decompressor decompressor;
    const auto body =
        decompressor.decompress(Bytes(bytes).subspan(40), load_be<std::uint32_t>(&bytes[12]), 1000).value();
    Buffer more(body.begin(), body.end());
    more.push_back(0);
    Compressor compressor(3);
    const auto frame = compressor.compress(more).value();
    Buffer image(bytes.begin(), bytes.begin() + 40);
    store_be(&image[12], static_cast<std::uint32_t>(more.size()));
    store_be(&image[16], static_cast<std::uint32_t>(frame.size()));
    std::ranges::copy(key_of(more).bytes, image.begin() + 20);
    image.insert(image.end(), frame.begin(), frame.end());
    EXPECT_EQ(Manifest::decode(image).error().problem,
              "expected a body that ends with its last file, found 1 bytes left");
}

TEST(Manifest, TextsEndAfterTheirLimitAndTooManyPiecesAreRefused) {
    Manifest manifest;
    manifest.kind = world::Location::Kind::world;
    manifest.worlds = {{"a", {}}};
    manifest.note = std::string(65535, 'n') + "and more";
    EXPECT_EQ(Manifest::decode(manifest.encode().value())->note, std::string(65535, 'n'));
    auto& file = manifest.files.emplace_back();
    file.path = "large";
    file.pieces.resize((64 << 20) / Key::k_size + 1);
    file.size = file.pieces.size() * k_piece_size;
    const auto refused = manifest.encode();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::too_large);
    EXPECT_TRUE(refused.error().problem.starts_with(
        "expected a list of files and regions of at most 67108864 bytes, found 6"))
        << refused.error().problem;
}

/// A pack with one block and one content, as it is and as somebody may have made it.
class PackTest : public testing::Test {
protected:
    struct Fields {
        BlockEntry block{64, 100, 1000, {}};
        ContentEntry content{{}, 0, 0, 1000};
        std::uint64_t index = 164;
    };
    Result<std::unique_ptr<Pack>> pack(const Fields& fields) {
        Buffer tables;
        Writer out(tables);
        out.be(fields.block.offset);
        out.be(fields.block.stored);
        out.be(fields.block.size);
        out.bytes(fields.block.base.bytes);
        out.bytes(fields.content.key.bytes);
        out.be(fields.content.block);
        out.be(fields.content.offset);
        out.be(fields.content.size);
        PackHeader header{1, 1, fields.index, fields.index + tables.size() + PackHeader::k_size,
                          key_of(tables)};
        Buffer bytes;
        header.append_to(bytes);
        bytes.resize(std::max<std::uint64_t>(fields.index, bytes.size()));
        bytes.insert(bytes.end(), tables.begin(), tables.end());
        header.append_to(bytes);
        put(folder_ / "a.pack", as_text(bytes));
        return Pack::open(open_file(folder_ / "a.pack", FileMode::read).value());
    }
    bool is_good(const Fields& fields) {
        const auto made = pack(fields);
        return made && (*made)->block(0) && (*made)->content(0) && (*made)->check_index();
    }
    test::TemporaryFolder folder_;
};

TEST_F(PackTest, EntriesStayInsideOfWhatTheyAreEntriesOf) {
    EXPECT_TRUE(is_good({}));
    EXPECT_TRUE(is_good({.block = {64, 100, 64 << 20, {}}}));
    EXPECT_FALSE(is_good({.block = {64, 100, (64 << 20) + 1, {}}})) << "larger than any block";
    EXPECT_FALSE(is_good({.block = {63, 100, 1000, {}}})) << "in the header";
    EXPECT_FALSE(is_good({.block = {64, 101, 1000, {}}})) << "in the tables";
    EXPECT_TRUE(is_good({.block = {164, 0, 1000, {}}}));
    EXPECT_FALSE(is_good({.block = {165, 0, 1000, {}}}));
    EXPECT_TRUE(is_good({.content = {{}, 0, 1000, 0}}));
    EXPECT_FALSE(is_good({.content = {{}, 0, 1001, 0}}));
    EXPECT_FALSE(is_good({.content = {{}, 0, 1, 1000}}));
    EXPECT_EQ(pack({.content = {{}, 1, 0, 0}}).value()->content(0).error().problem,
              "expected a block below 1, found 1");
    EXPECT_TRUE(is_good({.block = {64, 0, 1000, {}}, .index = 64}));
    EXPECT_FALSE(pack({.block = {64, 0, 1000, {}}, .index = 63})) << "tables in the header";
}

TEST(LastSeen, StampOfADatabaseChangesWithEachFileButItsLogs) {
    const test::TemporaryFolder folder;
    put(folder / "000012.sst", "table");
    put(folder / "LOG", "text");
    const auto before = stamp_of_database(folder.path());
    EXPECT_FALSE(before.empty());
    put(folder / "LOG", "longer text");
    put(folder / "LOG.old.1", "text");
    put(folder / "LOCK", "");
    EXPECT_EQ(stamp_of_database(folder.path()), before);
    put(folder / "000013.log", "");
    EXPECT_NE(stamp_of_database(folder.path()), before);
    EXPECT_TRUE(stamp_of_database(folder / "nothing").empty());
}

} // namespace
} // namespace orbis::jobs::snapshot
