#include "mesh/chunk_cells.hpp"

#include "chunk/cell_words.hpp"
#include "map/shown_light.hpp"

#include <algorithm>
#include <cstring>

namespace orbis::mesh {

namespace {

using WordsOfSection = std::array<std::uint64_t, k_cells / 64>;

/// The bits from `first` to `last`, as far as there are any.
std::uint32_t range_bits(int first, int last) {
    first = std::max(first, 0);
    last = std::min(last, k_side - 1);
    if (first > last) return 0;
    return (~std::uint32_t{0} >> (31 - (last - first))) << first;
}

std::size_t migrations_of(const chunk::Section& section) {
    return section.version >= 6 && section.migration_count > 0
               ? static_cast<std::size_t>(section.migration_count)
               : 0;
}

/// The cells of a palette whose entries are wanted, as rows.
template <typename Wanted>
void find_cells(const chunk::KeyPalette& palette, Wanted is_wanted,
                std::array<std::uint32_t, k_columns>& rows) {
    WordsOfSection words;
    words.fill(~std::uint64_t{0});
    chunk::keep_cells(palette, words, is_wanted);
    std::memcpy(rows.data(), words.data(), sizeof words); // bit x of row y, z is the cell x, y, z
}

} // namespace

std::uint16_t ChunkCells::fluid(int x, int y, int z) const {
    const auto& section = chunk_->section(y >> 5);
    const auto at = static_cast<std::size_t>(y >> 5);
    const auto own = fluids_[at][section.fluids.entry_at(cell(x, y, z))];
    if (own != 0 || fluids_of_blocks_[at].empty()) return own;
    return fluids_of_blocks_[at][section.blocks.entry_at(cell(x, y, z))];
}

/// Keeps what counts of some rows of a section.
void ChunkCells::keep(std::size_t kind, int y, const Part& part, std::array<std::uint32_t, k_columns>& rows) {
    const auto inside = range_bits(part.first[0], part.last[0]);
    std::uint32_t any = 0;
    for (int row = 0; row < k_columns; ++row) {
        const int height = y * k_side + row / k_side;
        const bool counts = height >= part.first[1] && height <= part.last[1] && row % k_side >= part.first[2]
                            && row % k_side <= part.last[2];
        any |= rows[static_cast<std::size_t>(row)] &= counts ? inside : 0;
    }
    if (any == 0) return;
    sections_[kind] |= 1U << y;
    std::memcpy(&rows_[kind][static_cast<std::size_t>(y * k_side)], rows.data(), sizeof rows);
}

std::uint16_t ChunkCells::lamps(int x, int y, int z) const {
    constexpr unsigned k_lamps = 0xFFF; // without that of the sky
    if (chunk_ == nullptr || y < 0 || y >= k_world_height) return 0;
    const auto& section = chunk_->section(y >> 5);
    const auto at = cell(x, y, z);
    if (section.global_light.present())
        return static_cast<std::uint16_t>(map::shown_global_light(section, at).packed & k_lamps);
    return section.local_light.present()
               ? static_cast<std::uint16_t>(section.local_light.at(at).packed & k_lamps)
               : std::uint16_t{0};
}

void ChunkCells::read_blocks(int y, const Part& part, Materials& materials, Read read) {
    const auto at = static_cast<std::size_t>(y);
    const auto& section = chunk_->section(y);
    auto& blocks = blocks_[at];
    const auto entries = section.blocks.entries().size();
    blocks.assign(entries + 1, 0);
    std::uint32_t kinds = 0;
    for (std::size_t entry = 0; entry < entries; ++entry) {
        blocks[entry] = materials.of_block(section.block_key(entry), migrations_of(section));
        kinds |= 1U << index(materials[blocks[entry]].kind);
    }
    std::array<std::uint32_t, k_columns> rows;
    for (const auto kind : {Material::Kind::solid, Material::Kind::clear, Material::Kind::piece})
        if ((kinds >> index(kind) & 1) != 0 && (read == Read::all || kind == Material::Kind::solid)) {
            const auto is_wanted = [&](std::size_t entry) { return materials[blocks[entry]].kind == kind; };
            find_cells(section.blocks, is_wanted, rows);
            keep(index(kind), y, part, rows);
        }
}

void ChunkCells::read_fluids(int y, const Part& part, Materials& materials) {
    const auto at = static_cast<std::size_t>(y);
    const auto& section = chunk_->section(y);
    auto& fluids = fluids_[at];
    const auto fluid_entries = section.fluids.entries().size();
    fluids.assign(fluid_entries + 1, 0);
    bool has_fluids = false;
    for (std::size_t entry = 0; entry < fluid_entries; ++entry) {
        fluids[entry] = materials.of_fluid(section.fluids.entries()[entry].value);
        has_fluids = has_fluids || fluids[entry] != 0;
    }
    fluids_of_blocks_[at].clear();
    std::array<std::uint32_t, k_columns> fluid_rows{};
    if (has_fluids)
        find_cells(section.fluids, [&](std::size_t entry) { return fluids[entry] != 0; }, fluid_rows);
    if (section.keys_have_fluids()) {
        auto& of_blocks = fluids_of_blocks_[at];
        std::array<std::uint32_t, k_columns> rows;
        of_blocks.assign(section.blocks.entries().size() + 1, 0);
        for (std::size_t entry = 0; entry < section.old_keys().size(); ++entry)
            if (const auto& key = section.old_keys()[entry].fluid; !key.empty())
                of_blocks[entry] = materials.of_fluid(key);
        find_cells(section.blocks, [&](std::size_t entry) { return of_blocks[entry] != 0; }, rows);
        for (std::size_t row = 0; row < rows.size(); ++row) fluid_rows[row] |= rows[row];
        has_fluids = true;
    }
    if (has_fluids) keep(index(Material::Kind::fluid), y, part, fluid_rows);
}

void ChunkCells::reset(const chunk::Chunk* chunk, const Part& part, Materials& materials, Read read) {
    for (std::size_t kind = 0; kind < k_kinds; ++kind)
        for (std::size_t y = 0; y < k_sections; ++y)
            if ((sections_[kind] >> y & 1) != 0)
                std::fill_n(rows_[kind].begin() + static_cast<std::ptrdiff_t>(y * k_side), k_side,
                            LayerRows{});
    sections_ = {};
    chunk_ = chunk;
    for (int y = 0; chunk != nullptr && y < k_sections; ++y) {
        read_blocks(y, part, materials, read);
        if (read == Read::all) read_fluids(y, part, materials);
    }
}

} // namespace orbis::mesh
