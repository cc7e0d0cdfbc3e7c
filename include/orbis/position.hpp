#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

/// Coordinates in types of their own: a chunk position cannot be given where a block position is wanted.
/// All divisions are arithmetic shifts, so everything is right below zero too (docs/formats/coordinates.md).
namespace orbis {

/// Side of a chunk and of a section in blocks, and of a region in chunks.
inline constexpr int k_side = 32;
/// Height of a world in blocks, and the number of sections stacked in a chunk.
inline constexpr int k_world_height = 320;
inline constexpr int k_sections = 10; ///< sections in a chunk
/// Columns in a chunk, chunks in a region.
inline constexpr int k_columns = k_side * k_side;
/// Cells in a section.
inline constexpr int k_cells = k_side * k_side * k_side;

struct RegionPos;
struct SectionPos;

/// A chunk in its region file: `z << 5 | x`, 0…1023.
struct Slot {
    std::int32_t value = 0;                                      ///< both in one number
    [[nodiscard]] constexpr int x() const { return value & 31; } ///< from the west of the region
    [[nodiscard]] constexpr int z() const { return value >> 5; } ///< from its north
    friend constexpr auto operator<=>(Slot, Slot) = default;     ///< by their numbers
};

/// A column of blocks in its chunk: `z << 5 | x`, 0…1023.
struct ColumnIndex {
    std::int32_t value = 0; ///< both in one number
    constexpr ColumnIndex() = default;
    constexpr explicit ColumnIndex(int index) : value(index) {}              ///< by its number
    constexpr ColumnIndex(int x, int z) : value((z & 31) << 5 | (x & 31)) {} ///< from a position of any kind
    [[nodiscard]] constexpr int x() const { return value & 31; }             ///< from the west of the chunk
    [[nodiscard]] constexpr int z() const { return value >> 5; }             ///< from its north
    friend constexpr auto operator<=>(ColumnIndex, ColumnIndex) = default;   ///< by their numbers
};

/// A cell in its section: `y << 10 | z << 5 | x`, 0…32767.
struct CellIndex {
    std::int32_t value = 0; ///< all three in one number
    constexpr CellIndex() = default;
    constexpr explicit CellIndex(int index) : value(index) {} ///< by its number
    /// From a position of any kind.
    constexpr CellIndex(int x, int y, int z) : value((y & 31) << 10 | (z & 31) << 5 | (x & 31)) {}
    [[nodiscard]] constexpr int x() const { return value & 31; }      ///< from the west of the section
    [[nodiscard]] constexpr int z() const { return value >> 5 & 31; } ///< from its north
    [[nodiscard]] constexpr int y() const { return value >> 10; }     ///< from its bottom
    /// The column that it is in.
    [[nodiscard]] constexpr ColumnIndex column() const { return ColumnIndex(value & 1023); }
    friend constexpr auto operator<=>(CellIndex, CellIndex) = default; ///< by their numbers
};

/// A chunk: a column of 32 × 320 × 32 blocks.
struct ChunkPos {
    std::int32_t x = 0;                               ///< to the east, in chunks
    std::int32_t z = 0;                               ///< to the south, in chunks
    [[nodiscard]] constexpr RegionPos region() const; ///< that it is in
    /// Its place in the region.
    [[nodiscard]] constexpr Slot slot() const { return {(z & 31) << 5 | (x & 31)}; }
    /// The one with that number, from 0 at the bottom.
    [[nodiscard]] constexpr SectionPos section(int y) const;
    /// `x << 32 | z`, the game's 64-bit chunk index.
    [[nodiscard]] constexpr std::int64_t packed() const {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)) << 32
                                         | static_cast<std::uint32_t>(z));
    }
    /// The chunk with that index.
    static constexpr ChunkPos unpack(std::int64_t packed) {
        return {static_cast<std::int32_t>(packed >> 32), static_cast<std::int32_t>(packed)};
    }
    friend constexpr auto operator<=>(ChunkPos, ChunkPos) = default; ///< by x, then by z
};

/// A region file: 32 × 32 chunks.
struct RegionPos {
    std::int32_t x = 0; ///< to the east, in regions
    std::int32_t z = 0; ///< to the south, in regions
    /// The chunk in that slot.
    [[nodiscard]] constexpr ChunkPos chunk(Slot slot) const {
        return {static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << 5
                                          | static_cast<std::uint32_t>(slot.x())),
                static_cast<std::int32_t>(static_cast<std::uint32_t>(z) << 5
                                          | static_cast<std::uint32_t>(slot.z()))};
    }
    friend constexpr auto operator<=>(RegionPos, RegionPos) = default; ///< by x, then by z
};

/// A section: a cube of 32 × 32 × 32 blocks; `y` counts from 0 at the bottom.
struct SectionPos {
    std::int32_t x = 0;                                                  ///< to the east, in sections
    std::int32_t y = 0;                                                  ///< upwards, in sections
    std::int32_t z = 0;                                                  ///< to the south, in sections
    [[nodiscard]] constexpr ChunkPos chunk() const { return {x, z}; }    ///< that it is in
    friend constexpr auto operator<=>(SectionPos, SectionPos) = default; ///< by x, then by y, then by z
};

/// A block in its world.
struct BlockPos {
    std::int32_t x = 0; ///< to the east
    std::int32_t y = 0; ///< upwards from the bottom of the world
    std::int32_t z = 0; ///< to the south
    [[nodiscard]] constexpr ChunkPos chunk() const { return {x >> 5, z >> 5}; } ///< that it is in
    /// The section that it is in.
    [[nodiscard]] constexpr SectionPos section() const { return {x >> 5, y >> 5, z >> 5}; }
    [[nodiscard]] constexpr CellIndex cell() const { return {x, y, z}; }  ///< its place in the section
    [[nodiscard]] constexpr ColumnIndex column() const { return {x, z}; } ///< its column in the chunk
    /// The game's 64-bit block position: x 27 bits, z 27 bits, y 10 bits, two's complement.
    [[nodiscard]] constexpr std::int64_t packed() const {
        const auto field = [](std::int32_t value, unsigned bits, unsigned shift) {
            return (static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                    & ((std::uint64_t{1} << bits) - 1))
                   << shift;
        };
        return static_cast<std::int64_t>(field(y, 10, 54) | field(z, 27, 27) | field(x, 27, 0));
    }
    /// The block with that number.
    static constexpr BlockPos unpack(std::int64_t packed) {
        const auto field = [packed](unsigned bits, unsigned shift) {
            const auto top = static_cast<std::uint64_t>(packed) << (64 - bits - shift);
            return static_cast<std::int32_t>(static_cast<std::int64_t>(top) >> (64 - bits));
        };
        return {field(27, 0), field(10, 54), field(27, 27)};
    }
    friend constexpr auto operator<=>(BlockPos, BlockPos) = default; ///< by x, then by y, then by z
};

constexpr RegionPos ChunkPos::region() const { return {x >> 5, z >> 5}; }
constexpr SectionPos ChunkPos::section(int y) const { return {x, y, z}; }

} // namespace orbis

template <>
struct std::hash<orbis::ChunkPos> {
    std::size_t operator()(orbis::ChunkPos pos) const noexcept {
        auto mixed = static_cast<std::uint64_t>(pos.packed()) * 0x9E3779B97F4A7C15ULL;
        return static_cast<std::size_t>(mixed ^ mixed >> 29);
    }
};

template <>
struct std::hash<orbis::RegionPos> {
    std::size_t operator()(orbis::RegionPos pos) const noexcept {
        return std::hash<orbis::ChunkPos>{}({pos.x, pos.z});
    }
};
