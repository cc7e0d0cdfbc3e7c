#pragma once

#include "game/codec/section_changes.hpp"

namespace orbis::game {

/// The changes of blocks and fluids in one tick of a world, for all players who have the chunks. Of several
/// changes of a cell the last one counts.
class BlockChanges {
public:
    void set_block(BlockPos pos, const WireBlock& block) {
        sections_of(pos.chunk())[pos.section().y].blocks.insert_or_assign(pos.cell(), block);
    }
    void set_fluid(BlockPos pos, const WireFluid& fluid) {
        sections_of(pos.chunk())[pos.section().y].fluids.insert_or_assign(pos.cell(), fluid);
    }
    [[nodiscard]] bool empty() const { return chunks_.empty(); }

    /// Makes the frames, once for all receivers, and forgets the changes: by chunk, sections from the bottom.
    /// A section that cannot be sent is left out; the first reason is in `problem`.
    std::vector<ChunkFrames> take(ServerTools& tools, const SectionAgain& again,
                                  std::optional<Error>& problem);

private:
    using Sections = std::map<std::int32_t, SectionChanges>;
    Sections& sections_of(ChunkPos pos) { return chunks_[pos]; }

    std::map<ChunkPos, Sections> chunks_;
};

/// The changes of a chunk since its frames were made: players get these after the frames
/// (docs/design/edits.md). Cells know the number of the edit that changed them last.
class ChunkTail {
public:
    void set_block(BlockPos pos, const WireBlock& block, std::uint64_t edit);
    void set_fluid(BlockPos pos, const WireFluid& fluid, std::uint64_t edit);
    /// New frames have everything up to this edit.
    void forget(std::uint64_t up_to);

    /// Cells in it: when there are many, new frames are due.
    [[nodiscard]] std::size_t size() const { return blocks_.size() + fluids_.size(); }
    /// The frames of the changes after the edit `known`; made again only when either is another.
    Result<std::span<const net::OutgoingFrame>> frames(ChunkPos pos, ServerTools& tools,
                                                       std::uint64_t known = 0);

private:
    template <typename Content>
    struct Change {
        Content content;
        std::uint64_t edit = 0;
    };
    /// A section and a cell of it.
    using SectionCell = std::pair<std::int32_t, CellIndex>;

    std::map<SectionCell, Change<WireBlock>> blocks_;
    std::map<SectionCell, Change<WireFluid>> fluids_;
    std::vector<net::OutgoingFrame> frames_;
    std::uint64_t made_after_ = 0; ///< the edit that `frames_` begin after
    bool is_made_ = true;
};

} // namespace orbis::game
