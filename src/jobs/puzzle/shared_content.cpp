#include "jobs/puzzle/shared_content.hpp"

#include "chunk/chunk_reader.hpp"
#include "jobs/puzzle/table.hpp"
#include "storage/region_files.hpp"

#include <algorithm>

namespace orbis::jobs {

std::map<std::size_t, ChunkPos> owners_by_neighbours(const storage::Store& store,
                                                     const storage::Region& region,
                                                     const std::vector<Claimants>& groups) {
    PuzzleTable table;
    chunk::ChunkReader reader;
    std::set<ChunkPos> claimed;
    std::map<std::size_t, std::size_t> group_of; // by piece
    for (std::size_t group = 0; group < groups.size(); ++group) {
        claimed.insert(groups[group].begin(), groups[group].end());
        const auto chunk = reader.read(store, groups[group].front(), k_edge_parts);
        if (!chunk || *chunk == nullptr) continue;
        group_of[table.pieces().size()] = group;
        table.add(**chunk, std::nullopt, group + 1);
    }
    std::map<std::size_t, ChunkPos> owners;
    if (group_of.empty()) return owners;
    table.add_chunks_in_use(region, claimed);
    table.add_chunks_around(*store.region_files(), region.position());
    for (const auto& answer : assemble(table.pieces(), {claimed.begin(), claimed.end()}).sure) {
        const auto group = group_of.find(answer.piece);
        if (group == group_of.end()) continue;
        const auto& claimants = groups[group->second];
        if (std::ranges::find(claimants, answer.place) != claimants.end())
            owners[group->second] = answer.place;
    }
    return owners;
}

} // namespace orbis::jobs
