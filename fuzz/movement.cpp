// What the client of a player says about where it is, and teleports between: the first byte of a step says
// which, the payload of a ClientMovement or a chat line follows. Whatever comes, a player is at a place that
// has a block, and a chat line that is passed on is one line of text.

#include "game/player/movement.hpp"

#include "game/player/chat.hpp"
#include "protocol/packets.hpp"
#include "target.hpp"

#include <algorithm>
#include <cmath>

using namespace orbis;
using namespace orbis::game;

std::vector<Buffer> fuzz::seeds() {
    std::vector<Buffer> out;
    const auto add = [&](std::initializer_list<std::uint8_t> steps, const packets::ClientMovement& movement) {
        protocol::PayloadWriter writer;
        const auto written = writer.write(movement);
        if (!written) return;
        const Bytes payload = *written;
        Buffer seed(steps);
        seed.push_back(2);
        seed.push_back(static_cast<std::uint8_t>(payload.size()));
        seed.insert(seed.end(), payload.begin(), payload.end());
        out.push_back(std::move(seed));
    };
    packets::ClientMovement movement;
    movement.absolute_position = packets::Position{};
    add({}, movement);
    movement.teleport_ack = packets::TeleportAck{};
    add({0, 0}, movement);
    movement = {};
    movement.relative_position = packets::HalfFloatPosition{};
    movement.movement_states = packets::MovementStates{};
    add({1}, movement);
    out.push_back({3, 5, 'h', 'e', 'l', 'l', 'o'});
    return out;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Movement movement(packets::Position{});
    bool is_waiting = false;
    protocol::Arena arena;
    for (std::size_t at = 0; at < size;) {
        const auto step = data[at++] % 4;
        if (step == 0) {
            (void)movement.teleport(packets::Position{});
            continue;
        }
        if (step == 1) {
            is_waiting = !is_waiting;
            continue;
        }
        const std::size_t wanted = at < size ? data[at++] : 0;
        const Buffer bytes(data + at, data + at + std::min(wanted, size - at));
        at += bytes.size();
        if (step == 3) {
            const auto line = clean_chat(as_text(bytes));
            if (line) fuzz::require(!line->empty() && line->find('\n') == std::string::npos);
            continue;
        }
        arena.reset();
        packets::ClientMovement packet;
        if (!protocol::decode(bytes, arena, packet)) continue;
        const auto before = movement.position();
        const auto outcome = movement.apply(packet, is_waiting);
        const auto& now = movement.position();
        fuzz::require(std::isfinite(now.x) && std::isfinite(now.y) && std::isfinite(now.z));
        if (outcome != Movement::Outcome::applied)
            fuzz::require(now.x == before.x && now.y == before.y && now.z == before.z);
        (void)movement.block().chunk();
    }
    return 0;
}
