#pragma once

#include "bytes/progress.hpp"
#include "chunk/chunk.hpp"
#include "jobs/cells/cell_set.hpp"
#include "jobs/undo/change.hpp"
#include "world/assets.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orbis::jobs {

/// How much an edit changes.
struct EditCounts {
    std::uint64_t area = 0;       ///< cells of the area that are in chunks of the world
    std::uint64_t cells = 0;      ///< of these, those that no mask leaves out
    std::uint64_t blocks = 0;     ///< cells with another block, rotation or part of a block
    std::uint64_t fluids = 0;     ///< cells with another fluid or level
    std::uint64_t components = 0; ///< of blocks: added, removed or replaced
    std::uint64_t entities_added = 0;
    std::uint64_t entities_removed = 0;
    std::uint64_t cut_cells = 0; ///< outside the area, emptied because the rest of their block was replaced
    std::uint64_t sections_lit = 0;     ///< in which stale light was computed
    std::uint64_t sections_unknown = 0; ///< whose light stays stale because it cannot be known
    std::uint64_t sections_waiting = 0; ///< whose light stays stale because a chunk around is not there
    EditCounts& operator+=(const EditCounts& other);
};

/// What is to be done with one chunk that was looked at.
class ChunkWork {
public:
    virtual ~ChunkWork() = default;
    /// Changes the chunk. `cells` are those that were chosen before.
    virtual Result<void> apply(chunk::Chunk& chunk, const CellSet& cells, EditCounts& counts) = 0;
    /// There are chosen cells, but they were not put into the set: `apply` does without. Before it, whoever
    /// else wants to know them asks for a single one, or has them put into a set.
    bool chooses_later = false;
    [[nodiscard]] virtual bool is_chosen(const chunk::Chunk&, BlockPos) const { return false; }
    virtual void choose_now(const chunk::Chunk&, CellSet&) const {}
    /// The columns that the edit is about, also where nothing is left to change: the light of chunks beside
    /// them may still be that of before, if an earlier run was killed.
    std::array<std::uint32_t, k_side> reach{};
};

/// An edit, chunk by chunk. The members are called on several threads, and may be called twice for a chunk:
/// to plan, and to write.
class ChunkEdit {
public:
    virtual ~ChunkEdit() = default;
    /// Told first: the store that the chunks come from, to look at others.
    virtual void begin(const storage::Store&) const {}
    /// The chunks that may be changed; nothing for all chunks of the world.
    [[nodiscard]] virtual std::optional<std::vector<ChunkPos>> chunks() const = 0;
    /// The parts of a chunk that it looks at or changes; others are not read and stay as they are.
    [[nodiscard]] virtual chunk::Parts parts() const { return chunk::k_everything; }
    /// Whether it may change that chunk.
    [[nodiscard]] virtual bool touches(ChunkPos pos) const = 0;
    /// Chooses the cells that get another block, unless the work says that it does so later; null if there is
    /// nothing to do in this chunk.
    virtual Result<std::unique_ptr<ChunkWork>> look(ChunkPos pos, const chunk::Chunk& chunk,
                                                    CellSet& cells) const = 0;
    /// Told of a chunk that the world does not have.
    virtual void miss(ChunkPos) const {}
};

struct EditOptions {
    bool dry_run = false;
    bool force = false;         ///< also when another process has the files open
    bool skip_damaged = false;  ///< chunks that cannot be edited are left alone, instead of all
    bool create_chunks = false; ///< chunks that the world does not have are made, of air
    std::size_t threads = 1;
    std::string verb = "edit";
    std::string command{}; ///< for the list of changes
    /// In a dry run: gets each chunk as it would be written. From one thread at a time.
    std::function<Result<void>(ChunkPos pos, const storage::CompressedChunk& frame)> preview{};
    /// So many bytes of frames are kept from planning to writing. What is beyond is made twice.
    std::size_t keep = std::size_t{128} << 20;
};

struct EditReport {
    EditCounts counts;
    std::uint64_t cut_blocks = 0;   ///< blocks of several cells that went as a whole
    std::uint64_t chunks = 0;       ///< changed
    std::uint64_t light_chunks = 0; ///< around them, in which only light was marked as stale
    std::uint64_t missing = 0;      ///< chunks that the world does not have
    std::uint64_t created = 0;
    std::vector<Error> problems; ///< chunks that cannot be edited
    bool refused = false;        ///< nothing was written because of these
    ChangeReport change;
};

/// Changes a world chunk by chunk (docs/design/editing.md). First everything is planned; if a chunk that is
/// to be changed is damaged, nothing is written. Blocks of several cells of which one is replaced go as a
/// whole. Heights are right afterwards; light is stale where it may be another one, also in the chunks
/// around. Each chunk is read back before it replaces the old one, and can be undone.
Result<EditReport> edit_chunks(const world::World& world, const world::Assets& assets, const ChunkEdit& edit,
                               const EditOptions& options, Progress& progress);

/// Brings the block keys of a section to as many migrations as `count`, so that keys with that count can be
/// put beside them. The table turns keys with `count` into those of the section.
Result<chunk::Migrations> agree_on_keys(chunk::Chunk& chunk, int y, std::int32_t count,
                                        const world::Assets& assets);

/// Puts one block into all of these cells. What belonged to the blocks before is removed.
Result<void> put_block(chunk::Chunk& chunk, const CellSet& cells, const chunk::BlockState& block,
                       EditCounts& counts);

/// Removes what belongs to the blocks of these cells: components, health, support, ticking.
Result<void> remove_belongings(chunk::Chunk& chunk, const CellSet& cells, EditCounts& counts);

} // namespace orbis::jobs
