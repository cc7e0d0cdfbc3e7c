#include "game/content/item_table.hpp"

#include "game/content/block_entries.hpp"
#include "world/assets.hpp"

namespace orbis::game {

std::optional<std::int32_t> ItemTable::block_of(std::string_view item) const {
    const auto* type = assets_.block(item);
    // Names are found whatever their case is, but an item has one name.
    if (type == nullptr || type->key != item || !split_state(item).second.empty()) return std::nullopt;
    const auto id = ids_.blocks.find(item);
    return id && *id > 1 ? id : std::nullopt;
}

bool ItemTable::is_variant(std::int32_t block, std::string_view item) const {
    const auto name = ids_.blocks.name(block);
    return name && (*name == item || (!item.empty() && split_state(*name).first == item));
}

} // namespace orbis::game
