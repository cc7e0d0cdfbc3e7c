#pragma once

#include "bytes/zstd.hpp"
#include "storage/region.hpp"

#include <memory>
#include <optional>
#include <string>

namespace orbis::storage {

class RegionEditor;
class RegionFiles;

/// A chunk as compressed bytes: one Zstandard frame.
struct CompressedChunk {
    Bytes bytes;
    std::uint32_t raw_size = 0;
};

/// Documents above this are refused before memory is taken for them; the largest real one has 864,678 bytes.
inline constexpr std::uint64_t k_largest_document = 64 << 20;

/// What a thread keeps between reads, so that a walk over a world allocates almost nothing. What a read
/// returns is in here (or is kept alive from here) until the next read with the same context.
struct ReadContext {
    Decompressor decompressor;
    Compressor compressor;
    Buffer gathered;
    Blob blob;
    std::shared_ptr<const void> held;
};

/// Goes through the chunks of a store, region by region. Not for use by several threads at once.
class Cursor {
public:
    virtual ~Cursor() = default;
    /// The next chunk; nothing at the end; an error if a whole region cannot be read, after which the
    /// next call goes on with the region after it.
    virtual Result<std::optional<ChunkPos>> next() = 0;
};

/// Something that keeps chunks. Reading is safe from several threads, each with its own context, also
/// while one thread writes.
class Store {
public:
    Store() = default;
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;
    virtual ~Store() = default;

    /// What it is, such as `region files` or `RocksDB`, and where, for messages.
    [[nodiscard]] virtual std::string_view kind() const = 0;
    [[nodiscard]] virtual const std::string& name() const = 0;
    /// Whether chunks are in it as compressed frames; then `read_compressed` and `write_compressed` move
    /// bytes as they are.
    [[nodiscard]] virtual bool keeps_compressed() const = 0;

    [[nodiscard]] virtual std::unique_ptr<Cursor> chunks() const = 0;
    [[nodiscard]] virtual Result<bool> contains(ChunkPos pos) const = 0;

    /// The document of a chunk; nothing when there is no such chunk.
    [[nodiscard]] virtual Result<std::optional<Bytes>> read(ChunkPos pos, ReadContext& context) const = 0;
    /// The same as compressed bytes; not decompressed and not checked where it is stored like that.
    [[nodiscard]] virtual Result<std::optional<CompressedChunk>>
    read_compressed(ChunkPos pos, ReadContext& context) const = 0;

    virtual Result<void> write(ChunkPos pos, Bytes document) = 0;
    /// Writes a frame as it is where the store keeps frames. It is taken on trust.
    virtual Result<void> write_compressed(ChunkPos pos, const CompressedChunk& frame) = 0;
    /// Whether there was such a chunk.
    virtual Result<bool> remove(ChunkPos pos) = 0;
    /// Returns when all writes so far are safe against a power cut.
    virtual Result<void> sync() = 0;

    // What only region files can say. A store that wraps others answers for the one that a chunk comes from.

    /// The file that a chunk is in, for messages; the store itself where chunks have no files of their own.
    [[nodiscard]] virtual std::string file_of(ChunkPos) const { return name(); }
    /// Where a chunk is in its region file, without reading it; nothing if there is no such chunk, or
    /// none in a region file.
    [[nodiscard]] virtual Result<std::optional<BlobInfo>> blob_info(ChunkPos) const { return std::nullopt; }
    /// The region files that hold the chunks of this store, all of them and no others; null if there are
    /// none like that. They live as long as the store.
    [[nodiscard]] virtual const RegionFiles* region_files() const { return nullptr; }
    /// The same for writing; null also if the store is for reading only by its nature.
    [[nodiscard]] virtual RegionEditor* region_editor() { return nullptr; }
};

} // namespace orbis::storage
