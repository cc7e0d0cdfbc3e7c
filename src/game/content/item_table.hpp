#pragma once

#include "game/codec/wire_ids.hpp"

#include <optional>
#include <string_view>

namespace orbis::game {

/// The items of a server: one for every block of its tables that is no state of another, by the same name.
class ItemTable {
public:
    /// As many as fit into a slot.
    static constexpr std::int32_t k_full_stack = 100;

    /// Both must outlive it.
    ItemTable(const world::Assets& assets, const WireIds& ids) : assets_(assets), ids_(ids) {}

    /// The number of the block that an item places; nothing if there is no such item.
    [[nodiscard]] std::optional<std::int32_t> block_of(std::string_view item) const;
    /// Whether a block is what the item places, or a state of it.
    [[nodiscard]] bool is_variant(std::int32_t block, std::string_view item) const;

private:
    const world::Assets& assets_;
    const WireIds& ids_;
};

} // namespace orbis::game
