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

inline void load_fixed(const std::uint8_t* p, BlockPosition& v) {
    load_plain(p, v);
}
inline void store_fixed(std::uint8_t* p, const BlockPosition& v) {
    store_plain(p, v);
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

inline void load_fixed(const std::uint8_t*, CancelCraftingAction&) {}
inline void store_fixed(std::uint8_t*, const CancelCraftingAction&) {}

inline void load_fixed(const std::uint8_t* p, ChangeBlockAction& v) {
    load_flag(p, v.down);
}
inline void store_fixed(std::uint8_t* p, const ChangeBlockAction& v) {
    store_plain(p, v.down);
}

inline void load_fixed(const std::uint8_t* p, MovementStates& v) {
    load_flags(p, v);
}
inline void store_fixed(std::uint8_t* p, const MovementStates& v) {
    store_plain(p, v);
}

inline void load_fixed(const std::uint8_t* p, HalfFloatPosition& v) {
    load_plain(p, v);
}
inline void store_fixed(std::uint8_t* p, const HalfFloatPosition& v) {
    store_plain(p, v);
}

inline void load_fixed(const std::uint8_t* p, Position& v) {
    load_plain(p, v);
}
inline void store_fixed(std::uint8_t* p, const Position& v) {
    store_plain(p, v);
}

inline void load_fixed(const std::uint8_t* p, Direction& v) {
    load_plain(p, v);
}
inline void store_fixed(std::uint8_t* p, const Direction& v) {
    store_plain(p, v);
}

inline void load_fixed(const std::uint8_t* p, TeleportAck& v) {
    load_plain(p, v);
}
inline void store_fixed(std::uint8_t* p, const TeleportAck& v) {
    store_plain(p, v);
}

inline void load_fixed(const std::uint8_t* p, Vector3d& v) {
    load_plain(p, v);
}
inline void store_fixed(std::uint8_t* p, const Vector3d& v) {
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

inline void load_fixed(const std::uint8_t*, CraftItemAction&) {}
inline void store_fixed(std::uint8_t*, const CraftItemAction&) {}

inline void load_fixed(const std::uint8_t* p, Vector3f& v) {
    load_plain(p, v);
}
inline void store_fixed(std::uint8_t* p, const Vector3f& v) {
    store_plain(p, v);
}

inline void load_fixed(const std::uint8_t* p, SelectSlotAction& v) {
    load_plain(p, v);
}
inline void store_fixed(std::uint8_t* p, const SelectSlotAction& v) {
    store_plain(p, v);
}

inline constexpr std::array<FixedPart, 4> k_parts_of_SelectedHitEntity{{
    {0, 5, -1}, {5, 12, 0}, {17, 24, 1}, {41, 12, 2},
}};
constexpr std::span<const FixedPart> parts_of(const SelectedHitEntity*) { return k_parts_of_SelectedHitEntity; }
inline void load_fixed(const std::uint8_t* p, SelectedHitEntity& v) {
    const auto bits0 = p[0];
    load_plain(p + 1, v.network_id);
    load_plain(p + 5, bits0 & 0x01, v.hit_location);
    load_plain(p + 17, bits0 & 0x02, v.position);
    load_plain(p + 41, bits0 & 0x04, v.body_rotation);
}
inline void store_fixed(std::uint8_t* p, const SelectedHitEntity& v) {
    p[0] = static_cast<std::uint8_t>(v.hit_location.has_value() | v.position.has_value() << 1 |
        v.body_rotation.has_value() << 2);
    store_plain(p + 1, v.network_id);
    store_plain(p + 5, v.hit_location);
    store_plain(p + 17, v.position);
    store_plain(p + 41, v.body_rotation);
}

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

} // namespace orbis::protocol::v2026_02_17
