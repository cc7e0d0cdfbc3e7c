#pragma once

#include "storage/region.hpp"
#include "storage/segment_map.hpp"

#include <atomic>
#include <mutex>

namespace orbis::storage {

/// When a write is safe against a power cut. A kill of the process never damages a chunk, and except for
/// `batch` it loses no write that has returned.
enum class SyncPolicy : std::uint8_t {
    each,  ///< when `write` returns: two syncs for each chunk
    batch, ///< when `sync` returns: two syncs for many chunks; until then the old content is what survives
    none,  ///< when `sync` returns; a power cut before that can damage chunks written since the last one
};

enum class RegionAccess : std::uint8_t { read, write };

/// A region file of container version 1 (docs/formats/region-file.md).
///
///     segment s at  32 + 4·N + (s-1)·S
///     blob          i32 be uncompressed length, i32 be compressed length C, C frame bytes, contiguous
///
/// Writing never touches bytes that an index entry on the disk leads to: the new blob goes into free
/// segments, then the index entry changes (four aligned bytes), then the old segments become free. Any number
/// of threads may read while one writes; segments that a reader holds are not reused.
class RegionFile final : public Region {
public:
    static Result<std::unique_ptr<RegionFile>> open(std::unique_ptr<File> file, RegionPos position,
                                                    RegionAccess access, SyncPolicy sync = SyncPolicy::each);

    /// Writes header and an empty index into a new file, and syncs it.
    static Result<void> format(File& file);

    [[nodiscard]] Result<std::vector<Slot>> slots() const override;
    [[nodiscard]] Result<std::int32_t> entry(Slot slot) const override;
    [[nodiscard]] Result<std::optional<BlobInfo>> info(Slot slot) const override;
    [[nodiscard]] Result<std::optional<Blob>> blob(Slot slot, Buffer& gathered) const override;

    /// Puts a frame of `raw_size` uncompressed bytes into the slot. After an error the slot holds its old or
    /// its new content. When the disk was full the next write or sync tries again; after a sync that failed
    /// nothing more is written, because the system may have dropped what it could not write.
    Result<void> write(Slot slot, Bytes frame, std::uint32_t raw_size);
    /// Empties the slot; whether there was something.
    Result<bool> remove(Slot slot);
    /// Puts the bytes of a blob that could not be read into free segments, with the lengths that they have.
    Result<void> put_bytes(Slot slot, Bytes blob);
    /// Lets a slot lead to a segment as it is, sound or not: undoes the removal of a damaged entry, and
    /// brings an older copy to life without moving it. `overlap` if something in use is there.
    Result<void> put_entry(Slot slot, std::int32_t first);
    /// Makes everything written so far safe against a power cut.
    Result<void> sync();
    /// Whether everything written is safe. To be asked by any thread while none writes.
    [[nodiscard]] bool is_settled() const { return settled_; }

private:
    /// A blob with its header checked.
    struct Found {
        BlobInfo info;
        FileView frame;
    };

    /// An index entry that is decided but not yet on the disk.
    struct Pending {
        std::int32_t slot = 0;
        bool tried = false;               ///< the file may hold an entry that was meant to be the new one
        std::vector<SegmentRun> old_runs; ///< what an entry on the disk may lead to
    };

    RegionFile(std::unique_ptr<File> file, RegionHeader header, RegionPos position, RegionAccess access,
               SyncPolicy sync)
        : Region(std::move(file), header, position), writable_(access == RegionAccess::write), sync_(sync) {}

    Result<void> load_index();
    [[nodiscard]] Result<std::int32_t> current_entry(Slot slot) const;
    [[nodiscard]] Result<std::optional<Found>> locate(Slot slot, std::int32_t first) const;
    [[nodiscard]] SegmentRun claim_of(std::int32_t first) const;
    Result<void> prepare();
    Result<void> sync_file();
    Result<void> write_entry(std::int32_t slot, std::int32_t first);
    Result<void> change(Slot slot, SegmentRun run);
    Result<void> flush();

    bool writable_;
    SyncPolicy sync_;

    mutable std::mutex mutex_;             ///< guards what follows; only used when writable
    std::vector<SegmentRun> index_;        ///< what readers of this process see
    std::shared_ptr<SegmentMap> segments_; ///< shared with the pins of readers, which may outlive this
    std::vector<Pending> pending_;
    std::uint64_t pending_bytes_ = 0;
    bool prepared_ = false; ///< what was in the file when it was opened is safe
    bool broken_ = false;   ///< a sync failed, so the content on the disk is unknown
    std::atomic<bool> settled_ = true;
};

} // namespace orbis::storage
