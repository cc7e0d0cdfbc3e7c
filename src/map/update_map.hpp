#pragma once

#include "bytes/progress.hpp"
#include "map/layer.hpp"
#include "map/map_files.hpp"
#include "world/assets.hpp"
#include "world/location.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace orbis::map {

/// The layers of a map by default.
[[nodiscard]] std::vector<Layer> default_layers();

struct UpdateOptions {
    std::vector<Layer> layers = default_layers(); ///< each once
    std::size_t threads = 1;
    bool full = false;     ///< as if there were no map yet
    bool findings = false; ///< checks the world for the inspector
    /// A world of which no chunk can be read keeps the map that it has.
    bool keep_unreadable = false;
    std::string program; ///< name and version, for `map.js`
    std::string title;
};

/// What became of the map of one world.
struct WorldUpdate {
    std::string name;
    std::uint64_t chunks = 0;            ///< that the world has
    std::uint64_t chunks_unreadable = 0; ///< of these; they have no pixels
    std::uint64_t chunks_changed = 0;    ///< since the map was made: new, other or gone
    std::uint64_t chunks_read = 0;       ///< decompressed, also only for their edges
    std::uint64_t tiles = 0;             ///< that the map has
    std::uint64_t tiles_written = 0;
    std::uint64_t tiles_kept = 0;    ///< rendered again and the same as before
    std::uint64_t tiles_removed = 0; ///< that were there before and are not any more
    std::uint64_t bytes_written = 0; ///< of tiles
    std::uint64_t files_removed = 0; ///< that nothing names any more
    int levels = 0;
    std::uint64_t generation = 0;
    bool changed = false; ///< the index was replaced
    bool kept = false;    ///< nothing could be read, and the map is the one from before
    /// Chunks and files that could not be read, also those that an earlier run has met; the map is made
    /// without them. At most some hundred.
    std::vector<Error> problems;
    std::uint64_t problem_count = 0;
};

/// Makes or updates the map of one world in `folder` (`OUT/worlds/NAME`). Reads all stored chunks, but
/// decompresses only what is needed for tiles whose chunks changed. The map on disk is the old one until the
/// index is replaced in one step. Memory does not grow with the world.
Result<WorldUpdate> update_world(const world::World& world, const world::Assets& assets, MapFiles& files,
                                 const std::filesystem::path& folder, const UpdateOptions& options,
                                 Progress& progress);

/// A world that the map had and the universe has not.
struct DroppedWorld {
    std::string name;
    std::uint64_t files_removed = 0;
};

struct MapUpdate {
    std::vector<WorldUpdate> worlds;
    std::vector<DroppedWorld> dropped;
    bool has_page = false; ///< this program has the page in it and wrote it
};

/// Makes or updates a map folder with all worlds of a location and the page. Refuses a folder that is neither
/// empty nor a map, and one that another run is at. With a universe the map has its worlds and no others
/// afterwards; with a location of another kind the other worlds of the map stay as they are.
Result<MapUpdate> update_map(const world::Location& location, const world::Assets& assets, MapFiles& files,
                             const std::filesystem::path& folder, const UpdateOptions& options,
                             Progress& progress);

} // namespace orbis::map
