#pragma once

#include "bytes/position.hpp"
#include "packets/player.hpp"

#include <deque>
#include <optional>
#include <utility>

namespace orbis::game {

/// Where a player is, where it looks and what it does, as its client says; and the teleports that the client
/// has to acknowledge first (docs/formats/network.md).
class Movement {
public:
    enum class Outcome : std::uint8_t {
        applied,
        ignored,
        forbidden, ///< no client of the game sends this: it has to go
    };

    explicit Movement(const packets::Position& at) { reset(at); }

    /// The player appears somewhere, as when it joins a world: nothing is pending.
    void reset(const packets::Position& at);
    /// Takes what the client says. Nothing moves the player while it waits or is mounted elsewhere.
    Outcome apply(const packets::ClientMovement& movement, bool is_waiting);
    /// Puts the player elsewhere; the packet for its client.
    packets::ClientTeleport teleport(const packets::Position& to);

    [[nodiscard]] const packets::Position& position() const { return position_; }
    [[nodiscard]] const packets::Direction& body() const { return body_; }
    [[nodiscard]] const packets::Direction& look() const { return look_; }
    [[nodiscard]] const packets::MovementStates& states() const { return states_; }
    [[nodiscard]] BlockPos block() const;
    [[nodiscard]] bool has_pending_teleport() const { return !teleports_.empty(); }
    /// Whether anything changed since it was last asked.
    bool take_changed() { return std::exchange(has_changed_, false); }

private:
    struct Teleport {
        std::uint8_t id;
        packets::Position to;
    };
    bool acknowledge(const packets::ClientMovement& movement);

    packets::Position position_;
    packets::Direction body_;
    packets::Direction look_;
    packets::MovementStates states_;
    std::deque<Teleport> teleports_;
    std::uint8_t next_teleport_ = 0;
    bool has_changed_ = true;
};

} // namespace orbis::game
