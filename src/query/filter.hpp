#pragma once

#include "bytes/position.hpp"
#include "world/location.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::query {

/// What a column says, as far as a table can leave out rows by a condition on it.
enum class Role : std::uint8_t {
    other,
    world,   ///< the name of the world
    x,       ///< of a block
    y,       ///< of a block
    z,       ///< of a block
    point_x, ///< of something that stands anywhere in a block, or a little outside of its chunk
    point_z, ///< the same
    chunk_x, ///< of a chunk
    chunk_z, ///< of a chunk
    section, ///< from 0 at the bottom
    key,     ///< a text that the table looks for by itself, such as the key of a block
};

struct Column {
    std::string_view name;
    std::string_view type; ///< in the words of SQL
    Role role = Role::other;
};

/// Whole numbers between two others, both included.
struct Range {
    std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t most = std::numeric_limits<std::int64_t>::max();

    [[nodiscard]] bool contains(std::int64_t value) const { return value >= least && value <= most; }
    [[nodiscard]] bool is_empty() const { return least > most; }
    void at_least(std::int64_t value) { least = std::max(least, value); }
    void at_most(std::int64_t value) { most = std::min(most, value); }
    friend bool operator==(const Range&, const Range&) = default;
};

/// A condition on a text, as SQLite understands it.
struct TextTest {
    enum class Kind : std::uint8_t { one_of, glob, like, at_least, at_most, above, below };
    Kind kind = Kind::one_of;
    std::vector<std::string> values; ///< one of them must fit; SQLite gives just one pattern

    [[nodiscard]] bool admits(std::string_view text) const;
};

/// What a statement wants of a table. A table may hand out more rows than that, since SQLite checks each one
/// again, but never fewer.
struct Filter {
    std::string path; ///< of another location than that of the database; empty for none
    Range x;
    Range y;
    Range z;
    Range chunk_x;
    Range chunk_z;
    Range section;
    std::vector<TextTest> worlds;
    std::vector<TextTest> keys;
    std::uint64_t columns =
        ~std::uint64_t{0}; ///< that the statement looks at; the last bit is for all after it
    bool in_order = false; ///< by world, chunk x and z, then y, z, x
    /// Which chunks of a world; all where there is none. Asked in one thread, before any chunk is read.
    std::function<bool(const world::World& world, ChunkPos pos)> only{};

    [[nodiscard]] bool uses(std::size_t column) const {
        return (columns >> (column < 63 ? column : 63) & 1) != 0;
    }
    [[nodiscard]] bool admits_world(std::string_view name) const { return admits(worlds, name); }
    [[nodiscard]] bool admits_key(std::string_view key) const { return admits(keys, key); }
    /// Whether a condition names this key itself, not by signs of a pattern.
    [[nodiscard]] bool names_key(std::string_view key) const;
    /// The chunks that may have something.
    [[nodiscard]] Range chunks_x() const { return both(chunk_x, x); }
    [[nodiscard]] Range chunks_z() const { return both(chunk_z, z); }
    [[nodiscard]] bool admits_chunk(ChunkPos pos) const {
        return chunks_x().contains(pos.x) && chunks_z().contains(pos.z);
    }
    /// The sections that may have something: from 0 to 9, or none.
    [[nodiscard]] Range sections() const;

private:
    static bool admits(const std::vector<TextTest>& tests, std::string_view text);
    static Range both(Range chunks, Range blocks);
};

} // namespace orbis::query
