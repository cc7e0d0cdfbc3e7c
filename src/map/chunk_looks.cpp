#include "map/chunk_looks.hpp"

#include "bytes/reader.hpp"
#include "map/channels.hpp"

#include <algorithm>
#include <bit>

namespace orbis::map {

namespace {

std::uint32_t packed(Colour colour) { return join(colour.red, colour.green, colour.blue, 255); }

CellLook make_cell_look(const BlockLook& look) {
    CellLook out;
    out.see_through = look.see_through;
    out.ground = look.ground;
    if (look.empty) return out;
    out.part = static_cast<float>(look.biome_percent) / 100.0F;
    out.base = packed(look.base);
    const bool multiplies = look.has_particle && look.biome_percent < 100;
    out.particle = packed(multiplies ? look.particle : Colour{255, 255, 255});
    return out;
}

/// The layers in which not all cells have the label of the entry `Empty`, bit y for layer y. All of them
/// if there is no such entry, or where labels are so wide that no entry has them.
std::uint32_t layers_with_other_labels(const chunk::KeyPalette& palette) {
    const auto empty =
        std::ranges::find(palette.entries(), chunk::k_empty_key, &chunk::KeyPalette::Entry::value);
    if (empty == palette.entries().end() || palette.kind() == chunk::PaletteKind::wide)
        return ~std::uint32_t{0};
    const auto cells = palette.stored_cells();
    const auto layer_bytes = cells.size() / k_side;
    const std::uint64_t label =
        palette.kind() == chunk::PaletteKind::half_byte ? empty->id * 0x11U : empty->id;
    const auto repeated = label * 0x0101'0101'0101'0101U;
    std::uint32_t layers = 0;
    for (std::size_t y = 0; y < k_side; ++y) {
        std::uint64_t other = 0;
        for (std::size_t i = 0; i < layer_bytes; i += 8)
            other |= load_le<std::uint64_t>(cells.data() + y * layer_bytes + i) ^ repeated;
        if (other != 0) layers |= std::uint32_t{1} << y;
    }
    return layers;
}

} // namespace

void ChunkLooks::reset(const chunk::Chunk& chunk) {
    chunk_ = &chunk;
    for (auto& section : sections_) section.resolved = section.fluids_resolved = false;
}

void ChunkLooks::resolve(std::size_t index) {
    auto& looks = sections_[index];
    const auto& section = chunk_->section(static_cast<int>(index));
    const auto count = section.blocks.entries().size();
    const std::size_t migrations = section.version >= 6 && section.migration_count > 0
                                       ? static_cast<std::size_t>(section.migration_count)
                                       : 0;
    looks.resolved = true;
    looks.blocks.resize(count + 1);
    for (std::size_t i = 0; i <= count; ++i) {
        const auto key = section.block_key(i);
        looks.blocks[i] = block_cache_.get(key, migrations,
                                           [&] { return make_cell_look(colours_->block(key, migrations)); });
    }
}

void ChunkLooks::gather(const ColumnHeights& heights, TintInput& out) {
    static const CellLook k_none;
    std::uint32_t used = 0; // sections; heights outside the world are in none
    for (const auto h : heights) used |= h >= 0 && h < k_world_height ? 1U << (h >> 5) : 0U;
    for (auto rest = used; rest != 0; rest &= rest - 1) {
        const auto s = static_cast<std::size_t>(std::countr_zero(rest));
        if (!sections_[s].resolved) resolve(s);
    }
    for (std::size_t i = 0; i < k_columns; ++i) {
        const int h = heights[i];
        const bool inside = h >= 0 && h < k_world_height;
        const auto& look =
            inside
                ? sections_[static_cast<std::size_t>(h >> 5)].blocks[chunk_->section(h >> 5).blocks.entry_at(
                      CellIndex(static_cast<int>(i) | (h & 31) << 10))]
                : k_none;
        out.base[i] = look.base;
        out.particle[i] = look.particle;
        out.part[i] = look.part;
    }
}

std::size_t ChunkLooks::migrations(int y) const {
    const auto& section = chunk_->section(y >> 5);
    return section.version >= 6 && section.migration_count > 0
               ? static_cast<std::size_t>(section.migration_count)
               : 0;
}

std::string_view ChunkLooks::key(ColumnIndex column, int y) const {
    return chunk_->section(y >> 5).block_at(CellIndex(column.value | (y & 31) << 10)).key;
}

void ChunkLooks::resolve_fluids(std::size_t index) {
    auto& looks = sections_[index];
    const auto& section = chunk_->section(static_cast<int>(index));
    const auto entries = section.fluids.entries();
    looks.fluids_resolved = true;
    looks.fluids.resize(entries.size() + 1);
    looks.fluids.back() = FluidLook{};
    looks.fluids_in_keys = section.keys_have_fluids();
    looks.fluid_layers = looks.fluids_in_keys ? ~std::uint32_t{0} : 0;
    bool any = false;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        looks.fluids[i] =
            fluid_cache_.get(entries[i].value, 0, [&] { return colours_->fluid(entries[i].value); });
        any = any || looks.fluids[i].fluid;
    }
    if (any) looks.fluid_layers |= layers_with_other_labels(section.fluids);
}

const FluidLook& ChunkLooks::fluid(ColumnIndex column, int y) {
    const auto s = static_cast<std::size_t>(y) >> 5;
    auto& looks = sections_[s];
    if (!looks.fluids_resolved) resolve_fluids(s);
    const auto& section = chunk_->section(static_cast<int>(s));
    const CellIndex cell(column.value | (y & 31) << 10);
    const auto& own = looks.fluids[section.fluids.entry_at(cell)];
    if (own.fluid || !looks.fluids_in_keys) return own;
    const auto key = section.fluid_at(cell).key;
    return fluid_cache_.get(key, 0, [&] { return colours_->fluid(key); });
}

int ChunkLooks::highest_fluid_layer(int lowest) {
    for (int s = k_sections - 1; s >= std::max(lowest, 0) >> 5; --s) {
        auto& section = sections_[static_cast<std::size_t>(s)];
        if (!section.fluids_resolved) resolve_fluids(static_cast<std::size_t>(s));
        if (section.fluid_layers != 0) return s * k_side + 31 - std::countl_zero(section.fluid_layers);
    }
    return -1;
}

} // namespace orbis::map
