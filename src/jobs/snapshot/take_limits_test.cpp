#include "jobs/snapshot/last_seen.hpp"
#include "jobs/snapshot/of_world.hpp"
#include "jobs/snapshot/snapshot_worlds_test.hpp"

#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

/// What a snapshot says of itself, and what it does where something is too large or fails.
namespace orbis::jobs::snapshot {
namespace {

using namespace test_worlds;

/// Counts what a job tells.
class CountedProgress final : public Progress {
public:
    void begin(std::string_view part, std::uint64_t total) override { parts_[std::string(part)] = total; }
    void step() override { ++steps; }
    [[nodiscard]] std::uint64_t total(const std::string& part) const { return parts_.at(part); }
    std::uint64_t steps = 0;

private:
    std::map<std::string, std::uint64_t> parts_;
};

/// A disk that has no room for files whose path ends like this.
class FullDisk final : public Disk {
public:
    explicit FullDisk(std::string end) : end_(std::move(end)) {}
    Result<std::unique_ptr<File>> create(const fs::path& path) override {
        if (path.string().ends_with(end_)) return fail(Errc::no_space, "no room");
        return Disk::create(path);
    }

private:
    std::string end_;
};

class TakeLimits : public testing::Test {
protected:
    Result<TakeReport> take_with(const TakeOptions& options) {
        return take(store_, find_source(world_.string()).value(), options, quiet_);
    }
    [[nodiscard]] Manifest manifest_of(const std::string& id) const {
        return SnapshotStore::open(store_).value().load(id).value().manifest;
    }

    test::TemporaryFolder folder_;
    fs::path store_ = folder_ / "store";
    fs::path world_ = folder_ / "world";
    NoProgress quiet_;
};

TEST_F(TakeLimits, TheManifestSaysWhatWasTaken) {
    auto content = first_content(5);
    write_world(world_, content);
    take_world(store_, world_, k_later - 1);
    content.chunks[{0, 0}] = document(500);
    content.chunks[{9, 9}] = document(501);
    write_world(world_, content);
    TakeOptions options;
    options.time = k_later;
    options.name = "before";
    options.note = "a note";
    const auto report = take_with(options).value();
    const auto manifest = manifest_of(report.id);
    EXPECT_EQ(report.id, id_of_time(k_later));
    EXPECT_EQ(manifest.time, k_later);
    EXPECT_EQ(manifest.name, "before");
    EXPECT_EQ(manifest.note, "a note");
    EXPECT_EQ(manifest.source, fs::weakly_canonical(world_).string());
    EXPECT_EQ(manifest.kind, world::Location::Kind::world);
    EXPECT_EQ(manifest.chunks, 6U);
    EXPECT_EQ(manifest.new_chunks, 2U);
    const auto snapshot = SnapshotStore::open(store_).value().load(report.id).value();
    EXPECT_EQ(manifest.bytes_added + snapshot.file_bytes, report.bytes_added);
    EXPECT_EQ(snapshot.file_bytes, fs::file_size(store_ / "snapshots" / (report.id + ".snapshot")));
    ASSERT_EQ(manifest.worlds.size(), 1U);
    ASSERT_EQ(manifest.worlds[0].regions.size(), 2U);
    EXPECT_EQ(manifest.worlds[0].regions[0].pos, (RegionPos{-1, 0}));
    EXPECT_EQ(manifest.worlds[0].regions[1].chunks, 2U);
    ASSERT_EQ(report.counts.size(), 1U);
    EXPECT_EQ(report.counts[0].at({-1, 0}), 4U);
    EXPECT_EQ(report.counts[0].at({0, 0}), 2U);
    EXPECT_EQ(report.regions, 2U);
    EXPECT_EQ(report.files, 2U);
    EXPECT_EQ(report.new_files, 0U);
}

TEST_F(TakeLimits, ProgressCountsRegionsOrChunks) {
    write_world(world_, first_content(20));
    TakeOptions options;
    options.time = k_later;
    CountedProgress progress;
    ASSERT_TRUE(take(store_, find_source(world_.string()).value(), options, progress));
    EXPECT_EQ(progress.total("Reading"), 2U);
    EXPECT_EQ(progress.steps, 2U);
    const auto rocks = folder_ / "rocks";
    if (!convert_location(world::find_location(world_).value(), rocks, StorageFormat::rocksdb, 1, quiet_))
        return; // built without RocksDB
    CountedProgress by_chunk;
    options.time = k_later + 1;
    ASSERT_TRUE(take(store_, find_source(rocks.string()).value(), options, by_chunk));
    EXPECT_EQ(by_chunk.total("Reading"), 20U);
    EXPECT_EQ(by_chunk.steps, 20U);
}

TEST_F(TakeLimits, AFullDiskEndsTheRunAndNothingIsTaken) {
    // Small chunks share a block with others, large ones are a block of their own.
    for (const std::size_t size : {std::size_t{6000}, std::size_t{700} << 10}) {
        fs::remove_all(store_);
        write_world(world_, {{{{0, 0}, document(1, size)}, {{1, 0}, document(2, size)}}, {}});
        for (const auto* end : {"next.orbis-tmp", ".snapshot.orbis-tmp", ".known.orbis-tmp"}) {
            FullDisk disk(end);
            TakeOptions options;
            options.time = k_later;
            options.disk = &disk;
            const auto refused = take_with(options);
            ASSERT_FALSE(refused) << end;
            EXPECT_EQ(refused.error().code, Errc::no_space);
            EXPECT_TRUE(fs::exists(store_ / "unfinished")) << "the next run has to know";
            const bool is_there = fs::exists(store_ / "snapshots" / (id_of_time(k_later) + ".snapshot"));
            EXPECT_EQ(is_there, end == std::string_view(".known.orbis-tmp"));
        }
        const auto report = take_world(store_, world_, k_later + 1);
        EXPECT_EQ(report.chunks, 2U);
        EXPECT_TRUE(verify_store(store_).problems.empty());
    }
}

TEST_F(TakeLimits, WhatIsNoFileAndWhatIsTooLargeIsNamedAndLeftOut) {
    write_world(world_, first_content(1));
    ASSERT_EQ(mkfifo((world_ / "pipe").c_str(), 0600), 0);
    auto report = take_world(store_, world_, k_later);
    ASSERT_EQ(report.problems.size(), 1U);
    EXPECT_EQ(report.problems[0].code, Errc::unknown_kind);
    EXPECT_EQ(report.problems[0].advice, "it is not in the snapshot");
    EXPECT_EQ(report.files, 2U);
    fs::remove(world_ / "pipe");
    const auto most = (std::uint64_t{1} << 20) * k_piece_size;
    put(world_ / "huge", "");
    if (truncate((world_ / "huge").c_str(), static_cast<off_t>(most + 1)) != 0)
        GTEST_SKIP() << "this file system has no files of that length";
    report = take_world(store_, world_, k_later + 1);
    ASSERT_EQ(report.problems.size(), 1U);
    EXPECT_EQ(report.problems[0].code, Errc::too_large);
    EXPECT_EQ(report.problems[0].problem,
              fmt::format("expected a file of at most {} bytes, found {}", most, most + 1));
    EXPECT_EQ(report.problems[0].advice, "this file is not in the snapshot");
    for (const auto& file : manifest_of(report.id).files) EXPECT_NE(file.path, "huge");
}

TEST_F(TakeLimits, FoldersAreKeptWhereTheyAreEmptyOrHaveTheirOwnPermissions) {
    write_world(world_, first_content(1));
    fs::create_directories(world_ / "empty");
    put(world_ / "usual/file", "x");
    put(world_ / "closed/file", "x");
    fs::permissions(world_ / "usual", fs::perms{0755});
    fs::permissions(world_ / "empty", fs::perms{0755});
    fs::permissions(world_ / "closed", fs::perms{0750});
    fs::permissions(world_, fs::perms{0700}); // that of the world itself is not its content
    std::vector<std::string> paths;
    const auto manifest = manifest_of(take_world(store_, world_, k_later).id);
    for (const auto& file : manifest.files) paths.push_back(file.path);
    fs::permissions(world_, fs::perms{0755});
    EXPECT_EQ(paths, (std::vector<std::string>{"closed/", "closed/file", "config.json", "empty/",
                                               "resources/Time.json", "usual/file"}));
}

TEST_F(TakeLimits, TheStampOfADatabaseTellsEachOfItsFiles) {
    const auto folder = folder_ / "db";
    put(folder / "000012.sst", "table");
    put(folder / "000013.sst", "other");
    const auto time = fs::file_time_type::clock::now() - std::chrono::hours(5);
    for (const auto* name : {"000012.sst", "000013.sst"}) fs::last_write_time(folder / name, time);
    const auto before = stamp_of_database(folder);
    fs::rename(folder / "000013.sst", folder / "000014.sst");
    const auto renamed = stamp_of_database(folder);
    EXPECT_NE(renamed.size, before.size) << "another name";
    put(folder / "000012.sst", "longer table");
    fs::last_write_time(folder / "000012.sst", time);
    EXPECT_NE(stamp_of_database(folder).size, renamed.size) << "another size";
}

TEST(SnapshotName, OnlyWhatIsAnIdLooksLikeOne) {
    for (const auto* id : {"0000-00-00T00-00-00Z", "9999-99-99T99-99-99Z"})
        EXPECT_FALSE(check_name(id)) << id;
    for (const auto* name : {"2026-11-15T06-55-1:Z", "2026-11-15T06-55-12X", "2026_11-15T06-55-12Z",
                             "2026-11-15t06-55-12Z", "x026-11-15T06-55-12Z"})
        EXPECT_TRUE(check_name(name)) << name;
    const auto text = [](std::string_view name) { return check_name(name).error().problem; };
    EXPECT_EQ(text("a/b"), "--name \"a/b\" is not allowed: it must be a name without /, \\ and @");
    EXPECT_EQ(text(std::string(101, 'a')),
              "--name \"" + std::string(100, 'a') + "\" is not allowed: it must be a name of 1 to 100 bytes");
    EXPECT_EQ(check_name("").error().code, Errc::usage);
}

/// Snapshots of one UUID that were taken of several paths.
class SnapshotsOf : public TakeLimits {
protected:
    void make(const fs::path& path, std::uint64_t seed) {
        write_world(path, {{{{0, 0}, document(seed)}},
                           {{"config.json",
                             R"({"Version": 4, "UUID": {"$binary": "AAAAAAAAQACAAAAAAAAAAQ==", "$type": "04"},
                                 "ChunkStorage": {"Type": "Hytale"}})"}}});
    }
    /// The ids of the snapshots that count as those of the world at this path.
    std::vector<std::string> of(const fs::path& path) {
        const auto worlds = identities_of(world::find_location(path).value());
        const auto found = snapshots_of(SnapshotStore::open(store_).value(), worlds);
        if (!found) return {found.error().problem};
        std::vector<std::string> ids;
        for (const auto& one : *found) ids.push_back(one.id);
        return ids;
    }
};

TEST_F(SnapshotsOf, AWorldThatWasMovedHasThoseOfItsOldPath) {
    using Ids = std::vector<std::string>;
    make(world_, 1);
    const auto first = take_world(store_, world_, k_later).id;
    const auto second = take_world(store_, world_, k_later + 1).id;
    EXPECT_EQ(of(world_), (Ids{second, first})) << "the newest first";
    fs::rename(world_, folder_ / "moved");
    EXPECT_EQ(of(folder_ / "moved"), (Ids{second, first})) << "it has none of its own yet";
    const auto third = take_world(store_, folder_ / "moved", k_later + 2).id;
    EXPECT_EQ(of(folder_ / "moved"), (Ids{third, second, first}));
    make(world_, 2); // something is at the old path again
    EXPECT_EQ(of(folder_ / "moved"), Ids{third});
    EXPECT_EQ(of(world_), (Ids{second, first}));
    take_world(store_, world_, k_later + 3);
    fs::remove_all(world_);
    EXPECT_EQ(of(folder_ / "moved"), Ids{third}) << "the other one went on after it";
    make(folder_ / "elsewhere", 3);
    EXPECT_EQ(of(folder_ / "elsewhere"),
              (Ids{fmt::format("this store has snapshots of several copies of this world: {}, {}",
                               (folder_ / "moved").string(), world_.string())}));
}

TEST_F(SnapshotsOf, AStoreWithoutASnapshotThatCanBeReadSaysSo) {
    make(world_, 1);
    const auto id = take_world(store_, world_, k_later).id;
    const auto other = folder_ / "other";
    write_world(other, first_content(1));
    EXPECT_EQ(of(other).front().find("there is no snapshot of this world, "), 0U);
    put(store_ / "snapshots" / (id + ".snapshot"), "damaged");
    EXPECT_EQ(of(world_), std::vector<std::string>{"this store has no readable snapshot"});
}

TEST_F(SnapshotsOf, StoresAreFoundByTheirNames) {
    make(world_, 1);
    take_world(store_, world_, k_later);
    EXPECT_EQ(store_of_latest(store_.string()), store_.string());
    EXPECT_EQ(store_of_latest(store_.string() + "@latest"), store_.string());
    EXPECT_EQ(store_of_latest(store_.string() + "@first"), std::nullopt);
    EXPECT_EQ(store_of_latest(world_.string()), std::nullopt);
    EXPECT_EQ(store_of_latest(world_.string() + "@latest"), std::nullopt);
    EXPECT_EQ(store_of_latest((folder_ / "nowhere").string()), std::nullopt);
    const auto nameless = find_source(store_.string() + "@");
    ASSERT_FALSE(nameless);
    EXPECT_EQ(nameless.error().code, Errc::usage);
    EXPECT_EQ(nameless.error().problem, "the name of a snapshot is missing after the @");
    EXPECT_EQ(SnapshotStore::open(folder_ / "nowhere").error().code, Errc::not_found);
}

} // namespace
} // namespace orbis::jobs::snapshot
