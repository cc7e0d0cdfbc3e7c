#pragma once

#include "bytes/file.hpp"
#include "bytes/position.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace orbis::storage {

/// The first 32 bytes of a region file (docs/formats/region-file.md).
///
///     offset 0    20 bytes  magic "HytaleIndexedStorage"
///     offset 20    i32 be   container version, 0 or 1
///     offset 24    i32 be   number of blobs N, 1024
///     offset 28    i32 be   segment size S, 4096
///     offset 32   N × i32   first segment of each blob, 0 = absent
///     [version 0] N × i32   first segment of a write or delete in progress
struct RegionHeader {
    std::int32_t version = 1;
    std::int32_t blob_count = k_columns;
    std::int32_t segment_size = 4096;

    static constexpr std::uint64_t k_size = 32;
    static constexpr std::string_view k_magic = "HytaleIndexedStorage";

    [[nodiscard]] constexpr std::uint64_t index_offset(std::int32_t blob) const {
        return k_size + 4 * static_cast<std::uint64_t>(blob);
    }
    /// Where segment 1 starts.
    [[nodiscard]] constexpr std::uint64_t base() const {
        return k_size + (version == 0 ? 8 : 4) * static_cast<std::uint64_t>(blob_count);
    }
    /// Where a segment starts; they count from 1.
    [[nodiscard]] constexpr std::uint64_t position(std::int32_t segment) const {
        return base() + static_cast<std::uint64_t>(segment - 1) * static_cast<std::uint64_t>(segment_size);
    }
    /// Bytes of this many segments.
    [[nodiscard]] constexpr std::uint64_t bytes_of(std::uint64_t segments) const {
        return segments * static_cast<std::uint64_t>(segment_size);
    }
    /// Segments that a blob of this many frame bytes takes in version 1.
    [[nodiscard]] constexpr std::uint64_t segments_for(std::uint64_t frame_bytes) const {
        const auto size = static_cast<std::uint64_t>(segment_size);
        return (frame_bytes + 8 + size - 1) / size;
    }
};

/// Reads and checks the header, and that the whole index is in the file. The position is for messages.
Result<RegionHeader> read_region_header(const File& file, RegionPos position);

/// A chunk as it is in a region file: a Zstandard frame and the length it promises.
struct Blob {
    Bytes frame;
    std::uint32_t raw_size = 0;
    std::uint64_t offset = 0;        ///< of the blob's own header in the file
    FileView view;                   ///< keeps `frame` readable, and tells whether the disk delivered it
    std::shared_ptr<const void> pin; ///< keeps a writer from reusing these segments
};

/// What a blob's header says, without its bytes.
struct BlobInfo {
    Slot slot;
    std::int32_t first_segment = 0;
    std::uint64_t segments = 0;
    std::uint64_t segment_bytes = 0; ///< of all its segments
    std::uint64_t offset = 0;
    std::uint32_t raw_size = 0;
    std::uint32_t frame_size = 0;
};

/// One region file of any container version, open for reading.
class Region {
public:
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;
    virtual ~Region() = default;

    [[nodiscard]] const RegionHeader& header() const { return header_; }
    [[nodiscard]] RegionPos position() const { return position_; }
    [[nodiscard]] const std::string& name() const { return file_->name(); }
    [[nodiscard]] const File& file() const { return *file_; }

    /// The slots that the index has an entry for, ascending.
    [[nodiscard]] virtual Result<std::vector<Slot>> slots() const = 0;

    /// The first segment that the index names for a slot, sound or not; 0 if the slot is empty.
    [[nodiscard]] virtual Result<std::int32_t> entry(Slot slot) const;

    /// What the blob's header says, checked against the file; nothing if the slot is empty.
    [[nodiscard]] virtual Result<std::optional<BlobInfo>> info(Slot slot) const = 0;

    /// The compressed bytes of a slot, in place where the format allows it (else gathered in `gathered`,
    /// which must live as long as the blob); nothing if the slot is empty.
    [[nodiscard]] virtual Result<std::optional<Blob>> blob(Slot slot, Buffer& gathered) const = 0;

protected:
    Region(std::unique_ptr<File> file, RegionHeader header, RegionPos position)
        : file_(std::move(file)), header_(header), position_(position) {}

    /// Fills in file, region and chunk.
    [[nodiscard]] Error place(Error&& error, Slot slot) const;

    /// The i32 at `offset` of the file.
    [[nodiscard]] Result<std::int32_t> read_i32(std::uint64_t offset) const;

    std::unique_ptr<File> file_;
    RegionHeader header_;
    RegionPos position_;
};

/// An error when the index has entries above slot 1023. They are not chunks, and a rewritten file
/// would not have them, so it is better not rewritten.
Result<void> check_rewritable(const Region& region);

/// Opens a region file of any version for reading.
Result<std::unique_ptr<Region>> open_region(std::unique_ptr<File> file, RegionPos position);

/// `-1.0.region.bin` for region -1, 0; and back, for canonical names only.
std::string region_file_name(RegionPos position);
std::optional<RegionPos> parse_region_file_name(std::string_view name);

} // namespace orbis::storage
