#pragma once

#include "bson/view.hpp"
#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "bytes/result.hpp"
#include "chunk/columns.hpp"
#include "chunk/components.hpp"
#include "chunk/environment.hpp"
#include "chunk/health.hpp"
#include "chunk/parts.hpp"
#include "chunk/section.hpp"

#include <array>
#include <bitset>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::chunk {

/// A part of a chunk that could not be read.
struct Problem {
    std::string component; ///< such as "Block" or "EnvironmentChunk"
    int section = -1;      ///< from 0 at the bottom, -1 if no section is meant
    Error error;           ///< offset counts from the start of the document

    /// `section 3, Block, offset 812: …`
    [[nodiscard]] std::string text() const;
    /// The same as an error whose text says all of that.
    [[nodiscard]] Error as_error() const;
};

/// Whether light and sight pass through a block, so that it does not count for the height of its column.
using IsTransparent = std::function<bool(std::string_view key)>;

/// One chunk document, readable and changeable (docs/design/chunk-model.md). The model borrows from the
/// document: reading copies no cells and no keys. What cannot be read is listed in `problems()`, reads as
/// empty, and is written back as it was. Positions may be world positions: only the place in the chunk
/// counts.
class Chunk {
public:
    /// Nothing yet; use with `read`, which reuses the memory of earlier chunks.
    Chunk();
    ~Chunk();
    Chunk(Chunk&&) noexcept;
    Chunk& operator=(Chunk&&) noexcept;

    /// `document` must outlive the chunk. An error only if not even the list of components can be read.
    static Result<Chunk> decode(Bytes document, Parts parts = k_everything);
    /// Keeps the document itself.
    static Result<Chunk> decode(Buffer&& document, Parts parts = k_everything);
    /// A chunk of air in today's formats, with ten sections, to be filled.
    static Chunk create();

    /// As `decode`, replacing what this chunk was before.
    Result<void> read(Bytes document, Parts parts = k_everything);

    /// Decodes the environments after all, where they were there but not asked for.
    void read_environments();

    /// The document as it was read.
    [[nodiscard]] Bytes document() const { return document_; }
    [[nodiscard]] std::span<const Problem> problems() const { return problems_; }
    /// Deep checks of everything that was decoded: counts, ids, the whole BSON. Slow; `problems()` not
    /// included.
    [[nodiscard]] std::vector<Problem> check() const;

    // Parts. Those that a chunk does not have read as empty.
    [[nodiscard]] const Section& section(int y) const { return (*sections_)[static_cast<std::size_t>(y)]; }
    [[nodiscard]] const Heights& heights() const { return heights_; }
    [[nodiscard]] const Tints& tints() const { return tints_; }
    [[nodiscard]] const Environments& environments() const { return environments_; }
    [[nodiscard]] const BlockHealth& health() const { return health_; }
    [[nodiscard]] const BlockComponents& block_components() const { return block_components_; }
    [[nodiscard]] const Entities& entities() const { return entities_; }
    [[nodiscard]] PartState columns_state() const { return columns_state_; }
    [[nodiscard]] PartState environments_state() const { return environments_state_; }
    [[nodiscard]] PartState health_state() const { return health_state_; }
    [[nodiscard]] PartState block_components_state() const { return block_components_state_; }
    [[nodiscard]] PartState entities_state() const { return entities_state_; }
    /// Version of `BlockChunk`: up to 2 the sections are inside it.
    [[nodiscard]] int block_chunk_version() const { return block_chunk_version_; }
    [[nodiscard]] bool needs_physics() const { return needs_physics_; }
    /// Sections that the document has; those above read as empty.
    [[nodiscard]] int stored_sections() const { return stored_sections_; }

    /// The components of the chunk as they are stored, known or not.
    [[nodiscard]] bson::Document components() const { return components_; }
    [[nodiscard]] std::optional<bson::Document> component(std::string_view name) const {
        return components_.document(name);
    }
    /// The block states of pre-release chunks, as holders with a `Position`.
    [[nodiscard]] std::vector<bson::Document> old_block_states() const;

    // Single blocks. Above and below the world everything is empty.
    [[nodiscard]] BlockState block(BlockPos pos) const;
    [[nodiscard]] FluidState fluid(BlockPos pos) const;
    [[nodiscard]] std::uint8_t support(BlockPos pos) const;
    [[nodiscard]] std::string_view environment(BlockPos pos) const {
        return environments_.at(pos.column(), pos.y);
    }
    /// All cells in this chunk of the block with its base at `base`, itself included.
    [[nodiscard]] std::vector<BlockPos> cells_of(BlockPos base) const;

    // Changes. Each is refused where the part it needs was not read or is damaged. A changed block makes the
    // light around it stale; heights are right again after `update_heights`.
    Result<void> set_block(BlockPos pos, const BlockState& block);
    /// Level 0 stands for no fluid.
    Result<void> set_fluid(BlockPos pos, const FluidState& fluid);
    Result<void> set_support(BlockPos pos, std::uint8_t support);
    Result<void> set_ticking(BlockPos pos, bool ticks);
    /// For bulk changes. Call `touch_blocks` after blocks were changed.
    Result<Section*> edit_section(int y);
    /// All columns count as changed from here on, and the light of the section and its neighbours is stale.
    /// Refused where `edit_section` is.
    Result<void> touch_blocks(int y);
    /// The same where only some columns changed: a bit for each from the west, in rows from the north.
    Result<void> touch_blocks(int y, std::span<const std::uint32_t, k_side> columns);
    Result<Heights*> edit_heights();
    Result<Tints*> edit_tints();
    Result<Environments*> edit_environments();
    Result<BlockHealth*> edit_health();
    Result<BlockComponents*> edit_block_components();
    Result<Entities*> edit_entities();
    /// Replaces or adds a component of the chunk that has no model of its own.
    Result<void> set_component(std::string_view name, Buffer document);
    Result<void> remove_component(std::string_view name);

    /// Recomputes the height of the columns in which blocks changed; how many got another one.
    Result<std::size_t> update_heights(const IsTransparent& is_transparent);
    /// Recomputes the heights of all columns.
    Result<std::size_t> recompute_heights(const IsTransparent& is_transparent);

    [[nodiscard]] bool changed() const;

    /// The document with the changes: the very bytes that were read if there are none, else `out`, in
    /// which only what was changed differs. Valid as long as both.
    Result<Bytes> encode(Buffer& out) const;

    /// Reads what `encode` gave as the game would, into `room`, any chunk. An error if a part that was
    /// changed cannot be read or is not what was written. The others are the bytes that were read, and are
    /// passed over.
    Result<void> read_back(Bytes encoded, Chunk& room) const;

private:
    friend class Decoder;
    friend class Encoder;
    friend class Upgrade;
    using Sections = std::array<Section, k_sections>;

    /// A bit for each section, from the lowest.
    using SectionBits = std::uint32_t;
    static constexpr SectionBits k_all_sections = (1U << k_sections) - 1;

    /// Light of `checked`, a chunk that was read before, is not checked again where it is the same.
    Result<void> read(Bytes document, Parts parts, SectionBits sections, const Chunk* checked);
    Result<void> can_edit(std::string_view component, PartState state) const;
    void make_light_stale(int y);
    Result<void> can_modernise(const Section& section) const;
    Result<void> modernise_all();

    Buffer own_;
    Bytes document_;
    bson::Document root_;
    bson::Document components_;
    std::unique_ptr<Sections> sections_;
    Heights heights_;
    Tints tints_;
    Environments environments_;
    BlockHealth health_;
    BlockComponents block_components_;
    Entities entities_;
    std::vector<Problem> problems_;
    std::map<std::string, std::optional<Buffer>, std::less<>> other_components_; ///< changed ones
    std::bitset<k_columns> touched_; ///< columns with changed blocks
    PartState columns_state_ = PartState::absent;
    PartState environments_state_ = PartState::absent;
    PartState health_state_ = PartState::absent;
    PartState block_components_state_ = PartState::absent;
    PartState entities_state_ = PartState::absent;
    int block_chunk_version_ = 3;
    int stored_sections_ = 0;
    std::size_t column_offset_ = 0;   ///< where `ChunkColumn` begins in the document
    std::size_t sections_offset_ = 0; ///< and its list of sections
    bool needs_physics_ = false;
    bool has_column_ = false;      ///< there is a `ChunkColumn`
    bool column_broken_ = false;   ///< which cannot be read as a list of sections
    bool sections_inside_ = false; ///< the sections were in `BlockChunk`
    bool moves_sections_ = false;  ///< and will be written to `ChunkColumn`
};

} // namespace orbis::chunk
