#include "game/content/pack_values.hpp"

#include "game/content/block_defaults.hpp"
#include "game/content/pack_colour.hpp"
#include "game/content/registry_numbers.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace orbis::game {
namespace {

using protocol::Kind;
using protocol::Layout;
using protocol::Value;
using AssetJson = nlohmann::json;

constexpr std::size_t k_most_made = 4'000'000; ///< values, and texts by sixteen bytes
constexpr std::size_t k_most_value_problems = 1000;
constexpr std::array<std::string_view, 6> k_sides{"top", "bottom", "front", "back", "left", "right"};

/// What a field is before anything is said of it.
Value zero(const protocol::Type& type) {
    switch (type.kind) {
    case Kind::boolean: return {false};
    case Kind::i8:
    case Kind::i16:
    case Kind::i32:
    case Kind::i64: return {std::int64_t{0}};
    case Kind::f32: return {0.0F};
    case Kind::f64: return {0.0};
    case Kind::uuid: return {protocol::Uuid{}};
    case Kind::enumeration: return {Value::Symbol{type.enumeration, 0}};
    case Kind::flags: return {Value::List{}};
    case Kind::structure: return PackValues::make(*type.layout);
    case Kind::text:
    case Kind::fixed_text: return {std::string{}};
    case Kind::list:
    case Kind::fixed_list:
    case Kind::sparse_list: return {Value::List{}};
    case Kind::map: return {Value::Entries{}};
    case Kind::choice: return {};
    }
    return {};
}

std::optional<std::uint8_t> symbol_of(const protocol::Enumeration& enumeration, std::string_view name) {
    const auto found = std::ranges::find(enumeration.values, name);
    if (found == enumeration.values.end()) return std::nullopt;
    return static_cast<std::uint8_t>(found - enumeration.values.begin());
}

std::string capital(std::string_view field) {
    std::string key(field);
    if (!key.empty() && key[0] >= 'a' && key[0] <= 'z') key[0] = static_cast<char>(key[0] - 'a' + 'A');
    return key;
}

/// `0xAARRGGBB` of a text, or of the first of a list.
std::optional<std::uint32_t> colour_in(const AssetJson& json) {
    if (json.is_array() && !json.empty()) return colour_in(json[0]);
    return json.is_string() ? read_colour(json.get_ref<const std::string&>()) : std::nullopt;
}

std::int64_t byte_of(std::uint32_t colour, int shift) {
    return static_cast<std::int8_t>(colour >> shift & 0xFFU);
}

const AssetJson* in_object(const AssetJson& json, const char* key) {
    if (!json.is_object()) return nullptr;
    const auto found = json.find(key);
    return found == json.end() || found->is_null() ? nullptr : &*found;
}

std::string shown(const AssetJson& json) {
    if (json.is_structured()) return json.is_array() ? "a list" : "an object";
    auto text = json.dump(-1, ' ', false, AssetJson::error_handler_t::replace);
    if (text.size() > 40) text = text.substr(0, 40) + "…";
    return text;
}

/// Divides the weights of a list by their sum.
void make_parts_of_one(Value& list) {
    auto* elements = std::get_if<Value::List>(&list.content);
    if (elements == nullptr) return;
    double sum = 0;
    for (auto& element : *elements)
        if (const auto* weight = pack_field(element, "weight")) sum += std::get<float>(weight->content);
    for (auto& element : *elements)
        if (auto* weight = pack_field(element, "weight"); weight != nullptr && sum > 0)
            weight->content = static_cast<float>(std::get<float>(weight->content) / sum);
}

/// The members of a file that become fields of a struct.
template <typename Visit>
void for_each_row(const Layout& layout, Visit&& visit) {
    if (has_pack_rows(layout.name)) {
        for (const auto& row : pack_rows(layout.name)) visit(row);
        return;
    }
    for (const auto& field : layout.fields) {
        const auto key = capital(field.name);
        visit(PackRow{key, field.name});
    }
}

/// What a member should be, in words.
std::string_view wanted(const protocol::Type& type, PackRule rule) {
    if (rule == PackRule::number || rule == PackRule::tag) return "a name";
    if (rule != PackRule::plain && rule != PackRule::decibels && rule != PackRule::semitones)
        return "a value of another form";
    switch (type.kind) {
    case Kind::boolean: return "true or false";
    case Kind::i8:
    case Kind::i16:
    case Kind::i32:
    case Kind::i64: return "a whole number";
    case Kind::f32:
    case Kind::f64: return "a number";
    case Kind::enumeration: return "one of the names that the game knows";
    case Kind::text:
    case Kind::fixed_text: return "a text";
    case Kind::list:
    case Kind::fixed_list:
    case Kind::sparse_list: return "a list";
    default: return "a value of another form";
    }
}

} // namespace

std::optional<std::int32_t> PackNumbers::find(PackKind kind, std::string_view name) const {
    const auto& names = of(kind);
    const auto found = names.find(std::string(name));
    return found == names.end() ? std::nullopt : std::optional(found->second);
}

std::int32_t PackNumbers::tag(std::string_view name) {
    const auto found = tags_.find(name);
    if (found != tags_.end()) return found->second;
    return tags_.emplace(name, static_cast<std::int32_t>(tags_.size()) + 1).first->second;
}

Value* pack_field(Value& record, std::string_view name) {
    auto* fields = std::get_if<Value::Record>(&record.content);
    if (fields == nullptr) return nullptr;
    for (std::size_t i = 0; i < fields->fields.size(); ++i)
        if (fields->layout->fields[i].name == name) return &fields->fields[i];
    return nullptr;
}

Value PackValues::make(const Layout& layout) {
    Value::Record record{&layout, {}};
    for (const auto& field : layout.fields) {
        auto& value = record.fields.emplace_back();
        if (!field.is_nullable()) value = zero(field.type);
        for (const auto& [of, name, number, text, is_present] : pack_defaults()) {
            if (of != layout.name || name != field.name) continue;
            value = zero(field.type);
            if (is_present) continue;
            if (auto* is = std::get_if<bool>(&value.content)) *is = number != 0;
            if (auto* whole = std::get_if<std::int64_t>(&value.content))
                *whole = static_cast<std::int64_t>(number);
            if (auto* real = std::get_if<float>(&value.content)) *real = static_cast<float>(number);
            if (auto* symbol = std::get_if<Value::Symbol>(&value.content))
                symbol->index = symbol_of(*symbol->enumeration, text).value_or(0);
        }
    }
    return {std::move(record)};
}

void PackValues::report(std::string_view key, std::string_view problem) {
    if (problems_.size() < k_most_value_problems)
        problems_.push_back(error(Errc::bad_value, "'{}': {}", key, problem).about(file_));
}

bool PackValues::has_room() {
    if (made_ <= k_most_made) return true;
    if (!std::exchange(is_full_, true))
        problems_.push_back(
            error(Errc::too_large, "the assets have more than {} values; the rest is left out", k_most_made)
                .about(file_));
    return false;
}

void PackValues::put(const PackObject& object, Value& record) {
    file_ = object.file;
    inline_id_ = std::string(object.id.starts_with('*') ? "" : "*") + std::string(object.id);
    const auto& layout = *std::get<Value::Record>(record.content).layout;
    const auto put_one = [&](const PackRow& row) {
        if (const auto* json = object.find(row.key); json != nullptr && has_room())
            put_member(*json, row, record);
    };
    for_each_row(layout, put_one);
    put_tags(object, record);
}

bool PackValues::put_member(const AssetJson& json, const PackRow& row, Value& record) {
    const auto dot = row.field.find('.');
    const auto name = row.field.substr(0, dot);
    auto* fields = std::get_if<Value::Record>(&record.content);
    const auto* field = fields->layout->find(name);
    if (field == nullptr) return false; // of another kind of interaction
    if (field->type.layout != nullptr && is_left_out(field->type.layout->name)) return false;
    if (field->type.element != nullptr && field->type.element->layout != nullptr
        && is_left_out(field->type.element->layout->name))
        return false;
    auto& value = *pack_field(record, name);
    if (dot != std::string_view::npos) {
        if (value.is_absent()) value = make(*field->type.layout);
        auto inner = row;
        inner.field = row.field.substr(dot + 1);
        return put_member(json, inner, value);
    }
    auto made = value;
    if (!put(json, field->type, row, made)) {
        report(row.key, fmt::format("expected {}, found {}", wanted(field->type, row.rule), shown(json)));
        return false;
    }
    if (!protocol::is_in_range(*field, made)) {
        report(row.key, fmt::format("out of range: {}", shown(json)));
        return false;
    }
    value = std::move(made);
    return true;
}

bool PackValues::put_number(double number, const protocol::Type& type, Value& out) {
    const auto whole = [&](double low, double high) {
        if (!(number >= low && number <= high)) return false;
        out.content = static_cast<std::int64_t>(number);
        return true;
    };
    switch (type.kind) {
    case Kind::i8: return whole(-128, 127);
    case Kind::i16: return whole(-32768, 32767);
    case Kind::i32: return whole(-2147483648.0, 2147483647.0);
    case Kind::i64: return whole(-9e15, 9e15);
    case Kind::f32:
        if (!(std::abs(number) <= std::numeric_limits<float>::max())) return false;
        out.content = static_cast<float>(number);
        return true;
    case Kind::f64:
        if (!std::isfinite(number)) return false;
        out.content = number;
        return true;
    default: return false;
    }
}

/// Inline interactions have ids of their own, which begin with that of the object that they are in.
std::optional<std::int32_t> PackValues::number_of(const AssetJson& json, const PackRow& row) {
    if (json.is_string()) {
        const auto& name = json.get_ref<const std::string&>();
        if (const auto found = numbers_.find(row.kind, name)) return found;
    } else if (!json.is_object()) {
        return std::nullopt;
    } else if (const auto found = numbers_.find(row.kind, inline_id_ + "_" + std::string(row.key))) {
        return found;
    }
    // Somebody else's, or of a kind that is not sent.
    const bool has_none = row.kind == PackKind::interaction || row.field == "interactionHitbox"
                          || row.kind == PackKind::item_sounds;
    return has_none ? k_no_entry : 0;
}

bool PackValues::put(const AssetJson& json, const protocol::Type& type, const PackRow& row, Value& out) {
    made_ += 1 + (json.is_string() ? json.get_ref<const std::string&>().size() / 16 : 0);
    switch (row.rule) {
    case PackRule::decibels:
        return json.is_number() && put_number(std::pow(10, json.get<double>() / 20), type, out);
    case PackRule::semitones:
        return json.is_number() && put_number(std::exp2(json.get<double>() / 12), type, out);
    case PackRule::textures: return put_textures(json, type, out);
    case PackRule::moons: return put_moons(json, out);
    case PackRule::hours: return put_hours(json, type, out);
    case PackRule::tint_all: return put_all_sides(json, *type.layout, true, out);
    case PackRule::percent_all: return put_all_sides(json, *type.layout, false, out);
    case PackRule::tint: {
        const auto colour = colour_in(json);
        if (colour) out.content = std::int64_t{static_cast<std::int32_t>(*colour)};
        return colour.has_value();
    }
    case PackRule::per_255: {
        if (!json.is_array() || json.size() != 3) return false;
        auto made = make(*type.layout);
        for (std::size_t i = 0; i < 3; ++i) {
            if (!json[i].is_number()) return false;
            const auto part = std::clamp(json[i].get<double>(), 0.0, 1.0) * 255;
            std::get<Value::Record>(made.content).fields[i].content =
                std::int64_t{static_cast<std::int8_t>(static_cast<std::uint8_t>(part + 0.5))};
        }
        out = std::move(made);
        return true;
    }
    case PackRule::tag:
        if (!json.is_string()) return false;
        out.content = std::int64_t{numbers_.tag(json.get_ref<const std::string&>())};
        return true;
    case PackRule::plain:
    case PackRule::number:
    case PackRule::group:
    case PackRule::weights: break;
    }
    switch (type.kind) {
    case Kind::boolean:
        if (!json.is_boolean()) return false;
        out.content = json.get<bool>();
        return true;
    case Kind::enumeration: {
        if (!json.is_string()) return false;
        const auto index = symbol_of(*type.enumeration, json.get_ref<const std::string&>());
        if (index) out.content = Value::Symbol{type.enumeration, *index};
        return index.has_value();
    }
    case Kind::text: {
        if (!json.is_string() || json.get_ref<const std::string&>().size() > type.limit) return false;
        out.content = json.get<std::string>();
        return true;
    }
    case Kind::structure: return put_struct(json, *type.layout, out);
    case Kind::list: return put_list(json, type, row, out);
    case Kind::map: return put_map(json, type, row, out);
    default: break;
    }
    if (row.rule == PackRule::number && type.kind == Kind::i32) {
        const auto number = number_of(json, row);
        if (number) out.content = std::int64_t{*number};
        return number.has_value();
    }
    if (row.rule == PackRule::group) {
        if (!json.is_string()) return false;
        const auto found = numbers_.groups.find(json.get_ref<const std::string&>());
        out.content = std::int64_t{found == numbers_.groups.end() ? 0 : found->second};
        return true;
    }
    return json.is_number() && put_number(json.get<double>(), type, out);
}

bool PackValues::put_struct(const AssetJson& json, const Layout& layout, Value& out) {
    auto made = out.is_absent() ? make(layout) : std::move(out);
    auto& fields = std::get<Value::Record>(made.content).fields;
    const auto set = [&](std::string_view name, std::int64_t number) {
        pack_field(made, name)->content = number;
    };
    if (layout.name == "Color" || layout.name == "ColorAlpha") {
        const auto colour = colour_in(json);
        if (!colour) return false;
        if (layout.name == "ColorAlpha") set("alpha", byte_of(*colour, 24));
        set("red", byte_of(*colour, 16));
        set("green", byte_of(*colour, 8));
        set("blue", byte_of(*colour, 0));
    } else if (layout.name == "ColorLight") {
        const auto* colour = in_object(json, "Color");
        const auto* radius = in_object(json, "Radius");
        if (!json.is_object() || (radius != nullptr && !radius->is_number())) return false;
        const auto read = colour == nullptr ? std::optional(0U) : colour_in(*colour);
        if (!read) return false;
        // Digits from 0 to 15.
        set("red", (*read >> 16U & 0xFFU) / 17);
        set("green", (*read >> 8U & 0xFFU) / 17);
        set("blue", (*read & 0xFFU) / 17);
        set("radius", radius == nullptr
                          ? 0
                          : static_cast<std::int64_t>(std::clamp(radius->get<double>(), -128.0, 127.0)));
    } else if (layout.name == "Hitbox") {
        std::size_t i = 0;
        for (const auto* corner : {"Min", "Max"})
            for (const auto* axis : {"X", "Y", "Z"}) {
                const auto* at = in_object(json, corner);
                const auto* part = at == nullptr ? nullptr : in_object(*at, axis);
                if (part == nullptr || !part->is_number()
                    || !put_number(part->get<double>(), layout.fields[i].type, fields[i]))
                    return false;
                ++i;
            }
    } else if (json.is_array()) {
        // Vectors and ranges may be lists of numbers.
        if (json.size() != fields.size()) return false;
        for (std::size_t i = 0; i < fields.size(); ++i)
            if (!json[i].is_number() || !put_number(json[i].get<double>(), layout.fields[i].type, fields[i]))
                return false;
    } else if (json.is_object()) {
        const auto put_one = [&](const PackRow& row) {
            const auto found = json.find(row.key);
            if (found != json.end() && !found->is_null() && has_room()) put_member(*found, row, made);
        };
        for_each_row(layout, put_one);
    } else {
        return false;
    }
    out = std::move(made);
    return true;
}

bool PackValues::put_list(const AssetJson& json, const protocol::Type& type, const PackRow& row, Value& out) {
    Value::List list;
    const auto add = [&](const AssetJson& element, const PackRow& of_element) {
        Value value;
        if (!has_room() || !put(element, *type.element, of_element, value)) return false;
        list.push_back(std::move(value));
        return true;
    };
    if (json.is_array()) {
        for (std::size_t i = 0; i < json.size(); ++i) {
            const auto key = std::string(row.key) + "_" + std::to_string(i);
            if (list.size() >= type.limit || !add(json[i], {key, row.field, row.rule, row.kind}))
                return false;
        }
    } else if (!add(json, row)) { // one element
        return false;
    }
    out.content = std::move(list);
    if (row.rule == PackRule::weights) make_parts_of_one(out);
    return true;
}

bool PackValues::put_map(const AssetJson& json, const protocol::Type& type, const PackRow& row, Value& out) {
    if (!json.is_object()) return false;
    const bool has_number_keys = type.key->kind == Kind::i32;
    Value::Entries entries;
    for (const auto& [name, element] : json.items()) {
        if (name.starts_with('$')) continue;
        if (!has_room()) return false;
        Value key;
        const AssetJson text(name);
        const auto of_key = has_number_keys ? row : PackRow{row.key, row.field};
        if (!put(text, *type.key, of_key, key)) return false;
        if (has_number_keys && !numbers_.find(row.kind, name)) continue; // of an entry that is not there
        Value value;
        const auto of_value = has_number_keys ? PackRow{row.key, row.field} : row;
        if (!put(element, *type.element, of_value, value)) return false;
        entries.emplace_back(std::move(key), std::move(value));
    }
    out.content = std::move(entries);
    return true;
}

/// Points of another form are no points; of two at the same hour the later counts.
bool PackValues::put_hours(const AssetJson& json, const protocol::Type& type, Value& out) {
    if (!json.is_array()) return false;
    std::map<float, Value> points;
    for (const auto& point : json) {
        const auto* hour = in_object(point, "Hour");
        if (hour == nullptr || !hour->is_number()) continue;
        const auto at = hour->get<double>();
        if (!(at >= 0 && at <= 24) || !has_room()) continue;
        for (const auto* key : {"Color", "Value"}) {
            Value value;
            if (const auto* said = in_object(point, key);
                said != nullptr && put(*said, *type.element, {}, value))
                points[static_cast<float>(at)] = std::move(value);
        }
    }
    Value::Entries entries;
    for (auto& [hour, value] : points) entries.emplace_back(Value{hour}, std::move(value));
    out.content = std::move(entries);
    return true;
}

bool PackValues::put_moons(const AssetJson& json, Value& out) {
    if (!json.is_array()) return false;
    std::map<std::int32_t, std::string> days;
    for (const auto& moon : json) {
        const auto* day = in_object(moon, "Day");
        const auto* texture = in_object(moon, "Texture");
        if (day == nullptr || texture == nullptr || !day->is_number() || !texture->is_string()) return false;
        if (!(std::abs(day->get<double>()) < 1e6) || !has_room()) return false;
        days[static_cast<std::int32_t>(day->get<double>())] = texture->get<std::string>();
    }
    Value::Entries entries;
    for (auto& [day, texture] : days)
        entries.emplace_back(Value{std::int64_t{day}}, Value{std::move(texture)});
    out.content = std::move(entries);
    return true;
}

/// The most particular name that is given wins: `Up` before `UpDown` before `All`.
bool PackValues::put_textures(const AssetJson& json, const protocol::Type& type, Value& out) {
    constexpr std::array<std::array<const char*, 3>, 6> names{{{"Up", "UpDown", "All"},
                                                               {"Down", "UpDown", "All"},
                                                               {"South", "Sides", "All"},
                                                               {"North", "Sides", "All"},
                                                               {"West", "Sides", "All"},
                                                               {"East", "Sides", "All"}}};
    if (!json.is_array() || json.empty()) return false;
    Value::List cubes;
    for (const auto& said : json) {
        if (!said.is_object() || !has_room()) return false;
        auto cube = make(*type.element->layout);
        for (std::size_t side = 0; side < k_sides.size(); ++side) {
            auto& texture = *pack_field(cube, k_sides[side]);
            texture.content = std::string(k_no_texture);
            for (const auto* name : names[side])
                if (const auto* file = in_object(said, name)) {
                    if (!file->is_string()) return false;
                    texture.content = file->get<std::string>();
                    made_ += 1 + file->get_ref<const std::string&>().size() / 16;
                    break;
                }
        }
        const auto* weight = in_object(said, "Weight");
        if (weight != nullptr && (!weight->is_number() || !(weight->get<double>() >= 0))) return false;
        const auto parts = weight == nullptr ? 1.0 : weight->get<double>();
        if (!put_number(parts, type.element->layout->find("weight")->type, *pack_field(cube, "weight")))
            return false;
        cubes.push_back(std::move(cube));
    }
    out.content = std::move(cubes);
    make_parts_of_one(out);
    return true;
}

bool PackValues::put_all_sides(const AssetJson& json, const Layout& layout, bool is_colour, Value& out) {
    std::int64_t number = 0;
    if (is_colour) {
        const auto colour = colour_in(json);
        if (!colour) return false;
        number = static_cast<std::int32_t>(*colour);
    } else {
        if (!json.is_number() || !(json.get<double>() >= 0 && json.get<double>() <= 100)) return false;
        number = static_cast<std::int64_t>(json.get<double>());
    }
    if (out.is_absent()) out = make(layout);
    for (const auto side : k_sides) pack_field(out, side)->content = number;
    return true;
}

void PackValues::put_tags(const PackObject& object, Value& record) {
    auto* field = pack_field(record, "tagIndexes");
    if (field == nullptr) field = pack_field(record, "tags");
    if (field == nullptr) return;
    std::set<std::int32_t> numbers;
    const auto add = [&](const AssetJson* tags) {
        if (tags == nullptr) return;
        if (!tags->is_object()) return report("Tags", "expected an object, found " + shown(*tags));
        for (const auto& [name, values] : tags->items()) {
            if (name.starts_with('$')) continue;
            numbers.insert(numbers_.tag(name));
            const auto one = [&](const AssetJson& value) {
                if (!value.is_string()) return report("Tags", "expected texts, found " + shown(value));
                const auto& text = value.get_ref<const std::string&>();
                numbers.insert(numbers_.tag(text));
                numbers.insert(numbers_.tag(name + "=" + text));
                made_ += 2;
            };
            if (values.is_array())
                for (const auto& value : values) one(value);
            else
                one(values);
        }
    };
    add(object.find("Tags"));
    add(object.item_tags);
    Value::List list;
    for (const auto number : numbers) list.emplace_back(Value{std::int64_t{number}});
    field->content = std::move(list);
}

} // namespace orbis::game
