#pragma once

#include "bytes/position.hpp"
#include "game/entities/entity_table.hpp"

#include <span>

namespace orbis::game {

/// The stored entities of chunks that players have in view, in the table of their world. Lives in the thread
/// of the network.
class ChunkEntities {
public:
    /// `table` must outlive this.
    explicit ChunkEntities(EntityTable& table) : table_(table) {}

    /// What this chunk has from now on; nothing for one that no player has in view. What stays the same keeps
    /// its number, so that an edit beside it is not seen.
    void set(ChunkPos pos, std::span<const EntityState> stored);

    /// Entities that are in the table now.
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    struct Shown {
        std::vector<EntityState> stored;
        std::vector<NetworkId> ids; ///< one for each
    };

    EntityTable& table_;
    std::unordered_map<ChunkPos, Shown> shown_; ///< of chunks that have any
    std::size_t size_ = 0;
};

} // namespace orbis::game
