#pragma once

#include "packets/inventory.hpp"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace orbis::game {

class ItemTable;

/// The parts of an inventory by the numbers that the game gives them.
enum class Section : std::int32_t {
    hotbar = -1,
    storage = -2,
    armor = -3,
    utility = -5,
    tools = -8,
    backpack = -9
};

struct ItemStack {
    std::string item;
    std::int32_t quantity = 0;
};

/// What a player carries, and which slots are active. It changes as a client of the game expects it to;
/// `take_changed` then says that the client is to be sent all of it.
class Inventory {
public:
    static constexpr std::int32_t k_no_slot = -1;

    /// `items` must outlive it.
    explicit Inventory(const ItemTable& items) : items_(items) {}

    /// In the active slot; null if the hand is empty.
    [[nodiscard]] const ItemStack* in_hand() const { return at(Section::hotbar, hotbar_slot_); }
    [[nodiscard]] const ItemStack* in_utility() const { return at(Section::utility, utility_slot_); }
    /// Null for an empty slot, and for one that there is not.
    [[nodiscard]] const ItemStack* at(Section section, std::int32_t slot) const;

    [[nodiscard]] std::int32_t hotbar_slot() const { return hotbar_slot_; }
    [[nodiscard]] std::int32_t utility_slot() const { return utility_slot_; }
    [[nodiscard]] std::int32_t tools_slot() const { return tools_slot_; }
    /// False if there is no such slot.
    bool choose_hotbar_slot(std::int32_t slot);
    /// Utility and tools, −1 for none. False where the game would not allow it: no such slot, or the same
    /// again.
    bool choose_slot(Section section, std::int32_t slot);

    // What clients ask for in creative mode; what makes no sense changes nothing.
    void set_creative(const packets::SetCreativeItem& packet);
    void give_creative(const packets::SmartGiveCreativeItem& packet);
    // And in every mode.
    void drop(const packets::DropItemStack& packet);
    void move(const packets::MoveItemStack& packet);
    void smart_move(const packets::SmartMoveItemStack& packet);

    /// Whether anything has changed since this was asked.
    bool take_changed() { return std::exchange(has_changed_, false); }
    /// Sends all of it through `send`, which gets the packet while its memory is there.
    template <typename Send>
    auto pack(Send&& send) const {
        std::array<Entries, k_sections> entries;
        return send(packed(entries));
    }

private:
    static constexpr std::size_t k_sections = 6;
    using Slots = std::map<std::int32_t, ItemStack>;
    using Entries = std::vector<protocol::Entry<std::int32_t, packets::ItemWithAllMetadata>>;

    [[nodiscard]] packets::UpdatePlayerInventory packed(std::array<Entries, k_sections>& entries) const;
    /// Null if there is no such section, or no such slot in it.
    Slots* section_of(std::int32_t section, std::int32_t slot);
    /// Into stacks of the same item, then into free slots; what does not fit is left over.
    std::int32_t add(Section section, const std::string& item, std::int32_t quantity);
    void give(const std::string& item, std::int32_t quantity);
    void put(Slots& slots, std::int32_t slot, ItemStack stack);
    /// A known item and as many of it as fit into a slot; nothing if the client asks for something else.
    [[nodiscard]] std::optional<ItemStack> wanted(const packets::ItemQuantity& item) const;

    const ItemTable& items_;
    std::array<Slots, k_sections> sections_;
    std::int32_t hotbar_slot_ = 0;
    std::int32_t utility_slot_ = k_no_slot;
    std::int32_t tools_slot_ = k_no_slot;
    bool has_changed_ = false;
};

} // namespace orbis::game
