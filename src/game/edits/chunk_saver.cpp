#include "game/edits/chunk_saver.hpp"

#include "jobs/undo/change.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace orbis::game {

namespace {

using namespace std::chrono_literals;

/// At the end, so that a moment's trouble does not cost anything.
constexpr int k_last_attempts = 5;
constexpr auto k_between_attempts = 200ms;
/// For readers of the store that is to be closed.
constexpr auto k_wait_for_readers = 500ms;

std::optional<std::filesystem::path> region_folder(const world::World& world) {
    using Source = world::World::Source;
    if (world.source == Source::region_file)
        return world.region_file.has_parent_path() ? world.region_file.parent_path() : ".";
    if (world.source == Source::chunks_folder) return world.folder.on_disk();
    if (world.source == Source::provider) return world.folder.on_disk("chunks");
    return std::nullopt;
}

/// Better said before players build than when their work is to be saved.
Result<void> check_writable(const std::filesystem::path& file) {
    if (faccessat(AT_FDCWD, file.c_str(), W_OK, AT_EACCESS) == 0) return {};
    return fail(error(Errc::read_only, "this region file cannot be written: {}",
                      std::generic_category().message(errno))
                    .in_file(file.string())
                    .advise("serve it without --edit, or let this user write to it"));
}

} // namespace

ChunkSaver::ChunkSaver(const world::World& world, EditedChunks& chunks, chunk::IsTransparent is_transparent,
                       SaverSettings settings, Report report)
    : world_(world),
      chunks_(chunks),
      is_transparent_(std::move(is_transparent)),
      settings_(settings),
      report_(std::move(report)),
      region_folder_(region_folder(world)) {}

Result<std::unique_ptr<ChunkSaver>> ChunkSaver::start(const world::World& world, EditedChunks& chunks,
                                                      chunk::IsTransparent is_transparent,
                                                      SaverSettings settings, Report report) {
    std::unique_ptr<ChunkSaver> saver(
        new ChunkSaver(world, chunks, std::move(is_transparent), settings, std::move(report)));
    TRY_DO(saver->open());
    saver->thread_ = std::jthread([self = saver.get()] { self->run(); });
    return saver;
}

ChunkSaver::~ChunkSaver() { stop(); }

void ChunkSaver::save_soon() {
    {
        const std::lock_guard lock(mutex_);
        is_due_ = true;
    }
    wake_.notify_one();
}

void ChunkSaver::stop() {
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
}

std::shared_ptr<const storage::Store> ChunkSaver::store_for(ChunkPos pos) const {
    const std::lock_guard lock(mutex_);
    const auto region = pos.region();
    return !is_shared() || writing_.contains(region) || is_as_left(region) ? store_ : nullptr;
}

bool ChunkSaver::is_as_left(RegionPos region) const {
    const auto seen = seen_.find(region);
    return signature(region) == (seen == seen_.end() ? std::nullopt : seen->second);
}

bool ChunkSaver::is_own(ChunkPos pos, const Sha256& stored) {
    const std::lock_guard lock(mutex_);
    const auto found = own_.find(pos);
    if (found == own_.end()) return false;
    if (found->second == stored) return true;
    own_.erase(found);
    return false;
}

void ChunkSaver::run() {
    while (true) {
        {
            std::unique_lock lock(mutex_);
            wake_.wait_for(lock, settings_.every, [this] { return is_due_ || is_stopping_; });
            is_due_ = false;
            if (is_stopping_) break;
        }
        save();
    }
    for (int attempt = 0; !save() && attempt + 1 < k_last_attempts; ++attempt)
        std::this_thread::sleep_for(k_between_attempts);
    const std::lock_guard lock(mutex_);
    store_.reset(); // and with it the lock of the folder
}

bool ChunkSaver::save() {
    // Asked first: edits that come while chunks are gathered are for the next time.
    const auto last = chunks_.last_edit();
    const auto unsaved = chunks_.unsaved();
    if (unsaved.empty() && last == saved_up_to_) return true;
    SaveReport report;
    if (auto saved = save_all(unsaved, report); !saved) report.problems.push_back(std::move(saved).error());
    saved_up_to_ = report.saved_up_to = safe_edit(last);
    report_(report);
    return report.saved_up_to == last;
}

/// A chunk whose edits are not all on the disk holds the count back, also where only the next edit of it is
/// missing.
std::uint64_t ChunkSaver::safe_edit(std::uint64_t last) const {
    for (const auto& chunk : chunks_.unsaved())
        if (const auto first = chunk->first_unsaved()) last = std::min(last, *first - 1);
    return last;
}

Result<void> ChunkSaver::save_all(const std::vector<EditedChunks::Ptr>& unsaved, SaveReport& report) {
    if (unsaved.empty()) return {};
    TRY_DO(reopen_if_changed(unsaved));
    {
        const std::lock_guard lock(mutex_);
        for (const auto& chunk : unsaved) writing_.insert(chunk->pos().region());
    }
    const auto written = write_all(unsaved, report);
    {
        // Before chunks count as saved, from when on they are read from the store.
        const std::lock_guard lock(mutex_);
        writing_.clear();
        if (written)
            for (const auto& [chunk, number, stored] : *written)
                seen_[chunk->pos().region()] = signature(chunk->pos().region());
    }
    if (!written) return fail(Error(written.error()));
    for (const auto& [chunk, number, stored] : *written) {
        chunk->mark_saved(number, stored);
        report.written.push_back(chunk->pos());
    }
    return {};
}

/// What is safe on the disk then.
Result<std::vector<ChunkSaver::Written>> ChunkSaver::write_all(const std::vector<EditedChunks::Ptr>& unsaved,
                                                               SaveReport& report) {
    std::vector<Written> written;
    for (const auto& chunk : unsaved) {
        auto done = write(chunk, report);
        if (done)
            written.push_back(*std::move(done));
        else if (!chunk->is_given_up())
            report.problems.push_back(std::move(done).error());
    }
    is_doubtful_ = true;
    TRY_DO(store_->sync());
    is_doubtful_ = false;
    return written;
}

/// Looks at what is there before it writes.
Result<ChunkSaver::Written> ChunkSaver::write(const EditedChunks::Ptr& chunk, SaveReport& report) {
    const auto pos = chunk->pos();
    TRY_DO(catch_up(*chunk, report));
    TRY(auto content, chunk->encode(is_transparent_));
    Written written{chunk, content.number, {}};
    if (store_->keeps_compressed()) {
        TRY(const auto bytes, context_.compressor.compress(content.document));
        const storage::CompressedChunk frame{bytes, static_cast<std::uint32_t>(content.document.size())};
        written.stored = jobs::compressed_hash(frame);
        TRY_DO(store_->write_compressed(pos, frame));
    } else {
        written.stored = sha256(content.document);
        TRY_DO(store_->write(pos, content.document));
    }
    const std::lock_guard lock(mutex_);
    own_.insert_or_assign(pos, written.stored);
    return written;
}

/// Takes over what others have made of the chunk since it was read or written.
Result<void> ChunkSaver::catch_up(EditedChunk& chunk, SaveReport& report) {
    const auto pos = chunk.pos();
    TRY(const auto stored, jobs::stored_hash(*store_, pos, context_));
    if (!stored) {
        auto gone = error(Errc::not_found, "somebody else has removed the chunk").in_file(store_->name());
        gone = std::move(gone).at(pos);
        // A file that is replaced may be away for a moment.
        if (gone_.insert(pos).second) return fail(std::move(gone));
        gone_.erase(pos);
        report.lost.push_back({pos, chunk.give_up(), gone});
        return fail(std::move(gone));
    }
    gone_.erase(pos); // it was away only for that moment
    if (stored == chunk.stored()) return {};
    TRY(const auto document, store_->read(pos, context_));
    if (!document) return fail(Errc::not_found, "{} was removed while it was read", pos);
    TRY_DO(chunk.rebase(Buffer(document->begin(), document->end()), *stored));
    report.merged.push_back(pos);
    return {};
}

Result<void> ChunkSaver::open() {
    // Looked at before it is opened: what changes from here on is noticed.
    std::unordered_map<RegionPos, std::optional<FileStamp>> seen;
    if (region_folder_) {
        TRY(const auto files, watch::stamps_in(*region_folder_));
        for (const auto& [name, signature] : files) {
            const auto pos = storage::parse_region_file_name(name);
            if (!pos) continue;
            seen[*pos] = signature;
            TRY_DO(check_writable(*region_folder_ / name));
        }
    }
    storage::StoreOptions options;
    options.write = true;
    options.force = settings_.force;
    options.sync = storage::SyncPolicy::batch;
    TRY(auto store, world_.open(options));
    const std::lock_guard lock(mutex_);
    store_ = std::move(store);
    seen_ = std::move(seen);
    return {};
}

std::optional<FileStamp> ChunkSaver::signature(RegionPos region) const {
    if (!region_folder_) return std::nullopt;
    return stamp_of(*region_folder_ / storage::region_file_name(region));
}

/// A store knows where free segments are from the time when it opened a file; after others have written to
/// it, or put another in its place, that is not to be trusted.
Result<void> ChunkSaver::reopen_if_changed(const std::vector<EditedChunks::Ptr>& unsaved) {
    bool changed = false;
    {
        const std::lock_guard lock(mutex_);
        changed = std::ranges::any_of(
            unsaved, [&](const EditedChunks::Ptr& chunk) { return !is_as_left(chunk->pos().region()); });
    }
    if (store_ && !changed && !is_doubtful_) return {};
    std::weak_ptr<storage::Store> old;
    {
        const std::lock_guard lock(mutex_);
        old = store_;
        store_.reset();
    }
    const auto end = std::chrono::steady_clock::now() + k_wait_for_readers;
    while (!old.expired() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(5ms);
    TRY_DO(open());
    is_doubtful_ = false;
    return {};
}

} // namespace orbis::game
