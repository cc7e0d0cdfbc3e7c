#pragma once

#include "bytes/position.hpp"
#include "chunk/chunk.hpp"

#include <bitset>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace orbis::jobs {

enum class ChangeKind : std::uint8_t { added, removed, changed };
/// `added`, `removed`, `changed`.
std::string_view name(ChangeKind kind);

/// What a comparison looks at and how much of it is listed.
struct DiffOptions {
    /// Only blocks, fillers, rotations, fluids, heights, tints and environments.
    bool terrain = false;
    /// At most this many changes of each kind are listed per chunk; all of them are counted.
    std::size_t most_details = 100;
};

/// A block with its shape, on its own.
struct BlockValue {
    std::string key;
    chunk::Rotation rotation;
    chunk::Filler filler;
    friend bool operator==(const BlockValue&, const BlockValue&) = default;
};

struct BlockChange {
    BlockPos pos;
    BlockValue before;
    BlockValue after;
};

struct FluidValue {
    std::string key;
    std::uint8_t level = 0;
    friend bool operator==(const FluidValue&, const FluidValue&) = default;
};

struct FluidChange {
    BlockPos pos;
    FluidValue before;
    FluidValue after;
};

/// Components of a block that came, went or hold something else.
struct ComponentChange {
    BlockPos pos;
    ChangeKind kind = ChangeKind::changed;
    std::vector<std::string> names; ///< of those that differ
};

struct EntityChange {
    ChangeKind kind = ChangeKind::changed;
    std::string uuid; ///< empty for entities without one
    std::string what; ///< name, model or item, as far as it says
    double x = 0;     ///< where it is after the change, or was before it went
    double y = 0;
    double z = 0;
    std::vector<std::string> names; ///< of the components that differ
};

/// What differs between two versions of a chunk. Owns everything it says.
struct ChunkDiff {
    // How many cells, columns or things differ.
    std::uint64_t blocks = 0;
    std::uint64_t fluids = 0;
    std::uint64_t supports = 0;
    std::uint64_t ticking = 0;
    std::uint64_t light_sections = 0;
    std::uint64_t heights = 0;
    std::uint64_t tints = 0;
    std::uint64_t environments = 0;
    std::uint64_t components = 0;
    std::uint64_t entities = 0;
    bool health = false;
    /// Components of the chunk or of sections that have no model, and flags, by name.
    std::vector<std::string> other;
    /// Parts that one of the two cannot read and that are not the same bytes.
    std::vector<std::string> unreadable;

    // Up to `most_details` of each.
    std::vector<BlockChange> block_changes;
    std::vector<FluidChange> fluid_changes;
    std::vector<ComponentChange> component_changes;
    std::vector<EntityChange> entity_changes;
    /// Cells by the keys before and after; turned blocks have the same key twice.
    std::map<std::pair<std::string, std::string>, std::uint64_t> block_pairs;
    /// Columns in which anything of the terrain or a component differs.
    std::bitset<k_columns> columns;

    [[nodiscard]] bool empty() const;
};

/// Compares chunks by what they mean: the order of palettes, ids, container forms and the order of keys do
/// not matter. Keeps its working memory, so use one for many chunks; not for several threads at once.
class ChunkComparer {
public:
    ChunkComparer();
    ~ChunkComparer();
    ChunkComparer(ChunkComparer&&) noexcept;
    ChunkComparer& operator=(ChunkComparer&&) noexcept;

    /// The parts that must be decoded for a comparison.
    static chunk::Parts parts(const DiffOptions& options);

    /// `pos` is for the positions of changes.
    [[nodiscard]] ChunkDiff compare(ChunkPos pos, const chunk::Chunk& before, const chunk::Chunk& after,
                                    const DiffOptions& options);

private:
    class Job;
    struct Scratch;
    std::unique_ptr<Scratch> scratch_;
};

} // namespace orbis::jobs
