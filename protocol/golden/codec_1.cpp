// Made by protocol/generate.py from the schema of 2026.02.17; not to be edited.
#include "packets/v2026_02_17/connection.hpp"
#include "packets/v2026_02_17/interaction.hpp"
#include "protocol/list_elements.hpp"

namespace orbis::protocol::v2026_02_17 {


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

// Connect
constexpr std::array<FixedPart, 5> k_parts_of_Connect{{
    {0, 50, -1}, {50, 4, 0}, {54, 4, -1}, {58, 4, 1}, {62, 4, 2},
}};
std::size_t Connect::read(Decoder& in, std::size_t at, Connect& v) {
    const auto* p = in.open(at, 66, k_parts_of_Connect);
    const auto bits0 = p[0];
    load_plain(p + 1, v.protocol_crc);
    load_plain(p + 5, v.protocol_build_number);
    v.client_version = in.fixed_text(p + 9, 20);
    in.symbol(p + 29, v.client_type);
    load_plain(p + 30, v.uuid);
    auto end = at + 66;
    take<TextOf<16, true>>(in, in.slot(at + 66, p + 46), v.username, end);
    if (v.identity_token.set(bits0 & 0x01))
        take<TextOf<8192>>(in, in.slot(at + 66, p + 50), *v.identity_token, end);
    take<TextOf<16, true>>(in, in.slot(at + 66, p + 54), v.language, end);
    if (v.referral_data.set(bits0 & 0x02))
        take<BytesOf<4096>>(in, in.slot(at + 66, p + 58), *v.referral_data, end);
    if (v.referral_source.set(bits0 & 0x04))
        take<Struct<HostAddress>>(in, in.slot(at + 66, p + 62), *v.referral_source, end);
    return in.close(end);
}
std::size_t Connect::measure(Encoder& out, const Connect& v) {
    std::size_t sum = 66;
    sum += TextOf<16, true>::measure(out, v.username);
    if (v.identity_token) sum += TextOf<8192>::measure(out, *v.identity_token);
    sum += TextOf<16, true>::measure(out, v.language);
    if (v.referral_data) sum += BytesOf<4096>::measure(out, *v.referral_data);
    if (v.referral_source) sum += Struct<HostAddress>::measure(out, *v.referral_source);
    return sum;
}
std::uint8_t* Connect::write(Encoder& out, std::uint8_t* p, const Connect& v) {
    if (!out.room(p, 66)) return p;
    p[0] = static_cast<std::uint8_t>(v.identity_token.has_value() | v.referral_data.has_value() << 1 |
        v.referral_source.has_value() << 2);
    store_plain(p + 1, v.protocol_crc);
    store_plain(p + 5, v.protocol_build_number);
    out.fixed_text(p + 9, 20, v.client_version);
    out.symbol(p + 29, v.client_type);
    store_plain(p + 30, v.uuid);
    auto* next = p + 66;
    put_slot(p + 46, p + 66, next, true);
    next = TextOf<16, true>::write(out, next, v.username);
    if (put_slot(p + 50, p + 66, next, v.identity_token.has_value()))
        next = TextOf<8192>::write(out, next, *v.identity_token);
    put_slot(p + 54, p + 66, next, true);
    next = TextOf<16, true>::write(out, next, v.language);
    if (put_slot(p + 58, p + 66, next, v.referral_data.has_value()))
        next = BytesOf<4096>::write(out, next, *v.referral_data);
    if (put_slot(p + 62, p + 66, next, v.referral_source.has_value()))
        next = Struct<HostAddress>::write(out, next, *v.referral_source);
    return next;
}

// HostAddress
std::size_t HostAddress::read(Decoder& in, std::size_t at, HostAddress& v) {
    const auto* p = in.open(at, 2, {});
    load_plain(p, v.port);
    auto end = at + 2;
    take_inline<TextOf<256>>(in, at + 2, v.host, end);
    return in.close(end);
}
std::size_t HostAddress::measure(Encoder& out, const HostAddress& v) {
    std::size_t sum = 2;
    sum += TextOf<256>::measure(out, v.host);
    return sum;
}
std::uint8_t* HostAddress::write(Encoder& out, std::uint8_t* p, const HostAddress& v) {
    if (!out.room(p, 2)) return p;
    store_plain(p, v.port);
    auto* next = p + 2;
    next = TextOf<256>::write(out, next, v.host);
    return next;
}

// ForkedChainId
constexpr std::array<FixedPart, 1> k_parts_of_ForkedChainId{{
    {0, 9, -1},
}};
std::size_t ForkedChainId::read(Decoder& in, std::size_t at, ForkedChainId& v) {
    const auto* p = in.open(at, 9, k_parts_of_ForkedChainId);
    const auto bits0 = p[0];
    load_plain(p + 1, v.entry_index);
    load_plain(p + 5, v.sub_index);
    auto end = at + 9;
    if (auto* inner = link(in, v.forked_id, bits0 & 0x01))
        take_inline<Struct<ForkedChainId>>(in, at + 9, *inner, end);
    return in.close(end);
}
std::size_t ForkedChainId::measure(Encoder& out, const ForkedChainId& v) {
    if (!out.enter()) return 0;
    std::size_t sum = 9;
    if (v.forked_id) sum += Struct<ForkedChainId>::measure(out, *v.forked_id);
    out.leave();
    return sum;
}
std::uint8_t* ForkedChainId::write(Encoder& out, std::uint8_t* p, const ForkedChainId& v) {
    if (!out.room(p, 9)) return p;
    if (!out.enter()) return p;
    p[0] = static_cast<std::uint8_t>(v.forked_id.has_value());
    store_plain(p + 1, v.entry_index);
    store_plain(p + 5, v.sub_index);
    auto* next = p + 9;
    if (v.forked_id) next = Struct<ForkedChainId>::write(out, next, *v.forked_id);
    out.leave();
    return next;
}

// InteractionChainData
constexpr std::array<FixedPart, 5> k_parts_of_InteractionChainData{{
    {0, 21, -1}, {21, 12, 0}, {33, 12, 1}, {45, 4, -1}, {49, 12, 2},
}};
std::size_t InteractionChainData::read(Decoder& in, std::size_t at, InteractionChainData& v) {
    const auto* p = in.open(at, 61, k_parts_of_InteractionChainData);
    const auto bits0 = p[0];
    load_plain(p + 1, v.entity_id);
    load_plain(p + 5, v.proxy_id);
    load_plain(p + 21, bits0 & 0x01, v.hit_location);
    load_plain(p + 33, bits0 & 0x02, v.block_position);
    load_plain(p + 45, v.target_slot);
    load_plain(p + 49, bits0 & 0x04, v.hit_normal);
    auto end = at + 61;
    if (v.hit_detail.set(bits0 & 0x08)) take_inline<TextOf<4096000>>(in, at + 61, *v.hit_detail, end);
    return in.close(end);
}
std::size_t InteractionChainData::measure(Encoder& out, const InteractionChainData& v) {
    std::size_t sum = 61;
    if (v.hit_detail) sum += TextOf<4096000>::measure(out, *v.hit_detail);
    return sum;
}
std::uint8_t* InteractionChainData::write(Encoder& out, std::uint8_t* p, const InteractionChainData& v) {
    if (!out.room(p, 61)) return p;
    p[0] = static_cast<std::uint8_t>(v.hit_location.has_value() | v.block_position.has_value() << 1 |
        v.hit_normal.has_value() << 2 | v.hit_detail.has_value() << 3);
    store_plain(p + 1, v.entity_id);
    store_plain(p + 5, v.proxy_id);
    store_plain(p + 21, v.hit_location);
    store_plain(p + 33, v.block_position);
    store_plain(p + 45, v.target_slot);
    store_plain(p + 49, v.hit_normal);
    auto* next = p + 61;
    if (v.hit_detail) next = TextOf<4096000>::write(out, next, *v.hit_detail);
    return next;
}

// InteractionSyncData
constexpr std::array<FixedPart, 14> k_parts_of_InteractionSyncData{{
    {0, 27, -1}, {27, 12, 0}, {39, 1, -1}, {40, 3, 1}, {43, 16, -1}, {59, 24, 2}, {83, 12, 3}, {95, 24, 4},
    {119, 4, -1}, {123, 12, 5}, {135, 6, -1}, {141, 16, 6}, {157, 4, 7}, {161, 4, 8},
}};
std::size_t InteractionSyncData::read(Decoder& in, std::size_t at, InteractionSyncData& v) {
    const auto* p = in.open(at, 165, k_parts_of_InteractionSyncData);
    const auto bits0 = p[0];
    const auto bits1 = p[1];
    in.symbol(p + 2, v.state);
    load_plain(p + 3, v.progress);
    load_plain(p + 7, v.operation_counter);
    load_plain(p + 11, v.root_interaction);
    load_plain(p + 15, v.total_forks);
    load_plain(p + 19, v.entity_id);
    load_plain(p + 23, v.entered_root_interaction);
    load_plain(p + 27, bits0 & 0x01, v.block_position);
    in.symbol(p + 39, v.block_face);
    if (v.block_rotation.set(bits0 & 0x02)) load_fixed(in, p + 40, *v.block_rotation);
    load_plain(p + 43, v.placed_block_id);
    load_plain(p + 47, v.charge_value);
    load_plain(p + 51, v.chaining_index);
    load_plain(p + 55, v.flag_index);
    load_plain(p + 59, bits0 & 0x04, v.attacker_pos);
    load_plain(p + 83, bits0 & 0x08, v.attacker_rot);
    load_plain(p + 95, bits0 & 0x10, v.raycast_hit);
    load_plain(p + 119, v.raycast_distance);
    load_plain(p + 123, bits0 & 0x20, v.raycast_normal);
    in.symbol(p + 135, v.movement_direction);
    in.symbol(p + 136, v.apply_force_state);
    load_plain(p + 137, v.next_label);
    load_plain(p + 141, bits0 & 0x40, v.generated_uuid);
    auto end = at + 165;
    if (v.fork_counts.set(bits0 & 0x80))
        take<MapOf<Symbol<InteractionType>, Number<std::int32_t>, 4096000>>(in, in.slot(at + 165, p + 157), *v.fork_counts, end);
    if (v.hit_entities.set(bits1 & 0x01))
        take<ListOf<Fixed<SelectedHitEntity>, 4096000>>(in, in.slot(at + 165, p + 161), *v.hit_entities, end);
    return in.close(end);
}
std::size_t InteractionSyncData::measure(Encoder& out, const InteractionSyncData& v) {
    std::size_t sum = 165;
    if (v.fork_counts)
        sum += MapOf<Symbol<InteractionType>, Number<std::int32_t>, 4096000>::measure(out, *v.fork_counts);
    if (v.hit_entities) sum += ListOf<Fixed<SelectedHitEntity>, 4096000>::measure(out, *v.hit_entities);
    return sum;
}
std::uint8_t* InteractionSyncData::write(Encoder& out, std::uint8_t* p, const InteractionSyncData& v) {
    if (!out.room(p, 165)) return p;
    p[0] = static_cast<std::uint8_t>(v.block_position.has_value() | v.block_rotation.has_value() << 1 |
        v.attacker_pos.has_value() << 2 | v.attacker_rot.has_value() << 3 | v.raycast_hit.has_value() << 4 |
        v.raycast_normal.has_value() << 5 | v.generated_uuid.has_value() << 6 | v.fork_counts.has_value() <<
        7);
    p[1] = static_cast<std::uint8_t>(v.hit_entities.has_value());
    out.symbol(p + 2, v.state);
    store_plain(p + 3, v.progress);
    store_plain(p + 7, v.operation_counter);
    store_plain(p + 11, v.root_interaction);
    store_plain(p + 15, v.total_forks);
    store_plain(p + 19, v.entity_id);
    store_plain(p + 23, v.entered_root_interaction);
    store_plain(p + 27, v.block_position);
    out.symbol(p + 39, v.block_face);
    if (v.block_rotation) store_fixed(out, p + 40, *v.block_rotation);
    else std::memset(p + 40, 0, 3);
    store_plain(p + 43, v.placed_block_id);
    store_plain(p + 47, v.charge_value);
    store_plain(p + 51, v.chaining_index);
    store_plain(p + 55, v.flag_index);
    store_plain(p + 59, v.attacker_pos);
    store_plain(p + 83, v.attacker_rot);
    store_plain(p + 95, v.raycast_hit);
    store_plain(p + 119, v.raycast_distance);
    store_plain(p + 123, v.raycast_normal);
    out.symbol(p + 135, v.movement_direction);
    out.symbol(p + 136, v.apply_force_state);
    store_plain(p + 137, v.next_label);
    store_plain(p + 141, v.generated_uuid);
    auto* next = p + 165;
    if (put_slot(p + 157, p + 165, next, v.fork_counts.has_value()))
        next = MapOf<Symbol<InteractionType>, Number<std::int32_t>, 4096000>::write(out, next, *v.fork_counts);
    if (put_slot(p + 161, p + 165, next, v.hit_entities.has_value()))
        next = ListOf<Fixed<SelectedHitEntity>, 4096000>::write(out, next, *v.hit_entities);
    return next;
}

} // namespace orbis::protocol::v2026_02_17
