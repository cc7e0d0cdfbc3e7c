#pragma once

#include "jobs/prefab/prefab.hpp"

/// `.lpf`, the game's binary cache of a prefab, version 21. All numbers are big-endian
/// (docs/formats/prefab.md).
///
///     u16   version, 21
///     i16   migrations that the block keys have been through
///     i64   anchor, as the game packs block positions
///     i32   block keys; each: i32 id, u16 length, UTF-8
///     i32   fluid keys; the same
///     i32   columns; each:
///       i32   x << 16 | (z & 0xFFFF), both minus the anchor
///       i32   blocks; each: i16 y minus the anchor, i32 block id, u8 mask, and by the mask
///             1: f32 chance   2: u16 length, BSON holder   8: u8 support   16: u16 filler   32: u8 rotation
///             4: i32 fluid id, u8 level
///       u16   entities; each: u16 length, BSON holder
namespace orbis::jobs::prefab {

inline constexpr int k_lpf_version = 21;

Result<Prefab> read_lpf(Bytes file);

/// An error for what the format cannot hold: holders above 65,535 bytes, cells that are 32,768 blocks away
/// from the anchor. What it cannot tell apart is added to `notes`: a fluid in a cell whose block is not
/// listed.
Result<Buffer> write_lpf(const Prefab& prefab, std::vector<std::string>& notes);

} // namespace orbis::jobs::prefab
