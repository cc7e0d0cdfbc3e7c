#include "world/asset_json.hpp"

#include "bytes/json_nesting.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace orbis::world {
namespace {

using Json = nlohmann::json;

constexpr int k_deepest = 64;
constexpr int k_deepest_state = 8;
/// A box that reaches no farther than this into a cell does not take it.
constexpr double k_touch = 0.01;

Result<Json> parse(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    if (find_deep_nesting(text, k_deepest))
        return fail(Errc::too_deep, "the JSON is nested more than {} levels deep", k_deepest);
    auto json = Json::parse(text, nullptr, false, true);
    if (json.is_discarded()) return fail(Errc::bad_text, "not JSON");
    if (!json.is_object()) return fail(Errc::bad_value, "expected an object, found {}", json.type_name());
    return json;
}

std::unexpected<Error> wrong(std::string_view member, std::string_view expected, const Json& found) {
    auto shown = found.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (shown.size() > 40) shown = shown.substr(0, 40) + "…";
    return fail(Errc::bad_value, "'{}': expected {}, found {}", member, expected, shown);
}

/// The member of an object; null if it is missing or `null`.
const Json* member(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

Result<void> text(const Json& object, const char* name, std::string& out) {
    const auto* value = member(object, name);
    if (value == nullptr) return {};
    if (!value->is_string()) return wrong(name, "a text", *value);
    out = value->get<std::string>();
    return {};
}

Result<void> number(const Json& object, const char* name, int low, int high, std::optional<int>& out) {
    const auto* value = member(object, name);
    if (value == nullptr) return {};
    // As a double, so that 8.0 is a number of blocks too and nothing can overflow.
    const auto wide = value->is_number() ? value->get<double>() : low - 1.0;
    if (!(wide >= low && wide <= high))
        return wrong(name, fmt::format("a number from {} to {}", low, high), *value);
    out = static_cast<int>(wide);
    return {};
}

Result<void> colour(const Json& object, const char* name, std::optional<Colour>& out) {
    const auto* value = member(object, name);
    if (value == nullptr) return {};
    const auto read = value->is_string() ? parse_colour(value->get<std::string>()) : std::nullopt;
    if (!read) return wrong(name, "a colour such as #a0b1c2", *value);
    out = read;
    return {};
}

/// A list of colours, or a single one.
Result<void> colours(const Json& object, const char* name, std::optional<std::vector<Colour>>& out) {
    const auto* value = member(object, name);
    if (value == nullptr) return {};
    const auto list = value->is_array() ? *value : Json::array({*value});
    std::vector<Colour> read;
    for (const auto& entry : list) {
        const auto one = entry.is_string() ? parse_colour(entry.get<std::string>()) : std::nullopt;
        if (!one) return wrong(name, "colours such as #a0b1c2", entry);
        read.push_back(*one);
    }
    out = std::move(read);
    return {};
}

template <typename Value>
Result<void> choice(const Json& object, const char* name,
                    std::optional<Value> (*parse_value)(std::string_view), std::optional<Value>& out) {
    const auto* value = member(object, name);
    if (value == nullptr) return {};
    if (!value->is_string()) return wrong(name, "a text", *value);
    out = parse_value(value->get<std::string>());
    if (!out) return wrong(name, "a known value", *value);
    return {};
}

Result<BlockFields> block_fields(const Json& json, int depth) {
    BlockFields fields;
    std::string group;
    TRY_DO(text(json, "Parent", fields.parent));
    TRY_DO(choice(json, "DrawType", parse_draw_type, fields.draw_type));
    TRY_DO(choice(json, "Material", parse_material, fields.material));
    TRY_DO(choice(json, "Opacity", parse_opacity, fields.opacity));
    TRY_DO(text(json, "Group", group));
    if (member(json, "Group") != nullptr) fields.group = group;
    TRY_DO(colour(json, "ParticleColor", fields.particle));
    // `Tint` and `BiomeTint` speak of all faces, the others of the top one; the more exact one wins.
    TRY_DO(colours(json, "Tint", fields.tint_up));
    TRY_DO(colours(json, "TintUp", fields.tint_up));
    TRY_DO(number(json, "BiomeTint", 0, 100, fields.biome_tint_up));
    TRY_DO(number(json, "BiomeTintUp", 0, 100, fields.biome_tint_up));
    if (const auto* light = member(json, "Light")) {
        if (!light->is_object()) return wrong("Light", "an object", *light);
        TRY_DO(colour(*light, "Color", fields.light));
        TRY_DO(number(*light, "Radius", -128, 127, fields.light_radius));
    }
    std::string hitbox;
    TRY_DO(text(json, "HitboxType", hitbox));
    if (member(json, "HitboxType") != nullptr) fields.hitbox = hitbox;
    const auto* state = member(json, "State");
    if (state == nullptr || !state->is_object()) return fields;
    const auto* definitions = member(*state, "Definitions");
    if (definitions == nullptr) return fields;
    if (!definitions->is_object()) return wrong("State.Definitions", "an object", *definitions);
    if (depth == k_deepest_state)
        return fail(Errc::too_deep, "states are nested more than {} levels deep", k_deepest_state);
    for (const auto& [name, definition] : definitions->items()) {
        if (!definition.is_object()) return wrong("State.Definitions." + name, "an object", definition);
        TRY(auto inner, block_fields(definition, depth + 1));
        inner.state = name;
        fields.states.push_back(std::move(inner));
    }
    return fields;
}

/// The part of a corner on one axis, a number of blocks.
Result<double> coordinate(const Json& box, const char* corner, const char* axis) {
    const auto* at = member(box, corner);
    const auto* part = at != nullptr && at->is_object() ? member(*at, axis) : nullptr;
    if (part == nullptr || !part->is_number())
        return fail(Errc::bad_value, "'Boxes': expected a number at {}.{}", corner, axis);
    const auto value = part->get<double>();
    if (!(std::abs(value) < 1e6)) return wrong("Boxes", "a number of blocks", *part);
    return value;
}

/// Widens one side of an extent by the cells from `low` to `high`.
Result<void> widen(double low, double high, std::int8_t& least, std::int8_t& most) {
    const auto first = std::floor(low + k_touch);
    const auto last = std::ceil(high - k_touch) - 1;
    if (first < -chunk::BlockExtent::k_farthest || last > chunk::BlockExtent::k_farthest)
        return fail(Errc::out_of_range, "'Boxes': {} to {} is farther from the base than {} blocks", low,
                    high, chunk::BlockExtent::k_farthest);
    least = std::min(least, static_cast<std::int8_t>(first));
    most = std::max(most, static_cast<std::int8_t>(last));
    return {};
}

Result<void> renames(const Json& object, const char* name, Renames& out) {
    const auto* value = member(object, name);
    if (value == nullptr) return {};
    if (!value->is_object()) return wrong(name, "an object", *value);
    for (const auto& [from, to] : value->items()) {
        if (!to.is_string()) return wrong(fmt::format("{}.{}", name, from), "a text", to);
        out.insert_or_assign(from, to.get<std::string>());
    }
    return {};
}

Result<Migration> migration_of(const Json& json) {
    Migration migration;
    TRY_DO(renames(json, "DirectMigrations", migration.direct));
    TRY_DO(renames(json, "NameMigrations", migration.names));
    return migration;
}

template <typename T>
void take(T& into, const std::optional<T>& from) {
    if (from) into = *from;
}

} // namespace

BlockType BlockFields::onto(BlockType base) const {
    take(base.draw_type, draw_type);
    take(base.material, material);
    take(base.opacity, opacity);
    take(base.group, group);
    if (particle) base.particle = particle;
    take(base.tint_up, tint_up);
    take(base.biome_tint_up, biome_tint_up);
    if (light) base.light = light;
    if (light_radius) base.light_radius = light_radius;
    take(base.hitbox, hitbox);
    return base;
}

FluidType FluidFields::onto(FluidType base) const {
    take(base.max_level, max_level);
    take(base.effects, effects);
    if (particle) base.particle = particle;
    return base;
}

EnvironmentType EnvironmentFields::onto(EnvironmentType base) const {
    if (water_tint) base.water_tint = water_tint;
    return base;
}

Result<BlockFields> read_block(std::string_view file) {
    TRY(const auto json, parse(file));
    return block_fields(json, 0);
}

Result<std::optional<BlockFields>> read_item_block(std::string_view file) {
    TRY(const auto json, parse(file));
    const auto* block = member(json, "BlockType");
    if (block == nullptr) return std::nullopt;
    if (!block->is_object()) return wrong("BlockType", "an object", *block);
    TRY(auto fields, block_fields(*block, 0));
    // A block without a parent of its own takes the rest from the block of the item's parent.
    if (fields.parent.empty()) TRY_DO(text(json, "Parent", fields.parent));
    return fields;
}

Result<FluidFields> read_fluid(std::string_view file) {
    TRY(const auto json, parse(file));
    FluidFields fields;
    TRY_DO(text(json, "Parent", fields.parent));
    TRY_DO(number(json, "MaxFluidLevel", 1, 15, fields.max_level));
    TRY_DO(colour(json, "ParticleColor", fields.particle));
    if (const auto* effects = member(json, "Effect")) {
        fields.effects.emplace();
        const auto list = effects->is_array() ? *effects : Json::array({*effects});
        for (const auto& effect : list) {
            if (!effect.is_string()) return wrong("Effect", "texts", effect);
            fields.effects->push_back(effect.get<std::string>());
        }
    }
    return fields;
}

Result<HitboxFields> read_hitbox(std::string_view file) {
    TRY(const auto json, parse(file));
    HitboxFields fields;
    TRY_DO(text(json, "Parent", fields.parent));
    const auto* boxes = member(json, "Boxes");
    if (boxes == nullptr) return fields;
    if (!boxes->is_array()) return wrong("Boxes", "a list", *boxes);
    chunk::BlockExtent extent;
    for (const auto& box : *boxes) {
        if (!box.is_object()) return wrong("Boxes", "objects", box);
        const auto side = [&](const char* axis, std::int8_t& least, std::int8_t& most) -> Result<void> {
            TRY(const auto low, coordinate(box, "Min", axis));
            TRY(const auto high, coordinate(box, "Max", axis));
            return widen(std::min(low, high), std::max(low, high), least, most);
        };
        TRY_DO(side("X", extent.least_x, extent.most_x));
        TRY_DO(side("Y", extent.least_y, extent.most_y));
        TRY_DO(side("Z", extent.least_z, extent.most_z));
    }
    const auto cells = (extent.most_x - extent.least_x + 1) * (extent.most_y - extent.least_y + 1)
                       * (extent.most_z - extent.least_z + 1);
    if (cells > chunk::BlockExtent::k_most_cells)
        return fail(Errc::too_large, "'Boxes': {} cells; a block has at most {}", cells,
                    chunk::BlockExtent::k_most_cells);
    fields.extent = extent;
    return fields;
}

Result<EnvironmentFields> read_environment(std::string_view file) {
    TRY(const auto json, parse(file));
    EnvironmentFields fields;
    TRY_DO(text(json, "Parent", fields.parent));
    TRY_DO(colour(json, "WaterTint", fields.water_tint));
    return fields;
}

Result<Migration> read_migration(std::string_view file) {
    TRY(const auto json, parse(file));
    return migration_of(json);
}

Result<Migrations> read_migrations(std::string_view file) {
    TRY(const auto json, parse(file));
    Migrations migrations;
    for (const auto& [key, value] : json.items()) {
        unsigned number = 0;
        const auto [end, code] = std::from_chars(key.data(), key.data() + key.size(), number);
        if (code != std::errc{} || end != key.data() + key.size() || number > k_last_migration)
            return fail(Errc::bad_value, "expected the number of a migration, found '{}'", key);
        if (!value.is_object()) return wrong(key, "an object", value);
        TRY(auto migration, migration_of(value));
        migrations.put(number, std::move(migration));
    }
    return migrations;
}

} // namespace orbis::world
