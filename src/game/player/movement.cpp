#include "game/player/movement.hpp"

#include "packets/player.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace orbis::game {
namespace {

/// Of `relativePosition`.
constexpr double k_units_per_block = 10'000;
/// The square of the distance at which an acknowledged position is still the right one.
constexpr double k_teleport_slack = 0.001;
/// Blocks beyond this have no chunk that a packet could name.
constexpr double k_farthest_coordinate = 1 << 30;
/// A client that lets more teleports gather does not answer.
constexpr std::size_t k_most_teleports = 256;

bool is_finite(const packets::Position& at) {
    return std::isfinite(at.x) && std::isfinite(at.y) && std::isfinite(at.z);
}
bool is_finite(const packets::Direction& at) {
    return std::isfinite(at.yaw) && std::isfinite(at.pitch) && std::isfinite(at.roll);
}
template <typename T>
bool is_finite(const protocol::Opt<T>& part) {
    return !part || is_finite(*part);
}

std::int32_t block_of(double coordinate) {
    return static_cast<std::int32_t>(
        std::floor(std::clamp(coordinate, -k_farthest_coordinate, k_farthest_coordinate)));
}

} // namespace

void Movement::reset(const packets::Position& at) {
    position_ = at;
    body_ = look_ = {};
    states_ = {};
    states_.idle = states_.horizontal_idle = states_.on_ground = true;
    teleports_.clear();
    next_teleport_ = 0;
    has_changed_ = true;
}

BlockPos Movement::block() const {
    return {block_of(position_.x), block_of(position_.y), block_of(position_.z)};
}

packets::ClientTeleport Movement::teleport(const packets::Position& to) {
    if (teleports_.empty()) next_teleport_ = 0;
    if (teleports_.size() == k_most_teleports) teleports_.pop_front();
    teleports_.push_back({next_teleport_++, to});
    position_ = to;
    has_changed_ = true;
    packets::ClientTeleport packet;
    packet.teleport_id = static_cast<std::int8_t>(teleports_.back().id);
    packets::ModelTransform transform;
    transform.position = to;
    packet.model_transform = transform;
    packet.reset_velocity = true;
    return packet;
}

bool Movement::acknowledge(const packets::ClientMovement& movement) {
    if (teleports_.empty() || !movement.absolute_position) return false;
    const auto& expected = teleports_.front();
    const auto& said = *movement.absolute_position;
    const auto x = said.x - expected.to.x;
    const auto y = said.y - expected.to.y;
    const auto z = said.z - expected.to.z;
    if (static_cast<std::uint8_t>(movement.teleport_ack->teleport_id) != expected.id
        || x * x + y * y + z * z > k_teleport_slack)
        return false;
    teleports_.pop_front();
    return true;
}

Movement::Outcome Movement::apply(const packets::ClientMovement& movement, bool is_waiting) {
    if (!is_finite(movement.absolute_position) || !is_finite(movement.body_orientation)
        || !is_finite(movement.look_orientation) || !is_finite(movement.wish_movement))
        return Outcome::forbidden;
    // An answer to a teleport counts while the player waits too: it may come before the world is shown.
    if (movement.teleport_ack && (!is_waiting || has_pending_teleport()) && !acknowledge(movement))
        return Outcome::forbidden;
    if (is_waiting || movement.mounted_to != 0) return Outcome::ignored;
    if (movement.movement_states) states_ = *movement.movement_states;
    has_changed_ = true;
    if (has_pending_teleport()) return Outcome::applied;
    if (movement.absolute_position) {
        position_ = *movement.absolute_position;
    } else if (movement.relative_position) {
        position_.x += movement.relative_position->x / k_units_per_block;
        position_.y += movement.relative_position->y / k_units_per_block;
        position_.z += movement.relative_position->z / k_units_per_block;
    }
    if (movement.body_orientation) body_ = *movement.body_orientation;
    if (movement.look_orientation) look_ = *movement.look_orientation;
    return Outcome::applied;
}

} // namespace orbis::game
