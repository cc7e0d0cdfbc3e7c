#pragma once

#include "bytes/position.hpp"
#include "chunk/shape.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace orbis::jobs {

/// How a part of a world is turned before it is put somewhere (docs/design/editing.md). First it is mirrored,
/// then turned around the vertical axis as yaw counts: after a quarter turn what was in the east is in the
/// north. Cells turn around the cell 0,0,0, points around the middle of that cell.
struct Turn {
    std::uint8_t quarter_turns = 0; ///< 0 to 3
    bool mirrored = false;          ///< east and west change places

    /// `degrees` must be a multiple of 90. Mirrored on both axes is half a turn.
    static Turn of(int degrees, bool mirror_x, bool mirror_z);

    [[nodiscard]] bool is_identity() const { return quarter_turns == 0 && !mirrored; }
    /// The turn that brings everything back.
    [[nodiscard]] Turn inverse() const;
    /// This one and then the other.
    [[nodiscard]] Turn then(const Turn& next) const;

    [[nodiscard]] BlockPos apply(BlockPos pos) const;
    /// Nothing where the turned offset cannot be stored: −16 has no opposite.
    [[nodiscard]] std::optional<Filler> apply(Filler filler) const;

    /// A mirrored block is shown as one that is turned: it looks right if it is symmetric. `cells` are the
    /// fillers of a block of several cells: they say which plane it is symmetric in.
    [[nodiscard]] Rotation apply(Rotation rotation, std::span<const Filler> cells = {}) const;

    struct Point {
        double x = 0;
        double y = 0;
        double z = 0;
        friend bool operator==(const Point&, const Point&) = default;
    };
    [[nodiscard]] Point apply(Point point) const;
    /// Of a direction: without the place around which points turn.
    [[nodiscard]] Point apply_to_direction(Point direction) const;
    /// In radians. The result is between −π and π if anything changes.
    [[nodiscard]] double apply_to_yaw(double yaw) const;

    friend bool operator==(const Turn&, const Turn&) = default;
};

/// Where a rotated block has the cell that is at `offset` in its own space.
BlockPos rotated(Rotation rotation, BlockPos offset);
/// The offset in the space of a block that is rotated like this.
BlockPos unrotated(Rotation rotation, BlockPos offset);

} // namespace orbis::jobs
