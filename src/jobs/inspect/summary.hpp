#pragma once

#include "jobs/inspect/survey.hpp"
#include "world/location.hpp"

#include <set>

namespace orbis::jobs {

/// What a world holds, from indexes and headers alone.
struct WorldSummary {
    std::string storage;  ///< kind of the store, such as `region files`
    std::string location; ///< of the store
    std::uint64_t chunks = 0;
    bool is_counted = false; ///< `regions` and the byte counts below are known: a store of region files
    std::vector<RegionSurvey> regions; ///< one for each region file
    std::set<std::int32_t> containers; ///< container versions seen
    std::uint64_t file_bytes = 0;      ///< on disk
    std::uint64_t raw_bytes = 0;       ///< of all chunks, uncompressed
    std::uint64_t frame_bytes = 0;     ///< of all chunks, compressed
    std::uint64_t slack_bytes = 0;     ///< see RegionSurvey
    std::uint64_t free_bytes = 0;
    std::vector<Error> problems; ///< damage that shows without decompressing anything
};

Result<WorldSummary> summarize(const world::World& world, std::size_t threads);

} // namespace orbis::jobs
