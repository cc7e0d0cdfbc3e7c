// Made by protocol/generate.py from the schema of 2026.02.17; not to be edited.
#include "packets/v2026_02_17/codec.hpp"

namespace orbis::protocol::v2026_02_17 {

// SyncInteractionChain
constexpr std::array<FixedPart, 8> k_parts_of_SyncInteractionChain{{
    {0, 33, -1}, {33, 4, 0}, {37, 4, 1}, {41, 4, 2}, {45, 4, 3}, {49, 4, 4}, {53, 4, 5}, {57, 4, 6},
}};
std::size_t read_struct(Decoder& in, std::size_t at, SyncInteractionChain& v) {
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
std::size_t measure_struct(Encoder& out, const SyncInteractionChain& v) {
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
std::uint8_t* write_struct(Encoder& out, std::uint8_t* p, const SyncInteractionChain& v) {
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
std::size_t read_struct(Decoder& in, std::size_t at, SyncInteractionChains& v) {
    in.open(at, 0, {});
    auto end = at;
    take_inline<ListOf<Struct<SyncInteractionChain>, 4096000>>(in, at, v.updates, end);
    return in.close(end);
}
std::size_t measure_struct(Encoder& out, const SyncInteractionChains& v) {
    std::size_t sum = 0;
    sum += ListOf<Struct<SyncInteractionChain>, 4096000>::measure(out, v.updates);
    return sum;
}
std::uint8_t* write_struct(Encoder& out, std::uint8_t* p, const SyncInteractionChains& v) {
    auto* next = p;
    next = ListOf<Struct<SyncInteractionChain>, 4096000>::write(out, next, v.updates);
    return next;
}

// CraftRecipeAction
constexpr std::array<FixedPart, 1> k_parts_of_CraftRecipeAction{{
    {0, 5, -1},
}};
std::size_t read_struct(Decoder& in, std::size_t at, CraftRecipeAction& v) {
    const auto* p = in.open(at, 5, k_parts_of_CraftRecipeAction);
    const auto bits0 = p[0];
    load_plain(p + 1, v.quantity);
    auto end = at + 5;
    if (v.recipe_id.set(bits0 & 0x01)) take_inline<TextOf<4096000>>(in, at + 5, *v.recipe_id, end);
    return in.close(end);
}
std::size_t measure_struct(Encoder& out, const CraftRecipeAction& v) {
    std::size_t sum = 5;
    if (v.recipe_id) sum += TextOf<4096000>::measure(out, *v.recipe_id);
    return sum;
}
std::uint8_t* write_struct(Encoder& out, std::uint8_t* p, const CraftRecipeAction& v) {
    if (!out.room(p, 5)) return p;
    p[0] = static_cast<std::uint8_t>(v.recipe_id.has_value());
    store_plain(p + 1, v.quantity);
    auto* next = p + 5;
    if (v.recipe_id) next = TextOf<4096000>::write(out, next, *v.recipe_id);
    return next;
}

// SendWindowAction
std::size_t read_struct(Decoder& in, std::size_t at, SendWindowAction& v) {
    const auto* p = in.open(at, 4, {});
    load_plain(p, v.id);
    auto end = at + 4;
    take_inline<Choice<WindowAction>>(in, at + 4, v.action, end);
    return in.close(end);
}
std::size_t measure_struct(Encoder& out, const SendWindowAction& v) {
    std::size_t sum = 4;
    sum += Choice<WindowAction>::measure(out, v.action);
    return sum;
}
std::uint8_t* write_struct(Encoder& out, std::uint8_t* p, const SendWindowAction& v) {
    if (!out.room(p, 4)) return p;
    store_plain(p, v.id);
    auto* next = p + 4;
    next = Choice<WindowAction>::write(out, next, v.action);
    return next;
}

} // namespace orbis::protocol::v2026_02_17
