#ifdef ORBIS_ROCKSDB

#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "storage/rocksdb_store.hpp"
#include "storage/stores_test.hpp"
#include "support/documents.hpp"
#include "support/power_cut.hpp"
#include "support/shared.hpp"

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace orbis::storage {
namespace {

namespace fs = std::filesystem;
using test_stores::writing;

/// The database through the library's plain interface, beside the store.
class PlainDatabase {
public:
    explicit PlainDatabase(const fs::path& path, bool create = false) {
        rocksdb::DBOptions options;
        options.create_if_missing = create;
        options.create_missing_column_families = create;
        options.allow_fallocate = false; // 64 MB for each log take time where files are in memory
        rocksdb::ColumnFamilyOptions chunks;
        chunks.disable_auto_compactions = true; // so that a test knows its tables
        const std::vector<rocksdb::ColumnFamilyDescriptor> families{{"default", {}}, {"chunks", chunks}};
        rocksdb::DB* opened = nullptr;
        status_ = rocksdb::DB::Open(options, path.string(), families, &handles_, &opened);
        database_.reset(opened);
    }
    ~PlainDatabase() {
        for (auto* handle : handles_) database_->DestroyColumnFamilyHandle(handle);
    }
    PlainDatabase(const PlainDatabase&) = delete;
    PlainDatabase& operator=(const PlainDatabase&) = delete;

    [[nodiscard]] const rocksdb::Status& status() const { return status_; }
    void put(std::string_view key, std::string_view value) {
        ASSERT_TRUE(
            database_->Put({}, handles_[1], {key.data(), key.size()}, {value.data(), value.size()}).ok());
    }
    void flush() { ASSERT_TRUE(database_->Flush({}, handles_[1]).ok()); }
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> all(std::size_t family) const {
        std::vector<std::pair<std::string, std::string>> found;
        const std::unique_ptr<rocksdb::Iterator> at(database_->NewIterator({}, handles_[family]));
        for (at->SeekToFirst(); at->Valid(); at->Next())
            found.emplace_back(at->key().ToString(), at->value().ToString());
        return found;
    }

private:
    rocksdb::Status status_;
    std::unique_ptr<rocksdb::DB> database_;
    std::vector<rocksdb::ColumnFamilyHandle*> handles_;
};

std::string key_of(std::int32_t x, std::int32_t z) {
    std::string key(8, '\0');
    store_be(reinterpret_cast<std::uint8_t*>(key.data()), x);
    store_be(reinterpret_cast<std::uint8_t*>(key.data()) + 4, z);
    return key;
}

/// What a power cut leaves of `write`, which is said to be done: chunk 0,0 is from before.
void expect_to_last(const StoreOptions& how, const std::function<bool(Store&)>& write) {
    const test::TemporaryFolder folder;
    {
        const auto store = open_rocksdb_store(folder / "db", writing()).value();
        ASSERT_TRUE(store->write({0, 0}, as_bytes("before")));
    }
    int finished = 0;
    const auto run = test::after_power_cuts(
        folder.path(),
        [&]() -> int {
            auto store = open_rocksdb_store(folder / "db", how);
            _exit(store && write(**store) ? 0 : 1); // nothing is closed: closing would sync
        },
        [&](const test::PowerCut& cut) {
            if (testing::Test::HasFatalFailure()) return;
            SCOPED_TRACE(fmt::format("after {} calls, lost: {}", cut.calls, cut.lost));
            finished += cut.finished ? 1 : 0;
            const auto store = open_rocksdb_store(folder / "db", {});
            ASSERT_TRUE(store) << store.error().text();
            ReadContext context;
            const auto old = (*store)->read({0, 0}, context);
            ASSERT_TRUE(old && *old);
            EXPECT_EQ(as_text(**old), "before");
            if (!cut.finished) return;
            const auto found = (*store)->read({5, -5}, context);
            ASSERT_TRUE(found && *found);
            EXPECT_EQ(as_text(**found), "written");
        });
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_GT(finished, 0);
}

TEST(RocksDbStore, EachWriteLastsWhenItReturns) {
    expect_to_last(writing(),
                   [](Store& store) { return store.write({5, -5}, as_bytes("written")).has_value(); });
}

TEST(RocksDbStore, ARemovalLastsWhenItReturns) {
    const test::TemporaryFolder folder;
    {
        const auto store = open_rocksdb_store(folder / "db", writing()).value();
        ASSERT_TRUE(store->write({0, 0}, as_bytes("to be removed")));
    }
    int finished = 0;
    const auto run = test::after_power_cuts(
        folder.path(),
        [&]() -> int {
            auto store = open_rocksdb_store(folder / "db", writing());
            const auto removed = store ? (*store)->remove({0, 0}) : Result<bool>(false);
            _exit(removed && *removed ? 0 : 1);
        },
        [&](const test::PowerCut& cut) {
            if (!cut.finished || testing::Test::HasFatalFailure()) return;
            ++finished;
            const auto store = open_rocksdb_store(folder / "db", {});
            ASSERT_TRUE(store) << store.error().text();
            EXPECT_FALSE((*store)->contains({0, 0}).value()) << "lost: " << cut.lost;
        });
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_GT(finished, 0);
}

TEST(RocksDbStore, ABatchLastsWhenItIsSynced) {
    auto how = writing();
    how.sync = SyncPolicy::batch;
    expect_to_last(how, [](Store& store) {
        return store.write({5, -5}, as_bytes("other")) && store.write({5, -5}, as_bytes("written"))
               && store.sync();
    });
}

TEST(RocksDbStore, KeepsDocumentsInTheGamesLayout) {
    const test::TemporaryFolder folder;
    const std::string large(300000, 'L');
    {
        const auto store = open_rocksdb_store(folder / "db", writing()).value();
        ASSERT_TRUE(store->write({1, -2}, as_bytes("one")));
        ASSERT_TRUE(store->write({-3, 4}, as_bytes(large)));
    }
    std::vector<std::string> families;
    ASSERT_TRUE(rocksdb::DB::ListColumnFamilies({}, (folder / "db").string(), &families).ok());
    EXPECT_EQ(families, (std::vector<std::string>{"default", "chunks"}));
    const PlainDatabase plain(folder / "db");
    ASSERT_TRUE(plain.status().ok()) << plain.status().ToString();
    EXPECT_TRUE(plain.all(0).empty());
    const std::vector<std::pair<std::string, std::string>> expected{
        {std::string("\x00\x00\x00\x01\xFF\xFF\xFF\xFE", 8), "one"},
        {std::string("\xFF\xFF\xFF\xFD\x00\x00\x00\x04", 8), large}};
    EXPECT_EQ(plain.all(1), expected);
}

TEST(RocksDbStore, ReadsWhatAnotherWriterPutThere) {
    const test::TemporaryFolder folder;
    {
        PlainDatabase plain(folder / "db", true);
        plain.put(key_of(-1, 7), "flushed");
        plain.flush();
        plain.put(key_of(2, 2), "in the log");
        plain.put("odd", "a key of another kind");
    }
    const auto store = open_rocksdb_store(folder / "db", {}).value();
    ReadContext context;
    EXPECT_EQ(as_text(store->read({-1, 7}, context).value().value()), "flushed");
    EXPECT_EQ(as_text(store->read({2, 2}, context).value().value()), "in the log");
    EXPECT_FALSE(store->read({7, -1}, context).value());
    const auto cursor = store->chunks();
    int chunks = 0;
    int errors = 0;
    for (int i = 0; i < 10; ++i) {
        const auto next = cursor->next();
        if (next && !*next) break;
        ++(next ? chunks : errors);
    }
    EXPECT_EQ(chunks, 2);
    EXPECT_EQ(errors, 1) << "the odd key is told, and the walk goes on";
}

std::map<std::string, std::uintmax_t> files_in(const fs::path& folder) {
    std::map<std::string, std::uintmax_t> files;
    for (const auto& entry : fs::directory_iterator(folder))
        files[entry.path().filename().string()] = entry.file_size();
    return files;
}

TEST(RocksDbStore, ReadingLeavesNoTrace) {
    const test::TemporaryFolder folder;
    {
        const auto store = open_rocksdb_store(folder / "db", writing()).value();
        ASSERT_TRUE(store->write({1, 1}, as_bytes("one")));
    }
    const auto before = files_in(folder / "db");
    EXPECT_FALSE(before.contains("LOG"));
    {
        const auto store = open_rocksdb_store(folder / "db", {}).value();
        ReadContext context;
        ASSERT_TRUE(store->read({1, 1}, context).value());
        EXPECT_EQ(store->write({1, 1}, as_bytes("x")).error().code, Errc::read_only);
        EXPECT_EQ(store->remove({1, 1}).error().code, Errc::read_only);
        EXPECT_EQ(store->sync().error().code, Errc::read_only);
    }
    EXPECT_EQ(files_in(folder / "db"), before);
}

TEST(RocksDbStore, AMissingDatabaseIsSaid) {
    const test::TemporaryFolder folder;
    EXPECT_EQ(open_rocksdb_store(folder / "none", {}).error().code, Errc::not_found);
    fs::create_directory(folder / "empty");
    EXPECT_EQ(open_rocksdb_store(folder / "empty", {}).error().code, Errc::not_found);
    EXPECT_TRUE(fs::is_empty(folder / "empty"));
}

TEST(RocksDbStore, ACutManifestOrTableIsAnErrorThatNamesTheFolder) {
    const test::TemporaryFolder folder;
    {
        PlainDatabase plain(folder / "db", true);
        plain.put(key_of(1, 1), "one");
        plain.flush();
    }
    for (const auto& entry : fs::directory_iterator(folder / "db"))
        if (entry.path().extension() == ".sst") fs::resize_file(entry.path(), entry.file_size() / 2);
    const auto store = open_rocksdb_store(folder / "db", {});
    ReadContext context;
    const auto found = store ? (*store)->read({1, 1}, context) : std::unexpected(store.error());
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().file, (folder / "db").string());
    EXPECT_NE(found.error().code, Errc::not_found);
}

/// Tables say their format in the 12 bytes at the end: a version and a magic number.
int claim_table_format(const fs::path& folder, std::uint32_t format, int only = -1) {
    int tables = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() != ".sst") continue;
        if (const int number = tables++; only >= 0 && number != only) continue;
        std::fstream file(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
        std::array<std::uint8_t, 12> end{};
        file.seekg(-12, std::ios::end);
        file.read(reinterpret_cast<char*>(end.data()), 12);
        EXPECT_EQ(load_le<std::uint64_t>(end.data() + 4), 0x88e241b785f4cff7U);
        store_le(end.data(), format);
        file.seekp(-12, std::ios::end);
        file.write(reinterpret_cast<const char*>(end.data()), 12);
    }
    return tables;
}

void expect_too_new(const Error& error) {
    EXPECT_EQ(error.code, Errc::unsupported) << error.text();
    EXPECT_NE(error.text().find("table format"), std::string::npos) << error.text();
    EXPECT_NE(error.text().find("not damaged"), std::string::npos) << error.text();
}

TEST(RocksDbStore, OneDamagedValueHidesNoOtherChunk) {
    const test::TemporaryFolder folder;
    const auto path = folder / "db";
    constexpr int count = 40;
    {
        const auto store = open_rocksdb_store(path, writing()).value();
        for (int i = 0; i < count; ++i) {
            Buffer document(20000);
            for (std::size_t k = 0; k < document.size(); ++k)
                document[k] =
                    static_cast<std::uint8_t>((k * 2654435761U + static_cast<unsigned>(i) * 97U) >> 11);
            ASSERT_TRUE(store->write({i - 20, i}, document));
        }
    }
    ASSERT_TRUE(compact_rocksdb(path, false, false)); // values go into blob files
    fs::path largest;
    for (const auto& entry : fs::directory_iterator(path))
        if (entry.path().extension() == ".blob"
            && (largest.empty() || entry.file_size() > fs::file_size(largest)))
            largest = entry.path();
    ASSERT_FALSE(largest.empty());
    {
        std::fstream file(largest, std::ios::in | std::ios::out | std::ios::binary);
        const auto middle = static_cast<std::streamoff>(fs::file_size(largest) / 2);
        file.seekg(middle);
        const auto byte = static_cast<char>(file.get() ^ 0x55);
        file.seekp(middle);
        file.put(byte);
    }
    const auto store = open_rocksdb_store(path, {}).value();
    const auto cursor = store->chunks();
    ReadContext context;
    int listed = 0;
    std::vector<std::string> damaged;
    while (true) {
        const auto next = cursor->next();
        if (!next) {
            damaged.push_back(next.error().subject());
            ASSERT_LT(damaged.size(), 5U);
            continue;
        }
        if (!*next) break;
        EXPECT_TRUE(store->read(**next, context));
        ++listed;
    }
    ASSERT_EQ(damaged.size(), 1U);
    EXPECT_EQ(listed, count - 1);
    EXPECT_EQ(damaged.front().rfind("chunk ", 0), 0U) << damaged.front();
}

TEST(RocksDbStore, ANewerTableFormatIsSaidWhereverItShows) {
    const test::TemporaryFolder folder;
    {
        PlainDatabase plain(folder / "db", true);
        for (int round = 0; round < 3; ++round) {
            plain.put(key_of(round, 1), "one");
            plain.flush();
        }
        plain.put(key_of(9, 9), "in the log");
    }
    ASSERT_EQ(claim_table_format(folder / "db", 6), 3);
    const auto before = files_in(folder / "db");
    for (const auto& options : {StoreOptions{}, writing()}) {
        const auto store = open_rocksdb_store(folder / "db", options);
        if (!store) {
            expect_too_new(store.error());
            continue;
        }
        ASSERT_FALSE(options.write) << "a database whose tables cannot be read is not written";
        ReadContext context;
        for (const ChunkPos pos : {ChunkPos{0, 1}, ChunkPos{1, 1}, ChunkPos{5, 5}}) {
            const auto found = (*store)->read(pos, context);
            ASSERT_FALSE(found) << "neither an answer nor that it is not there";
            expect_too_new(found.error());
            ASSERT_FALSE((*store)->contains(pos));
            expect_too_new((*store)->contains(pos).error());
        }
        const auto cursor = (*store)->chunks();
        const auto next = cursor->next();
        ASSERT_FALSE(next);
        expect_too_new(next.error());
    }
    EXPECT_EQ(files_in(folder / "db"), before) << "nothing was changed";
}

TEST(RocksDbStore, OneTableOfANewerFormatIsEnoughNotToWrite) {
    constexpr int tables = 70; // more than the library looks at when it opens a database
    const test::TemporaryFolder folder;
    {
        PlainDatabase plain(folder / "db", true);
        for (int round = 0; round < tables; ++round) {
            plain.put(key_of(round, -round), "one");
            plain.flush();
        }
    }
    for (const int table : {0, 30, tables - 1}) {
        ASSERT_EQ(claim_table_format(folder / "db", 6, table), tables);
        const auto writer = open_rocksdb_store(folder / "db", writing());
        ASSERT_FALSE(writer) << table;
        expect_too_new(writer.error());
        const auto reader = open_rocksdb_store(folder / "db", {});
        if (!reader) {
            expect_too_new(reader.error());
        } else {
            ReadContext context;
            int unknown = 0;
            for (int round = 0; round < tables; ++round) {
                const auto found = (*reader)->read({round, -round}, context);
                if (!found) expect_too_new(found.error());
                unknown += found ? 0 : 1;
                EXPECT_TRUE(!found || *found) << "it is there, whether it can be read or not";
            }
            EXPECT_GE(unknown, 1);
        }
        claim_table_format(folder / "db", 5, table);
    }
    EXPECT_TRUE(open_rocksdb_store(folder / "db", writing()));
}

TEST(RocksDbStore, ADatabaseThatAnotherProcessHasOpenIsBusy) {
    const test::TemporaryFolder folder;
    {
        const auto store = open_rocksdb_store(folder / "db", writing()).value();
    }
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const auto child = fork();
    if (child == 0) { // what the library itself does: a lock on the file LOCK
        const int descriptor = ::open((folder / "db" / "LOCK").c_str(), O_RDWR);
        struct flock lock{};
        lock.l_type = F_WRLCK;
        lock.l_whence = SEEK_SET;
        const char done = fcntl(descriptor, F_SETLK, &lock) == 0 ? 'y' : 'n';
        (void)!::write(ends[1], &done, 1);
        while (true) pause();
    }
    char done = 0;
    ASSERT_EQ(::read(ends[0], &done, 1), 1);
    EXPECT_EQ(done, 'y');
    auto options = writing();
    for (const bool force : {false, true}) {
        options.force = force;
        const auto store = open_rocksdb_store(folder / "db", options);
        ASSERT_FALSE(store);
        EXPECT_EQ(store.error().code, Errc::busy) << store.error().text();
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(ends[0]);
    close(ends[1]);
    EXPECT_TRUE(open_rocksdb_store(folder / "db", writing()));
}

TEST(RocksDbStore, DevicesPipesLinksAndEndlessFilesAreNeverOpened) {
    const test::TemporaryFolder folder;
    {
        PlainDatabase database(folder / "db", true);
        ASSERT_TRUE(database.status().ok());
        database.put("12345678", "value");
    }
    const auto refused = [&](const char* name, const std::function<void(const fs::path&)>& replace) {
        fs::copy(folder / "db", folder / "copy");
        fs::remove(folder / "copy" / name);
        replace(folder / "copy" / name);
        EXPECT_TRUE(is_rocksdb_folder(Folder(open_disk_tree(folder / "copy")))) << "it still looks like one";
        auto reading = open_rocksdb_store(folder / "copy", {});
        EXPECT_FALSE(open_rocksdb_store(folder / "copy", writing()));
        EXPECT_FALSE(check_rocksdb_log(folder / "copy"));
        fs::remove_all(folder / "copy");
        return reading ? std::string() : reading.error().text();
    };
    const auto has = [](const std::string& text, std::string_view part) {
        return text.find(part) != std::string::npos;
    };
    const auto sparse = [](const fs::path& path) {
        std::ofstream(path) << "x";
        fs::resize_file(path, std::uintmax_t{1} << 40);
    };
    std::string log;
    std::string manifest;
    for (const auto& entry : fs::directory_iterator(folder / "db")) {
        const auto name = entry.path().filename().string();
        if (name.ends_with(".log")) log = name;
        if (name.starts_with("MANIFEST-")) manifest = name;
    }
    for (const auto& name : {std::string("CURRENT"), std::string("IDENTITY"), manifest, log}) {
        EXPECT_TRUE(
            has(refused(name.c_str(), [](const fs::path& path) { mkfifo(path.c_str(), 0600); }), "pipe"))
            << name;
        EXPECT_TRUE(
            has(refused(name.c_str(), [](const fs::path& path) { fs::create_symlink("/dev/zero", path); }),
                "a link to /dev/zero"))
            << name;
        EXPECT_TRUE(has(refused(name.c_str(), sparse), name)) << name;
    }
    EXPECT_TRUE(open_rocksdb_store(folder / "db", {}));
}

TEST(RocksDbStore, TheLargestDocumentIsExact) {
    const test::TemporaryFolder folder;
    {
        const auto store = open_rocksdb_store(folder / "db", writing(SyncPolicy::none)).value();
        ASSERT_TRUE(store->write({1, 0}, Buffer(1000, 1)));
        ASSERT_TRUE(store->write({2, 0}, Buffer(1001, 1)));
    }
    StoreOptions how;
    how.largest_document = 1000;
    const auto store = open_rocksdb_store(folder / "db", how).value();
    ReadContext context;
    EXPECT_EQ(store->read({1, 0}, context).value()->size(), 1000U);
    const auto large = store->read({2, 0}, context);
    ASSERT_FALSE(large);
    EXPECT_EQ(large.error().code, Errc::too_large);
    EXPECT_EQ(large.error().chunk, (ChunkPos{2, 0}));
    EXPECT_EQ(large.error().problem, "a chunk document has at most 1000 bytes; this one has 1001");
    EXPECT_EQ(store->read_compressed({2, 0}, context).error().code, Errc::too_large);
}

TEST(RocksDbStore, FilesThatHoldANameMayBeSoLongAndNoLonger) {
    const test::TemporaryFolder folder;
    {
        PlainDatabase plain(folder / "db", true);
        plain.put(key_of(1, 1), "one");
    }
    for (const auto& [size, refused] : {std::pair{65536, false}, {65537, true}}) {
        std::ofstream(folder / "db" / "IDENTITY") << std::string(static_cast<std::size_t>(size), 'i');
        const auto store = open_rocksdb_store(folder / "db", {});
        EXPECT_EQ(!store && store.error().code == Errc::too_large, refused) << size;
    }
}

/// The one log of a database of a few values that were never flushed.
fs::path log_of(const fs::path& folder) {
    fs::path log;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".log" && (log.empty() || entry.file_size() > fs::file_size(log)))
            log = entry.path();
    return log;
}

TEST(RocksDbStore, ADamagedLogIsToleratedOnlyByWhomItDoesNoHarm) {
    const test::TemporaryFolder folder;
    {
        PlainDatabase plain(folder / "whole", true);
        for (int i = 0; i < 5; ++i) plain.put(key_of(i, 0), std::string(200, 'v'));
    }
    EXPECT_TRUE(check_rocksdb_log(folder / "whole"));
    StoreOptions strict;
    strict.strict_log = true;
    EXPECT_TRUE(open_rocksdb_store(folder / "whole", strict));
    const auto damaged = [&](const char* name, const std::function<void(const fs::path&)>& damage) {
        fs::copy(folder / "whole", folder / name);
        damage(log_of(folder / name));
        return folder / name;
    };
    const auto cut =
        damaged("cut", [](const fs::path& log) { fs::resize_file(log, fs::file_size(log) - 3); });
    EXPECT_TRUE(open_rocksdb_store(cut, {}));
    EXPECT_TRUE(open_rocksdb_store(cut, strict)) << "as a loss of power leaves it";
    EXPECT_FALSE(check_rocksdb_log(cut));
    const auto flipped = damaged("flipped", [](const fs::path& log) {
        std::fstream file(log, std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(400);
        file.put('?');
    });
    EXPECT_TRUE(open_rocksdb_store(flipped, {})) << "what can be read is read";
    EXPECT_FALSE(open_rocksdb_store(flipped, strict));
    EXPECT_FALSE(open_rocksdb_store(flipped, writing())) << "a writer would drop what is behind it";
    EXPECT_FALSE(check_rocksdb_log(flipped));
}

TEST(RocksDbStore, DamageInATableHidesOnlyWhatLiesThere) {
    constexpr int k_count = 600;
    const test::TemporaryFolder folder;
    {
        PlainDatabase plain(folder / "db", true);
        for (int i = 0; i < k_count; ++i) plain.put(key_of(i, 7), std::string(100, 'v'));
        plain.flush();
    }
    int tables = 0;
    for (const auto& entry : fs::directory_iterator(folder / "db")) {
        if (entry.path().extension() != ".sst") continue;
        ++tables;
        std::fstream file(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(static_cast<std::streamoff>(entry.file_size() / 3)); // blocks of data come first
        file.put('?');
    }
    ASSERT_EQ(tables, 1);
    const auto store = open_rocksdb_store(folder / "db", {}).value();
    const auto cursor = store->chunks();
    ReadContext context;
    std::vector<bool> listed(k_count);
    int errors = 0;
    for (int steps = 0; steps < 2 * k_count; ++steps) {
        const auto next = cursor->next();
        if (next && !*next) break;
        if (!next) {
            ++errors;
            EXPECT_NE(next.error().problem.find("is unknown"), std::string::npos) << next.error().text();
            continue;
        }
        EXPECT_FALSE(listed[static_cast<std::size_t>((*next)->x)]) << "twice";
        listed[static_cast<std::size_t>((*next)->x)] = true;
    }
    EXPECT_EQ(errors, 1);
    int hidden = 0;
    for (int i = 0; i < k_count; ++i) {
        const auto found = store->read({i, 7}, context);
        ASSERT_EQ(listed[static_cast<std::size_t>(i)], found.has_value()) << i;
        hidden += found ? 0 : 1;
    }
    EXPECT_TRUE(hidden > 0 && hidden < 100) << hidden << " in one block";
}

TEST(RocksDbStore, CompactingTellsTheSizesAndATrialChangesNothing) {
    const test::TemporaryFolder folder;
    {
        const auto store = open_rocksdb_store(folder / "db", writing(SyncPolicy::none)).value();
        for (int round = 0; round < 20; ++round)
            for (int i = 0; i < 5; ++i)
                ASSERT_TRUE(store->write({i, 0}, Buffer(20'000, static_cast<std::uint8_t>(round))));
    }
    const auto total = [&] {
        std::uintmax_t bytes = 0;
        for (const auto& [name, size] : files_in(folder / "db")) bytes += size;
        return bytes;
    };
    const auto before = files_in(folder / "db");
    const auto bytes = total();
    const auto trial = compact_rocksdb(folder / "db", false, true).value();
    EXPECT_EQ(files_in(folder / "db"), before);
    EXPECT_EQ(trial.before, bytes);
    EXPECT_EQ(trial.after, bytes);
    const auto done = compact_rocksdb(folder / "db", false, false).value();
    EXPECT_EQ(done.before, bytes);
    EXPECT_EQ(done.after, total());
    EXPECT_LT(done.after, done.before);
}

} // namespace
} // namespace orbis::storage

#endif
