#include "world/sample/canvas.hpp"

#include <stdexcept>

namespace orbis::world::sample {
namespace {

int cell_in_column(int x, int y, int z) { return y << 10 | (z & 31) << 5 | (x & 31); }

std::uint16_t cell_in_section(int x, int y, int z) {
    return static_cast<std::uint16_t>(CellIndex(x, y, z).value);
}

/// x and z of an offset after a quarter turn for each step of the facing.
Offset turned(Offset offset, Facing facing) {
    for (int i = 0; i < static_cast<int>(facing); ++i) offset = {offset.z, offset.y, -offset.x};
    return offset;
}

} // namespace

Canvas::Canvas(const Assets& assets)
    : assets_(assets), keys_{"Empty"}, types_{nullptr}, chunks_(std::size_t{k_chunks} * k_chunks) {
    numbers_.emplace("Empty", Block{0});
}

Block Canvas::block(std::string_view key) {
    if (const auto found = numbers_.find(key); found != numbers_.end()) return found->second;
    const auto* type = assets_.block(key);
    // Both are mistakes in this folder, not in any input; the tests build the whole world.
    if (type == nullptr) throw std::logic_error("no block " + std::string(key));
    if (keys_.size() == 256) throw std::logic_error("more than 255 blocks in the sample world");
    const auto number = static_cast<Block>(keys_.size());
    keys_.emplace_back(key);
    types_.push_back(type);
    numbers_.emplace(key, number);
    return number;
}

std::size_t Canvas::index(int x, int z) {
    return static_cast<std::size_t>(((z >> 5) - k_low_chunk) * k_chunks + (x >> 5) - k_low_chunk);
}

const Canvas::Chunk* Canvas::chunk(int x, int z) const {
    return Landscape::inside(x, z) ? &chunks_[index(x, z)] : nullptr;
}

Canvas::Section* Canvas::writable(int x, int y, int z) {
    if (!Landscape::inside(x, z) || y < 0 || y >= k_world_height) return nullptr;
    auto& sections = chunks_[index(x, z)].sections;
    auto& section = sections[static_cast<std::size_t>(y >> 5)];
    if (!section) section = std::make_unique<Section>();
    return section.get();
}

Block Canvas::at(int x, int y, int z) const {
    const auto* found = section({x >> 5, y >> 5, z >> 5});
    return found == nullptr ? Block{0} : found->blocks[cell_in_section(x, y, z)];
}

Fluid Canvas::fluid_at(int x, int y, int z) const {
    const auto* found = section({x >> 5, y >> 5, z >> 5});
    if (found == nullptr || !found->fluids) return Fluid::none;
    return static_cast<Fluid>((*found->fluids)[cell_in_section(x, y, z)] >> 4);
}

void Canvas::set(int x, int y, int z, Block block, Facing facing) {
    auto* section = writable(x, y, z);
    if (section == nullptr) return;
    const auto cell = cell_in_section(x, y, z);
    section->blocks[cell] = block;
    if (section->fluids) (*section->fluids)[cell] = 0;
    if (!section->fillers.empty()) section->fillers.erase(cell);
    if (!section->rotations.empty()) section->rotations.erase(cell);
    if (facing != Facing::north) section->rotations.emplace(cell, static_cast<std::uint8_t>(facing));
    auto& components = chunks_[index(x, z)].components;
    if (!components.empty()) components.erase(cell_in_column(x, y, z));
}

void Canvas::set_large(int x, int y, int z, std::string_view key, Facing facing,
                       std::span<const Offset> more) {
    set(x, y, z, key, facing);
    for (const auto& offset : more) {
        const auto [dx, dy, dz] = turned(offset, facing);
        set(x + dx, y + dy, z + dz, key, facing);
        if (auto* section = writable(x + dx, y + dy, z + dz))
            section->fillers.emplace(
                cell_in_section(x + dx, y + dy, z + dz),
                static_cast<std::uint16_t>((dx & 31) | (dz & 31) << 5 | (dy & 31) << 10));
    }
}

void Canvas::turn(int x, int y, int z, int rotation) {
    if (auto* section = writable(x, y, z))
        section->rotations.insert_or_assign(cell_in_section(x, y, z), static_cast<std::uint8_t>(rotation));
}

void Canvas::fill(int x0, int y0, int z0, int x1, int y1, int z1, Block block) {
    for (int y = y0; y <= y1; ++y)
        for (int z = z0; z <= z1; ++z)
            for (int x = x0; x <= x1; ++x) set(x, y, z, block);
}

void Canvas::pour(int x, int y, int z, Fluid fluid, int level) {
    auto* section = writable(x, y, z);
    if (section == nullptr) return;
    if (!section->fluids) section->fluids = std::make_unique<std::array<std::uint8_t, k_cells>>();
    const auto value = fluid == Fluid::none ? 0 : static_cast<int>(fluid) << 4 | level;
    (*section->fluids)[cell_in_section(x, y, z)] = static_cast<std::uint8_t>(value);
}

void Canvas::attach(int x, int y, int z, Buffer holder) {
    if (Landscape::inside(x, z))
        chunks_[index(x, z)].components.insert_or_assign(cell_in_column(x, y, z), std::move(holder));
}

void Canvas::add_entity(ChunkPos at, Buffer holder) {
    if (Landscape::inside(at.x * k_side, at.z * k_side))
        chunks_[index(at.x * k_side, at.z * k_side)].entities.push_back(std::move(holder));
}

const Canvas::Section* Canvas::section(SectionPos at) const {
    if (at.y < 0 || at.y >= k_sections) return nullptr;
    const auto* found = chunk(at.x * k_side, at.z * k_side);
    return found == nullptr ? nullptr : found->sections[static_cast<std::size_t>(at.y)].get();
}

const std::map<int, Buffer>& Canvas::components(ChunkPos at) const {
    return chunk(at.x * k_side, at.z * k_side)->components;
}

const std::vector<Buffer>& Canvas::entities(ChunkPos at) const {
    return chunk(at.x * k_side, at.z * k_side)->entities;
}

int Canvas::height(int x, int z) const {
    for (int y = k_world_height - 1; y > 0; --y) {
        const auto* found = section({x >> 5, y >> 5, z >> 5});
        if (found == nullptr) {
            y &= ~31; // nothing in the whole section
            continue;
        }
        const auto* type = types_[found->blocks[cell_in_section(x, y, z)]];
        if (type != nullptr && type->opacity != Opacity::transparent) return y;
    }
    return 0;
}

} // namespace orbis::world::sample
