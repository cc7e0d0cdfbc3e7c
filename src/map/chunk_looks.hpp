#pragma once

#include "chunk/chunk.hpp"
#include "map/colours.hpp"
#include "map/look_cache.hpp"
#include "map/sheet.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace orbis::map {

/// A block as it is needed per column.
struct CellLook {
    BlockLook look;
    Rgba flat; ///< its colour where no tint changes it; else alpha is 0
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
    /// The key of the same block, without the attributes of old keys.
    [[nodiscard]] std::string_view key(ColumnIndex column, int y) const;

    FluidLook fluid(ColumnIndex column, int y);
    /// Whether any of the cells at this height holds a fluid.
    bool layer_has_fluid(int y) {
        auto& section = sections_[static_cast<std::size_t>(y) >> 5];
        if (!section.fluids_resolved) resolve_fluids(static_cast<std::size_t>(y) >> 5);
        return (section.fluid_layers >> (y & 31) & 1) != 0;
    }
    /// The highest layer with a fluid; -1 where the chunk has none.
    int highest_fluid_layer();

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
        std::uint32_t fluid_layers = 0; ///< bit y: the layer has a fluid
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
