#include "jobs/puzzle/table.hpp"

namespace orbis::jobs {

void PuzzleTable::add(const chunk::Chunk& chunk, std::optional<ChunkPos> place, std::uint64_t content) {
    edges_.push_back(edges_of(chunk));
    pieces_.push_back({&edges_.back(), place, content});
}

void PuzzleTable::add_chunks_in_use(const storage::Region& region, const std::set<ChunkPos>& without) {
    for (int i = 0; i < k_columns; ++i) {
        const auto pos = region.position().chunk(Slot{i});
        if (!without.contains(pos)) add_stored(region, pos);
    }
}

void PuzzleTable::add_chunks_around(const storage::RegionFiles& files, RegionPos here) {
    for (const auto& [dx, dz] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
        const auto other = files.region({here.x + dx, here.z + dz});
        if (!other || !*other) continue;
        for (int i = 0; i < k_side; ++i) {
            const int x = dx > 0 ? 0 : dx < 0 ? k_side - 1 : i;
            const int z = dz > 0 ? 0 : dz < 0 ? k_side - 1 : i;
            add_stored(**other, (*other)->position().chunk(Slot{z * k_side + x}));
        }
    }
}

void PuzzleTable::add_stored(const storage::Region& region, ChunkPos pos) {
    const auto blob = region.blob(pos.slot(), context_.gathered);
    if (!blob || !*blob) return;
    const auto document =
        context_.decompressor.decompress((*blob)->frame, (*blob)->raw_size, storage::k_largest_document);
    if (document && chunk_.read(*document, k_edge_parts)) add(chunk_, pos, 0);
}

} // namespace orbis::jobs
