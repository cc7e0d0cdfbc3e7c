#include "game/player/inventory.hpp"

#include "game/content/item_table.hpp"

#include <algorithm>

namespace orbis::game {
namespace {

struct SectionFacts {
    Section section;
    std::int16_t capacity;
    protocol::Opt<packets::InventorySection> packets::UpdatePlayerInventory::* field;
};
constexpr std::array<SectionFacts, 6> k_facts{
    {{Section::hotbar, 9, &packets::UpdatePlayerInventory::hotbar},
     {Section::storage, 36, &packets::UpdatePlayerInventory::storage},
     {Section::armor, 4, &packets::UpdatePlayerInventory::armor},
     {Section::utility, 4, &packets::UpdatePlayerInventory::utility},
     {Section::tools, 23, &packets::UpdatePlayerInventory::tools},
     {Section::backpack, 0, &packets::UpdatePlayerInventory::backpack}}};

std::optional<std::size_t> place_of(std::int32_t section) {
    for (std::size_t i = 0; i < k_facts.size(); ++i)
        if (std::to_underlying(k_facts[i].section) == section) return i;
    return std::nullopt;
}

std::size_t place_of(Section section) { return *place_of(std::to_underlying(section)); }

bool has_slot(std::size_t place, std::int32_t slot) { return slot >= 0 && slot < k_facts[place].capacity; }

} // namespace

const ItemStack* Inventory::at(Section section, std::int32_t slot) const {
    const auto& slots = sections_[place_of(section)];
    const auto found = slots.find(slot);
    return found == slots.end() ? nullptr : &found->second;
}

Inventory::Slots* Inventory::section_of(std::int32_t section, std::int32_t slot) {
    const auto place = place_of(section);
    return place && has_slot(*place, slot) ? &sections_[*place] : nullptr;
}

bool Inventory::choose_hotbar_slot(std::int32_t slot) {
    if (!has_slot(place_of(Section::hotbar), slot)) return false;
    hotbar_slot_ = slot;
    return true;
}

bool Inventory::choose_slot(Section section, std::int32_t slot) {
    if (section != Section::utility && section != Section::tools) return false;
    auto& active = section == Section::utility ? utility_slot_ : tools_slot_;
    if (slot == active || (slot != k_no_slot && !has_slot(place_of(section), slot))) return false;
    active = slot;
    return true;
}

std::optional<ItemStack> Inventory::wanted(const packets::ItemQuantity& item) const {
    if (!item.item_id || item.quantity <= 0 || !items_.block_of(*item.item_id)) return std::nullopt;
    return ItemStack{std::string(*item.item_id), std::min(item.quantity, ItemTable::k_full_stack)};
}

void Inventory::put(Slots& slots, std::int32_t slot, ItemStack stack) {
    if (stack.quantity > 0)
        slots.insert_or_assign(slot, std::move(stack));
    else
        slots.erase(slot);
    has_changed_ = true;
}

std::int32_t Inventory::add(Section section, const std::string& item, std::int32_t quantity) {
    const auto place = place_of(section);
    auto& slots = sections_[place];
    for (auto& [slot, stack] : slots) {
        if (stack.item != item || quantity == 0) continue;
        const auto fits = std::min(quantity, ItemTable::k_full_stack - stack.quantity);
        stack.quantity += fits;
        quantity -= fits;
        has_changed_ = has_changed_ || fits > 0;
    }
    for (std::int32_t slot = 0; slot < k_facts[place].capacity && quantity > 0; ++slot)
        if (!slots.contains(slot)) put(slots, slot, {item, std::exchange(quantity, 0)});
    return quantity;
}

void Inventory::give(const std::string& item, std::int32_t quantity) {
    const auto rest = add(Section::hotbar, item, quantity);
    (void)add(Section::storage, item, rest); // what does not fit there would be dropped, and is gone here
}

void Inventory::set_creative(const packets::SetCreativeItem& packet) {
    auto* slots = section_of(packet.inventory_section_id, packet.slot_id);
    if (packet.item.quantity <= 0) {
        if (packet.override_ && slots != nullptr && slots->erase(packet.slot_id) > 0) has_changed_ = true;
        return;
    }
    auto stack = wanted(packet.item);
    if (!stack) return;
    if (packet.slot_id < 0) return give(stack->item, stack->quantity);
    if (slots == nullptr) return;
    const auto there = slots->find(packet.slot_id);
    if (!packet.override_ && there != slots->end() && there->second.item == stack->item)
        stack->quantity = std::min(stack->quantity + there->second.quantity, ItemTable::k_full_stack);
    put(*slots, packet.slot_id, *std::move(stack));
}

/// Blocks are neither armour nor tools: whatever way is asked for, they go into the hotbar or the storage.
void Inventory::give_creative(const packets::SmartGiveCreativeItem& packet) {
    if (const auto stack = wanted(packet.item)) give(stack->item, stack->quantity);
}

void Inventory::drop(const packets::DropItemStack& packet) {
    auto* slots = section_of(packet.inventory_section_id, packet.slot_id);
    const auto there = slots == nullptr ? Slots::iterator{} : slots->find(packet.slot_id);
    if (slots == nullptr || there == slots->end() || packet.quantity <= 0) return;
    auto left = there->second;
    left.quantity -= std::min(packet.quantity, left.quantity);
    put(*slots, packet.slot_id, std::move(left));
}

void Inventory::move(const packets::MoveItemStack& packet) {
    auto* from = section_of(packet.from_section_id, packet.from_slot_id);
    auto* to = section_of(packet.to_section_id, packet.to_slot_id);
    if (from == nullptr || to == nullptr || packet.quantity <= 0) return;
    const auto source = from->find(packet.from_slot_id);
    if (source == from->end() || (from == to && packet.from_slot_id == packet.to_slot_id)) return;
    auto moved = source->second;
    auto left = source->second;
    moved.quantity = std::min(packet.quantity, moved.quantity);
    const auto there = to->find(packet.to_slot_id);
    if (there != to->end() && there->second.item != moved.item) {
        if (moved.quantity != left.quantity) return; // a part of a stack cannot change places
        auto other = there->second;
        put(*to, packet.to_slot_id, std::move(moved));
        return put(*from, packet.from_slot_id, std::move(other));
    }
    const auto before = there == to->end() ? 0 : there->second.quantity;
    moved.quantity = std::min(moved.quantity, ItemTable::k_full_stack - before);
    left.quantity -= moved.quantity;
    moved.quantity += before;
    put(*to, packet.to_slot_id, std::move(moved));
    put(*from, packet.from_slot_id, std::move(left));
}

/// From the hotbar into the storage, and from anywhere else into the hotbar.
void Inventory::smart_move(const packets::SmartMoveItemStack& packet) {
    auto* from = section_of(packet.from_section_id, packet.from_slot_id);
    const auto source = from == nullptr ? Slots::iterator{} : from->find(packet.from_slot_id);
    if (from == nullptr || source == from->end() || packet.quantity <= 0) return;
    auto left = source->second;
    const auto moved = std::min(packet.quantity, left.quantity);
    const auto to =
        packet.from_section_id == std::to_underlying(Section::hotbar) ? Section::storage : Section::hotbar;
    left.quantity -= moved - add(to, left.item, moved);
    if (left.quantity != source->second.quantity) put(*from, packet.from_slot_id, std::move(left));
}

packets::UpdatePlayerInventory Inventory::packed(std::array<Entries, k_sections>& entries) const {
    packets::UpdatePlayerInventory packet;
    for (std::size_t i = 0; i < k_facts.size(); ++i) {
        for (const auto& [slot, stack] : sections_[i]) {
            packets::ItemWithAllMetadata item;
            item.item_id = stack.item;
            item.quantity = stack.quantity;
            entries[i].push_back({slot, item});
        }
        packets::InventorySection section;
        section.capacity = k_facts[i].capacity;
        section.items = protocol::Map<std::int32_t, packets::ItemWithAllMetadata>(entries[i]);
        packet.*k_facts[i].field = section;
    }
    return packet;
}

} // namespace orbis::game
