// Made by protocol/generate.py from the schema of 2026.02.17; not to be edited.
#include "packets/v2026_02_17/window.hpp"
#include "packets/v2026_02_17/world.hpp"
#include "protocol/list_elements.hpp"

namespace orbis::protocol::v2026_02_17 {


inline void load_fixed(const std::uint8_t*, CancelCraftingAction&) {}
inline void store_fixed(std::uint8_t*, const CancelCraftingAction&) {}

inline void load_fixed(const std::uint8_t* p, ChangeBlockAction& v) {
    load_flag(p, v.down);
}
inline void store_fixed(std::uint8_t* p, const ChangeBlockAction& v) {
    store_plain(p, v.down);
}

inline void load_fixed(const std::uint8_t*, CraftItemAction&) {}
inline void store_fixed(std::uint8_t*, const CraftItemAction&) {}

inline void load_fixed(const std::uint8_t*, TierUpgradeAction&) {}
inline void store_fixed(std::uint8_t*, const TierUpgradeAction&) {}

inline void load_fixed(const std::uint8_t* p, SetActiveAction& v) {
    load_flag(p, v.state);
}
inline void store_fixed(std::uint8_t* p, const SetActiveAction& v) {
    store_plain(p, v.state);
}

inline void load_fixed(Decoder& in, const std::uint8_t* p, SortItemsAction& v) {
    in.symbol(p, v.sort_type);
}
inline void store_fixed(Encoder& out, std::uint8_t* p, const SortItemsAction& v) {
    out.symbol(p, v.sort_type);
}

// SendWindowAction
std::size_t SendWindowAction::read(Decoder& in, std::size_t at, SendWindowAction& v) {
    const auto* p = in.open(at, 4, {});
    load_plain(p, v.id);
    auto end = at + 4;
    take_inline<Choice<WindowAction>>(in, at + 4, v.action, end);
    return in.close(end);
}
std::size_t SendWindowAction::measure(Encoder& out, const SendWindowAction& v) {
    std::size_t sum = 4;
    sum += Choice<WindowAction>::measure(out, v.action);
    return sum;
}
std::uint8_t* SendWindowAction::write(Encoder& out, std::uint8_t* p, const SendWindowAction& v) {
    if (!out.room(p, 4)) return p;
    store_plain(p, v.id);
    auto* next = p + 4;
    next = Choice<WindowAction>::write(out, next, v.action);
    return next;
}

// UpdateCategoryAction
std::size_t UpdateCategoryAction::read(Decoder& in, std::size_t at, UpdateCategoryAction& v) {
    const auto* p = in.open(at, 8, {});
    auto end = at + 8;
    take<TextOf<4096000>>(in, in.slot(at + 8, p), v.category, end);
    take<TextOf<4096000>>(in, in.slot(at + 8, p + 4), v.item_category, end);
    return in.close(end);
}
std::size_t UpdateCategoryAction::measure(Encoder& out, const UpdateCategoryAction& v) {
    std::size_t sum = 8;
    sum += TextOf<4096000>::measure(out, v.category);
    sum += TextOf<4096000>::measure(out, v.item_category);
    return sum;
}
std::uint8_t* UpdateCategoryAction::write(Encoder& out, std::uint8_t* p, const UpdateCategoryAction& v) {
    if (!out.room(p, 8)) return p;
    auto* next = p + 8;
    put_slot(p, p + 8, next, true);
    next = TextOf<4096000>::write(out, next, v.category);
    put_slot(p + 4, p + 8, next, true);
    next = TextOf<4096000>::write(out, next, v.item_category);
    return next;
}

// WindowAction
std::size_t read_union(Decoder& in, std::size_t at, WindowAction& v) {
    const auto id = in.varint(at);
    switch (id.value) {
    case 0: return Struct<CraftRecipeAction>::read(in, at + id.length, pick<0>(v));
    case 1: return Fixed<TierUpgradeAction>::read(in, at + id.length, pick<1>(v));
    case 2: return Fixed<SelectSlotAction>::read(in, at + id.length, pick<2>(v));
    case 3: return Fixed<ChangeBlockAction>::read(in, at + id.length, pick<3>(v));
    case 4: return Fixed<SetActiveAction>::read(in, at + id.length, pick<4>(v));
    case 5: return Fixed<CraftItemAction>::read(in, at + id.length, pick<5>(v));
    case 6: return Struct<UpdateCategoryAction>::read(in, at + id.length, pick<6>(v));
    case 7: return Fixed<CancelCraftingAction>::read(in, at + id.length, pick<7>(v));
    case 8: return Fixed<SortItemsAction>::read(in, at + id.length, pick<8>(v));
    default: return in.refuse(Fault::type_unknown, at);
    }
}
std::size_t measure_union(Encoder& out, const WindowAction& v) {
    switch (v.index()) {
    case 0: return 1 + Struct<CraftRecipeAction>::measure(out, *std::get_if<0>(&v));
    case 1: return 1 + Fixed<TierUpgradeAction>::measure(out, *std::get_if<1>(&v));
    case 2: return 1 + Fixed<SelectSlotAction>::measure(out, *std::get_if<2>(&v));
    case 3: return 1 + Fixed<ChangeBlockAction>::measure(out, *std::get_if<3>(&v));
    case 4: return 1 + Fixed<SetActiveAction>::measure(out, *std::get_if<4>(&v));
    case 5: return 1 + Fixed<CraftItemAction>::measure(out, *std::get_if<5>(&v));
    case 6: return 1 + Struct<UpdateCategoryAction>::measure(out, *std::get_if<6>(&v));
    case 7: return 1 + Fixed<CancelCraftingAction>::measure(out, *std::get_if<7>(&v));
    case 8: return 1 + Fixed<SortItemsAction>::measure(out, *std::get_if<8>(&v));
    default: return 0;
    }
}
std::uint8_t* write_union(Encoder& out, std::uint8_t* p, const WindowAction& v) {
    if (!out.room(p, k_largest_varint)) return p;
    switch (v.index()) {
    case 0: return Struct<CraftRecipeAction>::write(out, write_varint(p, 0), *std::get_if<0>(&v));
    case 1: return Fixed<TierUpgradeAction>::write(out, write_varint(p, 1), *std::get_if<1>(&v));
    case 2: return Fixed<SelectSlotAction>::write(out, write_varint(p, 2), *std::get_if<2>(&v));
    case 3: return Fixed<ChangeBlockAction>::write(out, write_varint(p, 3), *std::get_if<3>(&v));
    case 4: return Fixed<SetActiveAction>::write(out, write_varint(p, 4), *std::get_if<4>(&v));
    case 5: return Fixed<CraftItemAction>::write(out, write_varint(p, 5), *std::get_if<5>(&v));
    case 6: return Struct<UpdateCategoryAction>::write(out, write_varint(p, 6), *std::get_if<6>(&v));
    case 7: return Fixed<CancelCraftingAction>::write(out, write_varint(p, 7), *std::get_if<7>(&v));
    case 8: return Fixed<SortItemsAction>::write(out, write_varint(p, 8), *std::get_if<8>(&v));
    default: return p;
    }
}

// SetChunk
constexpr std::array<FixedPart, 4> k_parts_of_SetChunk{{
    {0, 13, -1}, {13, 4, 0}, {17, 4, 1}, {21, 4, 2},
}};
std::size_t SetChunk::read(Decoder& in, std::size_t at, SetChunk& v) {
    const auto* p = in.open(at, 25, k_parts_of_SetChunk);
    const auto bits0 = p[0];
    load_plain(p + 1, v.x);
    load_plain(p + 5, v.y);
    load_plain(p + 9, v.z);
    auto end = at + 25;
    if (v.local_light.set(bits0 & 0x01))
        take<BytesOf<4096000>>(in, in.slot(at + 25, p + 13), *v.local_light, end);
    if (v.global_light.set(bits0 & 0x02))
        take<BytesOf<4096000>>(in, in.slot(at + 25, p + 17), *v.global_light, end);
    if (v.data.set(bits0 & 0x04)) take<BytesOf<4096000>>(in, in.slot(at + 25, p + 21), *v.data, end);
    return in.close(end);
}
std::size_t SetChunk::measure(Encoder& out, const SetChunk& v) {
    std::size_t sum = 25;
    if (v.local_light) sum += BytesOf<4096000>::measure(out, *v.local_light);
    if (v.global_light) sum += BytesOf<4096000>::measure(out, *v.global_light);
    if (v.data) sum += BytesOf<4096000>::measure(out, *v.data);
    return sum;
}
std::uint8_t* SetChunk::write(Encoder& out, std::uint8_t* p, const SetChunk& v) {
    if (!out.room(p, 25)) return p;
    p[0] = static_cast<std::uint8_t>(v.local_light.has_value() | v.global_light.has_value() << 1 |
        v.data.has_value() << 2);
    store_plain(p + 1, v.x);
    store_plain(p + 5, v.y);
    store_plain(p + 9, v.z);
    auto* next = p + 25;
    if (put_slot(p + 13, p + 25, next, v.local_light.has_value()))
        next = BytesOf<4096000>::write(out, next, *v.local_light);
    if (put_slot(p + 17, p + 25, next, v.global_light.has_value()))
        next = BytesOf<4096000>::write(out, next, *v.global_light);
    if (put_slot(p + 21, p + 25, next, v.data.has_value()))
        next = BytesOf<4096000>::write(out, next, *v.data);
    return next;
}

} // namespace orbis::protocol::v2026_02_17
