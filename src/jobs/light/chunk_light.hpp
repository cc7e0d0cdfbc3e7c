#pragma once

#include "bytes/recent_map.hpp"
#include "chunk/chunk_reader.hpp"
#include "jobs/light/section_light.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace orbis::jobs {

/// What a thread keeps to compute lights with.
struct LightTool {
    chunk::ChunkReader reader; ///< for the chunks around
    SectionLight section;
    std::vector<std::uint16_t> local = std::vector<std::uint16_t>(k_cells);
    std::vector<std::uint16_t> global = std::vector<std::uint16_t>(k_cells);
};

/// What the sections of a chunk give to others.
struct ChunkGivers {
    std::array<LightGiver, k_sections> sections;
};

/// The givers of a chunk: by the stored local lights where these are valid, else by those that they will be.
ChunkGivers givers_of(const chunk::Chunk& chunk, const world::Assets& assets, LightTool& tool);

/// The chunks of a store as those beside them see their light. Safe from several threads.
class LightAround {
public:
    LightAround(const storage::Store& store, const world::Assets& assets) : store_(store), assets_(assets) {}

    /// Null if there is no such chunk, or if it is damaged.
    std::shared_ptr<const ChunkGivers> at(ChunkPos pos, LightTool& tool);

private:
    /// Three rows of a region, and what lies beside them.
    static constexpr std::size_t k_kept = 128;

    const storage::Store& store_;
    const world::Assets& assets_;
    std::mutex mutex_;
    RecentMap<ChunkPos, std::shared_ptr<const ChunkGivers>> known_{RecentMap<ChunkPos, int>::k_unlimited,
                                                                   k_kept};
};

/// How many sections of a chunk got light, and why others did not.
struct RelitSections {
    std::uint64_t lit = 0;     ///< at least one of the two lights was computed
    std::uint64_t unknown = 0; ///< still stale: light that cannot be known
    std::uint64_t waiting = 0; ///< still stale: a chunk around is missing or damaged
    std::set<std::string, std::less<>> unknown_keys{};
};

/// Computes the stale lights of these sections and makes them valid. What cannot be known stays stale, and
/// lights that are valid stay as they are.
Result<RelitSections> relight_chunk(ChunkPos pos, chunk::Chunk& chunk,
                                    const std::array<bool, k_sections>& wanted, const world::Assets& assets,
                                    LightAround& around, LightTool& tool);

} // namespace orbis::jobs
