#pragma once

#include "chunk/chunk.hpp"
#include "map/colours.hpp"
#include "map/look_cache.hpp"
#include "map/tint.hpp"
#include "map/unshaded_chunk.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace orbis::map {

/// A block as it is needed per cell; colours as `TintInput` takes them.
struct CellLook {
    std::uint32_t base = 0;
    std::uint32_t particle = 0;
    float part = 0;
    bool see_through = true;
    bool ground = false;
};

using ColumnHeights = std::array<std::int16_t, k_columns>;

/// What can be looked for in columns.
enum class Sought : std::uint8_t {
    opaque, ///< a block that counts for heights
    open,   ///< one that does not, such as air
    ground, ///< rock, soil and the like
};

/// The looks of what is in the cells of one chunk. Keys are looked up once per palette entry, when one of
/// its cells is asked for, and kept from chunk to chunk.
class ChunkLooks {
public:
    explicit ChunkLooks(const Colours& colours) : colours_(&colours) {}

    /// Goes on with another chunk, which must live as long as it is asked about.
    void reset(const chunk::Chunk& chunk);

    /// Gathers the blocks at these heights, one per column. Nothing if a height is outside the world.
    void gather(const ColumnHeights& heights, TintInput& out);
    /// The key of a block, without the attributes of old keys, and the number of its section's migrations.
    [[nodiscard]] std::string_view key(ColumnIndex column, int y) const;
    [[nodiscard]] std::size_t migrations(int y) const;

    /// Valid until the next question about a fluid.
    const FluidLook& fluid(ColumnIndex column, int y);
    /// False if no cell at this height holds a fluid. May be true if none does.
    bool layer_may_have_fluid(int y) {
        auto& section = sections_[static_cast<std::size_t>(y) >> 5];
        if (!section.fluids_resolved) resolve_fluids(static_cast<std::size_t>(y) >> 5);
        return (section.fluid_layers >> (y & 31) & 1) != 0;
    }
    /// The highest layer from `lowest` on that may have a fluid; -1 if none has.
    int highest_fluid_layer(int lowest);

    /// For each column the highest cell at or below `from` that is what is sought; -1 if there is none, or
    /// where `from` is below the world.
    void highest(Sought sought, const ColumnHeights& from, ColumnHeights& out);

    [[nodiscard]] const Colours& colours() const { return *colours_; }

private:
    struct SectionLooks {
        bool resolved = false;
        bool fluids_resolved = false;
        bool fluids_in_keys = false;    ///< of blocks, as old sections have them
        std::uint32_t fluid_layers = 0; ///< bit y: the layer may have a fluid
        std::vector<CellLook> blocks;   ///< per entry, and one more for cells without
        std::vector<FluidLook> fluids;
    };
    void resolve(std::size_t section);
    void resolve_fluids(std::size_t section);

    const Colours* colours_;
    const chunk::Chunk* chunk_ = nullptr;
    std::array<SectionLooks, k_sections> sections_;
    /// Scratch of `highest`, zero between calls: for each y and row the columns whose search begins there.
    std::array<std::array<std::uint32_t, k_side>, k_world_height> begins_{};
    LookCache<CellLook> block_cache_;
    LookCache<FluidLook> fluid_cache_;
};

} // namespace orbis::map
