#include "jobs/verify/neighbours.hpp"

namespace orbis::jobs {

NeighbourBlock Neighbours::block(BlockPos pos) {
    const auto* kept = find(pos.chunk());
    if (kept == nullptr) return {NeighbourBlock::Kind::absent, {}};
    const auto& chunk = kept->reader.chunk();
    if (!kept->readable || chunk.section(pos.y >> 5).block_state == chunk::PartState::broken)
        return {NeighbourBlock::Kind::unknown, {}};
    return {NeighbourBlock::Kind::there, chunk.block(pos)};
}

const Neighbours::Kept* Neighbours::find(ChunkPos pos) {
    for (auto at = kept_.begin(); at != kept_.end(); ++at) {
        if (at->pos != pos) continue;
        kept_.splice(kept_.begin(), kept_, at);
        return at->present ? &*at : nullptr;
    }
    if (kept_.size() < k_kept)
        kept_.emplace_front();
    else
        kept_.splice(kept_.begin(), kept_, std::prev(kept_.end()));
    auto& entry = kept_.front();
    entry.pos = pos;
    entry.present = entry.readable = false;
    const auto chunk = entry.reader.read(store_, pos, chunk::k_blocks | chunk::k_shapes);
    entry.present = !chunk || *chunk != nullptr;
    entry.readable = chunk && *chunk != nullptr;
    return entry.present ? &entry : nullptr;
}

} // namespace orbis::jobs
