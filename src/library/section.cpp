#include "orbis/section.hpp"

#include "library/chunk_state.hpp"

#include <algorithm>

namespace orbis {
namespace {

using Group = ChunkState::Group;

/// A cell of the section, whatever number was given.
CellIndex inside(CellIndex cell) { return CellIndex(cell.value & (k_cells - 1)); }

} // namespace

bool Section::empty() const {
    const auto& unpacked = chunk_->with_keys(y_);
    if (unpacked.keys.size() == 1) return true;
    const auto cells = counts();
    for (std::size_t entry = 0; entry < cells.size(); ++entry)
        if (cells[entry] != 0 && unpacked.keys[entry] != chunk::k_empty_key) return false;
    return true;
}

std::span<const std::string_view> Section::keys() const { return chunk_->with_keys(y_).keys; }

std::span<const std::uint16_t, k_cells> Section::blocks() const { return *chunk_->with_cells(y_).cells; }

std::vector<std::uint32_t> Section::counts() const {
    return chunk_->model(Group::blocks).section(y_).blocks.histogram();
}

std::vector<std::uint16_t> Section::lights() const {
    std::vector<std::uint16_t> out(k_cells);
    chunk_->model(Group::cells).section(y_).global_light.expand(std::span<std::uint16_t, k_cells>(out));
    return out;
}

// A section up to version 4 has fluids of its own, and others in the keys of its blocks: these come after its
// own.
std::vector<std::string_view> Section::fluid_keys() const {
    const auto& section = chunk_->model(Group::cells).section(y_);
    std::vector<std::string_view> keys;
    for (const auto& entry : section.fluids.entries()) keys.push_back(entry.value);
    if (section.keys_have_fluids())
        for (const auto& key : section.old_keys())
            keys.push_back(key.fluid.empty() ? chunk::k_empty_key : std::string_view(key.fluid));
    keys.push_back(chunk::k_empty_key);
    return keys;
}

std::vector<std::uint16_t> Section::fluids() const {
    const auto& section = chunk_->model(Group::cells).section(y_);
    std::vector<std::uint16_t> out(k_cells);
    section.fluids.expand(std::span<std::uint16_t, k_cells>(out));
    if (!section.keys_have_fluids()) return out;
    const auto own = section.fluids.entries().size();
    const auto old = section.old_keys();
    for (std::size_t i = 0; i < out.size(); ++i) {
        const CellIndex cell(static_cast<int>(i));
        const auto entry = section.blocks.entry_at(cell);
        if (section.fluids.at(cell) == chunk::k_empty_key)
            out[i] = static_cast<std::uint16_t>(own + std::min<std::size_t>(entry, old.size()));
    }
    return out;
}

std::vector<std::uint8_t> Section::fluid_levels() const {
    const auto& section = chunk_->model(Group::cells).section(y_);
    std::vector<std::uint8_t> out(k_cells);
    if (!section.keys_have_fluids() && !section.levels.present()) return out;
    for (int cell = 0; cell < k_cells; ++cell)
        out[static_cast<std::size_t>(cell)] = section.fluid_at(CellIndex(cell)).level;
    return out;
}

std::vector<std::uint8_t> Section::rotations() const {
    const auto& section = chunk_->model(Group::cells).section(y_);
    std::vector<std::uint8_t> out(k_cells);
    section.with_rotations([&](const auto& palette, const auto& value_of) {
        palette.for_each_run([&](CellIndex first, CellIndex end, std::uint32_t entry) {
            std::fill(out.begin() + first.value, out.begin() + end.value, value_of(entry));
        });
    });
    return out;
}

Block Section::block(CellIndex cell) const {
    const auto found = chunk_->model(Group::cells).section(y_).block_at(inside(cell));
    return {std::string(found.key), found.rotation, found.filler};
}

Fluid Section::fluid(CellIndex cell) const {
    const auto found = chunk_->model(Group::cells).section(y_).fluid_at(inside(cell));
    return {std::string(found.key), found.level};
}

LightValue Section::light(CellIndex cell) const {
    return chunk_->model(Group::cells).section(y_).global_light.at(inside(cell));
}

} // namespace orbis
