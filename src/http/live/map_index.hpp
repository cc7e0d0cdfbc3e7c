#pragma once

#include "http/live/tile_cache.hpp"
#include "map/map_state.hpp"

#include <filesystem>
#include <memory>

namespace orbis::http {

/// A map of the world as the last update has left it.
struct MapIndex {
    map::MapState state;
    std::uint64_t generation = 0;
    std::uint64_t as_of = 0; ///< the last change (`Changes`) when its making began
    bool current = false;    ///< made by this run: false for what an earlier one has left

    /// Whether the layer was rendered for the whole world.
    [[nodiscard]] bool has(map::Layer layer) const;
    /// Whether it also has that level: then a tile that it does not name is without any pixel.
    [[nodiscard]] bool covers(const TileKey& key) const;
    /// The hash of a tile; 0 if there is none.
    [[nodiscard]] std::uint64_t hash(const TileKey& key) const;
};

/// The map in the folder of a world; null if there is none that can be used.
std::shared_ptr<MapIndex> load_map_index(const std::filesystem::path& folder);

/// Tiles that are not the same in both.
std::vector<LevelTile> different_tiles(const MapIndex& a, const MapIndex& b);

} // namespace orbis::http
