#pragma once

#include "orbis/position.hpp"

#include <compare>
#include <cstdint>

/// How blocks lie in their cells, and the light of a cell (docs/formats/section.md).
namespace orbis {

/// How a block is turned. Stored as `roll*16 + pitch*4 + yaw`, each in quarter turns.
struct Rotation {
    std::uint8_t index = 0; ///< as it is stored

    /// From quarter turns in degrees, such as -90 or 270.
    static constexpr Rotation of_degrees(int yaw, int pitch = 0, int roll = 0) {
        const auto quarter = [](int degrees) {
            return static_cast<unsigned>((degrees % 360 + 360) % 360 / 90);
        };
        return {static_cast<std::uint8_t>(quarter(roll) << 4 | quarter(pitch) << 2 | quarter(yaw))};
    }
    /// 0, 90, 180 or 270.
    [[nodiscard]] constexpr int yaw() const { return (index & 3) * 90; }
    [[nodiscard]] constexpr int pitch() const { return (index >> 2 & 3) * 90; } ///< 0, 90, 180 or 270
    [[nodiscard]] constexpr int roll() const { return (index >> 4 & 3) * 90; }  ///< 0, 90, 180 or 270
    /// The game sets no other than 0 to 63.
    [[nodiscard]] constexpr bool valid() const { return index < 64; }
    friend constexpr auto operator<=>(Rotation, Rotation) = default; ///< by their numbers
};

/// Where a cell lies in a block that takes several: its offset from the base cell, −16…15 on each axis.
/// Stored as `x & 31 | (z & 31) << 5 | (y & 31) << 10`; 0 is the base itself or an ordinary block.
struct Filler {
    std::uint16_t stored = 0; ///< as it is stored

    /// Of the cell at that offset from the base.
    static constexpr Filler of_offset(int x, int y, int z) {
        return {static_cast<std::uint16_t>((x & 31) | (z & 31) << 5 | (y & 31) << 10)};
    }
    /// Whether a cell can be that far from its base on one axis.
    static constexpr bool fits(int offset) { return offset >= -16 && offset <= 15; }
    [[nodiscard]] constexpr int x() const { return signed_part(stored); }      ///< from the base to the east
    [[nodiscard]] constexpr int z() const { return signed_part(stored >> 5); } ///< from the base to the south
    [[nodiscard]] constexpr int y() const { return signed_part(stored >> 10); } ///< from the base upwards
    /// Whether the cell belongs to a base elsewhere.
    [[nodiscard]] constexpr explicit operator bool() const { return stored != 0; }
    /// The base of the block that has this filler at `cell`.
    [[nodiscard]] constexpr BlockPos base(BlockPos cell) const {
        return {cell.x - x(), cell.y - y(), cell.z - z()};
    }
    /// The cell that has this filler in the block with its base at `base`.
    [[nodiscard]] constexpr BlockPos cell(BlockPos base) const {
        return {base.x + x(), base.y + y(), base.z + z()};
    }
    friend constexpr auto operator<=>(Filler, Filler) = default; ///< by their numbers

private:
    static constexpr int signed_part(int bits) { return ((bits & 31) ^ 16) - 16; }
};

/// Light of one cell: four channels of 0…15.
struct LightValue {
    std::uint16_t packed = 0; ///< as it is stored: red in the lowest four bits, then green, blue, sky

    /// From its four channels.
    static constexpr LightValue of(int red, int green, int blue, int sky) {
        return {
            static_cast<std::uint16_t>((red & 15) | (green & 15) << 4 | (blue & 15) << 8 | (sky & 15) << 12)};
    }
    [[nodiscard]] constexpr int red() const { return packed & 15; }        ///< of blocks that shine
    [[nodiscard]] constexpr int green() const { return packed >> 4 & 15; } ///< of blocks that shine
    [[nodiscard]] constexpr int blue() const { return packed >> 8 & 15; }  ///< of blocks that shine
    [[nodiscard]] constexpr int sky() const { return packed >> 12; }       ///< of the sky
    friend constexpr auto operator<=>(LightValue, LightValue) = default;   ///< by their numbers
};

} // namespace orbis
