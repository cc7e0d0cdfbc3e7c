#pragma once

#include "bytes/zstd.hpp"
#include "jobs/snapshot/block_cache.hpp"
#include "jobs/snapshot/pack.hpp"

#include <filesystem>
#include <optional>

namespace orbis::jobs::snapshot {

/// A content that was read; the bytes stay while this lives.
struct Content {
    std::shared_ptr<const Buffer> block;
    Bytes bytes;
};

/// All packs of a store, open for reading. Takes 16 bytes of memory for each content, and the tables of the
/// packs as far as the system keeps them. Safe for several threads, each with its own decompressor.
class Contents {
public:
    /// A pack that cannot be opened goes to `problems`, and the others are used.
    static Result<std::unique_ptr<Contents>> open(const std::filesystem::path& folder,
                                                  std::vector<Error>& problems);

    [[nodiscard]] const std::vector<std::unique_ptr<Pack>>& packs() const { return packs_; }
    [[nodiscard]] std::size_t size() const { return slots_.size(); }

    /// Where a content is.
    struct ContentRef {
        std::uint32_t pack = 0;
        std::uint32_t content = 0;
        friend bool operator==(const ContentRef&, const ContentRef&) = default;
    };
    /// The first place of a content whose entries are sound and, where it needs a base, whose base is there.
    [[nodiscard]] std::optional<ContentRef> find(const Key& key) const;
    /// All places of a content, also where it cannot be read.
    [[nodiscard]] std::vector<ContentRef> places(const Key& key) const;
    [[nodiscard]] bool has(const Key& key) const { return find(key).has_value(); }
    /// What a new version of this content is best stored against: itself, or its own base.
    [[nodiscard]] std::optional<Key> base_for(const Key& key) const;

    /// The content with this key, compared with the key. `not_found` when no pack has it; where several have
    /// it, a damaged copy does no harm.
    [[nodiscard]] Result<Content> read(const Key& key, Decompressor& decompressor) const;
    /// The content at a place, compared with its key.
    [[nodiscard]] Result<Content> read(ContentRef place, Decompressor& decompressor) const;

private:
    struct Slot {
        std::uint64_t prefix = 0;
        ContentRef place;
    };

    Contents() = default;
    [[nodiscard]] std::span<const Slot> candidates(const Key& key) const;
    [[nodiscard]] bool is_sound(ContentRef place, int depth) const;
    [[nodiscard]] Result<Content> read_any(const Key& key, Decompressor& decompressor, int depth) const;
    [[nodiscard]] Result<Content> read_at(ContentRef place, Decompressor& decompressor, int depth) const;
    [[nodiscard]] Result<std::shared_ptr<const Buffer>>
    decompress(const Pack& pack, const BlockEntry& block, Bytes base, Decompressor& decompressor) const;

    std::string advice_; ///< for errors about damage
    std::vector<std::unique_ptr<Pack>> packs_;
    std::vector<Slot> slots_; ///< by prefix
    mutable BlockCache cache_;
};

} // namespace orbis::jobs::snapshot
