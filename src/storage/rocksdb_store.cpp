#include "storage/rocksdb_store.hpp"

#ifdef ORBIS_ROCKSDB
#include "bytes/atomic_file.hpp"
#include "bytes/inner_path.hpp"
#include "bytes/reader.hpp"
#include "bytes/shell_quote.hpp"
#include "bytes/writer.hpp"
#include "storage/write_lock.hpp"

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <array>
#include <functional>
#include <sys/stat.h>
#endif

namespace orbis::storage {

bool is_rocksdb_folder(const Folder& folder) {
    return folder.has_file("CURRENT") && folder.has_file("IDENTITY");
}

#ifndef ORBIS_ROCKSDB

Result<std::unique_ptr<Store>> open_rocksdb_store(const std::filesystem::path& folder, const StoreOptions&) {
    return fail(error(Errc::unsupported, "this orbis was built without RocksDB")
                    .in_file(folder.string())
                    .advise("build it with -DORBIS_ROCKSDB=ON"));
}

Result<void> check_rocksdb_log(const std::filesystem::path&) { return {}; }

Result<DatabaseSizes> compact_rocksdb(const std::filesystem::path& folder, bool, bool) {
    TRY(const auto store, open_rocksdb_store(folder, {}));
    return DatabaseSizes{};
}

#else

namespace {

namespace db = rocksdb;

constexpr const char* k_family = "chunks";
using Key = std::array<char, 8>;

/// Chunk x, then chunk z, each big-endian: negative coordinates sort after positive ones.
Key key_of(ChunkPos pos) {
    Key key{};
    auto* bytes = reinterpret_cast<std::uint8_t*>(key.data());
    store_be(bytes, pos.x);
    store_be(bytes + 4, pos.z);
    return key;
}

db::Slice slice(const Key& key) { return {key.data(), key.size()}; }
db::Slice slice(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
Bytes bytes_of(const db::Slice& slice) {
    return {reinterpret_cast<const std::uint8_t*>(slice.data()), slice.size()};
}

/// Keeps the library from writing a LOG file into a user's world.
class NoLog final : public db::Logger {
public:
    using db::Logger::Logv;
    void Logv(const char*, va_list) override {}
};

/// The options that the game uses, as far as Debian's release knows them.
db::ColumnFamilyOptions chunk_options() {
    db::ColumnFamilyOptions options;
    options.compression = db::kLZ4Compression;
    options.bottommost_compression = db::kZSTD;
    options.enable_blob_files = true;
    options.blob_compression_type = db::kZSTD;
    options.enable_blob_garbage_collection = true;
    options.prefix_extractor.reset(db::NewFixedPrefixTransform(8));
    db::BlockBasedTableOptions table;
    table.index_type = db::BlockBasedTableOptions::kHashSearch;
    table.filter_policy.reset(db::NewBloomFilterPolicy(9.9));
    table.block_cache = db::NewLRUCache(4 << 20);
    options.table_factory.reset(db::NewBlockBasedTableFactory(table));
    options.write_buffer_size = 8 << 20;
    return options;
}

Error newer_table(const std::string& name) {
    return error(Errc::unsupported,
                 "RocksDB {}.{} reads table formats up to 5; this database has a newer one (the game's "
                 "RocksDB writes format 6)",
                 ROCKSDB_MAJOR, ROCKSDB_MINOR)
        .in_file(name)
        .advise("the database is not damaged. Back up its folder while the server is stopped; to read it, "
                "build orbis with RocksDB 8 or later");
}

constexpr std::string_view k_restore_database =
    "move the database folder away and put one from a backup in its place; orbis checkout STORE SNAPSHOT NEW "
    "--to rocksdb creates one from a snapshot";

/// The library's own words, in one line.
std::string text_of(const db::Status& status) {
    auto text = status.ToString();
    std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

Error problem_of(const db::Status& status, const std::string& name) {
    const auto text = text_of(status);
    // A footer whose version this release does not know: the database is whole, only too new.
    const bool too_new = text.find("Unknown Footer version") != std::string::npos
                         || text.find("unsupported format_version") != std::string::npos
                         || text.find("newer version of RocksDB") != std::string::npos;
    if (too_new) return newer_table(name);
    if (status.IsIOError() && text.find("lock") != std::string::npos)
        return error(Errc::busy, "another process has the database open: {}", text)
            .in_file(name)
            .advise("stop the server first");
    if (status.IsNoSpace()) return error(Errc::no_space, "cannot write: {}", text).in_file(name);
    // The library removes no file that it needs, so one that is missing is damage too.
    if (status.IsCorruption() || status.IsPathNotFound()
        || text.find("No such file or directory") != std::string::npos)
        return error(Errc::bad_value, "the database is damaged: {}", text)
            .in_file(name)
            .advise(k_restore_database);
    return error(Errc::io, "RocksDB says: {}", text).in_file(name);
}

/// Values are in blob files, so damage of one is that of a chunk; damage of a table is that of many keys.
bool is_of_one_value(const db::Status& status) {
    const auto text = status.ToString();
    return text.find("Blob") != std::string::npos || text.find(".blob") != std::string::npos;
}

/// The library opens a table when it needs it, and so would begin to write beside tables that it cannot read.
/// Each says its format at its end: u32 le version, u64 le magic.
Result<void> check_tables(const std::filesystem::path& folder) {
    constexpr std::uint64_t magic = 0x88e241b785f4cff7;
    constexpr std::uint32_t newest = 5;
    if (ROCKSDB_MAJOR >= 8) return {};
    const auto tree = open_disk_tree(folder);
    TRY(const auto entries, tree->list({}));
    for (const auto& entry : entries) {
        if (!entry.name.ends_with(".sst") || entry.size < 12) continue;
        TRY(const auto file, tree->open(entry.name));
        TRY(const auto end, file->view(entry.size - 12, 12));
        Reader in(end.bytes());
        const auto version = in.le<std::uint32_t>();
        if (in.le<std::uint64_t>() == magic && version > newest)
            return fail(newer_table(folder.string()).about(entry.name));
    }
    return {};
}

/// Goes through the keys. The library reads the value of each place it stops at, so one damaged value would
/// hide every key after it: then its key is searched for, named, and stepped over. The keys of a part of a
/// table that is damaged cannot be known; the walk goes on after it.
class RocksCursor final : public Cursor {
public:
    /// Up to a key, or up to the end.
    using MakeIterator = std::function<std::unique_ptr<db::Iterator>(const db::Slice* until)>;

    RocksCursor(MakeIterator make, std::string name)
        : make_(std::move(make)), iterator_(make_(nullptr)), name_(std::move(name)) {
        iterator_->SeekToFirst();
    }

    Result<std::optional<ChunkPos>> next() override {
        if (!iterator_->Valid()) {
            if (iterator_->status().ok() || done_) return std::nullopt;
            return std::unexpected(step_over_damage());
        }
        const auto key = bytes_of(iterator_->key());
        if (key.size() != sizeof(Key)) {
            const auto size = key.size();
            iterator_->Next();
            return fail(
                error(Errc::bad_value, "expected keys of 8 bytes, found one of {}", size).in_file(name_));
        }
        next_ = load_be<std::uint64_t>(key.data()) + 1;
        const ChunkPos found{load_be<std::int32_t>(key.data()), load_be<std::int32_t>(key.data() + 4)};
        iterator_->Next();
        return found;
    }

private:
    static Key key_bytes(std::uint64_t key) {
        Key bytes{};
        store_be(reinterpret_cast<std::uint8_t*>(bytes.data()), key);
        return bytes;
    }

    [[nodiscard]] std::unique_ptr<db::Iterator> seek(std::uint64_t key) const {
        auto iterator = make_(nullptr);
        iterator->Seek(slice(key_bytes(key)));
        return iterator;
    }

    /// Whether the first key from `next_` on, which is damaged, is not above this one.
    [[nodiscard]] bool fails_up_to(std::uint64_t key) const {
        if (key == k_last) return true;
        const auto end = key_bytes(key + 1);
        const auto until = slice(end);
        const auto iterator = make_(&until);
        iterator->Seek(slice(key_bytes(next_)));
        return !iterator->status().ok();
    }

    /// The key whose value is damaged: the first that is reached from `next_`.
    [[nodiscard]] std::uint64_t damaged_key() const {
        std::uint64_t low = next_;
        std::uint64_t high = k_last;
        while (low < high) {
            const auto middle = low + (high - low) / 2;
            if (fails_up_to(middle))
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }

    /// A seek fails inside the damaged part and succeeds after it: the last key for which it fails.
    [[nodiscard]] std::uint64_t end_of_damage() const {
        std::uint64_t low = next_;
        std::uint64_t high = k_last;
        while (low < high) {
            const auto middle = low + (high - low) / 2 + 1;
            if (seek(middle)->status().ok())
                high = middle - 1;
            else
                low = middle;
        }
        return low;
    }

    Error step_over_damage() {
        const auto status = iterator_->status();
        const bool one = is_of_one_value(status);
        const auto bad = one ? damaged_key() : end_of_damage();
        done_ = bad == k_last; // nothing after it can be reached
        if (!done_) {
            next_ = bad + 1;
            iterator_ = seek(next_);
        }
        auto problem = problem_of(status, name_);
        if (!one) {
            problem.problem += "; which chunks were there is unknown";
            problem.advice =
                fmt::format("save what can be read with: orbis convert {} NEW --to rocksdb; or {}",
                            shell_quoted(name_), k_restore_database);
            return problem;
        }
        const auto pos = ChunkPos::unpack(static_cast<std::int64_t>(bad));
        return std::move(problem).at(pos);
    }

    static constexpr std::uint64_t k_last = ~std::uint64_t{0};

    MakeIterator make_;
    std::unique_ptr<db::Iterator> iterator_;
    std::string name_;
    std::uint64_t next_ = 0; ///< keys below were seen
    bool done_ = false;
};

class RocksStore final : public Store {
public:
    RocksStore(std::string name, StoreOptions options) : name_(std::move(name)), options_(options) {}
    ~RocksStore() override {
        for (auto* handle : handles_) database_->DestroyColumnFamilyHandle(handle);
        if (database_) database_->Close();
    }
    RocksStore(const RocksStore&) = delete;
    RocksStore& operator=(const RocksStore&) = delete;

    /// Refuses a log that ends inside a record, as it does after a loss of power.
    void want_whole_log() { whole_log_ = true; }

    Result<void> open(std::optional<WriteLock> lock) {
        lock_ = std::move(lock);
        db::DBOptions options;
        options.info_log = std::make_shared<NoLog>();
        options.create_if_missing = options_.create;
        options.create_missing_column_families = options_.write;
        options.max_open_files = 256;
        options.keep_log_file_num = 1;
        // A writer that opened a log with damage in its middle would drop what is after it forever.
        if (options_.write || options_.strict_log)
            options.wal_recovery_mode = db::WALRecoveryMode::kTolerateCorruptedTailRecords;
        if (whole_log_) options.wal_recovery_mode = db::WALRecoveryMode::kAbsoluteConsistency;
        const std::vector<db::ColumnFamilyDescriptor> families{
            {db::kDefaultColumnFamilyName, db::ColumnFamilyOptions()}, {k_family, chunk_options()}};
        db::DB* opened = nullptr;
        const auto status = options_.write
                                ? db::DB::Open(options, name_, families, &handles_, &opened)
                                : db::DB::OpenForReadOnly(options, name_, families, &handles_, &opened);
        database_.reset(opened);
        if (!status.ok()) return fail(problem_of(status, name_));
        return {};
    }

    std::string_view kind() const override { return "RocksDB"; }
    const std::string& name() const override { return name_; }
    bool keeps_compressed() const override { return false; }

    std::unique_ptr<Cursor> chunks() const override {
        return std::make_unique<RocksCursor>(
            [this](const db::Slice* until) {
                db::ReadOptions read;
                read.total_order_seek = true;
                read.iterate_upper_bound = until;
                return std::unique_ptr<db::Iterator>(database_->NewIterator(read, family()));
            },
            name_);
    }

    Result<bool> contains(ChunkPos pos) const override {
        db::PinnableSlice value;
        const auto status = database_->Get({}, family(), slice(key_of(pos)), &value);
        if (status.IsNotFound()) return false;
        if (!status.ok()) return fail(problem_of(status, name_));
        return true;
    }

    Result<std::optional<Bytes>> read(ChunkPos pos, ReadContext& context) const override {
        auto value = std::make_shared<db::PinnableSlice>();
        const auto status = database_->Get({}, family(), slice(key_of(pos)), value.get());
        if (status.IsNotFound()) return std::nullopt;
        if (!status.ok()) return fail(problem_of(status, name_).at(pos));
        if (value->size() > options_.largest_document)
            return fail(error(Errc::too_large, "a chunk document has at most {} bytes; this one has {}",
                              options_.largest_document, value->size())
                            .in_file(name_)
                            .at(pos));
        const auto document = bytes_of(*value);
        context.held = std::move(value);
        return document;
    }

    Result<std::optional<CompressedChunk>> read_compressed(ChunkPos pos,
                                                           ReadContext& context) const override {
        TRY(const auto document, read(pos, context));
        if (!document) return std::nullopt;
        TRY(const auto frame, context.compressor.compress(*document));
        return CompressedChunk{frame, static_cast<std::uint32_t>(document->size())};
    }

    Result<void> write(ChunkPos pos, Bytes document) override {
        return done(database_->Put(write_options(), family(), slice(key_of(pos)), slice(document)));
    }

    Result<void> write_compressed(ChunkPos pos, const CompressedChunk& frame) override {
        TRY(const auto document,
            decompressor_.decompress(frame.bytes, frame.raw_size, options_.largest_document));
        return write(pos, document);
    }

    Result<bool> remove(ChunkPos pos) override {
        TRY(const bool there, contains(pos));
        if (there) TRY_DO(done(database_->Delete(write_options(), family(), slice(key_of(pos)))));
        return there;
    }

    Result<void> sync() override {
        TRY_DO(check_writable());
        return done(database_->FlushWAL(true));
    }

    Result<void> compact() {
        TRY_DO(done(database_->Flush({}, family())));
        db::CompactRangeOptions all;
        all.bottommost_level_compaction = db::BottommostLevelCompaction::kForce;
        all.blob_garbage_collection_policy = db::BlobGarbageCollectionPolicy::kForce;
        all.blob_garbage_collection_age_cutoff = 1.0;
        return done(database_->CompactRange(all, family(), nullptr, nullptr));
    }

private:
    [[nodiscard]] db::ColumnFamilyHandle* family() const { return handles_.back(); }

    [[nodiscard]] Result<void> check_writable() const {
        if (!options_.write)
            return fail(error(Errc::read_only, "the store was opened for reading only").in_file(name_));
        return {};
    }

    [[nodiscard]] db::WriteOptions write_options() const {
        db::WriteOptions options;
        options.sync = options_.sync == SyncPolicy::each;
        return options;
    }

    [[nodiscard]] Result<void> done(const db::Status& status) const {
        TRY_DO(check_writable());
        if (!status.ok()) return fail(problem_of(status, name_));
        return {};
    }

    std::string name_;
    StoreOptions options_;
    bool whole_log_ = false;
    std::optional<WriteLock> lock_;
    std::unique_ptr<db::DB> database_;
    std::vector<db::ColumnFamilyHandle*> handles_;
    Decompressor decompressor_;
};

/// What of a file was never written: a sparse file has no blocks for it.
std::uint64_t hole_bytes(const std::filesystem::path& path) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0) return 0;
    const auto size = static_cast<std::uint64_t>(status.st_size);
    return size - std::min(size, static_cast<std::uint64_t>(status.st_blocks) * 512);
}

/// CURRENT names one file, IDENTITY is a UUID; the library reads them whole, whatever they hold.
constexpr std::uint64_t k_largest_name_file = 65536;
/// The library reads logs and manifests from front to back, so one that claims terabytes would take days.
constexpr std::uint64_t k_largest_hole = std::uint64_t{1} << 30;

/// The library opens whatever has the right name: it would read a device without an end, wait for a pipe, and
/// follow a link out of the world.
Result<void> check_files(const std::filesystem::path& folder) {
    const Folder files(open_disk_tree(folder));
    TRY(const auto entries, files.list());
    for (const auto& entry : entries) {
        if (entry.is_folder) continue;
        TRY(const auto path, inner_file(folder, entry.name));
        const bool is_name = entry.name == "CURRENT" || entry.name == "IDENTITY";
        if (is_name && entry.size > k_largest_name_file)
            return fail(
                error(Errc::too_large, "expected at most {} bytes, found {}", k_largest_name_file, entry.size)
                    .in_file(path.string())
                    .advise("restore the database from a backup"));
        if (entry.size > k_largest_hole && hole_bytes(path) > k_largest_hole)
            return fail(error(Errc::too_large, "a database file has {} bytes that were never written",
                              hole_bytes(path))
                            .in_file(path.string())
                            .advise("restore the database from a backup"));
    }
    return {};
}

/// The library's own words about a folder without a database are no help.
Result<void> check_folder(const std::filesystem::path& folder) {
    const Folder files(open_disk_tree(folder));
    if (is_rocksdb_folder(files)) return {};
    const auto is_of_database = [](const auto& entry) {
        return entry.name.starts_with("MANIFEST-") || entry.name.ends_with(".sst");
    };
    const auto entries = files.list();
    if (!entries || std::ranges::none_of(*entries, is_of_database))
        return fail(error(Errc::not_found, "there is no RocksDB database here").in_file(folder.string()));
    return fail(error(Errc::bad_value, "the database has no file {}",
                      files.has_file("CURRENT") ? "IDENTITY" : "CURRENT")
                    .in_file(folder.string())
                    .advise(k_restore_database));
}

Result<std::unique_ptr<RocksStore>> open_store(const std::filesystem::path& folder,
                                               const StoreOptions& options) {
    std::optional<WriteLock> lock;
    std::error_code none;
    if (!options.create) TRY_DO(check_folder(folder));
    if (std::filesystem::exists(folder, none)) TRY_DO(check_files(folder));
    if (options.write) {
        if (options.create) TRY_DO(create_folders(folder));
        TRY(lock, WriteLock::take(folder, options.force));
        TRY_DO(check_tables(folder));
    }
    auto store = std::make_unique<RocksStore>(folder.string(), options);
    TRY_DO(store->open(std::move(lock)));
    return store;
}

std::uint64_t bytes_on_disk(const std::filesystem::path& folder) {
    std::uint64_t bytes = 0;
    if (const auto entries = open_disk_tree(folder)->list({}))
        for (const auto& entry : *entries) bytes += entry.size;
    return bytes;
}

} // namespace

Result<DatabaseSizes> compact_rocksdb(const std::filesystem::path& folder, bool force, bool dry_run) {
    DatabaseSizes sizes;
    sizes.before = bytes_on_disk(folder);
    {
        StoreOptions options;
        options.write = !dry_run;
        options.force = force;
        TRY(const auto store, open_store(folder, options));
        if (!dry_run) TRY_DO(store->compact());
    }
    sizes.after = bytes_on_disk(folder);
    return sizes;
}

Result<std::unique_ptr<Store>> open_rocksdb_store(const std::filesystem::path& folder,
                                                  const StoreOptions& options) {
    TRY(auto store, open_store(folder, options));
    return store;
}

Result<void> check_rocksdb_log(const std::filesystem::path& folder) {
    TRY_DO(check_files(folder));
    RocksStore store(folder.string(), {});
    store.want_whole_log();
    return store.open(std::nullopt);
}

#endif

} // namespace orbis::storage
