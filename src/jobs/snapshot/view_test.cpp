#include "bytes/writer.hpp"
#include "bytes/zstd.hpp"
#include "jobs/snapshot/block_cache.hpp"
#include "jobs/snapshot/content_writer.hpp"
#include "jobs/snapshot/last_seen.hpp"
#include "jobs/snapshot/previous_snapshot.hpp"
#include "jobs/snapshot/snapshot_worlds_test.hpp"
#include "storage/walk.hpp"

namespace orbis::jobs::snapshot {
namespace {

using namespace test_worlds;

TEST(WithChunks, APartOfAWorldSaysWhereItsChunksLie) {
    const test::TemporaryFolder folder;
    write_world(folder / "world", {{{{0, 0}, document(1)}, {{1, 0}, document(2)}}, {}});
    const auto location = with_chunks(world::find_location(folder / "world").value(),
                                      [](ChunkPos pos) { return pos == ChunkPos{1, 0}; });
    const auto store = location.worlds.at(0).open({}).value();
    EXPECT_EQ(store->file_of({1, 0}), (folder / "world/chunks/0.0.region.bin").string());
    EXPECT_EQ(store->blob_info({1, 0}).value()->raw_size, document(2).size());
    EXPECT_FALSE(store->blob_info({0, 0}).value()) << "it is not of this part";
    EXPECT_EQ(store->file_of({0, 0}), store->name());
    EXPECT_EQ(store->region_files(), nullptr) << "the file holds other chunks too";
}

TEST(TakeFiles, AFileIsNewWhicheverOfItsPiecesIs) {
    const test::TemporaryFolder folder;
    write_world(folder / "world", {{{{0, 0}, document(1)}}, {}});
    std::string text(k_piece_size + 2, 'x');
    const auto new_files = [&](std::int64_t time) {
        put(folder / "world/large.json", text);
        return take_world(folder / "store", folder / "world", k_later + time).new_files;
    };
    (void)new_files(0);
    text.front() = 'a';
    EXPECT_EQ(new_files(10), 1U);
    text.back() = 'a';
    EXPECT_EQ(new_files(20), 1U);
    EXPECT_EQ(new_files(30), 0U);
}

TEST(WithChunks, ChunksOutsideOfThePartAreNotThereAndNothingIsWritten) {
    const test::TemporaryFolder folder;
    write_world(folder / "world",
                {{{{0, 0}, document(1)}, {{1, 0}, document(2)}, {{5, 7}, document(3)}}, {}});
    const auto location = with_chunks(world::find_location(folder / "world").value(),
                                      [](ChunkPos pos) { return pos != ChunkPos{1, 0}; });
    storage::StoreOptions writing;
    writing.write = true;
    const auto refused = location.worlds.at(0).open(writing);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::read_only);
    EXPECT_EQ(refused.error().problem, "a snapshot cannot be written");
    EXPECT_EQ(refused.error().advice,
              fmt::format("check it out first: orbis convert {} NEW", (folder / "world").string()));
    const auto store = location.worlds.at(0).open({}).value();
    const auto all = world::find_location(folder / "world").value().worlds.at(0).open({}).value();
    EXPECT_EQ(store->kind(), all->kind());
    EXPECT_EQ(store->keeps_compressed(), all->keeps_compressed());
    storage::ReadContext context;
    std::vector<ChunkPos> listed;
    const auto cursor = store->chunks();
    while (const auto pos = cursor->next().value()) listed.push_back(*pos);
    EXPECT_EQ(listed, (std::vector<ChunkPos>{{0, 0}, {5, 7}}));
    EXPECT_TRUE(store->contains({0, 0}).value());
    EXPECT_FALSE(store->contains({1, 0}).value());
    EXPECT_FALSE(store->contains({2, 0}).value()) << "no world has it";
    EXPECT_TRUE(std::ranges::equal(store->read({5, 7}, context).value().value(), document(3)));
    EXPECT_FALSE(store->read({1, 0}, context).value());
    EXPECT_EQ(store->read_compressed({5, 7}, context).value()->raw_size, document(3).size());
    EXPECT_FALSE(store->read_compressed({1, 0}, context).value());
    EXPECT_EQ(store->write({0, 0}, document(1)).error().code, Errc::read_only);
    EXPECT_EQ(store->write_compressed({0, 0}, {document(1), 5}).error().code, Errc::read_only);
    EXPECT_EQ(store->remove({0, 0}).error().problem, "a part of a world cannot be written");
    EXPECT_EQ(store->remove({0, 0}).error().file, store->name());
    EXPECT_TRUE(store->sync());
}

/// Files and chunks of a snapshot that is made by hand.
class ViewTest : public testing::Test {
protected:
    void SetUp() override { fs::create_directories(folder_ / "packs"); }
    /// Puts these into a pack of their own.
    std::vector<Key> store_contents(const std::vector<Buffer>& contents) {
        const auto before = open();
        ContentWriter writer(*before, real_disk(), folder_ / "packs", 1);
        std::vector<Key> keys;
        for (const auto& content : contents) {
            keys.push_back(key_of(content));
            EXPECT_TRUE(writer.put(keys.back(), content, {}));
        }
        EXPECT_TRUE(writer.finish());
        return keys;
    }
    [[nodiscard]] std::shared_ptr<const Contents> open() const {
        std::vector<Error> problems;
        return Contents::open(folder_ / "packs", problems).value();
    }
    [[nodiscard]] std::shared_ptr<const storage::Tree> tree(std::vector<FileRecord> files) const {
        return make_snapshot_tree(open(), std::move(files), "S");
    }
    test::TemporaryFolder folder_;
};

TEST_F(ViewTest, ATreeHasTheFoldersOfItsFilesAndSaysWhatEachEntryIs) {
    const auto keys = store_contents({document(1, 10), Buffer{'a', '/', 'b'}});
    const auto made = tree({{"a/b/file", 10, {keys[0]}, false, fs::perms{0640}},
                            {"a/c", 10, {keys[0]}},
                            {"a/c2/", 0, {}, false, fs::perms{0700}},
                            {"link", 3, {keys[1]}, true},
                            {"z", 0, {}}});
    const auto listed = [&](const std::string& folder) {
        std::vector<std::string> rows;
        const auto entries = made->list(folder).value();
        for (const auto& entry : entries)
            rows.push_back(fmt::format("{} {:d} {} {:d} {:d}", entry.name, entry.is_folder, entry.size,
                                       entry.is_link, entry.is_special));
        return rows;
    };
    using Rows = std::vector<std::string>;
    EXPECT_EQ(listed(""), (Rows{"a 1 0 0 0", "link 0 3 1 0", "z 0 0 0 0"}));
    EXPECT_EQ(listed("a"), (Rows{"b 1 0 0 0", "c 0 10 0 0", "c2 1 0 0 0"}));
    EXPECT_EQ(listed("a/b"), Rows{"file 0 10 0 0"});
    EXPECT_EQ(listed("a/c2"), Rows{});
    for (const std::string missing : {"b", "z", "a/c", "a/"}) {
        const auto refused = made->list(missing);
        ASSERT_FALSE(refused) << missing;
        EXPECT_EQ(refused.error().code, Errc::not_found);
        EXPECT_EQ(refused.error().problem, "there is no such folder");
        EXPECT_EQ(refused.error().file, "S:" + missing);
    }
    EXPECT_TRUE(made->find("")->is_folder);
    EXPECT_TRUE(made->find("a/b")->is_folder);
    EXPECT_EQ(made->find("a/b/file")->size, 10U);
    EXPECT_EQ(made->find("a/b/file")->name, "file");
    for (const std::string missing : {"b", "a/b/other", "no/file", "a/c2/x"})
        EXPECT_FALSE(made->find(missing)) << missing;
    EXPECT_EQ(made->permissions("a/b/file"), fs::perms{0640});
    EXPECT_EQ(made->permissions("a/c2"), fs::perms{0700});
    EXPECT_EQ(made->permissions("a/c"), std::nullopt);
    EXPECT_EQ(made->permissions("a"), std::nullopt);
    EXPECT_EQ(made->shown(""), "S");
    EXPECT_EQ(made->on_disk("a/c"), std::nullopt);
    EXPECT_EQ(made->open("a/c").value()->name(), "S:a/c");
    EXPECT_EQ(made->open("a").error().problem, "there is no such file");
    EXPECT_EQ(made->open("a").error().code, Errc::not_found);
    EXPECT_EQ(made->open("link").error().problem, "this is a link, not a file");
    EXPECT_EQ(made->open("link").error().code, Errc::bad_value);
    EXPECT_EQ(made->read_link("link").value(), "a/b");
    EXPECT_EQ(made->read_link("a/c").error().code, Errc::not_found);
    EXPECT_EQ(made->read_link("nothing").error().problem, "this is not a link");
}

TEST_F(ViewTest, AFileIsReadAcrossItsPiecesAndNotBeyondItsEnd) {
    auto first = document(1, k_piece_size);
    first.resize(k_piece_size);
    const Buffer last{'e', 'n', 'd'};
    const auto keys = store_contents({first, last});
    const auto size = k_piece_size + 3;
    const auto made = tree({{"one", 3, {keys[1]}}, {"two", size, {keys[0], keys[1]}}});
    const auto file = made->open("two").value();
    EXPECT_EQ(file->size().value(), size);
    auto whole = first;
    whole.insert(whole.end(), last.begin(), last.end());
    struct Row {
        std::uint64_t offset;
        std::uint64_t length;
    };
    for (const auto& [offset, length] :
         {Row{0, size}, Row{0, k_piece_size}, Row{k_piece_size, 3}, Row{k_piece_size - 2, 4},
          Row{k_piece_size - 1, 1}, Row{k_piece_size + 2, 1}, Row{7, 0}, Row{size, 0},
          Row{k_piece_size, 0}}) {
        const auto view = file->view(offset, length);
        ASSERT_TRUE(view) << offset;
        EXPECT_TRUE(std::ranges::equal(view->bytes(), Bytes(whole).subspan(offset, length)))
            << offset << " " << length;
        EXPECT_TRUE(file->check(*view));
    }
    for (const auto& [offset, length] : {Row{size, 1}, Row{size + 1, 0}, Row{0, size + 1},
                                         Row{k_piece_size, 4}, Row{1, ~std::uint64_t{0}}}) {
        const auto view = file->view(offset, length);
        ASSERT_FALSE(view) << offset;
        EXPECT_EQ(view.error().code, Errc::truncated);
        EXPECT_EQ(view.error().problem,
                  fmt::format("expected {} bytes, found the end of the file at {}", length, size));
        EXPECT_EQ(view.error().file, "S:two");
        EXPECT_EQ(view.error().offset, offset);
    }
    EXPECT_EQ(file->sync().error().code, Errc::read_only);
    EXPECT_EQ(file->write(0, Bytes(last)).error().problem, "a file of a snapshot cannot be written");
    EXPECT_EQ(file->write(0, Bytes(last)).error().code, Errc::read_only);
}

TEST_F(ViewTest, HolesAreWholePiecesOfZeros) {
    const auto data = key_of(as_bytes("data"));
    const auto hole = key_of(Buffer(k_piece_size));
    constexpr auto k = k_piece_size;
    const auto size = 4 * k + 5;
    const auto made = tree({{"all", 2 * k, {hole, hole}},
                            {"mixed", size, {data, hole, hole, data, data}},
                            {"one", k, {hole}},
                            {"tail", 2 * k, {data, hole}}});
    struct Row {
        std::string file;
        std::uint64_t offset;
        Extent data;
    };
    for (const auto& [file, offset, expected] : std::vector<Row>{{"mixed", 0, {0, k}},
                                                                 {"mixed", k - 1, {k - 1, k}},
                                                                 {"mixed", k, {3 * k, size}},
                                                                 {"mixed", 2 * k + 1, {3 * k, size}},
                                                                 {"mixed", 3 * k, {3 * k, size}},
                                                                 {"mixed", 4 * k + 1, {4 * k + 1, size}},
                                                                 {"mixed", size, {size, size}},
                                                                 {"mixed", size + 9, {size, size}},
                                                                 {"all", 0, {2 * k, 2 * k}},
                                                                 {"tail", 1, {1, k}},
                                                                 {"tail", k, {2 * k, 2 * k}},
                                                                 {"one", 0, {0, k}}})
        EXPECT_EQ(made->open(file).value()->next_data(offset).value(), expected) << file << " " << offset;
}

/// A piece takes its space once in a store, and again and again outside.
TEST_F(ViewTest, FilesThatAreMoreThanAThousandTimesTheStoreAreRefused) {
    const auto data = key_of(as_bytes("data"));
    const auto hole = key_of(Buffer(k_piece_size));
    const auto opens = [&](std::uint64_t bytes) {
        const auto pieces = (bytes + k_piece_size - 1) / k_piece_size;
        return tree({{"holes", 9 * k_piece_size, std::vector<Key>(9, hole)},
                     {"large", bytes, std::vector<Key>(pieces, data)}})
            ->open("holes")
            .has_value();
    };
    const auto gibibyte = std::uint64_t{1} << 30;
    EXPECT_TRUE(opens(gibibyte)) << "in any case";
    EXPECT_FALSE(opens(gibibyte + 1));
    Buffer noise(1 << 21);
    std::mt19937_64 random(1);
    for (auto& byte : noise) byte = static_cast<std::uint8_t>(random());
    store_contents({noise});
    std::uint64_t packed = 0;
    for (const auto& entry : fs::directory_iterator(folder_ / "packs")) packed += entry.file_size();
    EXPECT_TRUE(opens(1000 * packed));
    EXPECT_FALSE(opens(1000 * packed + 1));
    const auto refused =
        tree({{"f", 1000 * packed + 1, std::vector<Key>(1000 * packed / k_piece_size + 1, data)}})->open("f");
    EXPECT_EQ(refused.error().code, Errc::too_large);
    EXPECT_EQ(
        refused.error().problem,
        fmt::format("the files would be more than 1000 times the size of the store: {} bytes in a store "
                    "of {}",
                    1000 * packed + 1, packed));
}

TEST_F(ViewTest, ChunksAreReadByTheirTablesAndALostTableIsTold) {
    const auto chunk = document(5);
    const Buffer broken(700, 9);
    Compressor compressor;
    const auto packed = compressor.compress(chunk).value();
    const Buffer frame(packed.begin(), packed.end());
    const auto size = static_cast<std::uint32_t>(chunk.size());
    const auto table = encode_table({{Slot{3}, key_of(chunk)},
                                     {Slot{4}, key_of(broken), true, 1234},
                                     {Slot{1022}, key_of(frame), true, size},
                                     {Slot{1023}, key_of(as_bytes("lost"))}});
    const auto keys = store_contents({chunk, broken, frame, table});
    const WorldRecord world{"w", {{{-1, 0}, 2, key_of(as_bytes("no table"))}, {{0, 2}, 4, keys[3]}}};
    const auto store = make_snapshot_chunks(open(), world, "S").value();
    EXPECT_EQ(store->kind(), "snapshot");
    EXPECT_TRUE(store->keeps_compressed());
    const auto cursor = store->chunks();
    const auto lost = cursor->next();
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code, Errc::not_found);
    EXPECT_EQ(lost.error().file, "S");
    EXPECT_EQ(lost.error().region, (RegionPos{-1, 0}));
    std::vector<ChunkPos> listed;
    while (const auto pos = cursor->next().value()) listed.push_back(*pos);
    EXPECT_EQ(listed, (std::vector<ChunkPos>{{3, 64}, {4, 64}, {30, 95}, {31, 95}}));
    EXPECT_FALSE(cursor->next().value()) << "it stays at its end";
    storage::ReadContext context;
    EXPECT_TRUE(store->contains({3, 64}).value());
    for (const ChunkPos none : {ChunkPos{2, 64}, ChunkPos{5, 64}, ChunkPos{3, 63}, ChunkPos{-29, 0}}) {
        EXPECT_FALSE(store->contains(none).value()) << none.x;
        EXPECT_FALSE(store->read(none, context).value());
        EXPECT_FALSE(store->read_compressed(none, context).value());
    }
    EXPECT_TRUE(std::ranges::equal(store->read({3, 64}, context).value().value(), chunk));
    const auto whole = store->read_compressed({3, 64}, context).value().value();
    EXPECT_EQ(whole.raw_size, size);
    Decompressor decompressor;
    EXPECT_TRUE(std::ranges::equal(decompressor.decompress(whole.bytes, size, size).value(), chunk));
    EXPECT_TRUE(std::ranges::equal(store->read({30, 95}, context).value().value(), chunk))
        << "a frame that could not be read once";
    const auto as_it_was = store->read_compressed({4, 64}, context).value().value();
    EXPECT_TRUE(std::ranges::equal(as_it_was.bytes, broken));
    EXPECT_EQ(as_it_was.raw_size, 1234U);
    for (const ChunkPos bad : {ChunkPos{4, 64}, ChunkPos{31, 95}}) {
        const auto read = store->read(bad, context);
        ASSERT_FALSE(read);
        EXPECT_EQ(read.error().chunk, bad);
        EXPECT_EQ(read.error().file, "S");
        EXPECT_EQ(read.error().code, bad.x == 4 ? Errc::bad_frame : Errc::not_found);
    }
    EXPECT_EQ(store->write({3, 64}, chunk).error().code, Errc::read_only);
    EXPECT_EQ(store->write_compressed({3, 64}, {frame, size}).error().advice, "check it out first");
    EXPECT_EQ(store->remove({3, 64}).error().problem, "a snapshot cannot be written");
    EXPECT_TRUE(store->sync());
}

TEST_F(ViewTest, ASnapshotOfAUniverseHasItsPlayersAndSaysOnceWhichPacksAreBad) {
    const auto universe = folder_ / "server";
    write_world(universe / "worlds" / "a", first_content(2));
    write_world(universe / "worlds" / "b", first_content(3));
    for (const auto* name : {"1.json", "2.json", "2.json.bak", "more.json/3.json"})
        put(universe / "players" / name, "{}");
    const auto store = folder_ / "store";
    take_world(store, universe, k_later);
    put(store / "packs" / "bad.pack", "short");
    const auto location = find_source(store.string() + "@latest").value();
    EXPECT_EQ(location.kind, world::Location::Kind::universe);
    EXPECT_EQ(location.players, 2U);
    ASSERT_EQ(location.worlds.size(), 2U);
    EXPECT_EQ(location.worlds[0].name, "a");
    EXPECT_EQ(location.worlds[0].origin, (universe / "worlds" / "a").string());
    ASSERT_EQ(location.worlds[0].notes.size(), 1U);
    EXPECT_EQ(location.worlds[0].notes[0].file, (store / "packs" / "bad.pack").string());
    EXPECT_TRUE(location.worlds[1].notes.empty());
    EXPECT_EQ(storage::count_chunks(*location.worlds[1].open({}).value()), 3U);
    EXPECT_TRUE(location.worlds[1].players->find("1.json"));
    EXPECT_TRUE(location.worlds[1].folder.find("config.json"));
}

TEST(BlockCache, KeepsWhatWasLoadedLastAndNoFailure) {
    BlockCache cache;
    int loads = 0;
    const auto get = [&](std::uint64_t number, std::size_t size) {
        return cache.get(number, size, [&]() -> Result<std::shared_ptr<const Buffer>> {
            ++loads;
            return std::make_shared<const Buffer>(Buffer{static_cast<std::uint8_t>(number)});
        });
    };
    const auto failing = [] { return BlockCache::Load([] { return fail(Errc::io, "not today"); }); };
    EXPECT_EQ(cache.get(1, 10, failing()).error().code, Errc::io);
    EXPECT_EQ(*get(1, 10).value(), Buffer{1}) << "it is loaded again";
    EXPECT_EQ(*cache.get(1, 10, failing()).value(), Buffer{1});
    EXPECT_EQ(loads, 1);
    EXPECT_EQ(*get(2, (24 << 20) - 10).value(), Buffer{2});
    EXPECT_TRUE(get(1, 10));
    EXPECT_EQ(loads, 2) << "both fit";
    EXPECT_TRUE(get(3, 1));
    EXPECT_TRUE(get(1, 10));
    EXPECT_EQ(loads, 3) << "the one that was not asked for the longest went";
    EXPECT_TRUE(get(2, (24 << 20) - 10));
    EXPECT_EQ(loads, 4);
}

TEST(LastSeen, ComesBackAsItWasAndEveryOtherByteIsRefused) {
    LastSeen seen;
    seen.snapshot = "2026-11-15T06-55-12Z";
    seen.files["a"].stamp = {1, 2, 3, 4, 5};
    auto& region = seen.files["chunks/0.0.region.bin"];
    region.stamp = {std::uint64_t{1} << 40, 7, 8, 9, 10};
    region.frames = {{Slot{0}, mark_of(as_bytes("x"))}, {Slot{1023}, mark_of(as_bytes("y"))}};
    const auto bytes = seen.encode();
    const auto back = LastSeen::decode(bytes).value();
    EXPECT_EQ(back.snapshot, seen.snapshot);
    ASSERT_EQ(back.files.size(), 2U);
    EXPECT_EQ(back.files.at("a").stamp, seen.files.at("a").stamp);
    EXPECT_TRUE(back.files.at("a").frames.empty());
    const auto& found = back.files.at("chunks/0.0.region.bin");
    EXPECT_EQ(found.stamp, region.stamp);
    ASSERT_NE(found.mark(Slot{0}), nullptr);
    EXPECT_EQ(*found.mark(Slot{0}), mark_of(as_bytes("x")));
    EXPECT_EQ(*found.mark(Slot{1023}), mark_of(as_bytes("y")));
    EXPECT_EQ(found.mark(Slot{1}), nullptr);
    EXPECT_EQ(found.mark(Slot{1022}), nullptr);
    EXPECT_EQ(back.files.at("a").mark(Slot{0}), nullptr);
    auto longer = bytes;
    longer.push_back(0);
    EXPECT_EQ(LastSeen::decode(longer).error().code, Errc::bad_value);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        auto other = bytes;
        other[at] ^= 1;
        EXPECT_FALSE(LastSeen::decode(other)) << at;
        EXPECT_FALSE(LastSeen::decode(Bytes(bytes).first(at))) << at;
    }
    // With the right hash, but a body that goes on.
    auto more = bytes;
    more.push_back(0);
    store_be(&more[12], static_cast<std::uint32_t>(more.size() - 36));
    std::ranges::copy(key_of(Bytes(more).subspan(36)).bytes, more.begin() + 16);
    EXPECT_EQ(LastSeen::decode(more).error().code, Errc::truncated);
    EXPECT_EQ(LastSeen::decode(more).error().problem,
              "expected the end of the last file, found 1 bytes left");
}

TEST(LastSeen, StampOfADatabaseHasTheLatestTimesOfItsFiles) {
    const test::TemporaryFolder folder;
    put(folder / "000012.sst", "table");
    put(folder / "000013.sst", "table");
    put(folder / "LOG", "text");
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(48);
    const auto late = fs::file_time_type::clock::now() - std::chrono::hours(24);
    for (const auto* newest : {"000012.sst", "000013.sst"}) {
        for (const auto* name : {"000012.sst", "000013.sst"})
            fs::last_write_time(folder / name, name == std::string_view(newest) ? late : old);
        const auto all = stamp_of_database(folder.path());
        EXPECT_EQ(all.modified, stamp_of(folder / newest)->modified) << newest;
        EXPECT_GE(all.changed, stamp_of(folder / "000013.sst")->changed);
        EXPECT_GE(all.changed, stamp_of(folder / "000012.sst")->changed);
        EXPECT_EQ(all.inode, 0U);
        EXPECT_EQ(all.device, 0U);
    }
}

TEST(PreviousSnapshot, KnowsOnlyWhatIsInIt) {
    PreviousSnapshot before;
    EXPECT_EQ(before.world("a"), nullptr);
    EXPECT_EQ(before.file("b"), nullptr);
    EXPECT_EQ(before.seen("b"), nullptr);
    EXPECT_FALSE(before.is_unchanged("b", {1, 2, 3, 4, 5}));
    auto& manifest = before.manifest.emplace();
    manifest.worlds = {{"a", {{{-1, 0}, 1, {}}, {{0, 5}, 2, {}}, {{3, -2}, 3, {}}}}, {"c", {}}};
    for (const auto* path : {"b", "d", "f"}) manifest.files.emplace_back().path = path;
    before.known.files["b"].stamp = {1, 2, 3, 4, 5};
    before.known.files["d"];
    EXPECT_EQ(before.world("c"), &manifest.worlds[1]);
    EXPECT_EQ(before.world("b"), nullptr);
    EXPECT_EQ(before.file("d"), &manifest.files[1]);
    for (const auto* none : {"a", "c", "e", "g"}) EXPECT_EQ(before.file(none), nullptr) << none;
    EXPECT_TRUE(before.is_unchanged("b", {1, 2, 3, 4, 5}));
    EXPECT_FALSE(before.is_unchanged("b", {1, 2, 3, 4, 6}));
    EXPECT_FALSE(before.is_unchanged("d", {})) << "a file that must be read";
    EXPECT_FALSE(before.is_unchanged("f", {}));
    const auto* world = before.world("a");
    EXPECT_EQ(find_region(world, {0, 5}), &world->regions[1]);
    EXPECT_EQ(find_region(world, {3, -2}), &world->regions[2]);
    for (const RegionPos none : {RegionPos{-2, 0}, RegionPos{0, 4}, RegionPos{3, -1}})
        EXPECT_EQ(find_region(world, none), nullptr) << none.x;
    EXPECT_EQ(find_region(nullptr, {0, 5}), nullptr);
}

TEST(SnapshotSession, RemovesWhatAKilledRunLeftAndTellsItsFilesFromOlderOnes) {
    const test::TemporaryFolder folder;
    const auto path = folder / "store";
    // A run that was killed while it made the store.
    put(path / "orbis-snapshots.orbis-tmp", "Orb");
    {
        auto session = Session::begin(path, true, real_disk()).value();
        EXPECT_FALSE(session.recovers());
        EXPECT_TRUE(fs::exists(path / "unfinished"));
        EXPECT_FALSE(session.is_of_killed_run(path / "orbis-snapshots")) << "no run was killed";
        ASSERT_TRUE(session.end());
    }
    EXPECT_FALSE(fs::exists(path / "unfinished"));
    const std::vector<std::string> left{"packs/next.orbis-tmp", "snapshots/a.snapshot.orbis-tmp",
                                        "known/b.known.orbis-tmp"};
    for (const auto& name : left) put(path / name, "half");
    put(path / "packs/whole.pack", "whole");
    put(path / "unfinished", "a run is writing, or was killed\n");
    const auto began = fs::last_write_time(path / "unfinished");
    auto session = Session::begin(path, false, real_disk()).value();
    EXPECT_TRUE(session.recovers());
    for (const auto& name : left) EXPECT_FALSE(fs::exists(path / name)) << name;
    const auto pack = path / "packs/whole.pack";
    EXPECT_TRUE(fs::exists(pack));
    using std::chrono::nanoseconds;
    fs::last_write_time(pack, began);
    EXPECT_TRUE(session.is_of_killed_run(pack)) << "written in the same moment";
    fs::last_write_time(pack, began - nanoseconds(1'000));
    EXPECT_FALSE(session.is_of_killed_run(pack));
    fs::last_write_time(pack, began + nanoseconds(1'000));
    EXPECT_TRUE(session.is_of_killed_run(pack));
    EXPECT_FALSE(session.is_of_killed_run(path / "packs/none.pack"));
    EXPECT_EQ(Session::begin(path, false, real_disk()).error().code, Errc::busy);
    EXPECT_EQ(Session::begin(folder / "nowhere", false, real_disk()).error().code, Errc::not_found);
    put(folder / "other/file", "x");
    const auto refused = Session::begin(folder / "other", true, real_disk());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::exists);
    EXPECT_EQ(refused.error().problem, "this folder is neither a snapshot store nor empty: it contains file");
    EXPECT_EQ(Session::begin(folder / "other", false, real_disk()).error().code, Errc::unknown_kind);
}

} // namespace
} // namespace orbis::jobs::snapshot
