#pragma once

#include "app/chunks_option.hpp"
#include "app/console.hpp"
#include "jobs/cells/area.hpp"
#include "jobs/cells/cell_mask.hpp"
#include "world/location.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orbis::app {

/// Which cells a verb works on: `--box`, `--sphere`, `--cylinder`, `--cells`, `--surface`, `--chunks`, and of
/// these only what `--mask`, `--above` and `--environment` leave.
class AreaOptions {
public:
    void declare(Options& options);
    /// Whether anything says where.
    [[nodiscard]] bool is_given() const;
    /// The area; chunks are looked at where the selection needs it.
    [[nodiscard]] Result<jobs::Area> area(const world::World& world, std::size_t threads,
                                          Console& console) const;
    [[nodiscard]] Result<jobs::CellMask> mask() const;
    /// For verbs that take exactly one box and nothing else.
    [[nodiscard]] Result<jobs::BlockBox> only_box() const;
    [[nodiscard]] const std::string& mask_text() const { return mask_; }

private:
    Result<void> add_cells(const world::World& world, std::size_t threads, Console& console,
                           jobs::Area& area) const;

    std::vector<std::string> boxes_;
    std::vector<std::string> spheres_;
    std::vector<std::string> cylinders_;
    std::string cells_;
    std::optional<int> surface_;
    ChunksOption chunks_;
    std::string mask_;
    std::string above_;
    std::string environment_;
};

/// `X,Y,Z`.
Result<BlockPos> parse_block_position(std::string_view text);

} // namespace orbis::app
