#include "map/chunk_looks.hpp"

#include <algorithm>
#include <bit>

namespace orbis::map {

namespace {

CellLook make_cell_look(const BlockLook& look) {
    CellLook out{look, {}};
    if (look.empty || look.biome_percent > 0) return out;
    const auto colour = look.tinted({});
    out.flat = {colour.red, colour.green, colour.blue, 255};
    return out;
}

} // namespace

void ChunkLooks::reset(const chunk::Chunk& chunk) {
    chunk_ = &chunk;
    for (auto& section : sections_) section.resolved = section.fluids_resolved = false;
}

void ChunkLooks::resolve(std::size_t index) {
    auto& looks = sections_[index];
    const auto& section = chunk_->section(static_cast<int>(index));
    const auto entries = section.blocks.entries();
    const std::size_t migrations = section.version >= 6 && section.migration_count > 0
                                       ? static_cast<std::size_t>(section.migration_count)
                                       : 0;
    looks.resolved = true;
    looks.blocks.resize(entries.size() + 1);
    looks.all_see_through = true;
    for (std::size_t i = 0; i <= entries.size(); ++i) {
        const auto key = i == entries.size()      ? chunk::k_empty_key
                         : section.legacy.empty() ? entries[i].value
                                                  : section.legacy[i].block;
        looks.blocks[i] = block_cache_.get(key, migrations,
                                           [&] { return make_cell_look(colours_->block(key, migrations)); });
        looks.all_see_through &= looks.blocks[i].look.see_through;
    }
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
    looks.fluid_layers = 0;
    bool any = std::ranges::any_of(section.legacy, [](const auto& key) { return !key.fluid.empty(); });
    for (std::size_t i = 0; i < entries.size(); ++i) {
        looks.fluids[i] =
            fluid_cache_.get(entries[i].value, 0, [&] { return colours_->fluid(entries[i].value); });
        any = any || looks.fluids[i].fluid;
    }
    if (!any) return;
    for (int y = 0; y < k_side; ++y)
        for (int i = 0; i < k_columns; ++i)
            if (fluid(ColumnIndex(i), static_cast<int>(index) * k_side + y).fluid) {
                looks.fluid_layers |= std::uint32_t{1} << y;
                break;
            }
}

FluidLook ChunkLooks::fluid(ColumnIndex column, int y) {
    const auto s = static_cast<std::size_t>(y) >> 5;
    auto& looks = sections_[s];
    if (!looks.fluids_resolved) resolve_fluids(s);
    const auto& section = chunk_->section(static_cast<int>(s));
    const CellIndex cell(column.value | (y & 31) << 10);
    const auto& own = looks.fluids[section.fluids.entry_at(cell)];
    if (own.fluid || section.legacy.empty()) return own;
    const auto key = section.fluid_at(cell).key;
    return fluid_cache_.get(key, 0, [&] { return colours_->fluid(key); });
}

int ChunkLooks::highest_fluid_layer() {
    for (std::size_t s = k_sections; s-- > 0;) {
        if (!sections_[s].fluids_resolved) resolve_fluids(s);
        if (sections_[s].fluid_layers != 0)
            return static_cast<int>(s) * k_side + 31 - std::countl_zero(sections_[s].fluid_layers);
    }
    return -1;
}

int ChunkLooks::highest_opaque(ColumnIndex column, int from) {
    for (int y = from; y >= 0;) {
        const auto& first = block(column, y);
        const auto& section = sections_[static_cast<std::size_t>(y) >> 5];
        if (section.all_see_through) {
            y = (y & ~31) - 1;
            continue;
        }
        if (!first.look.see_through) return y;
        --y;
    }
    return -1;
}

int ChunkLooks::highest_open(ColumnIndex column, int from) {
    for (int y = from; y >= 0; --y)
        if (block(column, y).look.see_through) return y;
    return -1;
}

int ChunkLooks::highest_ground(ColumnIndex column, int from) {
    for (int y = from; y >= 0; --y)
        if (block(column, y).look.ground) return y;
    return -1;
}

} // namespace orbis::map
