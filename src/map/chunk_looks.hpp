#pragma once

#include "chunk/chunk.hpp"
#include "map/colours.hpp"
#include "map/look_cache.hpp"
#include "map/sheet.hpp"
#include "map/tint.hpp"

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

/// The looks of what lies in the cells of one chunk. Keys are looked up once per palette entry, when one of
/// its cells is asked for, and kept from chunk to chunk.
class ChunkLooks {
public:
    explicit ChunkLooks(const Colours& colours) : colours_(&colours) {}

    /// Goes on with another chunk, which must live as long as it is asked about.
    void reset(const chunk::Chunk& chunk);

    /// `y` must be in the world.
    const CellLook& block(ColumnIndex column, int y) {
        const auto s = static_cast<std::size_t>(y) >> 5;
        auto& section = sections_[s];
        if (!section.resolved) resolve(s);
        return section.blocks[chunk_->section(static_cast<int>(s))
                                  .blocks.entry_at(CellIndex(column.value | (y & 31) << 10))];
    }
    /// Gathers the blocks at these heights, one per column. Nothing where a height is outside of the world.
    void gather(const std::array<std::int16_t, k_columns>& heights, TintInput& out);
    /// The key of a block, without the attributes of old keys, and the number of its section's migrations.
    [[nodiscard]] std::string_view key(ColumnIndex column, int y) const;
    [[nodiscard]] std::size_t migrations(int y) const;

    /// Valid until the next question about a fluid.
    const FluidLook& fluid(ColumnIndex column, int y);
    /// False where no cell at this height holds a fluid. May be true where none does.
    bool layer_may_have_fluid(int y) {
        auto& section = sections_[static_cast<std::size_t>(y) >> 5];
        if (!section.fluids_resolved) resolve_fluids(static_cast<std::size_t>(y) >> 5);
        return (section.fluid_layers >> (y & 31) & 1) != 0;
    }
    /// The highest layer from `lowest` on that may have a fluid; -1 where none has.
    int highest_fluid_layer(int lowest);

    /// The highest block at or below `from` that counts for heights; -1 where there is none.
    int highest_opaque(ColumnIndex column, int from);
    /// The highest cell at or below `from` that does not; -1 where there is none.
    int highest_open(ColumnIndex column, int from);
    /// The highest ground at or below `from`; -1 where there is none.
    int highest_ground(ColumnIndex column, int from);

    [[nodiscard]] const Colours& colours() const { return *colours_; }

private:
    struct SectionLooks {
        bool resolved = false;
        bool fluids_resolved = false;
        bool all_see_through = false;   ///< every entry is
        std::uint32_t fluid_layers = 0; ///< bit y: the layer may have a fluid
        std::vector<CellLook> blocks;   ///< per entry, and one more for cells without
        std::vector<FluidLook> fluids;
    };
    void resolve(std::size_t section);
    void resolve_fluids(std::size_t section);

    const Colours* colours_;
    const chunk::Chunk* chunk_ = nullptr;
    std::array<SectionLooks, k_sections> sections_;
    LookCache<CellLook> block_cache_;
    LookCache<FluidLook> fluid_cache_;
};

} // namespace orbis::map
