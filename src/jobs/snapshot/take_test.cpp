#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "bytes/zstd.hpp"
#include "jobs/snapshot/collect.hpp"
#include "jobs/snapshot/last_seen.hpp"
#include "jobs/snapshot/pack_writer.hpp"
#include "jobs/snapshot/snapshot_worlds_test.hpp"
#include "jobs/snapshot/take_files.hpp"

#include <algorithm>
#include <atomic>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace orbis::jobs::snapshot {
namespace {

using namespace test_worlds;

class TakeTest : public testing::Test {
protected:
    test::TemporaryFolder folder_;
    fs::path store_ = folder_ / "store";
    fs::path world_ = folder_ / "world";
    NoProgress quiet_;
};

TEST_F(TakeTest, EverySnapshotOfASeriesComesBackAlsoAfterThinning) {
    SEEDED_RANDOM(random);
    auto content = first_content();
    std::map<std::string, WorldContent> taken;
    std::int64_t time = k_later;
    for (int day = 0; day < 12; ++day) {
        for (int change = 0; change < 6; ++change) {
            const ChunkPos pos{static_cast<int>(random() % 10) - 5, static_cast<int>(random() % 6)};
            switch (random() % 4) {
            case 0: content.chunks[pos] = document(random(), 100 + random() % 9000); break;
            case 1: content.chunks.erase(pos); break;
            case 2: content.files["players/a.json"] = fmt::format("{{\"x\": {}}}", random()); break;
            default:
                if (content.chunks.contains(pos)) content.chunks[pos] = edited(content.chunks[pos], random);
            }
        }
        write_world(world_, content);
        const auto report = take_world(store_, world_, time += 86400, nullptr, 1 + random() % 3);
        EXPECT_TRUE(report.problems.empty());
        EXPECT_EQ(report.chunks, content.chunks.size());
        taken[report.id] = content;
    }
    const auto check_all = [&] {
        EXPECT_TRUE(verify_store(store_).problems.empty());
        for (const auto& [id, expected] : taken) {
            EXPECT_EQ(read_path(store_.string() + "@" + id), expected) << id;
            const auto out = folder_ / ("out-" + id);
            const auto report =
                check_out(find_source(store_.string() + "@" + id).value(), out, {}, quiet_).value();
            EXPECT_TRUE(report.problems.empty());
            EXPECT_EQ(read_path(out.string()), expected) << id;
            fs::remove_all(out);
        }
    };
    check_all();
    while (taken.size() > 1) {
        const auto gone =
            std::next(taken.begin(), static_cast<std::ptrdiff_t>(random() % taken.size()))->first;
        const auto before = SnapshotStore::open(store_).value().bytes();
        const auto report = remove_snapshots(store_, {gone}, false, quiet_).value();
        EXPECT_TRUE(report.freed.problems.empty());
        EXPECT_LT(SnapshotStore::open(store_).value().bytes(), before);
        taken.erase(gone);
        check_all();
    }
    // What is left is as small as a store that never had anything else, but for what was cut differently.
    const auto fresh = folder_ / "fresh";
    write_world(world_, taken.begin()->second);
    take_world(fresh, world_, k_later);
    EXPECT_LT(SnapshotStore::open(store_).value().bytes(),
              SnapshotStore::open(fresh).value().bytes() * 3 / 2);
}

TEST_F(TakeTest, AnUnchangedWorldIsNotRead) {
    write_world(world_, first_content());
    take_world(store_, world_, k_later);
    const auto again = take_world(store_, world_, k_later + 10);
    EXPECT_EQ(again.regions, 2U);
    EXPECT_EQ(again.unread_regions, 2U);
    EXPECT_EQ(again.decompressed, 0U);
    EXPECT_EQ(again.new_chunks, 0U);
    EXPECT_EQ(again.new_files, 0U);
    EXPECT_EQ(again.chunks, 40U);
    EXPECT_LT(again.bytes_added, 400U);
    // A file that was rewritten with the same chunks is read, but nothing is decompressed.
    fs::last_write_time(world_ / "chunks" / "0.0.region.bin", fs::file_time_type::clock::now());
    const auto touched = take_world(store_, world_, k_later + 20);
    EXPECT_EQ(touched.unread_regions, 1U);
    EXPECT_EQ(touched.decompressed, 0U);
    EXPECT_EQ(touched.new_chunks, 0U);
}

TEST_F(TakeTest, ARewriteOfTheSameLengthWithinOneTickIsSeen) {
    auto content = first_content();
    write_world(world_, content);
    const auto file = world_ / "chunks" / "0.0.region.bin";
    struct stat before{};
    ASSERT_EQ(stat(file.c_str(), &before), 0);
    // The snapshot is taken in the second in which the file was written.
    EXPECT_EQ(take_world(store_, world_, before.st_ctim.tv_sec).new_chunks, 40U);
    EXPECT_EQ(take_world(store_, world_, before.st_ctim.tv_sec + 1).unread_regions, 0U)
        << "nobody can tell yet that it has not been written again";
    EXPECT_EQ(take_world(store_, world_, k_later).unread_regions, 0U) << "was fresh the last time";
    EXPECT_EQ(take_world(store_, world_, k_later + 1).unread_regions, 2U);
}

TEST_F(TakeTest, AChangedChunkIsStoredAgainstTheOldOne) {
    std::mt19937_64 random(1);
    auto content = first_content();
    write_world(world_, content);
    const auto first = take_world(store_, world_, k_later);
    for (int version = 0; version < 3; ++version) {
        content.chunks[{0, 0}] = edited(content.chunks[{0, 0}], random);
        write_world(world_, content);
        const auto next = take_world(store_, world_, k_later + version + 1);
        EXPECT_EQ(next.new_chunks, 1U);
        EXPECT_EQ(next.decompressed, 1U) << "the others are known by their compressed bytes";
        EXPECT_LT(next.bytes_added, 1200U) << "of " << first.bytes_added << " for the whole world";
        EXPECT_EQ(read_path(store_.string() + "@latest"), content);
    }
    // The base goes with the last that needs it: here it stays, though its own snapshot is gone.
    ASSERT_TRUE(remove_snapshots(store_, {first.id}, false, quiet_));
    EXPECT_TRUE(verify_store(store_).problems.empty());
    EXPECT_EQ(read_path(store_.string() + "@latest"), content);
}

TEST_F(TakeTest, EqualChunksAreKeptOnce) {
    WorldContent content;
    content.files["config.json"] = "{}";
    for (int i = 0; i < 200; ++i) content.chunks[{i, 7}] = document(1, 30000);
    write_world(world_, content);
    for (const std::size_t threads : {1U, 4U}) {
        const auto store = folder_ / fmt::format("store{}", threads);
        EXPECT_EQ(take_world(store, world_, k_later, nullptr, threads).new_chunks, 1U);
        EXPECT_EQ(read_path(store.string() + "@latest"), content);
    }
}

TEST_F(TakeTest, AChunkThatDoesNotDecompressComesBackByteForByte) {
    const auto content = first_content(4);
    write_world(world_, content);
    const auto file = world_ / "chunks" / "-1.0.region.bin";
    {
        storage::StoreOptions options;
        options.write = true;
        const auto store = storage::open_single_region(file, options).value();
        ASSERT_TRUE(store->write_compressed({-9, 5}, {Buffer(700, 9), 1234}));
    }
    for (int i = 0; i < 2; ++i) {
        const auto report = take_world(store_, world_, k_later + i);
        EXPECT_EQ(report.opaque_chunks, i == 0 ? 1U : 0U) << "the second time the file is not read";
        for (const auto& problem : report.problems) {
            EXPECT_EQ(problem.chunk, (ChunkPos{-9, 5}));
            EXPECT_FALSE(problem.offset) << "it would count from the start of the frame";
            EXPECT_EQ(problem.advice, "the snapshot keeps its bytes as they are");
        }
        EXPECT_EQ(report.chunks, 5U);
        const auto out = folder_ / fmt::format("out{}", i);
        const auto made =
            check_out(find_source(store_.string() + "@latest").value(), out, {}, quiet_).value();
        EXPECT_EQ(made.problems.size(), 1U);
        EXPECT_EQ(made.missing, 0U);
        const auto back = storage::open_single_region(out / "chunks" / "-1.0.region.bin", {}).value();
        storage::ReadContext context;
        const auto frame = back->read_compressed({-9, 5}, context).value().value();
        EXPECT_EQ(Buffer(frame.bytes.begin(), frame.bytes.end()), Buffer(700, 9));
        EXPECT_EQ(frame.raw_size, 1234U);
    }
}

TEST_F(TakeTest, ARegionFileThatCannotBeOpenedIsKeptAsAFile) {
    write_world(world_, first_content());
    put(world_ / "chunks" / "5.5.region.bin", "this is no region file");
    put(world_ / "chunks" / "readme.txt", "hello");
    const auto report = take_world(store_, world_, k_later);
    EXPECT_EQ(report.problems.size(), 1U);
    EXPECT_EQ(report.chunks, 40U);
    const auto out = folder_ / "out";
    ASSERT_TRUE(check_out(find_source(store_.string() + "@latest").value(), out, {}, quiet_));
    std::ifstream in(out / "chunks" / "5.5.region.bin");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "this is no region file");
    EXPECT_TRUE(fs::exists(out / "chunks" / "readme.txt"));
}

TEST_F(TakeTest, ADatabaseIsTakenToo) {
    const auto content = first_content();
    write_world(world_, content);
    const auto rocks = folder_ / "rocks";
    ASSERT_TRUE(
        convert_location(world::find_location(world_).value(), rocks, StorageFormat::rocksdb, 1, quiet_));
    const auto first = take_world(store_, rocks, k_later);
    EXPECT_EQ(first.new_chunks, 40U);
    EXPECT_EQ(read_path(store_.string() + "@latest").chunks, content.chunks);
    const auto again = take_world(store_, rocks, k_later + 1);
    EXPECT_EQ(again.decompressed, 0U);
    EXPECT_EQ(again.chunks, 40U);
    // The same chunks out of region files are the same contents.
    EXPECT_EQ(take_world(store_, world_, k_later + 2).new_chunks, 0U);
    // And back into a database, where the configuration says so already.
    const auto out = folder_ / "out";
    CheckoutOptions options;
    options.format = StorageFormat::rocksdb;
    ASSERT_TRUE(check_out(find_source(store_.string() + "@" + again.id).value(), out, options, quiet_));
    EXPECT_EQ(read_path(out.string()).chunks, content.chunks);
}

TEST_F(TakeTest, APartOfASnapshotCanBeCheckedOut) {
    const auto content = first_content();
    write_world(world_, content);
    take_world(store_, world_, k_later);
    const auto source = find_source(store_.string() + "@latest").value();
    CheckoutOptions options;
    options.region = RegionPos{-1, 0};
    ASSERT_TRUE(check_out(source, folder_ / "region", options, quiet_));
    for (const auto& [pos, bytes] : read_path((folder_ / "region").string()).chunks)
        EXPECT_EQ(pos.region(), (RegionPos{-1, 0}));
    options.region.reset();
    options.chunks = Selection::parse("1,1 -2,3").value();
    ASSERT_TRUE(check_out(source, folder_ / "two", options, quiet_));
    const auto two = read_path((folder_ / "two").string());
    EXPECT_EQ(two.chunks.size(), 2U);
    EXPECT_EQ(two.chunks.at({1, 1}), content.chunks.at({1, 1}));
    EXPECT_EQ(two.files, content.files);
    EXPECT_EQ(check_out(source, folder_ / "two", options, quiet_).error().code, Errc::exists);
}

TEST_F(TakeTest, TheStoreIsRefusedWhereItDoesNotBelong) {
    write_world(world_, first_content(3));
    const auto location = world::find_location(world_).value();
    TakeOptions options;
    EXPECT_EQ(take(world_ / "backups", location, options, quiet_).error().code, Errc::usage);
    EXPECT_EQ(take(world_, location, options, quiet_).error().code, Errc::usage);
    options.note = std::string(150, 'n') + "\x1f";
    EXPECT_EQ(take(store_, location, options, quiet_).error().problem,
              "--note must be UTF-8 without control characters, not \"" + std::string(100, 'n') + "\"");
    options.note.clear();
    put(folder_ / "other" / "letter.txt", "dear diary");
    EXPECT_EQ(take(folder_ / "other", location, options, quiet_).error().code, Errc::exists);
    options.name = "once";
    ASSERT_TRUE(take(store_, location, options, quiet_));
    EXPECT_EQ(take(store_, location, options, quiet_).error().code, Errc::exists);
    EXPECT_TRUE(find_source(store_.string() + "@once"));
    EXPECT_EQ(find_source(store_.string() + "@twice").error().code, Errc::not_found);
    EXPECT_EQ(find_source(store_.string()).error().code, Errc::usage);
    EXPECT_EQ(find_source((folder_ / "other").string() + "@latest").error().code, Errc::unknown_kind);
    const auto snapshot = find_source(store_.string() + "@once").value();
    storage::StoreOptions writing;
    writing.write = true;
    EXPECT_EQ(snapshot.worlds.at(0).open(writing).error().code, Errc::read_only);
}

TEST_F(TakeTest, TwoRunsDoNotCollideAndReadersDoNotWait) {
    const auto content = first_content(3);
    write_world(world_, content);
    take_world(store_, world_, k_later);
    auto session = Session::begin(store_, false, real_disk()).value();
    TakeOptions options;
    EXPECT_EQ(take(store_, world::find_location(world_).value(), options, quiet_).error().code, Errc::busy);
    EXPECT_EQ(read_path(store_.string() + "@latest"), content);
}

TEST_F(TakeTest, ManySmallPacksAreMerged) {
    std::mt19937_64 random(1);
    auto content = first_content(8);
    for (int i = 0; i < 70; ++i) {
        content.chunks[{0, 0}] = edited(content.chunks[{0, 0}], random);
        write_world(world_, content);
        take_world(store_, world_, k_later + i);
    }
    std::vector<Error> problems;
    EXPECT_LT(SnapshotStore::open(store_).value().contents(problems).value()->packs().size(), 20U);
    EXPECT_TRUE(verify_store(store_).problems.empty());
    EXPECT_EQ(read_path(store_.string() + "@latest"), content);
}

TEST_F(TakeTest, SmallPacksArePutTogetherWhenThereAreMoreThanSixteen) {
    for (int count = 1; count <= 17; ++count) {
        write_world(world_, first_content(1 + count));
        take_world(store_, world_, k_later + count);
        const auto packs = std::distance(fs::directory_iterator(store_ / "packs"), {});
        ASSERT_EQ(packs, count < 17 ? count : 1);
        auto session = Session::begin(store_, false, real_disk()).value();
        EXPECT_EQ(collect(session, {}, quiet_)->packs_rewritten, 0U);
    }
    EXPECT_TRUE(verify_store(store_).problems.empty());
}

TEST_F(TakeTest, APackIsWrittenInPiecesAndReadBackAsItWas) {
    const auto packs = folder_ / "pieces";
    fs::create_directories(packs);
    std::vector<Buffer> frames; // several pieces of a mebibyte, and frames across their ends
    for (std::uint8_t i = 0; i < 9; ++i) frames.emplace_back(400'000 + i, i);
    auto writer = PackWriter::create(real_disk(), packs).value();
    for (const auto& frame : frames) {
        const auto size = static_cast<std::uint32_t>(frame.size());
        const Part part{key_of(frame), 0, size};
        ASSERT_TRUE(writer.add(frame, size, {}, {&part, 1}));
    }
    const auto length = writer.finish();
    ASSERT_TRUE(length);
    EXPECT_EQ(fs::file_size(writer.path()), *length);
    const auto pack = Pack::open(open_file(writer.path(), FileMode::read).value()).value();
    ASSERT_EQ(pack->header().blocks, frames.size());
    for (std::uint32_t i = 0; i < frames.size(); ++i)
        EXPECT_TRUE(std::ranges::equal(pack->frame(pack->block(i).value()).value().bytes(), frames[i])) << i;
}

TEST_F(TakeTest, APackThatIsMadeAgainUnderItsOwnNameIsNotRemoved) {
    const auto content = first_content(2);
    write_world(world_, content);
    take_world(store_, world_, k_later);
    const auto packs = store_ / "packs";
    const auto own = fs::directory_iterator(packs)->path();
    const auto pack = Pack::open(open_file(own, FileMode::read).value()).value();
    // As a kill can leave it: another pack has the same contents and one that nobody needs. It comes first,
    // so that without that one it is written again, and then is the same as the other.
    fs::path other;
    for (std::uint64_t seed = 1000; other.empty(); ++seed) {
        auto writer = PackWriter::create(real_disk(), packs).value();
        for (std::uint32_t i = 0; i < pack->header().blocks; ++i) {
            const auto block = pack->block(i).value();
            std::vector<Part> parts;
            for (std::uint32_t k = 0; k < pack->header().contents; ++k)
                if (const auto part = pack->content(k).value(); part.block == i)
                    parts.push_back({part.key, part.offset, part.size});
            ASSERT_TRUE(writer.add(pack->frame(block).value().bytes(), block.size, block.base, parts));
        }
        const auto unneeded = document(seed);
        const auto size = static_cast<std::uint32_t>(unneeded.size());
        Compressor compressor;
        const Part part{key_of(unneeded), 0, size};
        ASSERT_TRUE(writer.add(compressor.compress(unneeded).value(), size, {}, {&part, 1}));
        ASSERT_TRUE(writer.finish());
        if (writer.path() < own)
            other = writer.path();
        else
            fs::remove(writer.path());
    }
    auto session = Session::begin(store_, false, real_disk()).value();
    const auto report = collect(session, {}, quiet_);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->packs_rewritten, 1U);
    EXPECT_EQ(report->packs_removed, 1U);
    EXPECT_FALSE(fs::exists(other));
    EXPECT_TRUE(fs::exists(own));
    EXPECT_EQ(read_path(store_.string() + "@latest"), content);
}

/// A document that can be told from its first word, so that a mixture of two shows.
Buffer numbered(std::uint64_t number) {
    const auto head = fmt::format("{:08} ", number);
    auto bytes = document(number, 4000 + number * 7919 % 30000);
    bytes.insert(bytes.begin(), head.begin(), head.end());
    return bytes;
}

bool is_whole(const Buffer& bytes) {
    return bytes.size() > 8 && bytes == numbered(std::stoull(std::string(bytes.begin(), bytes.begin() + 8)));
}

TEST_F(TakeTest, EveryChunkIsWholeWhileAServerWrites) {
    WorldContent content;
    content.files["config.json"] = "{}";
    for (int i = 0; i < 8; ++i) content.chunks[{i, 0}] = numbered(1);
    write_world(world_, content);
    std::atomic<bool> stop = false;
    std::jthread server([&] {
        storage::StoreOptions options;
        options.write = true;
        options.sync = storage::SyncPolicy::none;
        const auto store = storage::open_single_region(world_ / "chunks" / "0.0.region.bin", options).value();
        std::mt19937_64 random(1);
        for (std::uint64_t number = 2; !stop; ++number)
            (void)store->write({static_cast<int>(random() % 8), 0}, numbered(number));
    });
    for (int i = 0; i < 20; ++i) {
        const auto report = take_world(store_, world_, k_later + i);
        for (const auto& problem : report.problems) EXPECT_EQ(problem.code, Errc::busy) << problem.text();
        EXPECT_EQ(report.opaque_chunks, 0U);
        for (const auto& [pos, bytes] : read_path(store_.string() + "@latest").chunks)
            EXPECT_TRUE(is_whole(bytes)) << "a chunk of two versions";
    }
    stop = true;
}

TEST_F(TakeTest, RealWorldsComeBack) {
    const auto shared = test::shared_folder();
    if (!shared) GTEST_SKIP() << "the real worlds are not beside the checkout";
    for (const char* name : {"workshop", "old-v4", "old-fluids", "void"}) {
        const auto world = *shared / "worlds" / name;
        const auto report = take_world(store_, world, k_later);
        EXPECT_TRUE(report.problems.empty()) << name;
        EXPECT_EQ(read_path(store_.string() + "@" + report.id).chunks, read_path(world.string()).chunks)
            << name;
    }
}

TEST_F(TakeTest, LinksAndPermissionsComeBackAndNothingBehindALinkIsTaken) {
    write_world(world_, first_content(3));
    put(folder_ / "private.key", "secret");
    put(world_ / "own.key", "own");
    put(world_ / "closed/file", "x");
    fs::permissions(world_ / "own.key", fs::perms{0600});
    fs::permissions(world_ / "closed", fs::perms{0700});
    fs::create_symlink(folder_ / "private.key", world_ / "stolen.key");
    fs::create_directory_symlink("..", world_ / "loop");
    ASSERT_EQ(mkfifo((world_ / "pipe").c_str(), 0600), 0);
    for (int day = 0; day < 2; ++day) {
        const auto report = take_world(store_, world_, k_later + day * 86400);
        ASSERT_EQ(report.problems.size(), 1U);
        EXPECT_NE(report.problems[0].text().find("pipe"), std::string::npos);
        const auto out = folder_ / fmt::format("out{}", day);
        const auto done =
            check_out(find_source(store_.string() + "@" + report.id).value(), out, {}, quiet_).value();
        EXPECT_TRUE(done.problems.empty());
        EXPECT_EQ(fs::read_symlink(out / "stolen.key"), folder_ / "private.key");
        EXPECT_EQ(fs::read_symlink(out / "loop"), "..");
        EXPECT_EQ(fs::status(out / "own.key").permissions(), fs::perms{day == 0 ? 0600U : 0640U});
        EXPECT_EQ(fs::status(out / "closed").permissions(), fs::perms{0700});
        EXPECT_EQ(fs::file_size(out / "closed/file"), 1U);
        fs::permissions(world_ / "own.key", fs::perms{0640}); // for the second day
    }
    EXPECT_TRUE(verify_store(store_).problems.empty());
}

TEST_F(TakeTest, PermissionsThatAnOlderManifestDoesNotKnowAreNotedThoughTheFileIsUnchanged) {
    write_world(world_, first_content(2));
    const auto wanted = fs::perms{0640};
    fs::permissions(world_ / "config.json", wanted);
    const auto first = take_world(store_, world_, k_later);
    const auto store = SnapshotStore::open(store_).value();
    auto manifest = store.load(first.id).value().manifest;
    for (auto& file : manifest.files) file.permissions.reset();
    put(store.manifest_path(first.id), as_text(manifest.encode().value()));
    const auto second = take_world(store_, world_, k_later + 1);
    EXPECT_EQ(second.new_files, 0U);
    const auto files = store.load(second.id).value().manifest.files;
    const auto config = std::ranges::find(files, "config.json", &FileRecord::path);
    ASSERT_NE(config, files.end());
    EXPECT_EQ(config->permissions, wanted);
}

TEST_F(TakeTest, APieceThatIsLongerThanItsFileIsAnErrorLikeAShorterOne) {
    write_world(world_, first_content(2));
    const auto taken = take_world(store_, world_, k_later);
    const auto store = SnapshotStore::open(store_).value();
    const auto whole = store.load(taken.id).value().manifest;
    for (std::uint64_t size = 1; size <= 3; ++size) { // the file has two bytes
        auto manifest = whole;
        std::ranges::find(manifest.files, "resources/Time.json", &FileRecord::path)->size = size;
        put(store.manifest_path(taken.id), as_text(manifest.encode().value()));
        const auto file =
            find_source(store_.string() + "@" + taken.id).value().root.open("resources/Time.json").value();
        EXPECT_EQ(file->view(0, size).has_value(), size == 2) << size;
    }
}

TEST_F(TakeTest, AFileOfATerabyteThatNobodyWroteTakesNoTimeAndNoSpace) {
    write_world(world_, first_content(3));
    put(world_ / "sparse", "begin");
    ASSERT_EQ(truncate((world_ / "sparse").c_str(), off_t{1} << 40), 0);
    const auto report = take_world(store_, world_, k_later);
    EXPECT_TRUE(report.problems.empty());
    EXPECT_LT(report.store_bytes, 16U << 20);
    const auto out = folder_ / "out";
    const auto done =
        check_out(find_source(store_.string() + "@" + report.id).value(), out, {}, quiet_).value();
    EXPECT_TRUE(done.problems.empty());
    EXPECT_EQ(fs::file_size(out / "sparse"), std::uint64_t{1} << 40);
    struct stat status{};
    ASSERT_EQ(stat((out / "sparse").c_str(), &status), 0);
    EXPECT_LT(status.st_blocks * 512, 16 << 20);
    const auto found = verify_store(store_);
    EXPECT_TRUE(found.problems.empty() && found.affected.empty()) << "what nobody wrote is there as well";
}

TEST_F(TakeTest, ASnapshotIsFoundByItsNameBeforeTheBeginningOfAnId) {
    write_world(world_, first_content(1));
    const auto first = take_world(store_, world_, k_later);
    TakeOptions options;
    options.time = k_later + 1'000'000;
    options.name = first.id.substr(0, 16);
    const auto second = take(store_, find_source(world_.string()).value(), options, quiet_).value();
    const auto store = SnapshotStore::open(store_).value();
    EXPECT_EQ(store.find(first.id)->id, first.id);
    EXPECT_EQ(store.find(first.id.substr(0, 15))->id, first.id);
    EXPECT_EQ(store.find(options.name)->id, second.id);
    EXPECT_EQ(store.find("latest")->id, second.id);
    EXPECT_EQ(store.find("2").error().problem, "2 snapshots start with 2");
    EXPECT_EQ(store.find("x").error().problem, "no snapshot has the name or id x");
}

TEST(Manifest, TheFirstVersionIsStillRead) {
    Manifest manifest;
    manifest.worlds.push_back({"world", {}});
    manifest.files.push_back({"a", 0, {}, true, fs::perms{0600}});
    const auto again = Manifest::decode(manifest.encode().value()).value();
    EXPECT_TRUE(again.files.at(0).is_link);
    EXPECT_EQ(again.files.at(0).permissions, fs::perms{0600});
    // Version 1 has the same body without the mode, which is the two bytes after the path.
    const auto bytes = manifest.encode().value();
    Decompressor decompressor;
    const auto body =
        decompressor.decompress(Bytes(bytes).subspan(40), load_be<std::uint32_t>(&bytes[12]), 1000);
    Buffer old(body.value().begin(), body.value().end());
    old.erase(old.end() - 10, old.end() - 8);
    Compressor compressor(3);
    const auto frame = compressor.compress(old).value();
    Buffer image(bytes.begin(), bytes.begin() + 40);
    store_be(&image[8], std::uint32_t{1});
    store_be(&image[12], static_cast<std::uint32_t>(old.size()));
    store_be(&image[16], static_cast<std::uint32_t>(frame.size()));
    std::ranges::copy(key_of(old).bytes, image.begin() + 20);
    image.insert(image.end(), frame.begin(), frame.end());
    const auto first = Manifest::decode(image).value();
    EXPECT_EQ(first.files.at(0).path, "a");
    EXPECT_FALSE(first.files.at(0).is_link);
    EXPECT_FALSE(first.files.at(0).permissions);
}

TEST_F(TakeTest, RemovingSaysWhatItFreesBeforeAndAfter) {
    std::mt19937_64 random(1);
    auto content = first_content(8);
    write_world(world_, content);
    const auto first = take_world(store_, world_, k_later);
    for (auto& [pos, bytes] : content.chunks) bytes = document(random(), 20000);
    write_world(world_, content);
    const auto second = take_world(store_, world_, k_later + 1);
    const auto bytes_of_packs = [&] {
        std::uint64_t sum = 0;
        for (const auto& entry : fs::directory_iterator(store_ / "packs")) sum += entry.file_size();
        return sum;
    };
    const auto before = bytes_of_packs();
    const auto planned = remove_snapshots(store_, {first.id}, true, quiet_).value();
    EXPECT_EQ(bytes_of_packs(), before) << "a dry run";
    EXPECT_EQ(planned.removed, std::vector<std::string>{first.id});
    const auto done = remove_snapshots(store_, {first.id}, false, quiet_).value();
    EXPECT_EQ(done.freed.bytes_before, before);
    EXPECT_EQ(done.freed.bytes_after, bytes_of_packs());
    EXPECT_EQ(done.freed.freed(), before - bytes_of_packs());
    EXPECT_GT(planned.freed.freed(), done.freed.freed() / 2);
    EXPECT_LT(planned.freed.freed(), done.freed.freed() * 2);
    EXPECT_EQ(read_path(store_.string() + "@latest"), content);
    const auto all = remove_snapshots(store_, {second.id}, false, quiet_).value();
    EXPECT_EQ(all.freed.packs_rewritten, 0U);
    EXPECT_GT(all.freed.packs_removed, 0U);
    EXPECT_EQ(all.freed.bytes_after, 0U);
    EXPECT_EQ(bytes_of_packs(), 0U);
}

TEST_F(TakeTest, WhatIsAddedIsWhatTheStoreGrowsBy) {
    auto content = first_content(8);
    write_world(world_, content);
    take_world(store_, world_, k_later);
    const auto known = [&] { return fs::file_size(*fs::directory_iterator(store_ / "known")); };
    const auto before = SnapshotStore::open(store_).value().bytes() - known();
    content.chunks[{0, 0}] = document(77);
    write_world(world_, content);
    const auto report = take_world(store_, world_, k_later + 1);
    const auto after = SnapshotStore::open(store_).value().bytes();
    EXPECT_EQ(report.bytes_added, after - known() - before);
    EXPECT_GE(report.store_bytes, after);
}

TEST_F(TakeTest, AFileThatWasJustWrittenIsReadAgainTheNextTime) {
    write_world(world_, first_content(8));
    struct stat status{};
    ASSERT_EQ(stat((world_ / "config.json").c_str(), &status), 0);
    const auto stamps = [&] {
        const auto file = open_file(*fs::directory_iterator(store_ / "known"), FileMode::read).value();
        return LastSeen::decode(as_bytes(read_text(*file, 1 << 20).value())).value().files;
    };
    take_world(store_, world_, status.st_ctim.tv_sec);
    for (const auto& [path, known] : stamps()) EXPECT_TRUE(known.stamp.empty()) << path;
    take_world(store_, world_, k_later);
    EXPECT_EQ(stamps().size(), 4U) << "two files and two regions";
    for (const auto& [path, known] : stamps()) EXPECT_FALSE(known.stamp.empty()) << path;
}

TEST_F(TakeTest, WhatCouldNotBeReadIsTriedAndToldAgain) {
    write_world(world_, first_content(4));
    const auto file = world_ / "chunks" / "-1.0.region.bin";
    {
        std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
        out.seekp(32 + 4 * 5).write("\0\1\0\0", 4); // chunk -27,0 leads out of the file
    }
    for (int i = 0; i < 3; ++i) {
        const auto report = take_world(store_, world_, k_later + i);
        EXPECT_EQ(report.missing_chunks, 1U) << i;
        EXPECT_EQ(report.problems.size(), 1U);
        EXPECT_EQ(report.chunks, 4U);
    }
}

TEST_F(TakeTest, AKnownChunkThatDoesNotDecompressIsStillCounted) {
    write_world(world_, first_content(4));
    const auto file = world_ / "chunks" / "-1.0.region.bin";
    {
        storage::StoreOptions options;
        options.write = true;
        ASSERT_TRUE(storage::open_single_region(file, options)
                        .value()
                        ->write_compressed({-9, 5}, {Buffer(700, 9), 1234}));
    }
    EXPECT_EQ(take_world(store_, world_, k_later).opaque_chunks, 1U);
    fs::last_write_time(file, fs::file_time_type::clock::now());
    const auto again = take_world(store_, world_, k_later + 10);
    EXPECT_EQ(again.decompressed, 0U) << "known by its compressed bytes";
    EXPECT_EQ(again.opaque_chunks, 1U);
}

TEST_F(TakeTest, EverythingIsReadAgainWhenThatIsWanted) {
    write_world(world_, first_content());
    take_world(store_, world_, k_later);
    TakeOptions options;
    options.time = k_later + 1;
    options.reread = true;
    const auto location = world::find_location(world_).value();
    EXPECT_EQ(take(store_, location, options, quiet_)->unread_regions, 0U);
    options.time = k_later + 2;
    options.reread = false;
    EXPECT_EQ(take(store_, location, options, quiet_)->unread_regions, 2U);
    const auto rocks = folder_ / "rocks";
    if (!convert_location(location, rocks, StorageFormat::rocksdb, 1, quiet_))
        return; // built without RocksDB
    const auto database = world::find_location(rocks).value();
    options.time = k_later + 3;
    EXPECT_EQ(take(store_, database, options, quiet_)->unread_regions, 0U);
    options.time = k_later + 4;
    EXPECT_EQ(take(store_, database, options, quiet_)->unread_regions, 2U);
    options.time = k_later + 5;
    options.reread = true;
    EXPECT_EQ(take(store_, database, options, quiet_)->unread_regions, 0U);
}

TEST_F(TakeTest, AFileThatEndsInAHoleKeepsItsLengthAndUnfinishedOnesStayBehind) {
    write_world(world_, first_content(3));
    put(world_ / "sparse", "begin");
    const auto size = k_piece_size + 5;
    ASSERT_EQ(truncate((world_ / "sparse").c_str(), static_cast<off_t>(size)), 0);
    put(world_ / "half.json.orbis-tmp", "{");
    take_world(store_, world_, k_later);
    const auto out = folder_ / "out";
    ASSERT_TRUE(check_out(find_source(store_.string() + "@latest").value(), out, {}, quiet_));
    EXPECT_EQ(fs::file_size(out / "sparse"), size);
    EXPECT_FALSE(fs::exists(out / "half.json.orbis-tmp"));
    EXPECT_TRUE(verify_store(store_).problems.empty());
}

TEST_F(TakeTest, OfAUniverseAndOfAFolderOfChunksEverythingIsTakenOnce) {
    const auto universe = folder_ / "universe";
    write_world(universe / "worlds" / "w", first_content(4));
    put(universe / "worlds-deleted" / "old" / "config.json", "{}");
    put(universe / "players" / "1.json", "{}");
    EXPECT_EQ(take_world(store_, universe, k_later).files, 3U) << "two of the world and a player";
    const auto chunks = universe / "worlds" / "w" / "chunks";
    put(chunks / "readme", "hello");
    const auto bare = take_world(folder_ / "other", chunks, k_later);
    EXPECT_EQ(bare.files, 1U) << "region files are no files";
    EXPECT_EQ(bare.chunks, 4U);
}

TEST_F(TakeTest, OnlyWhatAKilledRunItselfHasTakenCountsAsTaken) {
    write_world(world_, first_content(5));
    write_world(folder_ / "second", first_content(3));
    TakeOptions options;
    options.time = k_later;
    options.name = "update";
    const auto take_of = [&](const fs::path& world) {
        return take(store_, find_source(world.string()).value(), options, quiet_);
    };
    take_world(store_, folder_ / "second", k_later - 1);
    const auto first = take_of(world_).value();
    EXPECT_EQ(first.new_chunks, 2U) << "the second world has three of them";
    EXPECT_FALSE(first.was_taken);
    const auto manifest = SnapshotStore::open(store_)->manifest_path(first.id);
    const auto note = store_ / "unfinished";
    const auto kill_at = [&](std::chrono::hours after) {
        put(note, "a run is writing, or was killed\n");
        fs::last_write_time(note, fs::last_write_time(manifest) + after);
    };
    kill_at(std::chrono::hours(1));
    EXPECT_EQ(take_of(world_).error().code, Errc::exists) << "that run began after it";
    kill_at(std::chrono::hours(-1));
    EXPECT_EQ(take_of(folder_ / "second").error().code, Errc::exists) << "another world";
    kill_at(std::chrono::hours(-1));
    const auto again = take_of(world_).value();
    EXPECT_TRUE(again.was_taken);
    EXPECT_EQ(again.id, first.id);
    EXPECT_EQ(again.chunks, 5U);
    EXPECT_EQ(again.new_chunks, 2U);
    EXPECT_EQ(again.files, 2U);
    EXPECT_EQ(again.bytes_added, first.bytes_added - fs::file_size(manifest));
    EXPECT_FALSE(fs::exists(note));
    EXPECT_EQ(take_of(world_).error().code, Errc::exists);
}

TEST_F(TakeTest, SnapshotsOfOneSecondHaveNumbers) {
    write_world(world_, first_content(1));
    const auto first = take_world(store_, world_, k_later).id;
    EXPECT_EQ(take_world(store_, world_, k_later).id, first + "-2");
    EXPECT_EQ(take_world(store_, world_, k_later).id, first + "-3");
}

TEST_F(TakeTest, WhatWasSeenOfAnotherSourceOrAsALinkSparesNothing) {
    write_world(world_, first_content(4));
    const auto store = [&] { return SnapshotStore::open(store_).value(); };
    const auto rewrite = [&](const std::string& id, const auto& edit) {
        auto manifest = store().load(id).value().manifest;
        edit(manifest);
        put(store().manifest_path(id), as_text(manifest.encode().value()));
    };
    rewrite(take_world(store_, world_, k_later).id, [](Manifest& manifest) { manifest.source = "/other"; });
    const auto second = take_world(store_, world_, k_later + 1);
    EXPECT_EQ(second.unread_regions, 0U);
    rewrite(second.id, [](Manifest& manifest) {
        for (auto& file : manifest.files) file.is_link = true;
    });
    const auto third = take_world(store_, world_, k_later + 2);
    EXPECT_EQ(third.unread_regions, 1U);
    const auto manifest = store().load(third.id).value().manifest;
    for (const auto& file : manifest.files) EXPECT_FALSE(file.is_link);
}

TEST_F(TakeTest, OnlyTheStorageInUseIsTakenAsChunks) {
    const auto paths = [&](std::string_view provider, const fs::path& store) {
        auto content = first_content(2);
        content.files["config.json"] = fmt::format(R"({{"Version": 4, "ChunkStorage": {}}})", provider);
        content.files["db/CURRENT"] = "no database";
        content.files["orbis-chunk-counts.txt"] = "nothing";
        content.files["a/x"] = "1";
        content.files["a-b"] = "2"; // before what is in `a`
        write_world(world_, content);
        put(world_ / "orbis-undo/000001.undo", "kept elsewhere");
        const auto report = take_world(store, world_, k_later);
        std::vector<std::string> found;
        const auto manifest = SnapshotStore::open(store)->load(report.id)->manifest;
        for (const auto& file : manifest.files) found.push_back(file.path);
        return std::pair(report.chunks, found);
    };
    using Paths = std::vector<std::string>;
    const auto files = paths(R"({"Type": "Hytale"})", folder_ / "one");
    EXPECT_EQ(files.first, 2U);
    EXPECT_EQ(files.second, (Paths{"a-b", "a/x", "config.json", "db/CURRENT", "resources/Time.json"}));
    const auto none = paths(R"({"Type": "Empty"})", folder_ / "two");
    EXPECT_EQ(none.first, 0U);
    EXPECT_EQ(none.second, (Paths{"a-b", "a/x", "chunks/-1.0.region.bin", "config.json", "db/CURRENT",
                                  "resources/Time.json"}));
}

TEST_F(TakeTest, FoldersAreFollowedFortyLevelsDeep) {
    write_world(world_, first_content(1));
    std::string path = "deep";
    for (int i = 1; i < 40; ++i) path += "/d";
    put(world_ / path / "last", "x");
    EXPECT_TRUE(take_world(store_, world_, k_later).problems.empty());
    put(world_ / path / "d" / "beyond", "x");
    const auto report = take_world(store_, world_, k_later + 1);
    ASSERT_EQ(report.problems.size(), 1U);
    EXPECT_EQ(report.problems[0].problem, "folders are nested more than 40 levels deep");
    EXPECT_EQ(report.files, 3U);
}

TEST_F(TakeTest, AFileThatChangesWhileItIsReadIsReadAgainAndNotRemembered) {
    write_world(world_, first_content(2));
    fs::create_symlink("config.json", world_ / "link");
    fs::create_directories(store_ / "packs");
    std::vector<Error> problems;
    const auto contents = Contents::open(store_ / "packs", problems).value();
    const auto location = find_source(world_.string()).value();
    const auto is_chunks = [](const std::string& path) { return path == "chunks/"; };
    for (const int changes : {0, 1, 3, 4, 99}) {
        ContentWriter writer(*contents, real_disk(), store_ / "packs", 3);
        PreviousSnapshot before;
        LastSeen known;
        TakeReport report;
        const TakeOptions options;
        const TakeWork work{*contents, writer, before, options, k_later, quiet_, known, report};
        std::map<std::string, int> asked;
        const auto stamp = [&](const std::string& path) {
            FileStamp made;
            // Asked for before and after each reading: so many readings find another stamp after it.
            const auto number = asked[path]++;
            made.size = 1;
            made.inode = static_cast<std::uint64_t>(std::min(number, 2 * changes));
            return made;
        };
        const auto files = take_files(location.root, is_chunks, {}, stamp, work);
        ASSERT_TRUE(files) << files.error().text();
        EXPECT_EQ(files->size(), 3U);
        EXPECT_EQ(asked["config.json"], 2 * std::min(changes + 1, 4)) << changes;
        EXPECT_EQ(known.files.at("config.json").stamp.empty(), changes >= 4) << changes;
        EXPECT_EQ(report.files, 3U);
        EXPECT_EQ(report.new_files, 3U);
        ASSERT_TRUE(writer.finish());
        for (const auto& entry : fs::directory_iterator(store_ / "packs")) fs::remove(entry.path());
    }
}

TEST_F(TakeTest, OfASparseFileOfTwoPiecesTheHoleIsKnown) {
    write_world(world_, first_content(1));
    put(world_ / "sparse", "");
    ASSERT_EQ(truncate((world_ / "sparse").c_str(), static_cast<off_t>(k_piece_size)), 0);
    std::ofstream(world_ / "sparse", std::ios::app) << "tail";
    const auto report = take_world(store_, world_, k_later);
    const auto file = find_source(store_.string() + "@" + report.id).value().root.open("sparse").value();
    const auto data = file->next_data(0).value();
    EXPECT_EQ(data.begin, k_piece_size);
    EXPECT_EQ(data.end, k_piece_size + 4);
    EXPECT_EQ(file->next_data(k_piece_size + 2)->begin, k_piece_size + 2);
}

TEST_F(TakeTest, ALinkIsNewOnce) {
    write_world(world_, first_content(1));
    fs::create_symlink("config.json", world_ / "link");
    EXPECT_EQ(take_world(store_, world_, k_later).new_files, 3U);
    EXPECT_EQ(take_world(store_, world_, k_later + 1).new_files, 0U);
}

TEST_F(TakeTest, ABlockOfChunksEndsAtFourMebibytes) {
    WorldContent content;
    content.files["config.json"] = "{}";
    // The first two do not fill a batch; with the third they would be too many for one block.
    content.chunks[{0, 0}] = Buffer((1 << 20) - 1, 1);
    content.chunks[{1, 0}] = Buffer(1 << 20, 2);
    content.chunks[{2, 0}] = Buffer((2 << 20) + 7, 3);
    write_world(world_, content);
    take_world(store_, world_, k_later, nullptr, 1);
    std::vector<Error> problems;
    std::uint32_t largest = 0;
    const auto contents = SnapshotStore::open(store_)->contents(problems).value();
    for (const auto& pack : contents->packs())
        for (std::uint32_t i = 0; i < pack->header().blocks; ++i)
            largest = std::max(largest, pack->block(i)->size);
    EXPECT_LE(largest, 4U << 20);
    EXPECT_GE(largest, 2U << 20);
    EXPECT_EQ(read_path(store_.string() + "@latest"), content);
}

TEST(SnapshotName, IsOfOneToAHundredBytesAndPlain) {
    EXPECT_TRUE(check_name("a"));
    EXPECT_TRUE(check_name(std::string(100, 'a')));
    EXPECT_TRUE(check_name("vor dem größeren Update"));
    EXPECT_TRUE(check_name("2026-11-15T06-55-12")) << "no id without its end";
    for (const std::string& name :
         {std::string(), std::string(101, 'a'), std::string("latest"), std::string("a/b"),
          std::string("a\\b"), std::string("a@b"), std::string("-a"), std::string(".a"), std::string(" a"),
          std::string("a "), std::string("a\x7f"), std::string("a\0b", 3), std::string("a\nb"),
          std::string("a\xff"), std::string("a\x1f"), std::string("2026-11-15T06-55-12Z"),
          std::string("2026-11-15T06-55-12Z-2")})
        EXPECT_FALSE(check_name(name)) << name;
}

} // namespace
} // namespace orbis::jobs::snapshot
