#pragma once

#include "game/serve/entity_table.hpp"
#include "storage/position.hpp"

#include <span>

namespace orbis::game {

/// Puts the stored entities of columns that players have in view into the table of the world, and takes them
/// out when the last player has left. Lives in the thread of the network.
class ColumnEntities {
public:
    /// `table` must live as long.
    explicit ColumnEntities(EntityTable& table) : table_(table) {}

    /// A player has got this column; what it has stored counts when it is the first.
    void hold(ChunkPos pos, std::span<const EntityState> stored);
    /// And has it no more.
    void release(ChunkPos pos);
    /// Something else is stored there now. What stays the same keeps its number. Nothing happens where nobody
    /// has the column.
    void change(ChunkPos pos, std::span<const EntityState> stored);

    /// Entities that are in the table now.
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    struct Place {
        std::size_t holders = 0;
        std::vector<EntityState> stored;
        std::vector<NetworkId> ids; ///< one for each
    };

    EntityTable& table_;
    std::unordered_map<ChunkPos, Place> places_; ///< of columns that somebody has
    std::size_t size_ = 0;
};

} // namespace orbis::game
