#pragma once

#include "game/mapview/map_images.hpp"
#include "net/link.hpp"
#include "packets/shared.hpp"

namespace orbis::game {

/// The settings of the map that every player gets: no rights but to look.
packets::UpdateWorldMapSettings world_map_settings();

/// Another player on the map. The name belongs to the caller and is valid during the call.
struct PlayerMarker {
    protocol::Uuid player{};
    std::string_view name{};
    packets::Position at{};
    packets::Direction facing{};
};

/// What one player has of the map of its world: which tiles and which markers. Takes 4 KiB at the usual
/// radius. Runs in the thread of the network; a player who goes to another world gets a new one.
class MapStream {
public:
    /// `images` must outlive this.
    explicit MapStream(MapImages& images) : images_(images) {}

    /// Tiles that are looked at in a pass, and the bytes that a pass sends.
    static constexpr std::size_t k_most_tiles = 20;
    static constexpr std::size_t k_most_bytes = 2'621'440;
    static constexpr auto k_pass = std::chrono::milliseconds(100);
    static constexpr auto k_look = std::chrono::seconds(1);

    /// Appends what is to be sent now: `ClearWorldMap` the first time, then tiles, nearest first, while the
    /// channel `is_writable`. To be called every tick; most calls return at once.
    Result<void> pass(net::Time now, ChunkPos centre, int view_radius, bool is_writable,
                      net::FrameTools<protocol::Side::server>& tools, std::vector<net::OutgoingFrame>& out);

    /// Appends what is new of other players, once per second: those who have come near, moved or gone.
    /// `others` are all of the world; `own` is left out.
    Result<void> mark(net::Time now, std::span<const PlayerMarker> others, const protocol::Uuid& own,
                      net::FrameTools<protocol::Side::server>& tools, std::vector<net::OutgoingFrame>& out);

    /// How far the map reaches in chunks for this view radius.
    static int map_radius(int view_radius);

private:
    enum class State : std::uint8_t {
        unknown,
        absent, ///< there is no chunk
        sent,
        stale, ///< sent, and changed since
    };
    struct Marked {
        protocol::Uuid player;
        packets::Position at;
    };

    void move_to(ChunkPos centre, int radius, std::vector<packets::MapChunk>& forgotten);
    void take_changes(net::Time now);
    State& state(ChunkPos pos);
    [[nodiscard]] bool reaches(ChunkPos pos) const;
    /// Appends tiles; whether all that can be seen are there.
    bool send_tiles(std::vector<packets::MapChunk>& forgotten, std::vector<net::OutgoingFrame>& out);

    MapImages& images_;
    ChunkPos centre_;
    int radius_ = -1;
    std::vector<State> states_; ///< of the square around the centre
    std::size_t done_ = 0;      ///< how many of the nearest tiles need nothing
    std::uint64_t moment_ = 0;  ///< of the changes that are known
    net::Time next_pass_{};
    net::Time next_look_{};
    net::Time next_marks_{};
    std::vector<Marked> marked_; ///< by uuid
    bool has_begun_ = false;
};

} // namespace orbis::game
