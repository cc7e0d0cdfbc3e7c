#pragma once

#include "chunk/chunk.hpp"
#include "jobs/cells/cell_set.hpp"
#include "jobs/select/block_box.hpp"
#include "world/assets.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace orbis::jobs {

/// The cells at most `radius` blocks from the middle of one.
struct BlockSphere {
    BlockPos centre;
    std::int32_t radius = 0;
    /// `X,Y,Z~R`.
    static Result<BlockSphere> parse(std::string_view text);
    [[nodiscard]] bool contains(BlockPos pos) const;
    [[nodiscard]] BlockBox box() const;
};

/// An upright cylinder: the columns at most `radius` blocks from one, from `centre.y` upwards.
struct BlockCylinder {
    BlockPos centre;
    std::int32_t radius = 0;
    std::int32_t height = 1;
    /// `X,Y,Z~R+H`; without `+H` it is one block high.
    static Result<BlockCylinder> parse(std::string_view text);
    [[nodiscard]] bool contains(BlockPos pos) const;
    [[nodiscard]] BlockBox box() const;
};

/// Which cells of a world an edit is about: those of any of its shapes, or all if it has none; of these only
/// the ones that its limits allow.
class Area {
public:
    void add(const BlockBox& box) { shapes_.emplace_back(box); }
    void add(const BlockSphere& sphere) { shapes_.emplace_back(sphere); }
    void add(const BlockCylinder& cylinder) { shapes_.emplace_back(cylinder); }
    /// Single cells. What comes twice counts once.
    void add(const std::vector<BlockPos>& positions);
    /// Only the highest cells of each column, `depth` of them, from its highest block that is not
    /// transparent.
    void limit_to_surface(int depth) { surface_ = depth; }
    /// Only chunks for which this says so.
    void limit_to_chunks(std::function<bool(ChunkPos)> is_wanted,
                         std::optional<std::vector<ChunkPos>> listed);

    /// Whether it is everything there is.
    [[nodiscard]] bool is_everything() const {
        return shapes_.empty() && !has_positions_ && surface_ == 0 && !is_wanted_;
    }
    /// An error if a shape is outside of what a world can have.
    [[nodiscard]] Result<void> check() const;

    /// The chunks that it may have cells in; nothing if these are too many to be listed.
    [[nodiscard]] std::optional<std::vector<ChunkPos>> chunks() const;
    [[nodiscard]] bool touches(ChunkPos pos) const;
    /// Whether a cell belongs to it, as far as that can be told without its chunk.
    [[nodiscard]] bool contains(BlockPos pos) const;
    /// Adds its cells in that chunk.
    void choose(ChunkPos pos, const chunk::Chunk& chunk, const world::Assets& assets, CellSet& cells) const;
    /// The same for a chunk that is not there. A surface has none.
    void choose_missing(ChunkPos pos, CellSet& cells) const;

private:
    using Shape = std::variant<BlockBox, BlockSphere, BlockCylinder>;

    [[nodiscard]] bool allows(ChunkPos pos) const { return !is_wanted_ || is_wanted_(pos); }

    std::vector<Shape> shapes_;
    std::map<ChunkPos, std::vector<BlockPos>> positions_;
    bool has_positions_ = false;
    int surface_ = 0;
    std::function<bool(ChunkPos)> is_wanted_;
    std::optional<std::vector<ChunkPos>> listed_;
};

} // namespace orbis::jobs
