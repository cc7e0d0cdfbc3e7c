#include "storage/region_store.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/recent_map.hpp"
#include "storage/migrate_region.hpp"
#include "storage/write_lock.hpp"

#include <algorithm>
#include <mutex>

namespace orbis::storage {

namespace {

namespace fs = std::filesystem;

/// Files kept open at once; each costs a descriptor and, when written, a few kilobytes for its index.
constexpr std::size_t k_open_files = 64;

class RegionFolder final : public RegionStore {
public:
    RegionFolder(Folder folder, StoreOptions options, std::optional<RegionPos> only,
                 std::optional<WriteLock> lock)
        : folder_(std::move(folder)),
          options_(options),
          only_(only),
          lock_(std::move(lock)),
          name_(folder_.shown()) {
        if (only_) name_ = folder_.shown(region_file_name(*only_));
    }

    std::string_view kind() const override { return "region files"; }
    const std::string& name() const override { return name_; }
    bool keeps_compressed() const override { return true; }

    Result<std::vector<RegionPos>> regions() const override {
        std::vector<RegionPos> found;
        if (only_) {
            if (folder_.has_file(region_file_name(*only_))) found.push_back(*only_);
            return found;
        }
        TRY(const auto entries, folder_.list());
        for (const auto& entry : entries)
            if (const auto pos = parse_region_file_name(entry.name); pos && !entry.is_folder)
                found.push_back(*pos);
        std::sort(found.begin(), found.end());
        return found;
    }

    Result<std::shared_ptr<Region>> region(RegionPos pos) const override {
        const std::lock_guard lock(mutex_);
        if (const auto* kept = open_.find(pos)) return *kept;
        if (!folder_.has_file(region_file_name(pos))) return nullptr;
        TRY_DO(make_room(false));
        auto opened = open(pos);
        if (!opened) return fail(std::move(opened).error().at(pos));
        return open_.put(pos, *std::move(opened));
    }

    std::unique_ptr<Cursor> chunks() const override;

    Result<bool> contains(ChunkPos pos) const override {
        TRY(const auto file, region_of(pos));
        if (!file) return false;
        TRY(const auto slots, file->slots());
        return std::binary_search(slots.begin(), slots.end(), pos.slot());
    }

    Result<std::optional<Bytes>> read(ChunkPos pos, ReadContext& context) const override {
        context.blob = {};
        TRY(const auto file, region_of(pos));
        if (!file) return std::nullopt;
        TRY(auto found, file->blob(pos.slot(), context.gathered));
        if (!found) return std::nullopt;
        auto document =
            context.decompressor.decompress(found->frame, found->raw_size, options_.largest_document);
        // A page that the disk could not deliver explains every other error.
        if (auto delivered = file->file().check(found->view); !delivered)
            return fail(place(std::move(delivered).error(), *file, pos));
        if (!document) {
            auto problem = std::move(document).error();
            problem.offset = found->offset + (problem.offset ? 8 + *problem.offset : 0);
            return fail(place(std::move(problem), *file, pos));
        }
        return *document;
    }

    Result<std::optional<CompressedChunk>> read_compressed(ChunkPos pos,
                                                           ReadContext& context) const override {
        context.blob = {};
        TRY(const auto file, region_of(pos));
        if (!file) return std::nullopt;
        TRY(auto found, file->blob(pos.slot(), context.gathered));
        if (!found) return std::nullopt;
        context.blob = *std::move(found);
        context.held = file;
        return CompressedChunk{context.blob.frame, context.blob.raw_size};
    }

    Result<void> write(ChunkPos pos, Bytes document) override {
        if (document.size() > options_.largest_document)
            return fail(error(Errc::too_large, "a chunk document has at most {} bytes; this one has {}",
                              options_.largest_document, document.size())
                            .in_file(name_)
                            .at(pos));
        TRY(const auto frame, compressor_.compress(document));
        return write_compressed(pos, {frame, static_cast<std::uint32_t>(document.size())});
    }

    Result<void> write_compressed(ChunkPos pos, const CompressedChunk& frame) override {
        TRY(const auto file, writable_region(pos.region(), true));
        return file->write(pos.slot(), frame.bytes, frame.raw_size);
    }

    Result<bool> remove(ChunkPos pos) override {
        TRY(const auto file, writable_region(pos.region(), false));
        if (!file) return false;
        return file->remove(pos.slot());
    }

    std::string file_of(ChunkPos pos) const override {
        const auto file = region_of(pos);
        return file && *file ? (*file)->name() : name_;
    }

    Result<std::optional<BlobInfo>> blob_info(ChunkPos pos) const override {
        TRY(const auto file, region_of(pos));
        if (!file) return std::nullopt;
        return file->info(pos.slot());
    }

    Result<void> migrate(RegionPos pos) override {
        TRY(const auto file, writable_region(pos, false));
        return {};
    }

    Result<void> put_bytes(ChunkPos pos, Bytes blob) override {
        TRY(const auto file, writable_region(pos.region(), true));
        return file->put_bytes(pos.slot(), blob);
    }

    Result<void> put_entry(ChunkPos pos, std::int32_t first_segment) override {
        TRY(const auto file, writable_region(pos.region(), true));
        return file->put_entry(pos.slot(), first_segment);
    }

    Result<void> sync() override {
        std::vector<std::shared_ptr<Region>> open;
        {
            const std::lock_guard lock(mutex_);
            open_.for_each([&](RegionPos, const auto& file) { open.push_back(file); });
        }
        for (const auto& file : open)
            if (auto* v1 = dynamic_cast<RegionFile*>(file.get())) TRY_DO(v1->sync());
        return {};
    }

private:
    static Error place(Error&& error, const Region& file, ChunkPos pos) {
        const auto region = pos.region();
        return std::move(error)
            .in_file(file.name())
            .at(region)
            .at(pos)
            .advise("the other chunks are not affected; restore this one from a backup");
    }

    Result<std::shared_ptr<Region>> region_of(ChunkPos pos) const {
        if (only_ && pos.region() != *only_) return nullptr;
        return region(pos.region());
    }

    /// Closes files that were not used for the longest time. One that is still being read stays: a second
    /// instance would not know which segments that reader needs. A file that is not safe yet is synced before
    /// it is closed, and only the writer may do that. The caller holds the lock.
    Result<void> make_room(bool is_writer) const {
        Result<void> synced;
        const auto may_close = [&](RegionPos, const std::shared_ptr<Region>& file) {
            if (file.use_count() > 1 || !synced) return false;
            auto* v1 = dynamic_cast<RegionFile*>(file.get());
            if (v1 == nullptr || v1->is_settled()) return true;
            if (is_writer) synced = v1->sync();
            return is_writer && synced;
        };
        open_.erase_if(may_close, k_open_files - 1);
        return synced;
    }

    Result<std::shared_ptr<Region>> open(RegionPos pos) const {
        const auto name = region_file_name(pos);
        if (!options_.write) {
            TRY(auto file, folder_.open(name));
            TRY(auto region, open_region(std::move(file), pos));
            return std::shared_ptr<Region>(std::move(region));
        }
        TRY(auto probe, folder_.open(name));
        TRY(const auto header, read_region_header(*probe, pos));
        if (header.version == 0) {
            TRY(auto old, open_region(std::move(probe), pos));
            return std::shared_ptr<Region>(std::move(old)); // until the first write
        }
        probe.reset();
        TRY(auto file, open_file(path_of(pos), FileMode::write, budget_));
        TRY(auto region, RegionFile::open(std::move(file), pos, RegionAccess::write, options_.sync));
        return std::shared_ptr<Region>(std::move(region));
    }

    [[nodiscard]] fs::path path_of(RegionPos pos) const { return *folder_.on_disk(region_file_name(pos)); }

    /// The file of a region for writing; nothing when there is none and it need not be made. The holder
    /// keeps readers from closing it.
    Result<std::shared_ptr<RegionFile>> writable_region(RegionPos pos, bool create) {
        if (!options_.write)
            return fail(error(Errc::read_only, "the store was opened for reading only").in_file(name_));
        if (only_ && pos != *only_)
            return fail(
                error(Errc::out_of_range, "this file holds {} only, not {}", *only_, pos).in_file(name_));
        const std::lock_guard lock(mutex_);
        TRY_DO(make_room(true));
        if (const auto* kept = open_.find(pos)) {
            if (auto v1 = std::dynamic_pointer_cast<RegionFile>(*kept)) return v1;
            TRY_DO(migrate_region_file(path_of(pos), pos));
            open_.erase(pos);
        } else if (!folder_.has_file(region_file_name(pos))) {
            if (folder_.has_folder(region_file_name(pos)))
                return fail(misplaced_folder(folder_.shown(region_file_name(pos))));
            if (!create) return nullptr;
            TRY_DO(make_region_file(path_of(pos)));
        }
        TRY(auto opened, open(pos));
        if (opened->header().version == 0) {
            TRY_DO(migrate_region_file(path_of(pos), pos));
            TRY(opened, open(pos));
        }
        return std::dynamic_pointer_cast<RegionFile>(open_.put(pos, std::move(opened)));
    }

    /// A new file appears under its name only when header and index are safe on the disk: the game refuses a
    /// shorter one together with every chunk of the region.
    static Result<void> make_region_file(const fs::path& path) {
        auto temporary = path;
        temporary += k_temporary_suffix;
        std::error_code ignored;
        fs::remove(temporary, ignored);
        const auto format = [&]() -> Result<void> {
            TRY(auto file, open_file(temporary, FileMode::create));
            return RegionFile::format(*file);
        };
        if (auto made = format(); !made) {
            fs::remove(temporary, ignored);
            return made;
        }
        auto placed = place_file(temporary, path);
        if (!placed) fs::remove(temporary, ignored);
        return placed;
    }

    Folder folder_;
    StoreOptions options_;
    std::optional<RegionPos> only_;
    std::optional<WriteLock> lock_;
    std::string name_;
    std::shared_ptr<MappingBudget> budget_ = make_mapping_budget(k_mapping_budget);
    Compressor compressor_;

    mutable std::mutex mutex_;
    mutable RecentMap<RegionPos, std::shared_ptr<Region>> open_;
};

class RegionCursor final : public Cursor {
public:
    explicit RegionCursor(const RegionStore& store) : store_(store) {}

    Result<std::optional<ChunkPos>> next() override {
        if (!listed_) {
            listed_ = true;
            TRY(regions_, store_.regions());
        }
        while (slot_ == slots_.size()) {
            if (region_ == regions_.size()) return std::nullopt;
            const auto pos = regions_[region_++];
            slots_.clear();
            slot_ = 0;
            TRY(const auto file, store_.region(pos));
            if (!file) continue; // removed since it was listed
            TRY(slots_, file->slots());
        }
        return regions_[region_ - 1].chunk(slots_[slot_++]);
    }

private:
    const RegionStore& store_;
    bool listed_ = false;
    std::vector<RegionPos> regions_;
    std::size_t region_ = 0;
    std::vector<Slot> slots_;
    std::size_t slot_ = 0;
};

std::unique_ptr<Cursor> RegionFolder::chunks() const { return std::make_unique<RegionCursor>(*this); }

Result<std::unique_ptr<RegionStore>> open_folder(const Folder& folder, const StoreOptions& options,
                                                 std::optional<RegionPos> only) {
    TRY_DO(folder.check_folder());
    std::optional<WriteLock> lock;
    if (options.write) {
        const auto path = folder.on_disk();
        if (!path)
            return fail(error(Errc::read_only, "a world inside a zip cannot be written")
                            .in_file(folder.shown())
                            .advise("unpack or convert it first"));
        if (options.create) TRY_DO(create_folders(*path));
        TRY(lock, WriteLock::take(*path, options.force));
        remove_unfinished_files(*path);
    }
    const auto missing = only && !(options.write && options.create) && !folder.find(region_file_name(*only));
    if (missing || !folder.find({}))
        return fail(error(Errc::not_found, "there is no {} here", only ? "region file" : "folder")
                        .in_file(folder.shown(only ? region_file_name(*only) : ""))
                        .advise("check the spelling of the path"));
    return std::make_unique<RegionFolder>(folder, options, only, std::move(lock));
}

} // namespace

Error misplaced_folder(std::string_view shown) {
    return error(Errc::bad_value, "this is a folder, not a region file")
        .in_file(std::string(shown))
        .advise("move the folder somewhere else; the game cannot use it either");
}

std::vector<MisplacedFolder> misplaced_folders(const Folder& folder) {
    std::vector<MisplacedFolder> found;
    const auto entries = folder.list();
    if (!entries) return found;
    for (const auto& entry : *entries)
        if (const auto pos = parse_region_file_name(entry.name); pos && entry.is_folder)
            found.push_back({*pos, misplaced_folder(folder.shown(entry.name))});
    return found;
}

Result<std::unique_ptr<RegionStore>> open_region_store(const Folder& folder, const StoreOptions& options) {
    return open_folder(folder, options, std::nullopt);
}

Result<std::unique_ptr<RegionStore>> open_single_region(const fs::path& path, const StoreOptions& options) {
    const auto pos = parse_region_file_name(path.filename().string());
    if (!pos)
        return fail(error(Errc::unknown_kind, "the name of a region file is like -1.0.region.bin, not {}",
                          path.filename().string())
                        .in_file(path.string())
                        .advise("rename the file: its name states where the region is"));
    const Folder folder(open_disk_tree(path.has_parent_path() ? path.parent_path() : fs::path("."),
                                       path.filename().string()));
    return open_folder(folder, options, pos);
}

} // namespace orbis::storage
