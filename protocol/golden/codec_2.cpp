// Made by protocol/generate.py from the schema of 2026.02.17; not to be edited.
#include "packets/v2026_02_17/interaction.hpp"
#include "packets/v2026_02_17/player.hpp"
#include "packets/v2026_02_17/window.hpp"
#include "protocol/list_elements.hpp"

namespace orbis::protocol::v2026_02_17 {


inline void load_fixed(const std::uint8_t* p, MovementStates& v) {
    load_flags(p, v);
}
inline void store_fixed(std::uint8_t* p, const MovementStates& v) {
    store_plain(p, v);
}

inline constexpr std::array<FixedPart, 11> k_parts_of_ClientMovement{{
    {0, 2, -1}, {2, 22, 0}, {24, 6, 1}, {30, 24, 2}, {54, 12, 3}, {66, 12, 4}, {78, 1, 5}, {79, 24, 6},
    {103, 24, 7}, {127, 4, -1}, {131, 22, 8},
}};
constexpr std::span<const FixedPart> parts_of(const ClientMovement*) { return k_parts_of_ClientMovement; }
inline void load_fixed(const std::uint8_t* p, ClientMovement& v) {
    const auto bits0 = p[0];
    const auto bits1 = p[1];
    load_flags(p + 2, bits0 & 0x01, v.movement_states);
    load_plain(p + 24, bits0 & 0x02, v.relative_position);
    load_plain(p + 30, bits0 & 0x04, v.absolute_position);
    load_plain(p + 54, bits0 & 0x08, v.body_orientation);
    load_plain(p + 66, bits0 & 0x10, v.look_orientation);
    load_plain(p + 78, bits0 & 0x20, v.teleport_ack);
    load_plain(p + 79, bits0 & 0x40, v.wish_movement);
    load_plain(p + 103, bits0 & 0x80, v.velocity);
    load_plain(p + 127, v.mounted_to);
    load_flags(p + 131, bits1 & 0x01, v.rider_movement_states);
}
inline void store_fixed(std::uint8_t* p, const ClientMovement& v) {
    p[0] = static_cast<std::uint8_t>(v.movement_states.has_value() | v.relative_position.has_value() << 1 |
        v.absolute_position.has_value() << 2 | v.body_orientation.has_value() << 3 |
        v.look_orientation.has_value() << 4 | v.teleport_ack.has_value() << 5 | v.wish_movement.has_value() <<
        6 | v.velocity.has_value() << 7);
    p[1] = static_cast<std::uint8_t>(v.rider_movement_states.has_value());
    store_plain(p + 2, v.movement_states);
    store_plain(p + 24, v.relative_position);
    store_plain(p + 30, v.absolute_position);
    store_plain(p + 54, v.body_orientation);
    store_plain(p + 66, v.look_orientation);
    store_plain(p + 78, v.teleport_ack);
    store_plain(p + 79, v.wish_movement);
    store_plain(p + 103, v.velocity);
    store_plain(p + 127, v.mounted_to);
    store_plain(p + 131, v.rider_movement_states);
}

// SyncInteractionChain
constexpr std::array<FixedPart, 8> k_parts_of_SyncInteractionChain{{
    {0, 33, -1}, {33, 4, 0}, {37, 4, 1}, {41, 4, 2}, {45, 4, 3}, {49, 4, 4}, {53, 4, 5}, {57, 4, 6},
}};
std::size_t SyncInteractionChain::read(Decoder& in, std::size_t at, SyncInteractionChain& v) {
    const auto* p = in.open(at, 61, k_parts_of_SyncInteractionChain);
    const auto bits0 = p[0];
    load_plain(p + 1, v.active_hotbar_slot);
    load_plain(p + 5, v.active_utility_slot);
    load_plain(p + 9, v.active_tools_slot);
    load_flag(p + 13, v.initial);
    load_flag(p + 14, v.desync);
    load_plain(p + 15, v.override_root_interaction);
    in.symbol(p + 19, v.interaction_type);
    load_plain(p + 20, v.equip_slot);
    load_plain(p + 24, v.chain_id);
    in.symbol(p + 28, v.state);
    load_plain(p + 29, v.operation_base_index);
    auto end = at + 61;
    if (v.item_in_hand_id.set(bits0 & 0x01))
        take<TextOf<4096000>>(in, in.slot(at + 61, p + 33), *v.item_in_hand_id, end);
    if (v.utility_item_id.set(bits0 & 0x02))
        take<TextOf<4096000>>(in, in.slot(at + 61, p + 37), *v.utility_item_id, end);
    if (v.tools_item_id.set(bits0 & 0x04))
        take<TextOf<4096000>>(in, in.slot(at + 61, p + 41), *v.tools_item_id, end);
    if (v.forked_id.set(bits0 & 0x08))
        take<Struct<ForkedChainId>>(in, in.slot(at + 61, p + 45), *v.forked_id, end);
    if (v.data.set(bits0 & 0x10))
        take<Struct<InteractionChainData>>(in, in.slot(at + 61, p + 49), *v.data, end);
    if (v.new_forks.set(bits0 & 0x20))
        take<ListOf<Struct<SyncInteractionChain>, 4096000>>(in, in.slot(at + 61, p + 53), *v.new_forks, end);
    if (v.interaction_data.set(bits0 & 0x40))
        take<SparseOf<Struct<InteractionSyncData>, 4096000>>(in, in.slot(at + 61, p + 57), *v.interaction_data, end);
    return in.close(end);
}
std::size_t SyncInteractionChain::measure(Encoder& out, const SyncInteractionChain& v) {
    if (!out.enter()) return 0;
    std::size_t sum = 61;
    if (v.item_in_hand_id) sum += TextOf<4096000>::measure(out, *v.item_in_hand_id);
    if (v.utility_item_id) sum += TextOf<4096000>::measure(out, *v.utility_item_id);
    if (v.tools_item_id) sum += TextOf<4096000>::measure(out, *v.tools_item_id);
    if (v.forked_id) sum += Struct<ForkedChainId>::measure(out, *v.forked_id);
    if (v.data) sum += Struct<InteractionChainData>::measure(out, *v.data);
    if (v.new_forks) sum += ListOf<Struct<SyncInteractionChain>, 4096000>::measure(out, *v.new_forks);
    if (v.interaction_data)
        sum += SparseOf<Struct<InteractionSyncData>, 4096000>::measure(out, *v.interaction_data);
    out.leave();
    return sum;
}
std::uint8_t* SyncInteractionChain::write(Encoder& out, std::uint8_t* p, const SyncInteractionChain& v) {
    if (!out.room(p, 61)) return p;
    if (!out.enter()) return p;
    p[0] = static_cast<std::uint8_t>(v.item_in_hand_id.has_value() | v.utility_item_id.has_value() << 1 |
        v.tools_item_id.has_value() << 2 | v.forked_id.has_value() << 3 | v.data.has_value() << 4 |
        v.new_forks.has_value() << 5 | v.interaction_data.has_value() << 6);
    store_plain(p + 1, v.active_hotbar_slot);
    store_plain(p + 5, v.active_utility_slot);
    store_plain(p + 9, v.active_tools_slot);
    store_plain(p + 13, v.initial);
    store_plain(p + 14, v.desync);
    store_plain(p + 15, v.override_root_interaction);
    out.symbol(p + 19, v.interaction_type);
    store_plain(p + 20, v.equip_slot);
    store_plain(p + 24, v.chain_id);
    out.symbol(p + 28, v.state);
    store_plain(p + 29, v.operation_base_index);
    auto* next = p + 61;
    if (put_slot(p + 33, p + 61, next, v.item_in_hand_id.has_value()))
        next = TextOf<4096000>::write(out, next, *v.item_in_hand_id);
    if (put_slot(p + 37, p + 61, next, v.utility_item_id.has_value()))
        next = TextOf<4096000>::write(out, next, *v.utility_item_id);
    if (put_slot(p + 41, p + 61, next, v.tools_item_id.has_value()))
        next = TextOf<4096000>::write(out, next, *v.tools_item_id);
    if (put_slot(p + 45, p + 61, next, v.forked_id.has_value()))
        next = Struct<ForkedChainId>::write(out, next, *v.forked_id);
    if (put_slot(p + 49, p + 61, next, v.data.has_value()))
        next = Struct<InteractionChainData>::write(out, next, *v.data);
    if (put_slot(p + 53, p + 61, next, v.new_forks.has_value()))
        next = ListOf<Struct<SyncInteractionChain>, 4096000>::write(out, next, *v.new_forks);
    if (put_slot(p + 57, p + 61, next, v.interaction_data.has_value()))
        next = SparseOf<Struct<InteractionSyncData>, 4096000>::write(out, next, *v.interaction_data);
    out.leave();
    return next;
}

// SyncInteractionChains
std::size_t SyncInteractionChains::read(Decoder& in, std::size_t at, SyncInteractionChains& v) {
    in.open(at, 0, {});
    auto end = at;
    take_inline<ListOf<Struct<SyncInteractionChain>, 4096000>>(in, at, v.updates, end);
    return in.close(end);
}
std::size_t SyncInteractionChains::measure(Encoder& out, const SyncInteractionChains& v) {
    std::size_t sum = 0;
    sum += ListOf<Struct<SyncInteractionChain>, 4096000>::measure(out, v.updates);
    return sum;
}
std::uint8_t* SyncInteractionChains::write(Encoder& out, std::uint8_t* p, const SyncInteractionChains& v) {
    auto* next = p;
    next = ListOf<Struct<SyncInteractionChain>, 4096000>::write(out, next, v.updates);
    return next;
}

// ClientMovement
void ClientMovement::load(const std::uint8_t* p, ClientMovement& v) { load_whole(p, v); }
void ClientMovement::store(std::uint8_t* p, const ClientMovement& v) { store_whole(p, v); }
std::size_t ClientMovement::read(Decoder& in, std::size_t at, ClientMovement& v) { return Fixed<ClientMovement>::read(in, at, v); }
std::uint8_t* ClientMovement::write(Encoder& out, std::uint8_t* p, const ClientMovement& v) { return Fixed<ClientMovement>::write(out, p, v); }

// CraftRecipeAction
constexpr std::array<FixedPart, 1> k_parts_of_CraftRecipeAction{{
    {0, 5, -1},
}};
std::size_t CraftRecipeAction::read(Decoder& in, std::size_t at, CraftRecipeAction& v) {
    const auto* p = in.open(at, 5, k_parts_of_CraftRecipeAction);
    const auto bits0 = p[0];
    load_plain(p + 1, v.quantity);
    auto end = at + 5;
    if (v.recipe_id.set(bits0 & 0x01)) take_inline<TextOf<4096000>>(in, at + 5, *v.recipe_id, end);
    return in.close(end);
}
std::size_t CraftRecipeAction::measure(Encoder& out, const CraftRecipeAction& v) {
    std::size_t sum = 5;
    if (v.recipe_id) sum += TextOf<4096000>::measure(out, *v.recipe_id);
    return sum;
}
std::uint8_t* CraftRecipeAction::write(Encoder& out, std::uint8_t* p, const CraftRecipeAction& v) {
    if (!out.room(p, 5)) return p;
    p[0] = static_cast<std::uint8_t>(v.recipe_id.has_value());
    store_plain(p + 1, v.quantity);
    auto* next = p + 5;
    if (v.recipe_id) next = TextOf<4096000>::write(out, next, *v.recipe_id);
    return next;
}

} // namespace orbis::protocol::v2026_02_17
