#include "game/codec/recent_ids.hpp"

#include <algorithm>

namespace orbis::game {

std::int32_t RecentIds::id_of(IdTable& table, std::string_view name) {
    if (name.size() > k_longest) return table.id_of(name);
    auto& slot = slots_[FoldedHash{}(name) % k_slots];
    const auto edition = table.edition();
    if (slot.edition == edition && std::string_view(slot.name.data(), slot.size) == name) return slot.id;
    const auto id = table.id_of(name);
    slot.edition = edition;
    slot.id = id;
    slot.size = static_cast<std::uint8_t>(name.size());
    std::ranges::copy(name, slot.name.begin());
    return id;
}

} // namespace orbis::game
