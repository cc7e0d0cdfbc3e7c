#include "game/bot/world_state.hpp"

#include <fmt/core.h>

namespace orbis::game {

namespace {

std::string lower(std::string_view name) {
    std::string out(name);
    for (auto& letter : out)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter + ('a' - 'A'));
    return out;
}

} // namespace

SeenBlock SectionBlocks::at(CellIndex cell) const {
    if (const auto* changed = changes.find(cell)) return *changed;
    if (!base) return {};
    return {base->blocks.at(cell), static_cast<std::uint16_t>(base->fillers.at(cell)),
            static_cast<std::uint8_t>(base->rotations.at(cell))};
}

SeenFluid SectionFluids::at(CellIndex cell) const {
    if (const auto* changed = changes.find(cell)) return *changed;
    if (!base) return {};
    const auto i = static_cast<std::size_t>(cell.value);
    const auto level = base->levels.empty() ? 0 : base->levels[i >> 1] >> ((i & 1) * 4) & 15;
    return {base->fluids.at(cell), static_cast<std::uint8_t>(level)};
}

std::size_t SectionBlocks::bytes() const {
    const auto cells = base ? base->blocks.bytes() + base->fillers.bytes() + base->rotations.bytes() : 0;
    return sizeof(*this) + cells + changes.bytes();
}

std::size_t SectionFluids::bytes() const {
    return sizeof(*this) + (base ? base->fluids.bytes() + base->levels.size() : 0) + changes.bytes();
}

std::int32_t ColumnEnvironments::at(ColumnIndex column, int y) const {
    const auto* from = data.data() + starts[static_cast<std::size_t>(column.value)];
    const std::size_t count = load_le<std::uint16_t>(from);
    std::int32_t id = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto* run = from + 2 + i * 4;
        if (i > 0 && load_le<std::uint16_t>(run) > y) break;
        id = load_le<std::uint16_t>(run + 2);
    }
    return id;
}

void NameTable::put(std::int32_t id, std::string_view name) {
    remove(id);
    bytes += name.size();
    names[id] = name;
    ids[lower(name)] = id;
}

void NameTable::remove(std::int32_t id) {
    const auto known = names.find(id);
    if (known == names.end()) return;
    if (const auto by_name = ids.find(lower(known->second)); by_name != ids.end() && by_name->second == id)
        ids.erase(by_name);
    bytes -= known->second.size();
    names.erase(known);
}

std::optional<std::int32_t> NameTable::find(std::string_view name) const {
    const auto known = ids.find(lower(name));
    if (known == ids.end()) return {};
    return known->second;
}

std::string NameTable::name(std::int32_t id) const {
    const auto known = names.find(id);
    return known == names.end() ? fmt::format("#{}", id) : known->second;
}

} // namespace orbis::game
