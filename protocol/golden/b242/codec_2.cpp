// Made by protocol/generate.py from the schema of b242; not to be edited.
#include "packets/vb242/interface.hpp"
#include "packets/vb242/player.hpp"
#include "packets/vb242/setup.hpp"
#include "packets/vb242/world.hpp"
#include "protocol/list_elements.hpp"

namespace orbis::protocol::vb242 {


inline void load_fixed(const std::uint8_t* p, MovementStates& v) {
    v.idle = (p[0] & 0x01) != 0;
    v.horizontal_idle = (p[0] & 0x02) != 0;
    v.jumping = (p[0] & 0x04) != 0;
    v.flying = (p[0] & 0x08) != 0;
    v.walking = (p[0] & 0x10) != 0;
    v.running = (p[0] & 0x20) != 0;
    v.sprinting = (p[0] & 0x40) != 0;
    v.crouching = (p[0] & 0x80) != 0;
    v.forced_crouching = (p[1] & 0x01) != 0;
    v.falling = (p[1] & 0x02) != 0;
    v.falling_far = (p[1] & 0x04) != 0;
    v.climbing = (p[1] & 0x08) != 0;
    v.in_fluid = (p[1] & 0x10) != 0;
    v.swimming = (p[1] & 0x20) != 0;
    v.swim_jumping = (p[1] & 0x40) != 0;
    v.on_ground = (p[1] & 0x80) != 0;
    v.mantling = (p[2] & 0x01) != 0;
    v.sliding = (p[2] & 0x02) != 0;
    v.mounting = (p[2] & 0x04) != 0;
    v.rolling = (p[2] & 0x08) != 0;
    v.sitting = (p[2] & 0x10) != 0;
    v.gliding = (p[2] & 0x20) != 0;
    v.sleeping = (p[2] & 0x40) != 0;
    load_plain(p + 3, v.extra_jumps_used);
}
inline void store_fixed(std::uint8_t* p, const MovementStates& v) {
    p[0] = static_cast<std::uint8_t>(v.idle | v.horizontal_idle << 1 | v.jumping << 2 | v.flying << 3 |
        v.walking << 4 | v.running << 5 | v.sprinting << 6 | v.crouching << 7);
    p[1] = static_cast<std::uint8_t>(v.forced_crouching | v.falling << 1 | v.falling_far << 2 | v.climbing <<
        3 | v.in_fluid << 4 | v.swimming << 5 | v.swim_jumping << 6 | v.on_ground << 7);
    p[2] = static_cast<std::uint8_t>(v.mantling | v.sliding << 1 | v.mounting << 2 | v.rolling << 3 |
        v.sitting << 4 | v.gliding << 5 | v.sleeping << 6);
    store_plain(p + 3, v.extra_jumps_used);
}

inline void load_fixed(Decoder& in, const std::uint8_t* p, Position& v) {
    load_plain(p, v.x);
    in.finite(p, v.x);
    load_plain(p + 8, v.y);
    in.finite(p + 8, v.y);
    load_plain(p + 16, v.z);
    in.finite(p + 16, v.z);
}
inline void store_fixed(Encoder& out, std::uint8_t* p, const Position& v) {
    store_plain(p, v.x);
    out.finite(v.x);
    store_plain(p + 8, v.y);
    out.finite(v.y);
    store_plain(p + 16, v.z);
    out.finite(v.z);
}

inline void load_fixed(Decoder& in, const std::uint8_t* p, Direction& v) {
    load_plain(p, v.yaw);
    in.finite(p, v.yaw);
    load_plain(p + 4, v.pitch);
    in.finite(p + 4, v.pitch);
    load_plain(p + 8, v.roll);
    in.finite(p + 8, v.roll);
}
inline void store_fixed(Encoder& out, std::uint8_t* p, const Direction& v) {
    store_plain(p, v.yaw);
    out.finite(v.yaw);
    store_plain(p + 4, v.pitch);
    out.finite(v.pitch);
    store_plain(p + 8, v.roll);
    out.finite(v.roll);
}

inline void load_fixed(Decoder& in, const std::uint8_t* p, Vector3d& v) {
    load_plain(p, v.x);
    in.finite(p, v.x);
    load_plain(p + 8, v.y);
    in.finite(p + 8, v.y);
    load_plain(p + 16, v.z);
    in.finite(p + 16, v.z);
}
inline void store_fixed(Encoder& out, std::uint8_t* p, const Vector3d& v) {
    store_plain(p, v.x);
    out.finite(v.x);
    store_plain(p + 8, v.y);
    out.finite(v.y);
    store_plain(p + 16, v.z);
    out.finite(v.z);
}

inline void load_fixed(Decoder& in, const std::uint8_t* p, ClientMovement& v) {
    const auto bits0 = p[0];
    const auto bits1 = p[1];
    if (v.movement_states.set(bits0 & 0x01)) load_fixed(p + 2, *v.movement_states);
    load_plain(p + 6, bits0 & 0x02, v.relative_position);
    if (v.absolute_position.set(bits0 & 0x04)) load_fixed(in, p + 12, *v.absolute_position);
    if (v.body_orientation.set(bits0 & 0x08)) load_fixed(in, p + 36, *v.body_orientation);
    if (v.look_orientation.set(bits0 & 0x10)) load_fixed(in, p + 48, *v.look_orientation);
    load_plain(p + 60, bits0 & 0x20, v.teleport_ack);
    if (v.wish_movement.set(bits0 & 0x40)) load_fixed(in, p + 61, *v.wish_movement);
    if (v.velocity.set(bits0 & 0x80)) load_fixed(in, p + 85, *v.velocity);
    load_plain(p + 109, v.mounted_to);
    if (v.rider_movement_states.set(bits1 & 0x01)) load_fixed(p + 113, *v.rider_movement_states);
}
inline void store_fixed(Encoder& out, std::uint8_t* p, const ClientMovement& v) {
    p[0] = static_cast<std::uint8_t>(v.movement_states.has_value() | v.relative_position.has_value() << 1 |
        v.absolute_position.has_value() << 2 | v.body_orientation.has_value() << 3 |
        v.look_orientation.has_value() << 4 | v.teleport_ack.has_value() << 5 | v.wish_movement.has_value() <<
        6 | v.velocity.has_value() << 7);
    p[1] = static_cast<std::uint8_t>(v.rider_movement_states.has_value());
    if (v.movement_states) store_fixed(p + 2, *v.movement_states);
    else std::memset(p + 2, 0, 4);
    store_plain(p + 6, v.relative_position);
    if (v.absolute_position) store_fixed(out, p + 12, *v.absolute_position);
    else std::memset(p + 12, 0, 24);
    if (v.body_orientation) store_fixed(out, p + 36, *v.body_orientation);
    else std::memset(p + 36, 0, 12);
    if (v.look_orientation) store_fixed(out, p + 48, *v.look_orientation);
    else std::memset(p + 48, 0, 12);
    store_plain(p + 60, v.teleport_ack);
    if (v.wish_movement) store_fixed(out, p + 61, *v.wish_movement);
    else std::memset(p + 61, 0, 24);
    if (v.velocity) store_fixed(out, p + 85, *v.velocity);
    else std::memset(p + 85, 0, 24);
    store_plain(p + 109, v.mounted_to);
    if (v.rider_movement_states) store_fixed(p + 113, *v.rider_movement_states);
    else std::memset(p + 113, 0, 4);
}

inline void load_fixed(Decoder& in, const std::uint8_t* p, ViewRadius& v) {
    load_plain(p, v.value);
    in.at_least<std::int32_t>(p, 0, v.value);
}
inline void store_fixed(Encoder& out, std::uint8_t* p, const ViewRadius& v) {
    store_plain(p, v.value);
    out.at_least<std::int32_t>(0, v.value);
}

// ShowEventTitle
std::size_t ShowEventTitle::read(Decoder& in, std::size_t at, ShowEventTitle& v) {
    const auto* p = in.open(at, 29, {});
    const auto bits0 = p[0];
    load_plain(p + 1, v.fade_in_duration);
    in.finite(p + 1, v.fade_in_duration);
    load_plain(p + 5, v.fade_out_duration);
    in.finite(p + 5, v.fade_out_duration);
    load_plain(p + 9, v.duration);
    in.finite(p + 9, v.duration);
    in.wide_symbol(p + 13, v.style);
    auto end = at + 29;
    if (v.icon.set(in.in_turn(at + 29, p + 17, end, bits0 & 0x01)))
        take<TextOf<4096000>>(in, end, *v.icon, end);
    if (v.primary_title.set(in.in_turn(at + 29, p + 21, end, bits0 & 0x02)))
        take<Struct<FormattedMessage>>(in, end, *v.primary_title, end);
    if (v.secondary_title.set(in.in_turn(at + 29, p + 25, end, bits0 & 0x04)))
        take<Struct<FormattedMessage>>(in, end, *v.secondary_title, end);
    return in.close(end);
}
std::size_t ShowEventTitle::measure(Encoder& out, const ShowEventTitle& v) {
    std::size_t sum = 29;
    if (v.icon) sum += TextOf<4096000>::measure(out, *v.icon);
    if (v.primary_title) sum += Struct<FormattedMessage>::measure(out, *v.primary_title);
    if (v.secondary_title) sum += Struct<FormattedMessage>::measure(out, *v.secondary_title);
    return sum;
}
std::uint8_t* ShowEventTitle::write(Encoder& out, std::uint8_t* p, const ShowEventTitle& v) {
    if (!out.room(p, 29)) return p;
    p[0] = static_cast<std::uint8_t>(v.icon.has_value() | v.primary_title.has_value() << 1 |
        v.secondary_title.has_value() << 2);
    store_plain(p + 1, v.fade_in_duration);
    out.finite(v.fade_in_duration);
    store_plain(p + 5, v.fade_out_duration);
    out.finite(v.fade_out_duration);
    store_plain(p + 9, v.duration);
    out.finite(v.duration);
    out.wide_symbol(p + 13, v.style);
    auto* next = p + 29;
    if (put_slot(p + 17, p + 29, next, v.icon.has_value())) next = TextOf<4096000>::write(out, next, *v.icon);
    if (put_slot(p + 21, p + 29, next, v.primary_title.has_value()))
        next = Struct<FormattedMessage>::write(out, next, *v.primary_title);
    if (put_slot(p + 25, p + 29, next, v.secondary_title.has_value()))
        next = Struct<FormattedMessage>::write(out, next, *v.secondary_title);
    return next;
}

// StringParamValue
std::size_t StringParamValue::read(Decoder& in, std::size_t at, StringParamValue& v) {
    const auto* p = in.open(at, 1, {});
    const auto bits0 = p[0];
    auto end = at + 1;
    if (v.value.set(bits0 & 0x01)) take_inline<TextOf<4096000>>(in, at + 1, *v.value, end);
    return in.close(end);
}
std::size_t StringParamValue::measure(Encoder& out, const StringParamValue& v) {
    std::size_t sum = 1;
    if (v.value) sum += TextOf<4096000>::measure(out, *v.value);
    return sum;
}
std::uint8_t* StringParamValue::write(Encoder& out, std::uint8_t* p, const StringParamValue& v) {
    if (!out.room(p, 1)) return p;
    p[0] = static_cast<std::uint8_t>(v.value.has_value());
    auto* next = p + 1;
    if (v.value) next = TextOf<4096000>::write(out, next, *v.value);
    return next;
}

// ClientMovement
std::size_t ClientMovement::read(Decoder& in, std::size_t at, ClientMovement& v) { return Fixed<ClientMovement>::read(in, at, v); }
std::uint8_t* ClientMovement::write(Encoder& out, std::uint8_t* p, const ClientMovement& v) { return Fixed<ClientMovement>::write(out, p, v); }

// ViewRadius
std::size_t ViewRadius::read(Decoder& in, std::size_t at, ViewRadius& v) { return Fixed<ViewRadius>::read(in, at, v); }
std::uint8_t* ViewRadius::write(Encoder& out, std::uint8_t* p, const ViewRadius& v) { return Fixed<ViewRadius>::write(out, p, v); }

// SetColumn
std::size_t SetColumn::read(Decoder& in, std::size_t at, SetColumn& v) {
    const auto* p = in.open(at, 4104, {});
    load_plain(p, v.x);
    load_plain(p + 4, v.z);
    load_plain(p + 8, v.heightmap);
    auto end = at + 4104;
    take_inline<BytesOf<4096000>>(in, at + 4104, v.tintmap, end);
    return in.close(end);
}
std::size_t SetColumn::measure(Encoder& out, const SetColumn& v) {
    std::size_t sum = 4104;
    sum += BytesOf<4096000>::measure(out, v.tintmap);
    return sum;
}
std::uint8_t* SetColumn::write(Encoder& out, std::uint8_t* p, const SetColumn& v) {
    if (!out.room(p, 4104)) return p;
    store_plain(p, v.x);
    store_plain(p + 4, v.z);
    store_plain(p + 8, v.heightmap);
    auto* next = p + 4104;
    next = BytesOf<4096000>::write(out, next, v.tintmap);
    return next;
}

} // namespace orbis::protocol::vb242
