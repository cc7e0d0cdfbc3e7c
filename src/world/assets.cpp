#include "world/assets.hpp"

#include "data/embedded.hpp"
#include "world/asset_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <span>
#include <utility>

namespace orbis::world {
namespace {

constexpr std::array<std::pair<std::string_view, DrawType>, 4> k_draw_types{{
    {"Empty", DrawType::empty},
    {"Cube", DrawType::cube},
    {"Model", DrawType::model},
    {"CubeWithModel", DrawType::cube_with_model},
}};
constexpr std::array<std::pair<std::string_view, Material>, 2> k_materials{{
    {"Empty", Material::empty},
    {"Solid", Material::solid},
}};
constexpr std::array<std::pair<std::string_view, Opacity>, 4> k_opacities{{
    {"Solid", Opacity::solid},
    {"Semitransparent", Opacity::semitransparent},
    {"Cutout", Opacity::cutout},
    {"Transparent", Opacity::transparent},
}};

template <typename Value, std::size_t Count>
std::string_view text_of(const std::array<std::pair<std::string_view, Value>, Count>& names, Value value) {
    const auto found = std::ranges::find(names, value, [](const auto& entry) { return entry.second; });
    return found == names.end() ? std::string_view{} : found->first;
}

template <typename Value, std::size_t Count>
std::optional<Value> value_of(const std::array<std::pair<std::string_view, Value>, Count>& names,
                              std::string_view text) {
    const auto found = std::ranges::find(names, text, [](const auto& entry) { return entry.first; });
    return found == names.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

/// A table with a line of column names, walked line by line.
class Tsv {
public:
    Tsv(std::string_view text, std::string_view what) : rest_(text), what_(what) {}

    /// Reads the first line; every wanted column must be there.
    Result<void> header(std::span<const std::string_view> wanted) {
        if (!next()) return fail(Errc::truncated, "{}: the line with the column names is missing", what_);
        for (const auto column : wanted) {
            const auto found = std::ranges::find(fields_, column);
            if (found == fields_.end())
                return fail(Errc::bad_value, "{}: column '{}' is missing", what_, column);
            columns_.push_back(static_cast<std::size_t>(found - fields_.begin()));
        }
        return {};
    }

    /// The next line that is not empty; false at the end.
    bool next() {
        while (!rest_.empty()) {
            const auto end = rest_.find('\n');
            auto line = rest_.substr(0, end);
            rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
            ++line_;
            if (line.ends_with('\r')) line.remove_suffix(1);
            if (line.empty()) continue;
            fields_ = split(line, '\t');
            return true;
        }
        return false;
    }

    /// The text of the wanted column number `index`; empty if the line is too short.
    [[nodiscard]] std::string_view operator[](std::size_t index) const {
        return columns_[index] < fields_.size() ? fields_[columns_[index]] : std::string_view{};
    }

    [[nodiscard]] std::unexpected<Error> bad(std::string_view column, std::string_view found) const {
        return fail(Errc::bad_value, "{} line {}: column '{}' holds '{}'", what_, line_, column, found);
    }

private:
    std::string_view rest_;
    std::string_view what_;
    std::size_t line_ = 0;
    std::vector<std::string_view> fields_;
    std::vector<std::size_t> columns_;
};

std::optional<int> parse_number(std::string_view text) {
    int value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// `-1,0,0..0,1,0`: both corners, as boxes are written everywhere. The base is one of the cells.
std::optional<chunk::BlockExtent> parse_extent(std::string_view text) {
    std::array<std::int8_t, 6> numbers{};
    const auto middle = text.find("..");
    if (middle == std::string_view::npos) return std::nullopt;
    auto out = numbers.begin();
    for (const auto corner : {text.substr(0, middle), text.substr(middle + 2)}) {
        const auto parts = split(corner, ',');
        if (parts.size() != 3) return std::nullopt;
        for (const auto part : parts) {
            const auto number = parse_number(part);
            if (!number || std::abs(*number) > chunk::BlockExtent::k_farthest) return std::nullopt;
            *out++ = static_cast<std::int8_t>(*number);
        }
    }
    for (std::size_t i = 0; i < 3; ++i)
        if (numbers[i] > 0 || numbers[i + 3] < 0) return std::nullopt;
    return chunk::BlockExtent{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
}

/// Empty text leaves `out` as it is.
bool optional_colour(std::string_view text, std::optional<Colour>& out) {
    if (text.empty()) return true;
    out = parse_colour(text);
    return out.has_value();
}

} // namespace

std::string_view name(DrawType type) { return text_of(k_draw_types, type); }
std::string_view name(Material material) { return text_of(k_materials, material); }
std::string_view name(Opacity opacity) { return text_of(k_opacities, opacity); }
std::optional<DrawType> parse_draw_type(std::string_view text) {
    if (text == "GizmoCube") return DrawType::cube; // a cube that shows which way it is turned
    return value_of(k_draw_types, text);
}
std::optional<Material> parse_material(std::string_view text) { return value_of(k_materials, text); }
std::optional<Opacity> parse_opacity(std::string_view text) { return value_of(k_opacities, text); }

bool FluidType::has_effect(std::string_view effect) const {
    return std::ranges::find(effects, effect) != effects.end();
}

Result<void> read_blocks_table(std::string_view text, Assets& assets) {
    constexpr std::array<std::string_view, 10> columns{
        "key",         "draw_type",      "material", "opacity",
        "group",       "particle_color", "tint_up",  "biome_tint_up_percent",
        "light_color", "light_radius"};
    Tsv table(text, "block table");
    TRY_DO(table.header(columns));
    while (table.next()) {
        BlockType block;
        block.key = table[0];
        if (block.key.empty()) return table.bad(columns[0], "");
        const auto draw_type = parse_draw_type(table[1]);
        if (!draw_type) return table.bad(columns[1], table[1]);
        const auto material = parse_material(table[2]);
        if (!material) return table.bad(columns[2], table[2]);
        const auto opacity = parse_opacity(table[3]);
        if (!opacity) return table.bad(columns[3], table[3]);
        block.draw_type = *draw_type;
        block.material = *material;
        block.opacity = *opacity;
        block.group = table[4];
        if (!optional_colour(table[5], block.particle)) return table.bad(columns[5], table[5]);
        if (!table[6].empty()) {
            for (const auto part : split(table[6], ',')) {
                const auto colour = parse_colour(part);
                if (!colour) return table.bad(columns[6], table[6]);
                block.tint_up.push_back(*colour);
            }
        }
        const auto percent = parse_number(table[7]);
        if (!percent || *percent < 0 || *percent > 100) return table.bad(columns[7], table[7]);
        block.biome_tint_up = *percent;
        if (!optional_colour(table[8], block.light)) return table.bad(columns[8], table[8]);
        if (!table[9].empty()) {
            block.light_radius = parse_number(table[9]);
            if (!block.light_radius) return table.bad(columns[9], table[9]);
        }
        assets.blocks.put(std::move(block));
    }
    return {};
}

Result<void> read_block_cells_table(std::string_view text, Assets& assets) {
    constexpr std::array<std::string_view, 2> columns{"key", "cells"};
    Tsv table(text, "table of cells");
    TRY_DO(table.header(columns));
    while (table.next()) {
        const auto* known = assets.block(table[0]);
        if (known == nullptr) return table.bad(columns[0], table[0]);
        const auto extent = parse_extent(table[1]);
        if (!extent) return table.bad(columns[1], table[1]);
        auto block = *known;
        block.extent = *extent;
        assets.blocks.put(std::move(block));
    }
    return {};
}

Result<void> read_fluids_table(std::string_view text, Assets& assets) {
    constexpr std::array<std::string_view, 4> columns{"key", "max_level", "effects", "particle_color"};
    Tsv table(text, "fluid table");
    TRY_DO(table.header(columns));
    while (table.next()) {
        FluidType fluid;
        fluid.key = table[0];
        if (fluid.key.empty()) return table.bad(columns[0], "");
        const auto level = parse_number(table[1]);
        if (!level || *level < 1 || *level > 15) return table.bad(columns[1], table[1]);
        fluid.max_level = *level;
        if (!table[2].empty())
            for (const auto effect : split(table[2], ',')) fluid.effects.emplace_back(effect);
        if (!optional_colour(table[3], fluid.particle)) return table.bad(columns[3], table[3]);
        assets.fluids.put(std::move(fluid));
    }
    return {};
}

Result<void> read_environments_table(std::string_view text, Assets& assets) {
    constexpr std::array<std::string_view, 2> columns{"key", "water_tint"};
    Tsv table(text, "environment table");
    TRY_DO(table.header(columns));
    while (table.next()) {
        EnvironmentType environment;
        environment.key = table[0];
        if (environment.key.empty()) return table.bad(columns[0], "");
        if (!optional_colour(table[1], environment.water_tint)) return table.bad(columns[1], table[1]);
        assets.environments.put(std::move(environment));
    }
    return {};
}

const Assets& Assets::built_in() {
    static const Assets assets = [] {
        Assets made;
        // The tables are part of the program and a test reads them, so a failure here cannot be met by a
        // user.
        [[maybe_unused]] const bool sound = read_blocks_table(data::blocks_tsv(), made)
                                            && read_block_cells_table(data::block_cells_tsv(), made)
                                            && read_fluids_table(data::fluids_tsv(), made)
                                            && read_environments_table(data::environments_tsv(), made);
        if (auto migrations = read_migrations(data::block_migrations_json()))
            made.migrations = *std::move(migrations);
        return made;
    }();
    return assets;
}

} // namespace orbis::world
