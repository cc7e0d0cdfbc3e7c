#pragma once

#include "bson/view.hpp"
#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "bytes/result.hpp"

#include <compare>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// What a chunk holds as holders `{"Components": {name: document}}` (docs/formats/chunk.md).
namespace orbis::chunk {

/// A block in its chunk, as block components are keyed: `(y & 511) << 10 | z << 5 | x`.
struct BlockIndex {
    std::int32_t value = 0;

    constexpr BlockIndex() = default;
    constexpr explicit BlockIndex(std::int32_t index) : value(index) {}
    constexpr explicit BlockIndex(BlockPos pos)
        : value((pos.y & 511) << 10 | (pos.z & 31) << 5 | (pos.x & 31)) {}
    [[nodiscard]] constexpr int x() const { return value & 31; }
    [[nodiscard]] constexpr int z() const { return value >> 5 & 31; }
    [[nodiscard]] constexpr int y() const { return value >> 10 & 511; }
    /// In the world, for a block of this chunk.
    [[nodiscard]] constexpr BlockPos pos(ChunkPos chunk) const {
        return {chunk.x * k_side + x(), y(), chunk.z * k_side + z()};
    }
    friend constexpr auto operator<=>(BlockIndex, BlockIndex) = default;
};

/// The document of one component in a holder, nothing if the holder has none of that name.
std::optional<bson::Document> component(const bson::Document& holder, std::string_view name);
/// The names of the components of a holder, in stored order.
std::vector<std::string_view> component_names(const bson::Document& holder);

/// The components of blocks: contents of chests, benches, crops, markers. Holders are views of the document;
/// new ones are kept beside them.
class BlockComponents {
public:
    struct Entry {
        BlockIndex index;
        bson::Document holder;
    };

    /// `components` is the document `BlockComponents`. Keys that are not an index are an error.
    bool read(const bson::Document& components, Error& problem);
    void reset();

    /// Ascending by index.
    [[nodiscard]] std::span<const Entry> entries() const { return entries_; }
    [[nodiscard]] std::optional<bson::Document> find(BlockIndex index) const;
    [[nodiscard]] bool changed() const { return !edits_.empty(); }

    /// `holder` must be a document; it replaces what is there.
    Result<void> set(BlockIndex index, Buffer holder);
    /// False if there was none.
    bool remove(BlockIndex index);

    /// Indices that changed, with the new holder or nothing.
    [[nodiscard]] const std::map<BlockIndex, std::optional<Bytes>>& edits() const { return edits_; }

private:
    std::vector<Entry>::iterator place(BlockIndex index);

    std::vector<Entry> entries_;
    std::map<BlockIndex, std::optional<Bytes>> edits_;
    std::list<Buffer> own_;
};

/// The entities of a chunk, in stored order.
class Entities {
public:
    /// `array` is the array `Entities`.
    bool read(const bson::Document& array, Error& problem);
    void reset();

    [[nodiscard]] std::span<const bson::Document> holders() const { return holders_; }
    [[nodiscard]] bool changed() const { return changed_; }

    Result<void> add(Buffer holder);
    Result<void> replace(std::size_t index, Buffer holder);
    bool remove(std::size_t index);

    /// The array as a document.
    void append_to(Buffer& out) const;

private:
    std::vector<bson::Document> holders_;
    std::list<Buffer> own_;
    bool changed_ = false;
};

} // namespace orbis::chunk
