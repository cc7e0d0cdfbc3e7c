#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

namespace orbis::protocol {

/// The two ends of a connection.
enum class Side : std::uint8_t { client, server };

/// The side that may receive a packet. Builds before 2026.02.17 do not say.
enum class Direction : std::uint8_t { to_client, to_server, both, unstated };

/// The streams of a connection (docs/formats/protocol.md). The numbers are the game's; a later build may have
/// more of them.
enum class Channel : std::uint8_t { normal = 0, chunks = 1, world_map = 2, voice = 3 };

/// Channels as the schemas write them: Default, Chunks and so on; empty for one that has no name here.
constexpr std::string_view name(Channel channel) {
    switch (channel) {
    case Channel::normal: return "Default";
    case Channel::chunks: return "Chunks";
    case Channel::world_map: return "WorldMap";
    case Channel::voice: return "Voice";
    }
    return {};
}

/// Directions as the schemas write them: ToClient, ToServer, Both; empty when unstated.
constexpr std::string_view name(Direction direction) {
    switch (direction) {
    case Direction::to_client: return "ToClient";
    case Direction::to_server: return "ToServer";
    case Direction::both: return "Both";
    case Direction::unstated: break;
    }
    return {};
}

/// What the frame layer must know about a packet.
struct PacketInfo {
    std::int32_t id = 0;
    std::string_view name;
    std::string_view category;
    Direction direction = Direction::unstated;
    Channel channel = Channel::normal;
    bool compressed = false;
    std::uint32_t fixed = 0;    ///< bytes of the fixed block
    std::uint32_t smallest = 0; ///< bytes of the smallest payload that the game writes
    std::uint32_t largest = 0;  ///< bytes of the largest payload, before compression

    [[nodiscard]] constexpr bool may_reach(Side side) const {
        return direction != (side == Side::client ? Direction::to_server : Direction::to_client);
    }
};

/// The packets of one build, sorted by id.
class Registry {
public:
    constexpr explicit Registry(std::span<const PacketInfo> sorted) : packets_(sorted) {}

    /// Null for an id that the build does not know.
    [[nodiscard]] constexpr const PacketInfo* find(std::int32_t id) const {
        const auto at = std::ranges::lower_bound(packets_, id, {}, &PacketInfo::id);
        return at != packets_.end() && at->id == id ? &*at : nullptr;
    }

    [[nodiscard]] constexpr const PacketInfo* find(std::string_view packet) const {
        const auto at = std::ranges::find(packets_, packet, &PacketInfo::name);
        return at != packets_.end() ? &*at : nullptr;
    }

    [[nodiscard]] constexpr std::span<const PacketInfo> packets() const { return packets_; }

private:
    std::span<const PacketInfo> packets_;
};

/// No payload of any packet is larger (docs/formats/protocol.md).
inline constexpr std::uint32_t k_largest_payload = 1'677'721'600;

} // namespace orbis::protocol
