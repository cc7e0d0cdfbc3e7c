#pragma once

#include "chunk/chunk.hpp"
#include "jobs/verify/finding.hpp"
#include "storage/store.hpp"
#include "world/assets.hpp"

#include <functional>
#include <list>

namespace orbis::jobs {

/// Gives the block at a place in another chunk: its key, rotation and filler. Nothing if there is no such
/// chunk; `unknown` where it cannot be read.
struct NeighbourBlock {
    enum class Kind : std::uint8_t { there, absent, unknown };
    Kind kind = Kind::absent;
    chunk::BlockState block{};
};
using NeighbourLookup = std::function<NeighbourBlock(BlockPos pos)>;

/// Cells of bigger blocks whose base is not what it should be.
struct FillerFaults {
    std::vector<BlockPos> dangling; ///< the base holds another block
    std::vector<BlockPos> lost;     ///< the base is in a chunk that is not there
};

/// Looks for such cells; `neighbour` is asked where a base is in another chunk.
FillerFaults find_filler_faults(const chunk::Chunk& chunk, ChunkPos pos, const NeighbourLookup& neighbour);

/// Which entries of a section's block palette count for the height of a column, one flag each and one more
/// for cells without an entry. Nothing if no entry counts.
using OpaqueEntries = std::vector<std::uint8_t>;

/// Whether every stored height is that of the highest block that counts (0, or -1 in old data, for a column
/// without any). Looks only at the cells above the heights, so it costs much less than computing them. False
/// also where it cannot tell: a section that could not be read.
bool heights_hold(const chunk::Chunk& chunk, std::span<const OpaqueEntries, k_sections> opaque,
                  std::span<const std::int16_t, k_columns> stored);

/// The height of each column by its blocks; unknown where a section above cannot be read.
struct TrueHeights {
    std::array<std::int16_t, k_columns> height{};
    std::array<bool, k_columns> known{};
};
TrueHeights heights_by_blocks(const chunk::Chunk& chunk, const world::Assets& assets);

/// Whether a stored height is not that of the blocks for certain. One that leads to a block which the table
/// calls transparent is not: in the version of the game that wrote it, or with a mod, it may count.
bool is_wrong_height(const chunk::Chunk& chunk, ColumnIndex column, int stored, int truth);

/// Whether every cell with a fluid has a level, and no other cell. Quick, for the usual kind of palette;
/// false also if it cannot tell.
bool levels_fit(const chunk::KeyPalette& fluids, const chunk::Levels& levels);

/// Checks what a decoded chunk holds against itself. Keep one per thread: it reuses its memory.
class ChunkChecks {
public:
    explicit ChunkChecks(const world::Assets& assets) : assets_(assets) {}

    /// Findings have code, chunk, part, count, text and the offset in the document; the caller, which knows
    /// the file, adds the rest.
    void run(const chunk::Chunk& chunk, ChunkPos pos, const NeighbourLookup& neighbour,
             std::vector<Finding>& out);

private:
    void components(const chunk::Chunk& chunk);
    void problems(const chunk::Chunk& chunk);
    void section(const chunk::Section& section, int y);
    template <typename Palette>
    void palette(const Palette& palette, int y, std::string_view part);
    void fluids(const chunk::Section& section, int y);
    void keys(const chunk::Section& section, int y);
    void heights(const chunk::Chunk& chunk);
    void fillers(const chunk::Chunk& chunk, const NeighbourLookup& neighbour);
    void columns(const chunk::Chunk& chunk);
    void entities(const chunk::Chunk& chunk);
    void block_components(const chunk::Chunk& chunk);
    void health(const chunk::Chunk& chunk);

    Finding& add(Code code, std::string part, std::uint64_t count, std::string text);
    /// One finding per chunk and code: a second one adds to the first.
    void add_up(Code code, std::uint64_t count, std::string_view example);

    const world::Assets& assets_;
    ChunkPos pos_;
    std::array<OpaqueEntries, k_sections> opaque_; ///< of the sections that were read
    std::vector<Finding>* out_ = nullptr;
};

} // namespace orbis::jobs
