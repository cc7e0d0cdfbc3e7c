#pragma once

#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "bytes/result.hpp"
#include "chunk/shape.hpp"
#include "jobs/clip/turn.hpp"
#include "jobs/select/block_box.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orbis::jobs {

/// A part of a world, or a prefab, taken out of its place: cells with everything that belongs to them. All
/// positions count from the clip's own origin, those inside of components and entities too. A cell that is
/// not listed is left alone when the clip is put into a world; a listed `Empty` clears it.
struct Clip {
    static constexpr std::int32_t k_no_components = -1;

    /// One cell. Large blocks are several cells, each with its filler.
    struct Block {
        BlockPos at;
        std::uint32_t key = 0; ///< in `keys`
        Rotation rotation{};
        Filler filler{};
        std::uint8_t support = 0;
        bool ticks = false;
        std::int32_t components = k_no_components; ///< in `components`
    };
    /// The fluid of a cell; `Empty` with level 0 clears it.
    struct Fluid {
        BlockPos at;
        std::uint32_t key = 0; ///< in `keys`
        std::uint8_t level = 0;
    };

    std::int32_t migration_count = 0; ///< that the block keys have been through
    std::vector<std::string> keys{};  ///< of blocks and fluids, each once
    std::vector<Block> blocks{};      ///< each position once
    std::vector<Fluid> fluids{};      ///< each position once
    std::vector<Buffer> components{}; ///< holders of blocks, as BSON
    std::vector<Buffer> entities{};   ///< holders, as BSON, angles in radians
};

/// The clip turned around its origin: blocks, fluids, entities, and the positions inside of components. An
/// error if a block is so large that its turned cells cannot be stored.
Result<Clip> turned(Clip clip, const Turn& turn);

/// The smallest box with all cells of a clip; nothing if it has none.
std::optional<BlockBox> bounds(const Clip& clip);

} // namespace orbis::jobs
