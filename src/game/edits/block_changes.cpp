#include "game/edits/block_changes.hpp"

namespace orbis::game {

std::vector<ChunkFrames> BlockChanges::take(ServerTools& tools, const SectionAgain& again,
                                            std::optional<Error>& problem) {
    std::vector<ChunkFrames> all;
    all.reserve(chunks_.size());
    for (const auto& [pos, sections] : chunks_) {
        auto& encoded = all.emplace_back(pos);
        for (const auto& [y, changes] : sections)
            if (auto made = changes.append_frames(pos.section(y), tools, again, encoded.frames);
                !made && !problem)
                problem = std::move(made).error();
    }
    chunks_.clear();
    return all;
}

void ChunkTail::set_block(BlockPos pos, const WireBlock& block, std::uint64_t edit) {
    blocks_.insert_or_assign({pos.section().y, pos.cell()}, Change<WireBlock>{block, edit});
    is_made_ = false;
}

void ChunkTail::set_fluid(BlockPos pos, const WireFluid& fluid, std::uint64_t edit) {
    fluids_.insert_or_assign({pos.section().y, pos.cell()}, Change<WireFluid>{fluid, edit});
    is_made_ = false;
}

void ChunkTail::forget(std::uint64_t up_to) {
    const auto is_old = [up_to](const auto& entry) { return entry.second.edit <= up_to; };
    if (std::erase_if(blocks_, is_old) + std::erase_if(fluids_, is_old) != 0) is_made_ = false;
}

Result<std::span<const net::OutgoingFrame>> ChunkTail::frames(ChunkPos pos, ServerTools& tools,
                                                              std::uint64_t known) {
    if (!is_made_ || made_after_ != known) {
        frames_.clear();
        is_made_ = false;
        std::map<std::int32_t, SectionChanges> sections;
        for (const auto& [place, change] : blocks_)
            if (change.edit > known)
                sections[place.first].blocks.emplace_hint(sections[place.first].blocks.end(), place.second,
                                                          change.content);
        for (const auto& [place, change] : fluids_)
            if (change.edit > known)
                sections[place.first].fluids.emplace_hint(sections[place.first].fluids.end(), place.second,
                                                          change.content);
        for (const auto& [y, changes] : sections)
            TRY_DO(changes.append_frames(pos.section(y), tools, {}, frames_));
        is_made_ = true;
        made_after_ = known;
    }
    return frames_;
}

} // namespace orbis::game
