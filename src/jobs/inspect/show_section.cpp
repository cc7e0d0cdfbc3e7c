#include "jobs/inspect/show_section.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace orbis::jobs {
namespace {

std::string_view name(chunk::PaletteKind kind) {
    switch (kind) {
    case chunk::PaletteKind::empty: return "Empty";
    case chunk::PaletteKind::half_byte: return "HalfByte";
    case chunk::PaletteKind::byte: return "Byte";
    case chunk::PaletteKind::wide: return "Short";
    }
    return "";
}

std::string_view name(chunk::PartState state) {
    switch (state) {
    case chunk::PartState::absent: return "absent";
    case chunk::PartState::decoded: return "decoded";
    case chunk::PartState::skipped: return "skipped";
    case chunk::PartState::broken: return "broken";
    }
    return "";
}

/// A key as a text, a number as a number.
void write_value(JsonWriter& json, std::string_view value) { json.string(value); }
void write_value(JsonWriter& json, std::uint16_t value) { json.number(value); }
void write_value(JsonWriter& json, std::uint8_t value) { json.number(value); }

/// Cells per value, the most frequent first.
template <typename Value>
void write_counts(JsonWriter& json, const chunk::Palette<Value>& palette) {
    std::map<Value, std::uint64_t> counts;
    const auto cells = palette.histogram();
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const auto value = i < palette.entries().size() ? palette.entries()[i].value : palette.empty_value();
        if (cells[i] != 0) counts[value] += cells[i];
    }
    std::vector<std::pair<Value, std::uint64_t>> ordered(counts.begin(), counts.end());
    std::ranges::stable_sort(ordered, std::greater{}, [](const auto& entry) { return entry.second; });
    json.array();
    for (const auto& [value, count] : ordered) {
        json.array();
        write_value(json, value);
        json.number(count).end();
    }
    json.end();
}

/// Every cell: `[value, cells]` for each stretch of equal cells, in the order of the cell index.
template <typename Value>
void write_runs(JsonWriter& json, const chunk::Palette<Value>& palette) {
    json.array();
    palette.for_each_run([&](CellIndex first, CellIndex end, std::uint32_t entry) {
        json.array();
        write_value(json, entry < palette.entries().size() ? palette.entries()[entry].value
                                                           : palette.empty_value());
        json.number(end.value - first.value).end();
    });
    json.end();
}

template <typename Value>
void write_palette(JsonWriter& json, std::string_view key, const chunk::Palette<Value>& palette,
                   bool blocks) {
    json.key(key).object().member("palette", name(palette.kind())).key("cells");
    write_counts(json, palette);
    if (blocks) {
        json.key("runs");
        write_runs(json, palette);
    }
    json.end();
}

/// `[level, cells]` for each stretch of equal numbers.
template <typename Numbers>
void write_number_runs(JsonWriter& json, const Numbers& numbers) {
    json.array();
    int first = 0;
    for (int i = 1; i <= k_cells; ++i) {
        if (i < k_cells && numbers.at(CellIndex(i)) == numbers.at(CellIndex(first))) continue;
        json.array().number(numbers.at(CellIndex(first))).number(i - first).end();
        first = i;
    }
    json.end();
}

void write_light(JsonWriter& json, std::string_view key, const chunk::Light& light, std::int16_t counter) {
    json.key(key).object().member("stored", light.present()).member("bytes", light.tree().size());
    json.member("change_id", light.change_id()).member("counter", counter);
    json.member("valid", light.change_id() == counter).end();
}

} // namespace

void write_section(JsonWriter& json, int y, const chunk::Chunk& chunk, bool blocks) {
    const auto& section = chunk.section(y);
    json.object().member("y", y).member("from_y", y * k_side).member("to_y", y * k_side + k_side - 1);
    json.member("block", name(section.block_state));
    if (section.block_state == chunk::PartState::decoded) {
        json.member("version", section.version);
        if (section.version >= 6) json.member("migrations", section.migration_count);
        write_palette(json, "blocks", section.blocks, blocks);
        write_palette(json, "rotations", section.rotations, blocks);
        write_palette(json, "fillers", section.fillers, blocks);
        json.member("ticking", section.ticking.count());
        write_light(json, "local_light", section.local_light, section.local_counter);
        write_light(json, "global_light", section.global_light, section.global_counter);
    }
    json.member("fluid", name(section.fluid_state));
    if (section.fluid_state == chunk::PartState::decoded) {
        write_palette(json, "fluids", section.fluids, blocks);
        if (blocks) {
            json.key("level_runs");
            write_number_runs(json, section.levels);
        }
    }
    json.member("physics", name(section.physics_state));
    if (section.physics_state == chunk::PartState::decoded) {
        json.member("supported", section.supports.count_nonzero());
        if (blocks) {
            json.key("support_runs");
            write_number_runs(json, section.supports);
        }
    }
    json.end();
}

} // namespace orbis::jobs
