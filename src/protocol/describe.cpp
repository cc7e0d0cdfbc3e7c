#include "protocol/describe.hpp"

#include "protocol/catalogue.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace orbis::protocol {

namespace {

/// A packet may be given by its id.
std::string_view by_id(const Schema& schema, std::string_view name) {
    std::int32_t id = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (problem != std::errc() || end != name.data() + name.size()) return name;
    const auto* info = schema.registry().find(id);
    return info != nullptr ? info->name : name;
}

std::string place(const Field& field) {
    if (field.is_packed()) return fmt::format("{} bit {}", field.at, field.packed_bit);
    if (field.is_fixed()) return fmt::format("{}", field.at);
    return field.slot_at >= 0 ? fmt::format("slot {}", field.slot_at) : "inline";
}

/// What a value of an enum is on the wire.
std::size_t number_of(const Enumeration& enumeration, std::size_t index) {
    return enumeration.is_flags() ? enumeration.bits[index] : index;
}

std::string bit(const Field& field) { return field.is_nullable() ? fmt::format("{}", field.null_bit) : ""; }

std::string type_text(const Field& field) {
    auto text = field.type.text();
    if (field.min_value) text += fmt::format(", at least {}", *field.min_value);
    if (field.max_value) text += fmt::format(", at most {}", *field.max_value);
    return text;
}

std::string size_text(const Layout& layout) {
    if (layout.fields.empty()) return "empty";
    if (layout.var_count == 0) return fmt::format("always {} bytes", layout.fixed);
    return fmt::format(
        "fixed block {} bytes ({} of them presence bits), variable block from {}, at most {} bytes",
        layout.fixed, layout.null_bytes, layout.var_start, layout.max);
}

void add_layout(std::vector<std::string>& lines, const Layout& layout) {
    lines.push_back(size_text(layout));
    if (layout.fields.empty()) return;
    std::size_t width = 5;
    for (const auto& field : layout.fields) width = std::max(width, field.name.size());
    lines.push_back(fmt::format("{:>9}  {:>3}  {:<{}}  type", "at", "bit", "field", width));
    for (const auto& field : layout.fields)
        lines.push_back(fmt::format("{:>9}  {:>3}  {:<{}}  {}", place(field), bit(field), field.name, width,
                                    type_text(field)));
}

/// A line per field that says everything that matters on the wire.
std::vector<std::string> field_lines(const Layout& layout) {
    std::vector<std::string> lines;
    lines.reserve(layout.fields.size());
    for (const auto& field : layout.fields)
        lines.push_back(fmt::format("{}: {} at {}{}", field.name, type_text(field), place(field),
                                    field.is_nullable() ? fmt::format(", bit {}", field.null_bit) : ""));
    return lines;
}

void collect(const Type& type, std::set<const Layout*>& seen);

void collect(const Layout& layout, std::set<const Layout*>& seen) {
    if (!seen.insert(&layout).second) return;
    for (const auto& field : layout.fields) collect(field.type, seen);
}

void collect(const Type& type, std::set<const Layout*>& seen) {
    if (type.layout != nullptr) collect(*type.layout, seen);
    if (type.choice != nullptr)
        for (const auto& [id, member] : type.choice->types) collect(*member, seen);
    if (type.element != nullptr) collect(*type.element, seen);
    if (type.key != nullptr) collect(*type.key, seen);
}

/// Names of the types below a layout whose own fields differ between two schemas.
std::vector<std::string> changed_types(const Layout& layout, const Schema& before) {
    std::set<const Layout*> below;
    collect(layout, below);
    std::vector<std::string> names;
    for (const auto* each : below) {
        const auto* old = before.layout(each->name);
        if (each != &layout && old != nullptr && field_lines(*old) != field_lines(*each))
            names.push_back("~ " + each->name);
    }
    std::ranges::sort(names);
    return names;
}

std::vector<std::string> differences(const Layout& old, const Layout& now) {
    const auto text = [](const Field& field) {
        return fmt::format("{}: {}{}", field.name, type_text(field),
                           field.is_nullable() ? ", may be absent" : "");
    };
    std::vector<std::string> lines;
    std::string moved;
    for (const auto& field : old.fields) {
        const auto* other = now.find(field.name);
        if (other == nullptr || text(*other) != text(field)) lines.push_back("- " + text(field));
    }
    for (const auto& field : now.fields) {
        const auto* other = old.find(field.name);
        if (other == nullptr || text(*other) != text(field))
            lines.push_back("+ " + text(field));
        else if (place(*other) != place(field) || bit(*other) != bit(field))
            moved += (moved.empty() ? "moved: " : ", ") + field.name;
    }
    if (!moved.empty()) lines.push_back(moved);
    return lines;
}

} // namespace

std::vector<std::string> describe(const Schema& schema, std::string_view name) {
    name = by_id(schema, name);
    std::vector<std::string> lines;
    if (const auto* info = schema.registry().find(name)) {
        const auto direction = info->direction == Direction::unstated
                                   ? ""
                                   : fmt::format(", {}", protocol::name(info->direction));
        const auto channel = info->direction == Direction::unstated
                                 ? ""
                                 : fmt::format(", channel {}", protocol::name(info->channel));
        lines.push_back(fmt::format("{}: packet {}, {}{}{}{}", name, info->id, info->category, direction,
                                    channel, info->compressed ? ", compressed" : ""));
        add_layout(lines, *schema.packet(name));
    } else if (const auto* layout = schema.layout(name)) {
        lines.push_back(fmt::format("{}: struct", name));
        add_layout(lines, *layout);
    } else if (const auto choice = schema.unions().find(name); choice != schema.unions().end()) {
        lines.push_back(fmt::format("{}: union", name));
        for (const auto& [id, member] : choice->second.types)
            lines.push_back(fmt::format("{:>9}  {}", id, member->name));
    } else if (const auto found = schema.enumerations().find(name); found != schema.enumerations().end()) {
        const auto& enumeration = found->second;
        lines.push_back(fmt::format("{}: {}", name, enumeration.is_flags() ? "flags" : "enum"));
        for (std::size_t index = 0; index < enumeration.values.size(); ++index)
            lines.push_back(
                fmt::format("{:>9}  {}", number_of(enumeration, index), enumeration.values[index]));
    }
    return lines;
}

bool describe(JsonWriter& json, const Schema& schema, std::string_view name) {
    name = by_id(schema, name);
    const auto* layout = schema.layout(name);
    if (layout == nullptr) {
        const auto lines = describe(schema, name);
        if (lines.empty()) return false;
        const auto choice = schema.unions().find(name);
        json.member("name", name);
        if (choice != schema.unions().end()) {
            json.member("kind", "union").key("values").object();
            for (const auto& [id, member] : choice->second.types)
                json.member(fmt::format("{}", id), member->name);
        } else {
            const auto& enumeration = schema.enumerations().find(name)->second;
            json.member("kind", enumeration.is_flags() ? "flags" : "enum").key("values").object();
            for (std::size_t index = 0; index < enumeration.values.size(); ++index)
                json.member(fmt::format("{}", number_of(enumeration, index)), enumeration.values[index]);
        }
        json.end();
        return true;
    }
    json.member("name", name);
    if (const auto* info = schema.registry().find(name)) {
        json.member("kind", "packet").member("id", info->id).member("category", info->category);
        if (info->direction != Direction::unstated)
            json.member("direction", protocol::name(info->direction))
                .member("channel", protocol::name(info->channel));
        json.member("compressed", info->compressed).member("smallest", info->smallest);
    } else {
        json.member("kind", "struct");
    }
    json.member("null_bytes", layout->null_bytes)
        .member("fixed", layout->fixed)
        .member("var_start", layout->var_start);
    json.member("max", layout->max).key("fields").array();
    for (const auto& field : layout->fields) {
        json.object().member("name", field.name);
        if (field.is_fixed()) json.member("at", field.at);
        if (field.is_packed()) json.member("packed_bit", field.packed_bit);
        if (field.slot_at >= 0) json.member("slot_at", field.slot_at);
        if (field.is_inline()) json.member("inline", true);
        if (field.is_nullable()) json.member("bit", field.null_bit);
        json.member("type", type_text(field)).end();
    }
    json.end();
    return true;
}

std::vector<BuildChange> changes_between_builds(std::string_view name) {
    std::vector<BuildChange> all;
    const Schema* before = nullptr;
    for (const auto& build : builds()) {
        const auto& schema = schema_of(build);
        const auto* layout = schema.layout(name);
        BuildChange change{build.build, layout != nullptr, {}};
        if (layout != nullptr && before != nullptr) {
            const auto& old = *before->layout(name);
            change.changes = differences(old, *layout);
            const auto* info = schema.registry().find(name);
            const auto* old_info = before->registry().find(name);
            if (info != nullptr && old_info != nullptr && info->id != old_info->id)
                change.changes.push_back(fmt::format("id {} instead of {}", info->id, old_info->id));
            for (auto& type : changed_types(*layout, *before)) change.changes.push_back(std::move(type));
        }
        if (layout != nullptr) before = &schema;
        all.push_back(std::move(change));
    }
    return all;
}

} // namespace orbis::protocol
