#pragma once

#include "jobs/cells/edit_chunks.hpp"
#include "jobs/clip/clip.hpp"
#include "jobs/clip/place_holder.hpp"

#include <functional>
#include <memory>
#include <set>

namespace orbis::jobs {

struct PutOptions {
    Turn turn{};
    bool skip_empty = false; ///< a listed `Empty` leaves what is there
    /// Only cells whose block has a wanted key are changed; none: all.
    std::function<bool(std::string_view key)> mask{};
    bool clears_fluids = false;    ///< a cell with a block and without a listed fluid has none afterwards
    bool replace_entities = false; ///< entities that are in the place now are removed
    bool keep_ids = false;         ///< for entities that are nowhere else
    EditOptions edit{};
};

struct PutReport : EditReport {
    std::uint64_t cells_without_chunk = 0;
    std::uint64_t entities_without_chunk = 0;
};

/// The part of a clip that belongs into one chunk.
struct ClipPart {
    std::shared_ptr<const Clip> clip; ///< turned already
    BlockPos origin;                  ///< of the clip in the world
    std::vector<std::uint32_t> blocks;
    std::vector<std::uint32_t> fluids;
    std::vector<Buffer> entities; ///< at their place in the world, with their new ids
};

/// Where the parts come from. The members are called on several threads.
class ClipSource {
public:
    virtual ~ClipSource() = default;
    [[nodiscard]] virtual std::vector<ChunkPos> chunks() const = 0;
    [[nodiscard]] virtual bool touches(ChunkPos pos) const = 0;
    [[nodiscard]] virtual Result<ClipPart> part(ChunkPos pos) const = 0;
};

/// A clip that is in memory as a whole. An error if it reaches beyond the world.
Result<std::unique_ptr<ClipSource>> make_clip_source(const Clip& clip, BlockPos origin,
                                                     const PutOptions& options);

/// What else an edit with a clip does.
struct ClipEditExtras {
    std::optional<BlockBox> entities_removed; ///< the box in which entities are replaced
    std::optional<BlockBox> cleared;          ///< emptied, but for the cells that the clip fills
    std::set<BlockPos> kept;                  ///< bases of blocks in it that stay
};

/// Puts the parts of a source into a world.
Result<PutReport> put_parts(const world::World& world, const ClipSource& source, const PutOptions& options,
                            const ClipEditExtras& extras, const world::Assets& assets, Progress& progress);

/// Puts a clip into a world, its origin at `origin`. Blocks that are in the way go as a whole, with all that
/// belongs to them. Entities get new ids. Everything can be undone.
Result<PutReport> put_clip(const world::World& world, const Clip& clip, BlockPos origin,
                           const PutOptions& options, const world::Assets& assets, Progress& progress);

} // namespace orbis::jobs
