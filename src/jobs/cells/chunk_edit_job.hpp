#pragma once

#include "bytes/recent_map.hpp"
#include "chunk/chunk_reader.hpp"
#include "jobs/cells/cut_blocks.hpp"
#include "jobs/cells/edit_chunks.hpp"

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

/// What `edit_chunks` does with single chunks (docs/design/editing.md).
namespace orbis::jobs {

/// Sections of a chunk, a bit for each from the lowest.
using SectionBits = std::uint16_t;

/// A changed chunk that was encoded and read back.
struct ChunkDraft {
    Buffer document;
    SectionBits settled = 0; ///< whose global light cannot be marked as stale, or is already
};

/// A changed chunk as it is written.
struct ChunkFrame {
    Buffer bytes;
    std::uint32_t raw_size = 0;
    SectionBits settled = 0;
};

/// What was found out about one chunk.
struct LookedAt {
    bool is_outside = false; ///< not touched by the edit
    bool is_there = false;
    bool is_new = false;
    bool changes = false;
    EditCounts counts{};
    CutBlocks cut{};
    SectionBits stale = 0; ///< whose light is another one
    std::array<std::uint32_t, k_side> columns{};
    // As the edit alone makes it, if there is room to keep it.
    std::optional<ChunkDraft> draft{}; ///< if a chunk around can still change it
    std::optional<ChunkFrame> frame{}; ///< if none can
    std::optional<Error> problem{};
};

/// What is to be done with one chunk.
struct PlannedChunk {
    bool edited = false;
    bool created = false;
    SectionBits stale = 0; ///< whose global light depends on a chunk around
    std::set<BlockPos> emptied{};
    std::optional<ChunkFrame> frame{}; ///< if it was kept; more may have been planned since it was made
};

struct WrittenChunk {
    std::optional<ChunkFrame> frame{}; ///< nothing if the chunk stays as it is
    std::optional<Error> problem{};
};

/// What a thread keeps from chunk to chunk.
struct EditTool {
    struct Other {
        std::unique_ptr<chunk::ChunkReader> reader;
        const chunk::Chunk* chunk = nullptr;
        CellSet cells;
    };
    chunk::ChunkReader reader;
    chunk::Chunk made;  ///< in place of one that is not there
    chunk::Chunk again; ///< what was encoded, read back
    CellSet cells;
    CellSet extra;
    std::vector<Buffer> spare; ///< memory of documents that were compressed

    /// To encode into.
    Buffer take_memory() {
        if (spare.empty()) return {};
        auto memory = std::move(spare.back());
        spare.pop_back();
        return memory;
    }
    RecentMap<ChunkPos, std::unique_ptr<Other>> others{RecentMap<ChunkPos, int>::k_unlimited, 9};
};

class ChunkEditJob {
public:
    ChunkEditJob(const storage::Store& store, const world::Assets& assets, const ChunkEdit& edit,
                 const EditOptions& options);

    /// What the edit would do with a chunk. Encodes it too if it is to be written and there is room.
    [[nodiscard]] LookedAt look(ChunkPos pos, EditTool& tool) const;
    /// Which blocks of several cells reach from a chunk beside the area into it.
    [[nodiscard]] LookedAt look_beside(ChunkPos pos, EditTool& tool) const;
    /// Compresses a draft in which the light of these sections is stale as well; nothing if there is no room
    /// to keep the frame.
    [[nodiscard]] std::optional<ChunkFrame> compress(ChunkDraft&& draft, SectionBits stale,
                                                     EditTool& tool) const;
    /// The chunk as it is to be written, of the frame in the plan if there is one.
    [[nodiscard]] WrittenChunk write(ChunkPos pos, PlannedChunk& planned, EditTool& tool) const;

private:
    [[nodiscard]] Error placed(ChunkPos pos, Error&& error) const;
    Result<chunk::Chunk*> read(ChunkPos pos, EditTool& tool, bool& is_new) const;
    Result<void> plan(ChunkPos pos, EditTool& tool, LookedAt& found) const;
    Result<void> settle(chunk::Chunk& chunk) const;
    [[nodiscard]] const EditTool::Other* other(ChunkPos pos, EditTool& tool) const;
    /// Without `work` nothing of the chunk is chosen but the cells of the tool.
    [[nodiscard]] WorldCells world_cells(ChunkPos pos, const chunk::Chunk& chunk, const ChunkWork* work,
                                         EditTool& tool) const;
    Result<void> make(ChunkPos pos, const PlannedChunk& planned, EditTool& tool, WrittenChunk& out) const;
    [[nodiscard]] bool may_become_stale(ChunkPos pos, const LookedAt& found) const;
    static Result<ChunkFrame> mark_again(const ChunkFrame& frame, SectionBits stale, EditTool& tool);
    static Result<ChunkDraft> encode(const chunk::Chunk& chunk, EditTool& tool);
    static Result<ChunkFrame> finish(ChunkDraft&& draft, SectionBits stale, EditTool& tool);

    const storage::Store& store_;
    const world::Assets& assets_;
    const ChunkEdit& edit_;
    const EditOptions& options_;
    chunk::Parts parts_;
    bool writes_;
    mutable std::atomic<std::size_t> kept_ = 0; ///< bytes of frames that were kept
    /// Whether the chunk that was last looked at in a place of a region has stale light: rows of bits.
    mutable std::array<std::atomic<std::uint32_t>, k_side> stale_places_{};
};

} // namespace orbis::jobs
