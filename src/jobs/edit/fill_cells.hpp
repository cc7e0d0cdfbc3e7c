#pragma once

#include "jobs/cells/area.hpp"
#include "jobs/cells/cell_mask.hpp"
#include "jobs/cells/edit_chunks.hpp"

#include <atomic>
#include <optional>
#include <string>

namespace orbis::jobs {

/// What cells are filled with.
struct Filling {
    struct Block {
        std::string key;
        Rotation rotation;
    };
    struct Fluid {
        std::string key; ///< `Empty` for none
        std::uint8_t level = 0;
    };
    std::optional<Block> block; ///< none: blocks stay
    std::optional<Fluid> fluid; ///< none: fluids stay

    /// `Rock_Stone`, or with a rotation in degrees `Wood_Stairs@90` or `Wood_Stairs@yaw,pitch,roll`.
    static Result<Block> parse_block(std::string_view text);
    /// `Water_Source`, or with a level `Water:5`; without one it is the highest that the table knows.
    static Result<Fluid> parse_fluid(std::string_view text, const world::Assets& assets);
};

struct FillReport : EditReport {
    std::optional<std::uint64_t> cells_without_chunk; ///< nothing where they cannot be counted
};

/// Puts one block or one fluid into all cells of an area. Cells that hold it already are left alone.
Result<FillReport> fill_cells(const world::World& world, const world::Assets& assets, const Area& area,
                              const CellMask& mask, const Filling& filling, const EditOptions& options,
                              Progress& progress);

/// Counts the cells of an area that are in no chunk, as an edit is told of them.
class MissingCells {
public:
    void add(const Area& area, ChunkPos pos) const;
    [[nodiscard]] std::optional<std::uint64_t> count(const Area& area) const;

private:
    mutable std::atomic<std::uint64_t> cells_ = 0;
};

} // namespace orbis::jobs
