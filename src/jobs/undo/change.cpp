#include "jobs/undo/change.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/inner_path.hpp"
#include "bytes/reader.hpp"
#include "bytes/system_error.hpp"
#include "bytes/utc_text.hpp"
#include "jobs/undo/salvage.hpp"
#include "storage/region_files.hpp"
#include "storage/write_lock.hpp"

#include <algorithm>
#include <charconv>
#include <sys/stat.h>
#include <unistd.h>

namespace orbis::jobs {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view k_folder_name = "orbis-undo";
/// How much is gathered before it is written.
constexpr std::uint64_t k_batch_bytes = 16 << 20;
constexpr std::size_t k_batch_chunks = 1024;
/// Files that are kept whole in an archive.
constexpr std::uint64_t k_largest_archived_file = 256 << 20;

/// The folder that holds the folder of chunks, by the same rule whether the world, its folder of chunks or a
/// single file of it was named.
fs::path holder_of(const fs::path& chunks) {
    std::error_code ignored;
    const auto whole = fs::absolute(chunks, ignored).lexically_normal();
    const auto plain = whole.filename().empty() ? whole.parent_path() : whole;
    return plain.filename() == "chunks" ? plain.parent_path() : plain;
}

/// The folder of archives is made for the owner of the world.
Result<void> make_undo_folder(const fs::path& folder) {
    TRY_DO(check_undo_folder(folder));
    std::error_code code;
    if (fs::is_directory(folder, code)) return {};
    TRY_DO(create_folders(folder));
    struct stat above{};
    if (geteuid() == 0 && stat(folder.parent_path().c_str(), &above) == 0 && above.st_uid != 0
        && chown(folder.c_str(), above.st_uid, above.st_gid) != 0)
        return fail(system_error("give the folder to the owner of the world").in_file(folder.string()));
    return {};
}

/// Also removes what a run that was killed has left of an archive that never got its name.
Result<fs::path> next_archive(const fs::path& folder) {
    std::uint64_t last = 0;
    std::error_code code;
    std::vector<fs::path> unfinished;
    for (fs::directory_iterator at(folder, code); !code && at != fs::directory_iterator();
         at.increment(code)) {
        const auto name = at->path().filename().string();
        std::uint64_t number = 0;
        if (name.ends_with(k_temporary_suffix))
            unfinished.push_back(at->path());
        else if (std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc())
            last = std::max(last, number);
    }
    if (code) return fail(system_error("list the undo archives").in_file(folder.string()));
    for (const auto& path : unfinished) fs::remove(path, code);
    return folder / fmt::format("{:06}.undo", last + 1);
}

Result<std::string> read_small(const fs::path& path) {
    TRY(const auto file, open_file(path, FileMode::read));
    return read_text(*file, k_largest_archived_file);
}

} // namespace

std::string new_run() {
    return fmt::format("{:x}-{:x}", std::chrono::system_clock::now().time_since_epoch().count(), getpid());
}

fs::path undo_folder(const fs::path& folder) {
    std::error_code ignored;
    return fs::absolute(folder, ignored).lexically_normal() / k_folder_name;
}

Result<void> check_undo_folder(const fs::path& folder) {
    std::error_code code;
    if (!fs::is_symlink(folder, code)) return {};
    return fail(error(Errc::bad_value, "the folder of undo archives is a link")
                    .in_file(folder.string())
                    .advise("undo archives must be inside their world: remove the link and run this again"));
}

Result<fs::path> undo_folder(const world::World& world) {
    using Source = world::World::Source;
    TRY_DO(world.folder.check_folder());
    const auto path = world.folder.on_disk();
    if (!path)
        return fail(error(Errc::read_only, "a world inside a zip or a snapshot cannot be written")
                        .in_file(world.folder.shown())
                        .advise("unpack, convert or check it out first"));
    if (world.source == Source::provider) return undo_folder(*path);
    if (world.source != Source::rocksdb) return undo_folder(holder_of(*path));
    std::error_code ignored;
    const auto whole = fs::absolute(*path, ignored).lexically_normal();
    return undo_folder((whole.filename().empty() ? whole.parent_path() : whole).parent_path());
}

Sha256 compressed_hash(const storage::CompressedChunk& frame) {
    auto digest = sha256(frame.bytes);
    for (std::size_t i = 0; i < 4; ++i)
        digest[i] = static_cast<std::uint8_t>(digest[i] ^ (frame.raw_size >> (8 * i) & 255));
    return digest;
}

Result<std::optional<Sha256>> stored_hash(const storage::Store& store, ChunkPos pos,
                                          storage::ReadContext& context) {
    if (store.keeps_compressed()) {
        TRY(const auto frame, store.read_compressed(pos, context));
        if (!frame) return std::nullopt;
        return compressed_hash(*frame);
    }
    TRY(const auto document, store.read(pos, context));
    if (!document) return std::nullopt;
    return sha256(*document);
}

Change::Change(fs::path folder, ChangeOptions options, std::string world)
    : folder_(std::move(folder)), options_(std::move(options)), world_(std::move(world)) {
    if (options_.run.empty()) options_.run = new_run();
}

Result<Target> Target::open(const world::World& world, bool dry_run, const ChangeOptions& options) {
    Target target;
    if (dry_run) {
        storage::StoreOptions how;
        how.strict_log = true; // as a writer would open it
        TRY(target.reader, world.open(how));
    } else {
        TRY(target.change, Change::begin(world, options));
    }
    return target;
}

Change::~Change() = default;

Result<std::unique_ptr<Change>> Change::begin(const world::World& world, const ChangeOptions& options) {
    TRY(const auto archives, undo_folder(world));
    std::unique_ptr<Change> change(new Change(archives.parent_path(), options, world.name));
    storage::StoreOptions how;
    how.write = true;
    how.force = options.force;
    how.sync = storage::SyncPolicy::batch;
    TRY(change->store_, world.open(how));
    change->counts_.emplace(change->folder_, change->store_.get());
    return change;
}

Result<std::unique_ptr<Change>> Change::begin_files(const fs::path& folder, const ChangeOptions& options) {
    std::unique_ptr<Change> change(new Change(undo_folder(folder).parent_path(), options, {}));
    if (!options.locks) return change;
    TRY(auto lock, storage::WriteLock::take(folder, options.force));
    change->lock_ = std::make_shared<storage::WriteLock>(std::move(lock));
    return change;
}

Result<void> Change::write(ChunkPos pos, const storage::CompressedChunk& frame) {
    return gather({pos, Buffer(frame.bytes.begin(), frame.bytes.end()), frame.raw_size, 0, false});
}

Result<void> Change::relink(ChunkPos pos, std::int32_t first_segment, const storage::CompressedChunk& frame) {
    return gather(
        {pos, Buffer(frame.bytes.begin(), frame.bytes.end()), frame.raw_size, first_segment, false});
}

Result<void> Change::write_document(ChunkPos pos, Bytes document) {
    TRY(const auto frame, context_.compressor.compress(document));
    return write(pos, {frame, static_cast<std::uint32_t>(document.size())});
}

Result<void> Change::relocate(ChunkPos pos) {
    TRY(const auto frame, store_->read_compressed(pos, context_));
    if (!frame) return {};
    return gather({pos, Buffer(frame->bytes.begin(), frame->bytes.end()), frame->raw_size, 0, true});
}

Result<void> Change::remove(ChunkPos pos) { return gather({pos, std::nullopt, 0, 0, false}); }

Result<void> Change::migrate_region(RegionPos pos) {
    auto* files = store_->region_editor();
    return files == nullptr ? Result<void>() : files->migrate(pos);
}

Result<void> Change::gather(Pending pending) {
    const auto bytes = pending.frame ? pending.frame->size() : 0;
    // The last word about a chunk counts.
    if (const auto [found, is_new] = places_.try_emplace(pending.pos, pending_.size()); is_new)
        pending_.push_back(std::move(pending));
    else
        pending_[found->second] = std::move(pending);
    pending_bytes_ += bytes;
    if (pending_bytes_ < k_batch_bytes && pending_.size() < k_batch_chunks) return {};
    return flush();
}

Result<void> Change::sync_archive() { return writer_ ? writer_->sync() : Result<void>(); }

Result<void> Change::record(const UndoRecord& record) {
    if (!options_.keeps_undo) return {};
    if (!writer_) {
        const auto folder = undo_folder(folder_);
        TRY_DO(make_undo_folder(folder));
        TRY(report_.archive, next_archive(folder));
        TRY(writer_, UndoWriter::create(report_.archive, {.run = options_.run,
                                                          .time = utc_text(utc_now(), UtcForm::iso),
                                                          .verb = options_.verb,
                                                          .command = options_.command,
                                                          .world = world_}));
    }
    return writer_->append(record);
}

/// Puts what a chunk is into the archive, if the change makes a difference.
Result<void> Change::archive(const Pending& pending, bool& changes) {
    ChunkRecord entry;
    entry.pos = pending.pos;
    changes = true;
    if (pending.frame) {
        if (store_->keeps_compressed()) {
            entry.after = compressed_hash({*pending.frame, pending.raw_size});
        } else {
            TRY(const auto content, context_.decompressor.decompress(*pending.frame, pending.raw_size,
                                                                     storage::k_largest_document));
            entry.after = sha256(content);
        }
    }
    Buffer salvaged;
    const auto before = store_->read_compressed(pending.pos, context_);
    if (before && *before) {
        entry.before = ChunkRecord::PriorState::frame;
        entry.raw_size = (*before)->raw_size;
        entry.bytes = (*before)->bytes;
        if (pending.frame && entry.raw_size == pending.raw_size
            && std::equal(entry.bytes.begin(), entry.bytes.end(), pending.frame->begin(),
                          pending.frame->end())) {
            changes = pending.moves;
            return {};
        }
    } else if (!before) {
        entry.before = ChunkRecord::PriorState::damaged;
        const auto found = salvage_entry(*store_, pending.pos);
        if (!found) return fail(Error(before.error())); // not even its region can be opened
        entry.entry = found->entry;
        salvaged = found->bytes;
        entry.bytes = salvaged;
    } else if (!pending.frame) {
        changes = false;
        return {};
    }
    return record(entry);
}

Result<void> Change::flush() {
    if (pending_.empty()) return {};
    std::vector<bool> changes(pending_.size());
    bool any = false;
    for (std::size_t i = 0; i < pending_.size(); ++i) {
        bool change = false;
        TRY_DO(archive(pending_[i], change));
        changes[i] = change;
        any = any || change;
    }
    if (any) TRY_DO(sync_archive());
    // Frames that stay where they are come first, before others are written into unused segments.
    for (const bool in_place : {true, false})
        for (std::size_t i = 0; i < pending_.size(); ++i)
            if (changes[i] && (pending_[i].segment != 0) == in_place) TRY_DO(carry_out(pending_[i]));
    pending_.clear();
    places_.clear();
    pending_bytes_ = 0;
    return {};
}

/// Whether the frame is still where it should be, after its own lengths.
bool Change::lies_in_place(const Pending& pending) const {
    const auto* files = store_->region_files();
    if (files == nullptr || pending.segment <= 0) return false;
    const auto region = files->region(pending.pos.region());
    if (!region || !*region || (*region)->header().version != 1) return false;
    const auto& file = (*region)->file();
    const auto blob = file.view((*region)->header().position(pending.segment), 8 + pending.frame->size());
    if (!blob) return false;
    const auto bytes = blob->bytes();
    return load_be<std::uint32_t>(bytes.data()) == pending.raw_size
           && load_be<std::uint32_t>(bytes.data() + 4) == pending.frame->size()
           && std::ranges::equal(bytes.subspan(8), *pending.frame) && file.check(*blob);
}

Result<void> Change::carry_out(const Pending& pending) {
    counts_->before_change(pending.pos.region());
    if (!pending.frame) {
        TRY_DO(store_->remove(pending.pos));
        ++report_.chunks_removed;
        return {};
    }
    auto* files = store_->region_editor();
    const bool linked =
        files != nullptr && lies_in_place(pending) && files->put_entry(pending.pos, pending.segment);
    if (!linked) TRY_DO(store_->write_compressed(pending.pos, {*pending.frame, pending.raw_size}));
    ++report_.chunks_written;
    return {};
}

Result<void> Change::write_file(const std::string& path, Bytes content) {
    TRY(const auto target, inner_file(folder_, path));
    std::error_code code;
    std::string before;
    FileRecord entry{path, std::nullopt, sha256(content)};
    if (fs::exists(target, code)) {
        TRY(before, read_small(target));
        entry.before = as_bytes(before);
    }
    TRY_DO(record(entry));
    TRY_DO(sync_archive());
    return write_file_atomically(target, content);
}

Result<void> Change::replace_file(const std::string& path, const fs::path& by) {
    TRY(const auto target, inner_file(folder_, path));
    TRY(const auto before, read_small(target));
    TRY(const auto after, read_small(by));
    TRY_DO(record(FileRecord{path, as_bytes(before), sha256(as_bytes(after))}));
    TRY_DO(sync_archive());
    return orbis::replace_file(by, target);
}

Result<void> Change::patch_file(const std::string& path, std::uint64_t offset, Bytes content) {
    TRY(const auto target, inner_file(folder_, path));
    TRY(const auto file, open_file(target, FileMode::write));
    TRY(const auto before, file->view(offset, content.size()));
    const Buffer kept(before.bytes().begin(), before.bytes().end());
    TRY_DO(file->check(before));
    TRY_DO(record(PatchRecord{path, offset, kept, content}));
    TRY_DO(sync_archive());
    TRY_DO(file->write(offset, content));
    return file->sync();
}

Result<void> Change::move_file(const std::string& from, const std::string& to) {
    TRY(const auto old_place, inner_file(folder_, from));
    TRY(const auto new_place, inner_file(folder_, to));
    if (const auto pos = storage::parse_region_file_name(old_place.filename().string()); pos && counts_)
        counts_->before_change(*pos);
    TRY_DO(record(MoveRecord{from, to}));
    TRY_DO(sync_archive());
    TRY_DO(create_folders(new_place.parent_path()));
    TRY_DO(place_file(old_place, new_place));
    return sync_folder(old_place.parent_path());
}

Result<ChangeReport> Change::finish() {
    TRY_DO(flush());
    if (store_ && report_.chunks_written + report_.chunks_removed > 0) TRY_DO(store_->sync());
    if (writer_) TRY_DO(writer_->finish());
    if (counts_) counts_->keep();
    return report_;
}

} // namespace orbis::jobs
