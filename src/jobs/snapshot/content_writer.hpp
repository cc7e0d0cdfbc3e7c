#pragma once

#include "jobs/snapshot/contents.hpp"
#include "jobs/snapshot/pack_writer.hpp"

#include <mutex>
#include <optional>
#include <unordered_set>

namespace orbis::jobs::snapshot {

/// A block is closed when it has this many bytes: long enough that chunks find their like in it, short enough
/// that reading one chunk stays cheap (docs/design/snapshots.md).
inline constexpr std::size_t k_block_size = 2 << 20;
/// A pack is closed when it has this many bytes. What is in closed packs survives a kill.
inline constexpr std::uint64_t k_pack_size = 64 << 20;

/// Contents that go into one block.
class BlockBuilder {
public:
    void add(const Key& key, Bytes content);
    [[nodiscard]] std::size_t size() const { return bytes_.size(); }
    [[nodiscard]] bool empty() const { return parts_.empty(); }
    [[nodiscard]] bool is_full() const { return bytes_.size() >= k_block_size; }
    /// Compresses what was added and starts again.
    Result<Block> close(Compressor& compressor);

    [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
    [[nodiscard]] Bytes bytes(const Part& part) const {
        return Bytes(bytes_).subspan(part.offset, part.size);
    }
    void clear();

private:
    Buffer bytes_;
    std::vector<Part> parts_;
};

/// What a worker keeps to compress with.
struct Tools {
    explicit Tools(int level) : compressor(level) {}
    Compressor compressor;
    Decompressor decompressor; ///< of older contents
};

/// Puts new contents into a store. `claim` and `against` are for any thread, the rest for one at a time.
class ContentWriter {
public:
    ContentWriter(const Contents& contents, Disk& disk, std::filesystem::path packs, int level)
        : contents_(contents), disk_(disk), packs_(std::move(packs)), tools_(level) {}

    /// Whether the caller is the one to put this content in: no pack has it, and it is not claimed yet.
    bool claim(const Key& key);

    /// The content compressed against an older version of the same thing, when that is worth it. `plain` is
    /// what it takes compressed on its own.
    [[nodiscard]] std::optional<Block> against(const Key& older, const Key& key, Bytes content,
                                               std::size_t plain, Tools& tools) const;

    Result<void> add(const Block& block);
    /// A claimed content, into the block that is open.
    Result<void> add(const Key& key, Bytes content);
    /// Claims a content and puts it in; whether it was new. If there is an older version, against that.
    Result<bool> put(const Key& key, Bytes content, const Key& older);

    /// Lets the next content begin a new block: tables and files do not share one with chunks, so that damage
    /// to chunks leaves them whole.
    Result<void> close_block();

    /// Closes everything; nothing may refer to the new contents before. The bytes of all new packs.
    Result<std::uint64_t> finish();

private:
    Result<void> write(const Block& block);
    Result<void> close_pack();

    const Contents& contents_;
    Disk& disk_;
    std::filesystem::path packs_;
    Tools tools_;
    std::mutex mutex_;
    std::unordered_set<Key> claimed_;
    BlockBuilder open_;
    std::optional<PackWriter> pack_;
    std::uint64_t written_ = 0;
};

} // namespace orbis::jobs::snapshot
