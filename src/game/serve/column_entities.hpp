#pragma once

#include "bytes/position.hpp"
#include "game/serve/entity_table.hpp"

#include <span>

namespace orbis::game {

/// The stored entities of columns that players have in view, in the table of their world. Lives in the thread
/// of the network.
class ColumnEntities {
public:
    /// `table` must live as long.
    explicit ColumnEntities(EntityTable& table) : table_(table) {}

    /// What this column has from now on; nothing for one that nobody has in view. What stays the same keeps
    /// its number, so that an edit beside it is not seen.
    void set(ChunkPos pos, std::span<const EntityState> stored);

    /// Entities that are in the table now.
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    struct Place {
        std::vector<EntityState> stored;
        std::vector<NetworkId> ids; ///< one for each
    };

    EntityTable& table_;
    std::unordered_map<ChunkPos, Place> places_; ///< of columns that have any
    std::size_t size_ = 0;
};

} // namespace orbis::game
