#pragma once

#include "bytes/progress.hpp"
#include "map/map_state.hpp"
#include "map/region_facts.hpp"
#include "storage/store.hpp"

#include <filesystem>
#include <vector>

namespace orbis::map {

/// What could not be read of the chunks of a region.
struct RegionProblems {
    std::vector<Error> first; ///< at most `k_most_problems`
    std::uint64_t count = 0;
    std::uint64_t unreadable = 0; ///< chunks of which nothing can be read

    static constexpr std::size_t k_most_problems = 200;
    static RegionProblems of(const RegionFacts& facts, std::string_view store);
};

/// What a world has now, and what of a map of it is stale.
struct Changes {
    std::set<TilePos> stale;                    ///< of level 0
    std::map<RegionPos, std::uint32_t> regions; ///< with chunks, and how many
    std::uint64_t chunks = 0;
    std::uint64_t changed = 0;    ///< chunks that are new, other than before or gone
    std::optional<TilePos> least; ///< of level 0, of all tiles with chunks
    std::optional<TilePos> most;
    std::vector<Error> problems; ///< regions that cannot be read
    /// Of chunks, as the state tells of them; only regions that have some.
    std::map<RegionPos, RegionProblems> known_problems;
};

/// Compares the stored bytes of all chunks with the state of a map. Without a state everything is stale.
/// Tiles of `old` whose files are missing are stale too, and taken out of it.
Result<Changes> find_changes(const storage::Store& store, const std::filesystem::path& folder, MapState* old,
                             std::size_t threads, Progress& progress);

/// The facts of a region as the state names them.
Result<RegionFacts> load_region(const std::filesystem::path& folder, RegionPos pos, std::uint64_t hash);

} // namespace orbis::map
