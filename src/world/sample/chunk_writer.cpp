#include "world/sample/chunk_writer.hpp"

#include "chunk/chunk.hpp"

#include <algorithm>

namespace orbis::world::sample {
namespace {

/// Caves begin this far below the ground.
constexpr int k_cave_depth = 12;

template <typename Value>
using Cells = std::array<Value, k_cells>;

} // namespace

struct ChunkWriter::Scratch {
    Cells<std::uint16_t> cells{};
    SectionLight light{};
    std::vector<std::string_view> keys;
    std::vector<std::uint16_t> fillers;
    std::vector<std::uint8_t> rotations;
};

ChunkWriter::ChunkWriter(const Landscape& landscape, const Canvas& canvas, const WorldLight& light,
                         int migrations)
    : landscape_(landscape),
      canvas_(canvas),
      light_(light),
      migrations_(migrations),
      scratch_(std::make_unique<Scratch>()) {}
ChunkWriter::~ChunkWriter() = default;
ChunkWriter::ChunkWriter(ChunkWriter&&) noexcept = default;

std::string_view surface_environment(const Column& column) {
    switch (column.biome) {
    case Biome::forest: return "Env_Zone1_Forests";
    case Biome::autumn: return "Env_Zone1_Autumn";
    case Biome::bed:
    case Biome::shore: return "Env_Zone1_Shores";
    case Biome::pines:
    case Biome::rock:
    case Biome::snow: return "Env_Zone1_Mountains";
    case Biome::meadow:
    case Biome::village: break;
    }
    return "Env_Zone1_Plains";
}

std::string_view cave_environment(const Column& column) {
    switch (column.biome) {
    case Biome::forest:
    case Biome::autumn: return "Env_Zone1_Caves_Forests";
    case Biome::pines:
    case Biome::rock:
    case Biome::snow: return "Env_Zone1_Caves_Mountains";
    default: return "Env_Zone1_Caves_Plains";
    }
}

namespace {

/// Fills `cells` with indices into `values`: those of the given cells, and `empty` for all others.
template <typename Value>
void sparse(const std::unordered_map<std::uint16_t, Value>& from, Cells<std::uint16_t>& cells,
            std::vector<Value>& values) {
    values.assign(1, Value{0});
    cells.fill(0);
    // In the order of the cells, so that the same world is the same bytes.
    std::vector<std::pair<std::uint16_t, Value>> ordered(from.begin(), from.end());
    std::ranges::sort(ordered);
    for (const auto& [cell, value] : ordered) {
        auto found = std::ranges::find(values, value);
        if (found == values.end()) found = values.insert(values.end(), value);
        cells[cell] = static_cast<std::uint16_t>(found - values.begin());
    }
}

void write_blocks(const Canvas& canvas, const Canvas::Section& from, chunk::Section& to,
                  Cells<std::uint16_t>& cells, std::vector<std::string_view>& keys) {
    // Only the keys of this section, in the order in which they appear.
    std::array<int, 256> numbers;
    numbers.fill(-1);
    keys.clear();
    for (std::size_t i = 0; i < k_cells; ++i) {
        auto& number = numbers[from.blocks[i]];
        if (number < 0) {
            number = static_cast<int>(keys.size());
            keys.push_back(canvas.keys()[from.blocks[i]]);
        }
        cells[i] = static_cast<std::uint16_t>(number);
    }
    to.blocks.assign(cells, keys);
}

void write_fluids(const Canvas::Section& from, chunk::Section& to, Cells<std::uint16_t>& cells) {
    if (!from.fluids) return;
    for (std::size_t i = 0; i < k_cells; ++i) cells[i] = (*from.fluids)[i] >> 4;
    to.fluids.assign(cells, k_fluid_keys);
    for (std::size_t i = 0; i < k_cells; ++i)
        if (const auto level = static_cast<std::uint8_t>((*from.fluids)[i] & 15); level != 0)
            to.levels.set(CellIndex(static_cast<int>(i)), level);
}

void write_light(const SectionLight& light, chunk::Light& to, std::int16_t counter) {
    const bool dark = std::ranges::all_of(light, [](auto value) { return value == 0; });
    dark ? to.clear(counter) : to.set(light, counter);
}

} // namespace

Result<void> ChunkWriter::write(ChunkPos pos, Buffer& out) {
    auto chunk = chunk::Chunk::create();
    auto& scratch = *scratch_;
    for (int y = 0; y < k_sections; ++y) {
        TRY(auto* section, chunk.edit_section(y));
        section->migration_count = migrations_;
        section->counters_changed = true;
        if (const auto* from = canvas_.section(pos.section(y))) {
            write_blocks(canvas_, *from, *section, scratch.cells, scratch.keys);
            if (!from->fillers.empty()) {
                sparse(from->fillers, scratch.cells, scratch.fillers);
                section->fillers.assign(scratch.cells, scratch.fillers);
            }
            if (!from->rotations.empty()) {
                sparse(from->rotations, scratch.cells, scratch.rotations);
                section->rotations.assign(scratch.cells, scratch.rotations);
            }
            write_fluids(*from, *section, scratch.cells);
        }
        light_.local(pos.section(y), scratch.light);
        write_light(scratch.light, section->local_light, section->local_counter);
        light_.global(pos.section(y), scratch.light);
        write_light(scratch.light, section->global_light, section->global_counter);
    }

    TRY(auto* heights, chunk.edit_heights());
    TRY(auto* tints, chunk.edit_tints());
    TRY(auto* environments, chunk.edit_environments());
    std::array<std::int16_t, k_columns> height{};
    std::array<std::int32_t, k_columns> tint{};
    for (int i = 0; i < k_columns; ++i) {
        const ColumnIndex index(i);
        const int x = pos.x * k_side + index.x();
        const int z = pos.z * k_side + index.z();
        const auto& column = landscape_.at(x, z);
        height[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(light_.height(x, z));
        tint[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(column.tint);
        const std::array<chunk::EnvironmentRun, 2> runs{
            {{column.ground - k_cave_depth, cave_environment(column)},
             {chunk::EnvironmentRun::k_no_end, surface_environment(column)}}};
        if (i == 0) environments->fill(runs.front().key); // id 0: each column gets its own runs
        environments->set_runs(index, runs);
    }
    heights->assign(height);
    tints->assign(tint);

    TRY(auto* components, chunk.edit_block_components());
    for (const auto& [index, holder] : canvas_.components(pos))
        TRY_DO(components->set(chunk::BlockIndex(index), holder));
    TRY(auto* entities, chunk.edit_entities());
    for (const auto& holder : canvas_.entities(pos)) TRY_DO(entities->add(holder));

    TRY(const auto document, chunk.encode(out));
    if (document.data() != out.data()) out.assign(document.begin(), document.end());
    return {};
}

} // namespace orbis::world::sample
