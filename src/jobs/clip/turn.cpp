#include "jobs/clip/turn.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace orbis::jobs {

namespace {

/// Rows of a matrix of −1, 0 and 1.
using TurnMatrix = std::array<std::array<int, 3>, 3>;

TurnMatrix product(const TurnMatrix& a, const TurnMatrix& b) {
    TurnMatrix out{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t k = 0; k < 3; ++k) out[i][j] += a[i][k] * b[k][j];
    return out;
}

constexpr TurnMatrix k_unturned{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
// A quarter turn around each axis, counter-clockwise where the axis points at the eye.
constexpr TurnMatrix k_pitch{{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}};
constexpr TurnMatrix k_yaw{{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}}};
constexpr TurnMatrix k_roll{{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}};

/// The block is rolled first, then pitched, then turned by its yaw. Real large blocks show that yaw comes
/// last; none has both pitch and roll.
TurnMatrix matrix_of(Rotation rotation) {
    auto out = k_unturned;
    for (int i = 0; i < rotation.roll(); i += 90) out = product(k_roll, out);
    for (int i = 0; i < rotation.pitch(); i += 90) out = product(k_pitch, out);
    for (int i = 0; i < rotation.yaw(); i += 90) out = product(k_yaw, out);
    return out;
}

BlockPos times(const TurnMatrix& m, BlockPos v) {
    const auto row = [&](std::size_t i) { return m[i][0] * v.x + m[i][1] * v.y + m[i][2] * v.z; };
    return {row(0), row(1), row(2)};
}

TurnMatrix transposed(const TurnMatrix& m) {
    TurnMatrix out{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) out[i][j] = m[j][i];
    return out;
}

Rotation rotation_of(int roll, int pitch, int yaw) {
    return {static_cast<std::uint8_t>((roll & 3) << 4 | (pitch & 3) << 2 | (yaw & 3))};
}

int quarters(int degrees) { return degrees / 90; }

/// The rotation with that matrix; the one like `near` in pitch and roll where there are several.
Rotation rotation_with(const TurnMatrix& wanted, Rotation near) {
    for (int yaw = 0; yaw < 4; ++yaw) {
        const auto same = rotation_of(quarters(near.roll()), quarters(near.pitch()), yaw);
        if (matrix_of(same) == wanted) return same;
    }
    for (std::uint8_t index = 0; index < 64; ++index)
        if (matrix_of({index}) == wanted) return {index};
    return near; // not reached: all 24 turns of a cube are among the 64
}

/// By which quarter turns in its own space a block must be turned so that its mirror image lies in the
/// mirrored cells: 0 if its cells are symmetric between east and west, 2 if between north and south, 3 and 1
/// if along a diagonal. 0 if nothing of that is so.
int turns_of_mirror_image(Rotation rotation, std::span<const Filler> cells) {
    std::vector<BlockPos> own;
    for (const auto cell : cells) own.push_back(unrotated(rotation, {cell.x(), cell.y(), cell.z()}));
    std::ranges::sort(own);
    const auto is_symmetric = [&](auto mirror) {
        auto image = own;
        for (auto& cell : image) cell = mirror(cell);
        std::ranges::sort(image);
        return image == own;
    };
    if (is_symmetric([](BlockPos p) { return BlockPos{-p.x, p.y, p.z}; })) return 0;
    if (is_symmetric([](BlockPos p) { return BlockPos{p.x, p.y, -p.z}; })) return 2;
    if (is_symmetric([](BlockPos p) { return BlockPos{p.z, p.y, p.x}; })) return 3;
    if (is_symmetric([](BlockPos p) { return BlockPos{-p.z, p.y, -p.x}; })) return 1;
    return 0;
}

} // namespace

BlockPos rotated(Rotation rotation, BlockPos offset) { return times(matrix_of(rotation), offset); }
BlockPos unrotated(Rotation rotation, BlockPos offset) {
    return times(transposed(matrix_of(rotation)), offset);
}

Turn Turn::of(int degrees, bool mirror_x, bool mirror_z) {
    // North and south change places: mirrored between east and west, and half a turn.
    const int turns = (degrees / 90 % 4 + 4) % 4 + (mirror_z ? 2 : 0);
    return {static_cast<std::uint8_t>(turns % 4), mirror_x != mirror_z};
}

Turn Turn::inverse() const {
    if (mirrored) return *this; // a reflection brings itself back
    return {static_cast<std::uint8_t>((4 - quarter_turns) % 4), false};
}

Turn Turn::then(const Turn& next) const {
    // Mirroring turns the sense of a turn around.
    const int before = next.mirrored ? 4 - quarter_turns : quarter_turns;
    return {static_cast<std::uint8_t>((before + next.quarter_turns) % 4), mirrored != next.mirrored};
}

BlockPos Turn::apply(BlockPos pos) const {
    if (mirrored) pos.x = -pos.x;
    for (int i = 0; i < quarter_turns; ++i) pos = {pos.z, pos.y, -pos.x};
    return pos;
}

std::optional<Filler> Turn::apply(Filler filler) const {
    const auto turned = apply(BlockPos{filler.x(), filler.y(), filler.z()});
    if (!Filler::fits(turned.x) || !Filler::fits(turned.z)) return std::nullopt;
    return Filler::of_offset(turned.x, turned.y, turned.z);
}

Rotation Turn::apply(Rotation rotation, std::span<const Filler> cells) const {
    if (!rotation.valid()) return rotation;
    if (mirrored) {
        const auto own = turns_of_mirror_image(rotation, cells);
        const auto image =
            rotation_of(-quarters(rotation.roll()), quarters(rotation.pitch()), -quarters(rotation.yaw()));
        auto matrix = matrix_of(image);
        for (int i = 0; i < own; ++i) matrix = product(matrix, k_yaw);
        rotation = own == 0 ? image : rotation_with(matrix, image);
    }
    return rotation_of(quarters(rotation.roll()), quarters(rotation.pitch()),
                       quarters(rotation.yaw()) + quarter_turns);
}

Turn::Point Turn::apply_to_direction(Point direction) const {
    if (mirrored) direction.x = -direction.x;
    for (int i = 0; i < quarter_turns; ++i) direction = {direction.z, direction.y, -direction.x};
    return direction;
}

Turn::Point Turn::apply(Point point) const {
    if (mirrored) point.x = 1 - point.x;
    for (int i = 0; i < quarter_turns; ++i) point = {point.z, point.y, 1 - point.x};
    return point;
}

double Turn::apply_to_yaw(double yaw) const {
    if (is_identity() || !std::isfinite(yaw)) return yaw;
    const auto turned = (mirrored ? -yaw : yaw) + quarter_turns * std::numbers::pi / 2;
    return std::remainder(turned, 2 * std::numbers::pi);
}

} // namespace orbis::jobs
