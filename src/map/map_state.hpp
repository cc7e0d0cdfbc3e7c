#pragma once

#include "map/layer.hpp"
#include "map/tile.hpp"
#include "world/assets.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace orbis::map {

/// The tiles of one level, with the hash of each file.
using TileTable = std::map<TilePos, std::uint64_t>;

struct LayerTiles {
    Layer layer;
    std::vector<TileTable> levels;
    friend bool operator==(const LayerTiles&, const LayerTiles&) = default;
};

struct RegionEntry {
    std::uint64_t state = 0; ///< hash of the file with its facts
    std::uint32_t chunks = 0;
    ChunkPos least; ///< of all its chunks, both axes
    ChunkPos most;
    friend bool operator==(const RegionEntry&, const RegionEntry&) = default;
};

/// All that the next run must know of a map of one world. The same for the same world, whichever way it came
/// about.
struct MapState {
    std::uint64_t recipe = 0; ///< what the pixels depend on beside the chunks
    std::vector<LayerTiles> layers;
    std::map<RegionPos, RegionEntry> regions;
    /// Tiles that were rendered beside a chunk that changed meanwhile: stale from the start.
    std::set<TilePos> redo;
    std::uint64_t facts = 0;
    std::uint64_t inspect = 0;
    std::uint64_t facts_recipe = 0; ///< what these two are made from
    std::string legend;             ///< as it stands in the index

    [[nodiscard]] Buffer save() const;
    static Result<MapState> load(Bytes file);
    friend bool operator==(const MapState&, const MapState&) = default;

    // Paths of files, relative to the folder of the world.
    static std::string tile_path(Layer layer, int level, TilePos pos, std::uint64_t hash);
    static std::string region_path(RegionPos pos, std::uint64_t hash);
    static std::string state_path(std::uint64_t hash);
    static std::string facts_path(std::uint64_t hash);
    static std::string inspect_path(std::uint64_t hash);

    /// Adds every file that belongs to this state, itself with this hash included.
    void add_paths(std::uint64_t own_hash, std::set<std::string>& out) const;
};

/// What pixels depend on beside the chunks: the tables of blocks, the layers, the rules of this program.
std::uint64_t recipe_of(const world::Assets& assets, std::span<const Layer> layers);

} // namespace orbis::map
