#pragma once

#include "jobs/clip/put_clip.hpp"
#include "jobs/prefab/prefab.hpp"

namespace orbis::jobs::prefab {

/// Entities are replaced in a box around the prefab, whose chunks are all read.
inline constexpr std::int64_t k_most_replaced_chunks = 4096;

/// Puts a prefab into a world, its anchor at `at`. Everything about the prefab is checked before the first
/// byte is written: that all of it is inside of the world, and in chunks that the world has unless
/// `PutOptions::edit` makes new ones. What is left out is added to `notes`.
Result<PutReport> paste_prefab(const world::World& world, const Prefab& prefab, BlockPos at,
                               const PutOptions& options, const world::Assets& assets, Progress& progress,
                               std::vector<std::string>& notes);

} // namespace orbis::jobs::prefab
