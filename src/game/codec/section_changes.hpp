#pragma once

#include "bytes/position.hpp"
#include "chunk/shape.hpp"
#include "net/outgoing_frame.hpp"

#include <functional>
#include <map>
#include <vector>

namespace orbis::game {

using ServerTools = net::FrameTools<protocol::Side::server>;

/// What a cell holds, in numbers of the wire.
struct WireBlock {
    std::int32_t id = 0;
    chunk::Filler filler;
    chunk::Rotation rotation;
    friend bool operator==(const WireBlock&, const WireBlock&) = default;
};
struct WireFluid {
    std::int32_t id = 0;
    std::uint8_t level = 0;
    friend bool operator==(const WireFluid&, const WireFluid&) = default;
};

/// From this many changes of one kind on, the section is sent again instead.
inline constexpr std::size_t k_section_again = 1024;

enum class SectionKind : std::uint8_t { blocks, fluids };
/// Gives the frame of a section as it is now: `SetChunk` or `SetFluids`.
using SectionAgain = std::function<Result<net::OutgoingFrame>(SectionPos section, SectionKind kind)>;

/// Frames for all players who have a chunk.
struct ChunkFrames {
    ChunkPos pos;
    std::vector<net::OutgoingFrame> frames;
};

/// The frame that tells what one cell holds.
Result<net::OutgoingFrame> block_frame(BlockPos pos, const WireBlock& block, ServerTools& tools);

/// Cells of a section that have changed, each with what it holds now, in the order of their indices: the
/// same changes make the same bytes, in whatever order they came.
struct SectionChanges {
    std::map<CellIndex, WireBlock> blocks;
    std::map<CellIndex, WireFluid> fluids;

    /// Adds the frames that tell of them: one change as a packet of its own, more as a list. From
    /// `k_section_again` on what `again` gives; where that is empty, a list in any case.
    Result<void> append_frames(SectionPos section, ServerTools& tools, const SectionAgain& again,
                               std::vector<net::OutgoingFrame>& out) const;
};

} // namespace orbis::game
