#pragma once

#include "jobs/verify/finding.hpp"
#include "map/colours.hpp"
#include "map/map_files.hpp"
#include "map/map_state.hpp"
#include "map/markers.hpp"
#include "map/region_facts.hpp"

#include <functional>
#include <unordered_map>

namespace orbis::map {

/// What a check of a world has found.
struct WorldFindings {
    struct InChunk {
        std::uint64_t count = 0;
        std::uint8_t worst = 0; ///< 1 note, 2 wrong, 3 damage
    };
    std::unordered_map<ChunkPos, InChunk> chunks; ///< only those that have some
    std::vector<std::string> lines;               ///< JSON; as many as a page can show
    std::uint64_t left_out = 0;                   ///< lines beyond that
    std::size_t in_chunks = 0;                    ///< of the lines

    /// Says nothing of where the world is: a map may be for others to see.
    void add(const jobs::Finding& finding);
};

/// What the files of facts are made from beside the regions.
struct FactInputs {
    std::vector<Marker> markers;
    std::vector<Error> problems; ///< files that cannot be read, so that their chunks are not on the map
    const WorldFindings* findings = nullptr; ///< null: not looked for

    /// Changes when any of it does, or the state of a region.
    [[nodiscard]] std::uint64_t recipe(const MapState& state) const;
};

/// Writes the facts and the values for the inspector of a world, region by region, and works out the legend.
/// Memory does not grow with the number of containers, entities and chunks, but with that of different block
/// keys and names. Fills `facts`, `inspect`, `legend` and `facts_recipe` of the state.
///
/// `on_region` sees the facts of each region on the way.
Result<void> write_world_facts(MapFiles& files, const std::filesystem::path& folder, const Colours& colours,
                               const FactInputs& inputs, MapState& state, const MapState* old,
                               std::size_t threads, const std::function<void(const RegionFacts&)>& on_region);

} // namespace orbis::map
