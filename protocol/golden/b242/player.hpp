// Made by protocol/generate.py from the schema of b242; not to be edited.
#pragma once

#include "packets/vb242/fwd.hpp"
#include "protocol/packet_info.hpp"
#include "protocol/types.hpp"

namespace orbis::protocol::vb242 {

struct MovementStates {
    bool idle = false;
    bool horizontal_idle = false;
    bool jumping = false;
    bool flying = false;
    bool walking = false;
    bool running = false;
    bool sprinting = false;
    bool crouching = false;
    bool forced_crouching = false;
    bool falling = false;
    bool falling_far = false;
    bool climbing = false;
    bool in_fluid = false;
    bool swimming = false;
    bool swim_jumping = false;
    bool on_ground = false;
    bool mantling = false;
    bool sliding = false;
    bool mounting = false;
    bool rolling = false;
    bool sitting = false;
    bool gliding = false;
    bool sleeping = false;
    std::int8_t extra_jumps_used = 0;

    static constexpr std::uint32_t k_fixed = 4, k_var_start = 4;
    static constexpr bool k_bulk = false, k_any_bytes = true;
};

struct HalfFloatPosition {
    std::int16_t x = 0;
    std::int16_t y = 0;
    std::int16_t z = 0;

    static constexpr std::uint32_t k_fixed = 6, k_var_start = 6;
    static constexpr bool k_bulk = true, k_any_bytes = true;
};
static_assert(sizeof(HalfFloatPosition) == 6);

struct Position {
    double x = 0;
    double y = 0;
    double z = 0;

    static constexpr std::uint32_t k_fixed = 24, k_var_start = 24;
    static constexpr bool k_bulk = false, k_any_bytes = false;
};

struct Direction {
    float yaw = 0;
    float pitch = 0;
    float roll = 0;

    static constexpr std::uint32_t k_fixed = 12, k_var_start = 12;
    static constexpr bool k_bulk = false, k_any_bytes = false;
};

struct TeleportAck {
    std::int8_t teleport_id = 0;

    static constexpr std::uint32_t k_fixed = 1, k_var_start = 1;
    static constexpr bool k_bulk = true, k_any_bytes = true;
};
static_assert(sizeof(TeleportAck) == 1);

struct Vector3d {
    double x = 0;
    double y = 0;
    double z = 0;

    static constexpr std::uint32_t k_fixed = 24, k_var_start = 24;
    static constexpr bool k_bulk = false, k_any_bytes = false;
};

struct ClientMovement {
    Opt<MovementStates> movement_states;
    Opt<HalfFloatPosition> relative_position;
    Opt<Position> absolute_position;
    Opt<Direction> body_orientation;
    Opt<Direction> look_orientation;
    Opt<TeleportAck> teleport_ack;
    Opt<Position> wish_movement;
    Opt<Vector3d> velocity;
    std::int32_t mounted_to = 0;
    Opt<MovementStates> rider_movement_states;

    static constexpr std::uint32_t k_fixed = 117, k_var_start = 117;
    static constexpr bool k_bulk = false, k_any_bytes = false;
    static constexpr PacketInfo k_info{108, "ClientMovement", "player",
                                       protocol::Direction::to_server, protocol::Channel{0}, false,
                                       117, 117, 117};
    static constexpr bool k_bounded = true;
    static constexpr bool k_canonical = true;
    static std::size_t read(Decoder& in, std::size_t at, ClientMovement& v);
    static std::uint8_t* write(Encoder& out, std::uint8_t* p, const ClientMovement& v);
};

} // namespace orbis::protocol::vb242
