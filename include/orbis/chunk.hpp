#pragma once

#include "orbis/block.hpp"
#include "orbis/block_details.hpp"
#include "orbis/container.hpp"
#include "orbis/entity.hpp"
#include "orbis/error.hpp"
#include "orbis/export.hpp"
#include "orbis/position.hpp"
#include "orbis/section.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orbis {

/// How `Chunk::json` shows a chunk.
struct ChunkJsonOptions {
    std::optional<int> section{}; ///< only this one, 0 to 9
    std::string component{};      ///< only this component of the chunk, or of the section where one is named
    bool blocks = false;          ///< every cell too, as runs of equal ones
};

/// One chunk, as it was when it was read: 32 × 320 × 32 blocks and what is stored with them. Copies are
/// cheap, are the same chunk, and stay valid whatever becomes of the world. Several threads may use it at
/// once.
///
/// Nothing is decoded before it is asked for: who asks for containers does not pay for blocks. A part that is
/// damaged reads as empty and is listed in `problems()`, and in `World::problems()`.
///
/// Positions may be those of the world: only the place in the chunk counts.
class ORBIS_API Chunk {
public:
    [[nodiscard]] ChunkPos position() const;             ///< where it is in its world
    [[nodiscard]] int x() const { return position().x; } ///< to the east, in chunks
    [[nodiscard]] int z() const { return position().z; } ///< to the south, in chunks

    /// A section, from 0 at the bottom to 9. The nearest of these for any other number.
    [[nodiscard]] Section section(int y) const;
    /// All ten, from the bottom.
    [[nodiscard]] std::vector<Section> sections() const;

    /// Single cells. Above and below the world everything is empty.
    [[nodiscard]] Block block(BlockPos pos) const;
    [[nodiscard]] Fluid fluid(BlockPos pos) const; ///< the fluid of a cell
    /// The light as the game shows it; wrong where the game has not computed it since a change.
    [[nodiscard]] LightValue light(BlockPos pos) const;
    /// The environment, such as "Env_Zone1_Plains".
    [[nodiscard]] std::string environment(BlockPos pos) const;

    /// The y of the highest block of a column that light does not pass.
    [[nodiscard]] int height(ColumnIndex column) const;
    /// The colour of grass and leaves in a column, as 0xAARRGGBB.
    [[nodiscard]] std::uint32_t tint(ColumnIndex column) const;
    /// The same for all 1,024 columns, from the north and in each row from the west.
    [[nodiscard]] std::vector<std::int16_t> heights() const;
    [[nodiscard]] std::vector<std::uint32_t> tints() const; ///< `tint` of all columns in that order

    /// The blocks that hold items, from the lowest.
    [[nodiscard]] std::vector<Container> containers() const;
    /// In stored order.
    [[nodiscard]] std::vector<Entity> entities() const;
    /// The components of one block; none for most. A block that takes several cells has them at its base.
    [[nodiscard]] std::vector<Component> components(BlockPos pos) const;
    /// The blocks that have components, from the lowest.
    [[nodiscard]] std::vector<BlockPos> blocks_with_components() const;

    /// The chunk as one JSON object, as `orbis show --json` prints it (docs/formats/show.md). An error where
    /// the component that was asked for is not there.
    [[nodiscard]] Result<std::string> json(const ChunkJsonOptions& options = {}) const;
    /// The BSON document as it is stored, for what has no function here.
    [[nodiscard]] std::span<const std::uint8_t> document() const;
    /// The parts of this chunk that cannot be read. Decodes all of it.
    [[nodiscard]] std::vector<Error> problems() const;

    /// For the library itself.
    explicit Chunk(std::shared_ptr<ChunkState> state) : state_(std::move(state)) {}

private:
    std::shared_ptr<ChunkState> state_;
};

} // namespace orbis
