#pragma once

#include "chunk/chunk.hpp"

#include <map>
#include <set>
#include <string>

namespace orbis::chunk {

/// What `upgrade` did to a chunk.
struct UpgradeReport {
    int sections_from_old_versions = 0;         ///< `Block` below version 6
    int sections_migrated = 0;                  ///< a migration count below that of the table
    std::map<std::string, std::string> renamed; ///< block keys by the migrations, or by taking attributes off
    std::size_t rotations = 0;                  ///< cells that got them from their keys
    std::size_t fillers = 0;
    std::size_t fluids = 0;      ///< the game's own upgrade drops these in versions 3 and 4
    std::size_t supports = 0;    ///< and these
    bool sections_moved = false; ///< out of `BlockChunk` into `ChunkColumn`
    std::size_t block_states_moved = 0;
    std::size_t block_states_kept = 0; ///< without a position, or where another component is already
    bool health_rewritten = false;
    int sections_left = 0;           ///< damaged ones, and those with `keys_left`, which stay as they are
    std::set<std::string> keys_left; ///< old keys with parts that have no place today

    [[nodiscard]] bool changed() const {
        return sections_from_old_versions > 0 || sections_migrated > 0 || sections_moved
               || block_states_moved > 0 || health_rewritten;
    }
    UpgradeReport& operator+=(const UpgradeReport& other);
};

/// Brings all parts to today's formats and keys. Fluids and supports in old keys go into their own
/// components, where those have nothing at the cell. A section with a key that has parts without a place
/// today, such as attributes that are not known, is left as it is, so that nothing is lost. The chunk must
/// have been read whole.
Result<UpgradeReport> upgrade(Chunk& chunk, const Migrations& migrations);

} // namespace orbis::chunk
