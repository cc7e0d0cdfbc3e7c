// Made by protocol/generate.py from the schema of 2026.02.17; not to be edited.
#pragma once

#include "protocol/list_elements.hpp"
#include "protocol/packet_table.hpp"
#include "packets/v2026_02_17/types.hpp"

namespace orbis::protocol::v2026_02_17 {

/// Every packet of the build, sorted by id.
Registry registry();
/// The same with the functions that read and write them.
std::span<const PacketCode> packet_codes();

std::size_t read_struct(Decoder& in, std::size_t at, Connect& v);
std::size_t measure_struct(Encoder& out, const Connect& v);
std::uint8_t* write_struct(Encoder& out, std::uint8_t* p, const Connect& v);
std::size_t read_struct(Decoder& in, std::size_t at, CraftRecipeAction& v);
std::size_t measure_struct(Encoder& out, const CraftRecipeAction& v);
std::uint8_t* write_struct(Encoder& out, std::uint8_t* p, const CraftRecipeAction& v);
std::size_t read_struct(Decoder& in, std::size_t at, ForkedChainId& v);
std::size_t measure_struct(Encoder& out, const ForkedChainId& v);
std::uint8_t* write_struct(Encoder& out, std::uint8_t* p, const ForkedChainId& v);
std::size_t read_struct(Decoder& in, std::size_t at, HostAddress& v);
std::size_t measure_struct(Encoder& out, const HostAddress& v);
std::uint8_t* write_struct(Encoder& out, std::uint8_t* p, const HostAddress& v);
std::size_t read_struct(Decoder& in, std::size_t at, InteractionChainData& v);
std::size_t measure_struct(Encoder& out, const InteractionChainData& v);
std::uint8_t* write_struct(Encoder& out, std::uint8_t* p, const InteractionChainData& v);
std::size_t read_struct(Decoder& in, std::size_t at, InteractionSyncData& v);
std::size_t measure_struct(Encoder& out, const InteractionSyncData& v);
std::uint8_t* write_struct(Encoder& out, std::uint8_t* p, const InteractionSyncData& v);
std::size_t read_struct(Decoder& in, std::size_t at, SendWindowAction& v);
std::size_t measure_struct(Encoder& out, const SendWindowAction& v);
std::uint8_t* write_struct(Encoder& out, std::uint8_t* p, const SendWindowAction& v);
std::size_t read_struct(Decoder& in, std::size_t at, SetChunk& v);
std::size_t measure_struct(Encoder& out, const SetChunk& v);
std::uint8_t* write_struct(Encoder& out, std::uint8_t* p, const SetChunk& v);
std::size_t read_struct(Decoder& in, std::size_t at, SyncInteractionChain& v);
std::size_t measure_struct(Encoder& out, const SyncInteractionChain& v);
std::uint8_t* write_struct(Encoder& out, std::uint8_t* p, const SyncInteractionChain& v);
std::size_t read_struct(Decoder& in, std::size_t at, SyncInteractionChains& v);
std::size_t measure_struct(Encoder& out, const SyncInteractionChains& v);
std::uint8_t* write_struct(Encoder& out, std::uint8_t* p, const SyncInteractionChains& v);
std::size_t read_struct(Decoder& in, std::size_t at, UpdateCategoryAction& v);
std::size_t measure_struct(Encoder& out, const UpdateCategoryAction& v);
std::uint8_t* write_struct(Encoder& out, std::uint8_t* p, const UpdateCategoryAction& v);
std::size_t read_union(Decoder& in, std::size_t at, WindowAction& v);
std::size_t measure_union(Encoder& out, const WindowAction& v);
std::uint8_t* write_union(Encoder& out, std::uint8_t* p, const WindowAction& v);

inline void load_fixed([[maybe_unused]] Decoder& in, const std::uint8_t* p, BlockPosition& v) {
    std::memcpy(&v, p, 12);
}
inline void store_fixed([[maybe_unused]] Encoder& out, std::uint8_t* p, const BlockPosition& v) {
    std::memcpy(p, &v, 12);
}

inline void load_fixed(Decoder& in, const std::uint8_t* p, BlockRotation& v) {
    in.symbol(p, v.rotation_yaw);
    in.symbol(p + 1, v.rotation_pitch);
    in.symbol(p + 2, v.rotation_roll);
}
inline void store_fixed(Encoder& out, std::uint8_t* p, const BlockRotation& v) {
    out.symbol(p, v.rotation_yaw);
    out.symbol(p + 1, v.rotation_pitch);
    out.symbol(p + 2, v.rotation_roll);
}

inline void load_fixed([[maybe_unused]] Decoder& in, [[maybe_unused]] const std::uint8_t* p, [[maybe_unused]] CancelCraftingAction& v) {
}
inline void store_fixed([[maybe_unused]] Encoder& out, [[maybe_unused]] std::uint8_t* p, [[maybe_unused]] const CancelCraftingAction& v) {
}

inline void load_fixed([[maybe_unused]] Decoder& in, const std::uint8_t* p, ChangeBlockAction& v) {
    v.down = p[0] != 0;
}
inline void store_fixed([[maybe_unused]] Encoder& out, std::uint8_t* p, const ChangeBlockAction& v) {
    p[0] = v.down ? 1 : 0;
}

inline void load_fixed([[maybe_unused]] Decoder& in, const std::uint8_t* p, MovementStates& v) {
    load_flags(p, v);
}
inline void store_fixed([[maybe_unused]] Encoder& out, std::uint8_t* p, const MovementStates& v) {
    std::memcpy(p, &v, 22);
}

inline void load_fixed([[maybe_unused]] Decoder& in, const std::uint8_t* p, HalfFloatPosition& v) {
    std::memcpy(&v, p, 6);
}
inline void store_fixed([[maybe_unused]] Encoder& out, std::uint8_t* p, const HalfFloatPosition& v) {
    std::memcpy(p, &v, 6);
}

inline void load_fixed([[maybe_unused]] Decoder& in, const std::uint8_t* p, Position& v) {
    std::memcpy(&v, p, 24);
}
inline void store_fixed([[maybe_unused]] Encoder& out, std::uint8_t* p, const Position& v) {
    std::memcpy(p, &v, 24);
}

inline void load_fixed([[maybe_unused]] Decoder& in, const std::uint8_t* p, Direction& v) {
    std::memcpy(&v, p, 12);
}
inline void store_fixed([[maybe_unused]] Encoder& out, std::uint8_t* p, const Direction& v) {
    std::memcpy(p, &v, 12);
}

inline void load_fixed([[maybe_unused]] Decoder& in, const std::uint8_t* p, TeleportAck& v) {
    std::memcpy(&v, p, 1);
}
inline void store_fixed([[maybe_unused]] Encoder& out, std::uint8_t* p, const TeleportAck& v) {
    std::memcpy(p, &v, 1);
}

inline void load_fixed([[maybe_unused]] Decoder& in, const std::uint8_t* p, Vector3d& v) {
    std::memcpy(&v, p, 24);
}
inline void store_fixed([[maybe_unused]] Encoder& out, std::uint8_t* p, const Vector3d& v) {
    std::memcpy(p, &v, 24);
}

inline constexpr std::array<FixedPart, 11> k_parts_of_ClientMovement{{
    {0, 2, -1}, {2, 22, 0}, {24, 6, 1}, {30, 24, 2}, {54, 12, 3}, {66, 12, 4}, {78, 1, 5}, {79, 24, 6},
    {103, 24, 7}, {127, 4, -1}, {131, 22, 8},
}};
constexpr std::span<const FixedPart> parts_of(const ClientMovement*) { return k_parts_of_ClientMovement; }
inline void load_fixed(Decoder& in, const std::uint8_t* p, ClientMovement& v) {
    const auto bits0 = p[0];
    const auto bits1 = p[1];
    if (v.movement_states.set(bits0 & 0x01)) load_fixed(in, p + 2, *v.movement_states);
    if (v.relative_position.set(bits0 & 0x02)) load_fixed(in, p + 24, *v.relative_position);
    if (v.absolute_position.set(bits0 & 0x04)) load_fixed(in, p + 30, *v.absolute_position);
    if (v.body_orientation.set(bits0 & 0x08)) load_fixed(in, p + 54, *v.body_orientation);
    if (v.look_orientation.set(bits0 & 0x10)) load_fixed(in, p + 66, *v.look_orientation);
    if (v.teleport_ack.set(bits0 & 0x20)) load_fixed(in, p + 78, *v.teleport_ack);
    if (v.wish_movement.set(bits0 & 0x40)) load_fixed(in, p + 79, *v.wish_movement);
    if (v.velocity.set(bits0 & 0x80)) load_fixed(in, p + 103, *v.velocity);
    v.mounted_to = load_le<std::int32_t>(p + 127);
    if (v.rider_movement_states.set(bits1 & 0x01)) load_fixed(in, p + 131, *v.rider_movement_states);
}
inline void store_fixed(Encoder& out, std::uint8_t* p, const ClientMovement& v) {
    p[0] = static_cast<std::uint8_t>(v.movement_states.has_value() | v.relative_position.has_value() << 1 |
        v.absolute_position.has_value() << 2 | v.body_orientation.has_value() << 3 |
        v.look_orientation.has_value() << 4 | v.teleport_ack.has_value() << 5 | v.wish_movement.has_value() <<
        6 | v.velocity.has_value() << 7);
    p[1] = static_cast<std::uint8_t>(v.rider_movement_states.has_value());
    if (v.movement_states) store_fixed(out, p + 2, *v.movement_states);
    else std::memset(p + 2, 0, 22);
    if (v.relative_position) store_fixed(out, p + 24, *v.relative_position);
    else std::memset(p + 24, 0, 6);
    if (v.absolute_position) store_fixed(out, p + 30, *v.absolute_position);
    else std::memset(p + 30, 0, 24);
    if (v.body_orientation) store_fixed(out, p + 54, *v.body_orientation);
    else std::memset(p + 54, 0, 12);
    if (v.look_orientation) store_fixed(out, p + 66, *v.look_orientation);
    else std::memset(p + 66, 0, 12);
    if (v.teleport_ack) store_fixed(out, p + 78, *v.teleport_ack);
    else std::memset(p + 78, 0, 1);
    if (v.wish_movement) store_fixed(out, p + 79, *v.wish_movement);
    else std::memset(p + 79, 0, 24);
    if (v.velocity) store_fixed(out, p + 103, *v.velocity);
    else std::memset(p + 103, 0, 24);
    store_le(p + 127, v.mounted_to);
    if (v.rider_movement_states) store_fixed(out, p + 131, *v.rider_movement_states);
    else std::memset(p + 131, 0, 22);
}

inline void load_fixed([[maybe_unused]] Decoder& in, [[maybe_unused]] const std::uint8_t* p, [[maybe_unused]] CraftItemAction& v) {
}
inline void store_fixed([[maybe_unused]] Encoder& out, [[maybe_unused]] std::uint8_t* p, [[maybe_unused]] const CraftItemAction& v) {
}

inline void load_fixed([[maybe_unused]] Decoder& in, const std::uint8_t* p, Vector3f& v) {
    std::memcpy(&v, p, 12);
}
inline void store_fixed([[maybe_unused]] Encoder& out, std::uint8_t* p, const Vector3f& v) {
    std::memcpy(p, &v, 12);
}

inline void load_fixed([[maybe_unused]] Decoder& in, const std::uint8_t* p, SelectSlotAction& v) {
    std::memcpy(&v, p, 4);
}
inline void store_fixed([[maybe_unused]] Encoder& out, std::uint8_t* p, const SelectSlotAction& v) {
    std::memcpy(p, &v, 4);
}

inline constexpr std::array<FixedPart, 4> k_parts_of_SelectedHitEntity{{
    {0, 5, -1}, {5, 12, 0}, {17, 24, 1}, {41, 12, 2},
}};
constexpr std::span<const FixedPart> parts_of(const SelectedHitEntity*) { return k_parts_of_SelectedHitEntity; }
inline void load_fixed(Decoder& in, const std::uint8_t* p, SelectedHitEntity& v) {
    const auto bits0 = p[0];
    v.network_id = load_le<std::int32_t>(p + 1);
    if (v.hit_location.set(bits0 & 0x01)) load_fixed(in, p + 5, *v.hit_location);
    if (v.position.set(bits0 & 0x02)) load_fixed(in, p + 17, *v.position);
    if (v.body_rotation.set(bits0 & 0x04)) load_fixed(in, p + 41, *v.body_rotation);
}
inline void store_fixed(Encoder& out, std::uint8_t* p, const SelectedHitEntity& v) {
    p[0] = static_cast<std::uint8_t>(v.hit_location.has_value() | v.position.has_value() << 1 |
        v.body_rotation.has_value() << 2);
    store_le(p + 1, v.network_id);
    if (v.hit_location) store_fixed(out, p + 5, *v.hit_location);
    else std::memset(p + 5, 0, 12);
    if (v.position) store_fixed(out, p + 17, *v.position);
    else std::memset(p + 17, 0, 24);
    if (v.body_rotation) store_fixed(out, p + 41, *v.body_rotation);
    else std::memset(p + 41, 0, 12);
}

inline void load_fixed([[maybe_unused]] Decoder& in, [[maybe_unused]] const std::uint8_t* p, [[maybe_unused]] TierUpgradeAction& v) {
}
inline void store_fixed([[maybe_unused]] Encoder& out, [[maybe_unused]] std::uint8_t* p, [[maybe_unused]] const TierUpgradeAction& v) {
}

inline void load_fixed([[maybe_unused]] Decoder& in, const std::uint8_t* p, SetActiveAction& v) {
    v.state = p[0] != 0;
}
inline void store_fixed([[maybe_unused]] Encoder& out, std::uint8_t* p, const SetActiveAction& v) {
    p[0] = v.state ? 1 : 0;
}

inline void load_fixed(Decoder& in, const std::uint8_t* p, SortItemsAction& v) {
    in.symbol(p, v.sort_type);
}
inline void store_fixed(Encoder& out, std::uint8_t* p, const SortItemsAction& v) {
    out.symbol(p, v.sort_type);
}

} // namespace orbis::protocol::v2026_02_17
