#pragma once

#include "storage/store.hpp"

#include <map>
#include <vector>

namespace orbis::jobs {

/// Entries of the index of one region file that lead to the same content: at most one of them is right.
using Claimants = std::vector<ChunkPos>;

/// Which of them each content belongs to, by the chunks beside those places (docs/design/puzzle.md): the
/// owners that are sure, by number of the group. The store has region files.
std::map<std::size_t, ChunkPos> owners_by_neighbours(const storage::Store& store,
                                                     const storage::Region& region,
                                                     const std::vector<Claimants>& groups);

} // namespace orbis::jobs
