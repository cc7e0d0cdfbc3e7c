#include "watch/world_watch.hpp"

#include "storage/steady_store.hpp"

#include <algorithm>

namespace orbis::watch {

namespace {

using Clock = std::chrono::steady_clock;

/// For hashes that are learnt while nothing happens.
constexpr auto k_learning = std::chrono::milliseconds(50);

RegionChunks chunks_in(const storage::RegionHashes& hashes) {
    RegionChunks chunks;
    for (std::size_t slot = 0; slot < hashes.size(); ++slot) chunks.set(slot, hashes[slot] != 0);
    return chunks;
}

void add_all(RegionPos region, const RegionChunks& chunks, std::vector<ChunkPos>& out) {
    for (int slot = 0; slot < k_columns; ++slot)
        if (chunks.test(static_cast<std::size_t>(slot))) out.push_back(region.chunk({slot}));
}

} // namespace

Result<std::unique_ptr<WorldWatch>> WorldWatch::open(const world::World& world,
                                                     const std::filesystem::path& scratch) {
    TRY(auto hashes, HashFile::make(scratch));
    std::unique_ptr<WorldWatch> watch(new WorldWatch(world, std::move(hashes)));
    TRY_DO(watch->look_first());
    return watch;
}

std::shared_ptr<const storage::Store> WorldWatch::store() const {
    const std::lock_guard lock(mutex_);
    return current_;
}

std::vector<WorldProblem> WorldWatch::problems() const {
    const std::lock_guard lock(mutex_);
    std::vector<WorldProblem> found;
    if (failure_) found.push_back({std::nullopt, *failure_});
    for (const auto& [pos, problem] : bad_regions_) found.push_back({pos, problem});
    return found;
}

void WorldWatch::note(RegionPos region, std::optional<Error> problem) {
    const std::lock_guard lock(mutex_);
    if (problem)
        bad_regions_[region] = *std::move(problem);
    else
        bad_regions_.erase(region);
}

void WorldWatch::note_failure(std::optional<Error> problem) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(problem);
}

/// A store keeps files open; those that were replaced or have grown since are seen by a new one.
Result<void> WorldWatch::reopen() {
    TRY(auto opened, world_.open({}));
    auto steady = storage::make_steady(std::move(opened));
    files_ = steady->region_files();
    had_files_ = had_files_ || files_ != nullptr;
    const std::lock_guard lock(mutex_);
    current_ = std::move(steady);
    return {};
}

Result<void> WorldWatch::look_first() {
    using Source = world::World::Source;
    if (world_.source == Source::region_file)
        region_folder_ = world_.region_file.has_parent_path() ? world_.region_file.parent_path() : ".";
    else if (world_.source == Source::chunks_folder)
        region_folder_ = world_.folder.on_disk();
    else if (world_.source == Source::provider)
        region_folder_ = world_.folder.on_disk("chunks");
    if (world_.source == Source::rocksdb) {
        if (const auto folder = world_.folder.on_disk()) database_folders_.push_back(*folder);
    } else if (world_.source == Source::provider) {
        for (const char* name : {"chunks", "db"})
            if (const auto folder = world_.folder.on_disk(name)) database_folders_.push_back(*folder);
    }
    // A world whose own folder is closed to us looks as if it had no chunks.
    if (const auto folder = world_.folder.on_disk(); folder && world_.source == Source::provider)
        TRY_DO(stamps_in(*folder));
    // Looked at before anything is read: what changes from here on is noticed.
    TRY(const auto files, region_stamps());
    TRY(database_, database_stamps());
    TRY_DO(reopen());
    if (files_ != nullptr && region_folder_) {
        note_folders();
        for (const auto& [pos, stamp] : files) {
            auto& known = regions_[pos] = {stamp, false, false};
            const auto slots = files_->slots(pos);
            if (!slots) {
                known.again = stamp.is_being_written(std::chrono::system_clock::now());
                if (!known.again) note(pos, slots.error());
                continue;
            }
            RegionChunks chunks;
            for (const auto slot : *slots) chunks.set(static_cast<std::size_t>(slot.value));
            presence_.set(pos, chunks);
        }
        unknown_ = regions_.size();
        return {};
    }
    std::map<RegionPos, RegionChunks> found;
    const auto cursor = store()->chunks();
    std::optional<Error> first_failure;
    for (int failures = 0; failures < 1000;) {
        auto next = cursor->next();
        if (!next) {
            ++failures;
            if (!first_failure) first_failure = std::move(next).error();
            continue;
        }
        if (!*next) break;
        found[(*next)->region()].set(static_cast<std::size_t>((*next)->slot().value));
    }
    for (const auto& [pos, chunks] : found) presence_.set(pos, chunks);
    if (found.empty()) note_failure(std::move(first_failure));
    unknown_ = database_folders_.empty() ? 0 : 1;
    return {};
}

Result<std::map<RegionPos, FileStamp>> WorldWatch::region_stamps() {
    std::map<RegionPos, FileStamp> found;
    if (!region_folder_) return found;
    FileStamps folders;
    TRY(const auto files, stamps_in(*region_folder_, &folders));
    folders_.clear();
    if (world_.source != world::World::Source::region_file)
        for (const auto& [name, stamp] : folders)
            if (const auto pos = storage::parse_region_file_name(name)) folders_.insert(*pos);
    for (const auto& [name, stamp] : files) {
        const auto pos = storage::parse_region_file_name(name);
        if (!pos
            || (world_.source == world::World::Source::region_file && name != world_.region_file.filename()))
            continue;
        found[*pos] = stamp;
    }
    return found;
}

/// Before files are looked at: one that takes the place of a folder has its own say.
void WorldWatch::note_folders() {
    for (const auto pos : noted_folders_)
        if (!folders_.contains(pos)) note(pos, std::nullopt);
    for (const auto pos : folders_)
        note(pos, storage::misplaced_folder((*region_folder_ / storage::region_file_name(pos)).string()));
    noted_folders_ = folders_;
}

Result<FileStamps> WorldWatch::database_stamps() const {
    FileStamps found;
    for (const auto& folder : database_folders_) {
        TRY(const auto files, stamps_in(folder));
        for (const auto& [name, stamp] : files) found[(folder / name).string()] = stamp;
    }
    return found;
}

std::vector<ChunkPos> WorldWatch::poll() {
    if (region_folder_ && (files_ != nullptr || are_files_back())) return poll_regions();
    if (!database_folders_.empty() && Clock::now() >= not_before_) return poll_database();
    return {};
}

/// A world whose folder is gone looks like one that never had region files.
bool WorldWatch::are_files_back() {
    if (!had_files_) return false;
    const auto files = region_stamps();
    return files && !files->empty();
}

std::vector<ChunkPos> WorldWatch::poll_regions() {
    std::vector<RegionPos> look_at;
    std::vector<ChunkPos> changed;
    const auto listed = region_stamps();
    note_failure(listed ? std::nullopt : std::optional(listed.error()));
    if (!listed) return changed; // what is known stays until it can be read again
    const auto& files = *listed;
    for (const auto& [pos, stamp] : files) {
        const auto known = regions_.find(pos);
        if (known == regions_.end() || known->second.again || known->second.stamp != stamp)
            look_at.push_back(pos);
    }
    for (auto known = regions_.begin(); known != regions_.end();) {
        const auto pos = known->first;
        if (!files.contains(pos)) forget_region(pos, changed);
        known = regions_.upper_bound(pos);
    }
    note_folders();
    if (look_at.empty() && changed.empty()) {
        learn_some();
        return changed;
    }
    // Where it cannot be opened now it is tried again: what is known still differs from what is there.
    if (!reopen() || files_ == nullptr) return changed;
    for (const auto pos : look_at) {
        auto& known = regions_[pos];
        if (auto found = compare_region(pos, known, files.at(pos)))
            changed.insert(changed.end(), found->begin(), found->end());
    }
    unknown_ = static_cast<std::size_t>(
        std::ranges::count_if(regions_, [](const auto& entry) { return !entry.second.hashed; }));
    return changed;
}

Result<std::vector<ChunkPos>> WorldWatch::compare_region(RegionPos pos, WatchedRegion& known,
                                                         const FileStamp& stamp) {
    if (const auto slots = files_->slots(pos); !slots) {
        // A file that is just being made may not be one yet.
        if (stamp.is_being_written(std::chrono::system_clock::now())) return std::unexpected(slots.error());
        known = {stamp, false, false};
        note(pos, slots.error());
        // Its chunks go, as they would be missing after another start.
        std::vector<ChunkPos> lost;
        add_all(pos, presence_.get(pos), lost);
        presence_.set(pos, {});
        return lost;
    }
    note(pos, std::nullopt);
    storage::RegionHashes after;
    storage::HashingReader reader(*current_);
    storage::hash_region(reader, pos, after);
    std::vector<ChunkPos> changed;
    if (const auto before = known.hashed ? hashes_.get(pos) : std::nullopt)
        changed = storage::changed_chunks(pos, *before, after);
    else
        add_all(pos, presence_.get(pos) | chunks_in(after), changed);
    // As it was before the reading: what was written meanwhile differs from that.
    known = {stamp, hashes_.put(pos, after).has_value(),
             stamp.is_being_written(std::chrono::system_clock::now())};
    presence_.set(pos, chunks_in(after));
    return changed;
}

void WorldWatch::forget_region(RegionPos pos, std::vector<ChunkPos>& changed) {
    add_all(pos, presence_.get(pos), changed);
    presence_.set(pos, {});
    regions_.erase(pos);
    note(pos, std::nullopt);
}

void WorldWatch::learn_some() {
    if (unknown_ == 0) return;
    const auto end = Clock::now() + k_learning;
    bool has_learnt = false; // one at least, however busy the machine is
    unknown_ = 0;
    for (auto& [pos, known] : regions_) {
        if (known.hashed) continue;
        if ((has_learnt && Clock::now() >= end)
            || known.stamp.is_being_written(std::chrono::system_clock::now())) {
            ++unknown_;
            continue;
        }
        has_learnt = true;
        const auto region = files_->region(pos);
        if (!region || !*region) continue; // damaged: looked at again when it changes
        storage::RegionHashes hashes;
        storage::HashingReader reader(*current_);
        storage::hash_region(reader, pos, hashes);
        // Tiles may show what the file had before. Only of a file that has not changed since it is known
        // that these hashes are theirs too.
        if (stamp_of(*region_folder_ / storage::region_file_name(pos)) != known.stamp
            || !hashes_.put(pos, hashes))
            ++unknown_;
        else
            known.hashed = true;
    }
}

Result<std::map<RegionPos, storage::RegionHashes>> WorldWatch::hash_everything() {
    std::map<RegionPos, storage::RegionHashes> found;
    storage::HashingReader reader(*current_);
    const auto cursor = current_->chunks();
    while (true) {
        TRY(const auto next, cursor->next());
        if (!next) return found;
        const auto [place, is_new] = found.try_emplace(next->region());
        if (is_new) place->second.fill(0);
        place->second[static_cast<std::size_t>(next->slot().value)] = reader.hash(*next);
    }
}

/// A database has no file per region: when any of its files changes, everything is read.
std::vector<ChunkPos> WorldWatch::poll_database() {
    const auto listed = database_stamps();
    note_failure(listed ? std::nullopt : std::optional(listed.error()));
    if (!listed) return {};
    const auto& files = *listed;
    const bool differs = files != database_;
    if (!differs && database_hashed_) return {};
    const auto begin = Clock::now();
    std::vector<ChunkPos> changed;
    if (differs)
        if (auto opened = reopen(); !opened) {
            note_failure(std::move(opened).error());
            return changed;
        }
    const auto found = hash_everything();
    not_before_ = Clock::now() + (Clock::now() - begin) * 4;
    if (!found) {
        note_failure(found.error());
        return changed;
    }
    if (const auto again = database_stamps(); !differs && (!again || *again != files))
        return changed; // see learn_some
    std::vector<RegionPos> regions;
    for (const auto& [pos, known] : regions_) regions.push_back(pos);
    for (const auto& [pos, hashes] : *found) {
        const auto before = hashes_.get(pos);
        if (before)
            for (const auto chunk : storage::changed_chunks(pos, *before, hashes)) changed.push_back(chunk);
        else if (differs)
            add_all(pos, presence_.get(pos) | chunks_in(hashes), changed);
        if (!hashes_.put(pos, hashes)) continue;
        presence_.set(pos, chunks_in(hashes));
        regions_[pos].hashed = true;
    }
    for (const auto pos : regions) {
        if (found->contains(pos)) continue;
        forget_region(pos, changed);
        storage::RegionHashes none;
        none.fill(0);
        (void)hashes_.put(pos, none);
    }
    database_ = files;
    database_hashed_ = true;
    unknown_ = 0;
    return changed;
}

} // namespace orbis::watch
