// Made by protocol/generate.py from the schema of 2026.02.17; not to be edited.
#pragma once

#include "packets/v2026_02_17/shared.hpp"

#include <variant>

namespace orbis::protocol::v2026_02_17 {

enum class SortType : std::uint8_t { name, type, rarity };
constexpr std::uint32_t value_count(SortType) { return 3; }

using WindowAction = std::variant<CraftRecipeAction, TierUpgradeAction, SelectSlotAction, ChangeBlockAction,
    SetActiveAction, CraftItemAction, UpdateCategoryAction, CancelCraftingAction, SortItemsAction>;
std::size_t read_union(Decoder& in, std::size_t at, WindowAction& v);
std::size_t measure_union(Encoder& out, const WindowAction& v);
std::uint8_t* write_union(Encoder& out, std::uint8_t* p, const WindowAction& v);

struct CancelCraftingAction {
    static constexpr std::uint32_t k_fixed = 0, k_var_start = 0;
    static constexpr bool k_bulk = false, k_any_bytes = true;
};

struct ChangeBlockAction {
    bool down = false;

    static constexpr std::uint32_t k_fixed = 1, k_var_start = 1;
    static constexpr bool k_bulk = false, k_any_bytes = true;
};

struct CraftItemAction {
    static constexpr std::uint32_t k_fixed = 0, k_var_start = 0;
    static constexpr bool k_bulk = false, k_any_bytes = true;
};

struct CraftRecipeAction {
    std::int32_t quantity = 0;
    Opt<Text> recipe_id;

    static constexpr std::uint32_t k_fixed = 5, k_var_start = 5;
    static std::size_t read(Decoder& in, std::size_t at, CraftRecipeAction& v);
    static std::size_t measure(Encoder& out, const CraftRecipeAction& v);
    static std::uint8_t* write(Encoder& out, std::uint8_t* p, const CraftRecipeAction& v);
};

struct SelectSlotAction {
    std::int32_t slot = 0;

    static constexpr std::uint32_t k_fixed = 4, k_var_start = 4;
    static constexpr bool k_bulk = true, k_any_bytes = true;
};
static_assert(sizeof(SelectSlotAction) == 4);

struct TierUpgradeAction {
    static constexpr std::uint32_t k_fixed = 0, k_var_start = 0;
    static constexpr bool k_bulk = false, k_any_bytes = true;
};

struct SetActiveAction {
    bool state = false;

    static constexpr std::uint32_t k_fixed = 1, k_var_start = 1;
    static constexpr bool k_bulk = false, k_any_bytes = true;
};

struct UpdateCategoryAction {
    Text category;
    Text item_category;

    static constexpr std::uint32_t k_fixed = 0, k_var_start = 8;
    static std::size_t read(Decoder& in, std::size_t at, UpdateCategoryAction& v);
    static std::size_t measure(Encoder& out, const UpdateCategoryAction& v);
    static std::uint8_t* write(Encoder& out, std::uint8_t* p, const UpdateCategoryAction& v);
};

struct SortItemsAction {
    SortType sort_type{};

    static constexpr std::uint32_t k_fixed = 1, k_var_start = 1;
    static constexpr bool k_bulk = false, k_any_bytes = false;
};

struct SendWindowAction {
    std::int32_t id = 0;
    WindowAction action;

    static constexpr std::uint32_t k_fixed = 4, k_var_start = 4;
    static constexpr PacketInfo k_info{203, "SendWindowAction", "window",
                                       protocol::Direction::to_server, protocol::Channel{0}, false,
                                       4, 5, 32768027};
    static constexpr bool k_bounded = false;
    static std::size_t read(Decoder& in, std::size_t at, SendWindowAction& v);
    static std::size_t measure(Encoder& out, const SendWindowAction& v);
    static std::uint8_t* write(Encoder& out, std::uint8_t* p, const SendWindowAction& v);
};

} // namespace orbis::protocol::v2026_02_17
