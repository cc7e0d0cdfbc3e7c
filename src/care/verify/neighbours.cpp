#include "care/verify/neighbours.hpp"

namespace orbis::care {

NeighbourBlock Neighbours::block(BlockPos pos) {
    const auto* chunk = find(pos.chunk());
    if (chunk == nullptr) return {NeighbourBlock::Kind::absent, {}};
    if (!chunk->readable || chunk->chunk.section(pos.y >> 5).block_state == chunk::PartState::broken)
        return {NeighbourBlock::Kind::unknown, {}};
    return {NeighbourBlock::Kind::there, chunk->chunk.block(pos)};
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
    const auto document = store_.read(pos, entry.context);
    if (document && !*document) return nullptr;
    entry.present = true;
    if (!document) return &entry;
    entry.readable = entry.chunk.read(**document, chunk::k_blocks | chunk::k_shapes).has_value();
    return &entry;
}

} // namespace orbis::care
