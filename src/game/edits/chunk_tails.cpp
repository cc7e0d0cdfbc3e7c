#include "game/edits/chunk_tails.hpp"

#include <algorithm>

namespace orbis::game {

void ChunkTails::trim(Entry& entry) {
    std::erase_if(entry.alive, [](const auto& encoded) { return encoded.expired(); });
    auto oldest = std::numeric_limits<std::uint64_t>::max();
    for (const auto& kept : entry.alive)
        if (const auto encoded = kept.lock()) oldest = std::min(oldest, encoded->version);
    // Without any, one may be on its way from a worker.
    if (!entry.alive.empty()) entry.tail.forget(oldest);
}

void ChunkTails::note_made(const EncodedChunkPtr& encoded) {
    auto& entry = chunks_[encoded->pos];
    entry.alive.push_back(encoded);
    trim(entry);
    if (chunks_.size() >= sweep_at_) sweep();
}

/// Forgets chunks that are not encoded any more, also if no player ever edits. So rarely that it costs
/// little.
void ChunkTails::sweep() {
    for (auto& [pos, entry] : chunks_) trim(entry);
    std::erase_if(chunks_, [](const auto& entry) {
        return entry.second.alive.empty() && entry.second.tail.size() == 0;
    });
    sweep_at_ = std::max(k_least_sweep, 2 * chunks_.size());
}

Result<std::span<const net::OutgoingFrame>> ChunkTails::frames_behind(const EncodedChunk& encoded,
                                                                      ServerTools& tools) {
    const auto found = chunks_.find(encoded.pos);
    if (found == chunks_.end()) return std::span<const net::OutgoingFrame>();
    trim(found->second);
    // What the chunk knows is not sent again: another program may have changed it on the disk since.
    return found->second.tail.frames(encoded.pos, tools, encoded.version);
}

std::vector<ChunkPos> ChunkTails::chunks() const {
    std::vector<ChunkPos> found;
    for (const auto& [pos, entry] : chunks_)
        if (entry.tail.size() > 0) found.push_back(pos);
    std::ranges::sort(found);
    return found;
}

void ChunkTails::forget(std::uint64_t known_to_all) {
    for (auto& [pos, entry] : chunks_) {
        trim(entry);
        if (entry.alive.empty()) entry.tail.forget(known_to_all);
    }
    sweep();
}

} // namespace orbis::game
