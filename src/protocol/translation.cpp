#include "protocol/translation.hpp"

#include "bytes/utf8.hpp"
#include "protocol/map_image.hpp"
#include "protocol/missing_fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

namespace orbis::protocol {
namespace {

/// Where a formatted message has its plain text.
constexpr std::string_view k_plain_text = "rawText";
constexpr std::string_view k_message_key = "messageId";

bool is_integer(Kind kind) { return kind >= Kind::i8 && kind <= Kind::i64; }
bool is_text(Kind kind) { return kind == Kind::text || kind == Kind::fixed_text; }
bool is_list(Kind kind) {
    return kind == Kind::list || kind == Kind::fixed_list || kind == Kind::sparse_list;
}

std::int64_t limited(std::int64_t number, Kind kind) {
    switch (kind) {
    case Kind::i8: return std::clamp<std::int64_t>(number, INT8_MIN, INT8_MAX);
    case Kind::i16: return std::clamp<std::int64_t>(number, INT16_MIN, INT16_MAX);
    case Kind::i32: return std::clamp<std::int64_t>(number, INT32_MIN, INT32_MAX);
    default: return number;
    }
}

Value number(const Value& value, Kind to) {
    double real = 0;
    if (const auto* integer = value.as<std::int64_t>()) {
        if (is_integer(to)) return Value{limited(*integer, to)};
        real = static_cast<double>(*integer);
    } else if (const auto* narrow = value.as<float>()) {
        real = double{*narrow};
    } else if (const auto* wide = value.as<double>()) {
        real = *wide;
    } else {
        return {};
    }
    if (to == Kind::f32) return Value{static_cast<float>(real)};
    return to == Kind::f64 ? Value{real} : Value{};
}

Value text(std::string_view said, const Type& to) {
    std::string fitting(said);
    if (to.ascii) std::ranges::replace_if(fitting, [](char c) { return (c & 0x80) != 0; }, '?');
    if (fitting.size() > to.limit) {
        fitting.resize(to.limit);
        fitting.resize(utf8_valid_prefix(fitting));
    }
    return Value{std::move(fitting)};
}

Value symbol(const Value::Symbol& said, const Enumeration& to) {
    const auto at = std::ranges::find(to.values, said.enumeration->values[said.index]);
    if (at == to.values.end()) return {};
    return Value{Value::Symbol{&to, static_cast<std::uint8_t>(at - to.values.begin())}};
}

constexpr std::string_view k_flat_type = "type";
constexpr std::string_view k_member_end = "Update";

/// `Transform` of `TransformUpdate`: what structs with the fields of all members call it.
std::string_view kind_of_member(const Layout& member) {
    std::string_view name = member.name;
    if (name.ends_with(k_member_end)) name.remove_suffix(k_member_end.size());
    return name;
}

Value symbol_named(std::string_view name, const Enumeration& to) {
    const auto at = std::ranges::find(to.values, name);
    if (at == to.values.end()) return {};
    return Value{Value::Symbol{&to, static_cast<std::uint8_t>(at - to.values.begin())}};
}

/// Whether a field of such a struct has all of a member.
bool is_member_struct(const Field& field, const Layout& member) {
    return field.type.kind == Kind::structure
           && (field.type.layout->name == member.name || field.type.layout->name == kind_of_member(member));
}

/// Three states as an enum; later builds have a boolean that may be absent.
bool has_three_states(const Enumeration& enumeration) {
    return enumeration.values == std::vector<std::string>{"Null", "False", "True"};
}

const Layout* member(const Union& of, std::string_view name) {
    const auto at = std::ranges::find(of.types, name, [](const auto& type) { return type.second->name; });
    return at == of.types.end() ? nullptr : at->second;
}

const Field* find_field(const Layout& layout, std::string_view name, std::size_t& index) {
    const auto at = std::ranges::find(layout.fields, name, &Field::name);
    if (at == layout.fields.end()) return nullptr;
    index = static_cast<std::size_t>(at - layout.fields.begin());
    return &*at;
}

/// Compares layouts through and through. One difference is enough, so what is being compared counts as the
/// same.
class Comparison {
public:
    explicit Comparison(Floats floats) : floats_(floats) {}

    bool layouts(const Layout& from, const Layout& to) {
        if (!seen_.emplace(&from, &to).second) return true;
        if (from.null_bytes != to.null_bytes || from.fixed != to.fixed || from.var_start != to.var_start)
            return false;
        return std::ranges::equal(from.fields, to.fields, [this](const Field& a, const Field& b) {
            return a.name == b.name && a.null_bit == b.null_bit && a.at == b.at && a.slot_at == b.slot_at
                   && a.packed_bit == b.packed_bit && (!b.min_value || a.min_value == b.min_value)
                   && (!b.max_value || a.max_value == b.max_value) && types(a.type, b.type);
        });
    }

private:
    bool types(const Type& from, const Type& to) {
        if (from.kind != to.kind || from.wide != to.wide) return false;
        if (to.finite && !from.finite && floats_ == Floats::any) return false;
        switch (to.kind) {
        case Kind::enumeration:
        case Kind::flags: return begins_like(*from.enumeration, *to.enumeration);
        case Kind::structure: return layouts(*from.layout, *to.layout);
        case Kind::choice: return choices(*from.choice, *to.choice);
        case Kind::text: return from.limit <= to.limit && (from.ascii || !to.ascii);
        case Kind::fixed_text: return from.limit == to.limit && (from.ascii || !to.ascii);
        case Kind::fixed_list: return from.limit == to.limit && types(*from.element, *to.element);
        case Kind::list:
        case Kind::sparse_list: return from.limit <= to.limit && types(*from.element, *to.element);
        case Kind::map:
            return from.limit <= to.limit && types(*from.key, *to.key) && types(*from.element, *to.element);
        default: return true;
        }
    }
    /// Names that only `to` has do no harm after the others.
    static bool begins_like(const Enumeration& from, const Enumeration& to) {
        return from.values.size() <= to.values.size()
               && std::equal(from.values.begin(), from.values.end(), to.values.begin())
               && from.bits.size() <= to.bits.size()
               && std::equal(from.bits.begin(), from.bits.end(), to.bits.begin());
    }
    bool choices(const Union& from, const Union& to) {
        return std::ranges::all_of(from.types, [&](const auto& type) {
            const auto other = to.types.find(type.first);
            return other != to.types.end() && other->second->name == type.second->name
                   && layouts(*type.second, *other->second);
        });
    }

    Floats floats_;
    std::set<std::pair<const Layout*, const Layout*>> seen_;
};

} // namespace

Value Translation::record(const Value& value, const Layout& to, const Renamed& renamed) const {
    const auto* said = value.as<Value::Record>();
    if (said == nullptr) return {};
    if (auto picture = translated_map_image(*said, to)) return *std::move(picture);
    Value::Record record{&to, {}};
    record.fields.reserve(to.fields.size());
    for (const auto& field : to.fields) {
        const auto other = renamed.find(field.name);
        std::size_t index = 0;
        const auto* from =
            find_field(*said->layout, other == renamed.end() ? field.name : other->second, index);
        if (from != nullptr) {
            record.fields.push_back(this->field(said->fields[index], *from, to, field));
            continue;
        }
        auto by_switch = switched(*said, field);
        record.fields.push_back(by_switch.is_absent() ? missing(to, field) : std::move(by_switch));
    }
    return Value{std::move(record)};
}

bool Translation::decides(const Layout& to, const Field& field) const {
    return given_.contains(to.name + "." + field.name)
           || std::ranges::any_of(switches_, [&](const Switch& each) {
                  return field.name == each.name || field.name == each.flag;
              });
}

Value Translation::switched(const Value::Record& said, const Field& to) const {
    for (const auto& each : switches_) {
        const bool is_flag = to.name == each.flag;
        if (!is_flag && to.name != each.name) continue;
        std::size_t index = 0;
        if (find_field(*said.layout, is_flag ? each.name : each.flag, index) == nullptr) continue;
        const auto& value = said.fields[index];
        if (const auto* named = value.as<Value::Symbol>(); is_flag && named != nullptr)
            return Value{named->enumeration->values[named->index] != each.off};
        const auto* flag = value.as<bool>();
        if (is_flag || flag == nullptr || to.type.kind != Kind::enumeration) continue;
        const auto at = std::ranges::find(to.type.enumeration->values, *flag ? each.on : each.off);
        if (at != to.type.enumeration->values.end())
            return Value{Value::Symbol{to.type.enumeration,
                                       static_cast<std::uint8_t>(at - to.type.enumeration->values.begin())}};
    }
    return {};
}

Value Translation::missing(const Layout& layout, const Field& field) const {
    if (const auto given = given_.find(layout.name + "." + field.name); given != given_.end())
        return given->second;
    if (field.is_nullable()) return {};
    auto value = plainest_value(field.type);
    put_in_range(field, value);
    return value;
}

Value Translation::field(const Value& value, const Field& from, const Layout& layout, const Field& to) const {
    auto said = value.is_absent() ? Value() : translated(value, from.type, to.type);
    if (said.is_absent()) return to.is_nullable() ? said : missing(layout, to);
    put_in_range(to, said);
    return said;
}

Value Translation::translated(const Value& value, const Type& from, const Type& to) const {
    if (from.kind == Kind::enumeration && to.kind == Kind::boolean && has_three_states(*from.enumeration)) {
        const auto index = value.as<Value::Symbol>()->index;
        return index == 0 ? Value() : Value{index == 2};
    }
    if (from.kind == Kind::boolean && to.kind == Kind::enumeration && has_three_states(*to.enumeration))
        return Value{Value::Symbol{to.enumeration, static_cast<std::uint8_t>(*value.as<bool>() ? 2 : 1)}};
    if (is_text(from.kind) && to.kind == Kind::structure) {
        std::size_t index = 0;
        const auto* plain = find_field(*to.layout, k_plain_text, index);
        if (plain == nullptr) return {};
        auto message = plainest_value(*to.layout);
        std::get<Value::Record>(message.content).fields[index] = text(*value.as<std::string>(), plain->type);
        return message;
    }
    if (from.kind == Kind::structure && is_text(to.kind)) {
        for (const auto name : {k_plain_text, k_message_key})
            if (const auto* plain = value.find(name); plain != nullptr && plain->as<std::string>())
                return text(*plain->as<std::string>(), to);
        return {};
    }
    if (from.kind == Kind::choice && to.kind == Kind::structure) return flattened(value, *to.layout);
    if (from.kind == Kind::structure && to.kind == Kind::choice) return unflattened(value, *to.choice);
    switch (to.kind) {
    case Kind::boolean: return from.kind == Kind::boolean ? value : Value();
    case Kind::uuid: return from.kind == Kind::uuid ? value : Value();
    case Kind::i8:
    case Kind::i16:
    case Kind::i32:
    case Kind::i64:
    case Kind::f32:
    case Kind::f64: return number(value, to.kind);
    case Kind::text:
    case Kind::fixed_text: return is_text(from.kind) ? text(*value.as<std::string>(), to) : Value();
    case Kind::enumeration:
        return from.kind == Kind::enumeration ? symbol(*value.as<Value::Symbol>(), *to.enumeration) : Value();
    case Kind::flags: {
        if (from.kind != Kind::flags) return {};
        Value::List flags;
        for (const auto& flag : *value.as<Value::List>())
            if (auto said = symbol(*flag.as<Value::Symbol>(), *to.enumeration); !said.is_absent())
                flags.push_back(std::move(said));
        return Value{std::move(flags)};
    }
    case Kind::structure: return from.kind == Kind::structure ? record(value, *to.layout) : Value();
    case Kind::choice: {
        if (from.kind != Kind::choice) return {};
        const auto* same = member(*to.choice, value.as<Value::Record>()->layout->name);
        return same != nullptr ? record(value, *same) : Value();
    }
    case Kind::list:
    case Kind::fixed_list:
    case Kind::sparse_list:
        if (!is_list(from.kind) || from.is_bytes() != to.is_bytes()) return {};
        if (!to.is_bytes()) return elements(*value.as<Value::List>(), from, to);
        if (to.kind == Kind::fixed_list && value.as<Buffer>()->size() != to.limit) return {};
        return value;
    case Kind::map: return from.kind == Kind::map ? entries(*value.as<Value::Entries>(), from, to) : Value();
    }
    return {};
}

std::string_view Translation::flat_field(const Layout& member, std::string_view field) const {
    const auto other = flat_fields_.find(fmt::format("{}.{}", member.name, field));
    return other == flat_fields_.end() ? field : std::string_view(other->second);
}

/// The field of a member that such a struct has by this name: `model` of `ModelUpdate` is not the whole
/// member, although the struct in it is called `Model`.
const Field* Translation::own_field(const Layout& member, std::string_view flat) const {
    const auto found = std::ranges::find_if(
        member.fields, [&](const Field& field) { return flat_field(member, field.name) == flat; });
    return found == member.fields.end() ? nullptr : &*found;
}

/// The struct says in `type` which member it is; a member that is a struct of its own there keeps its fields.
Value Translation::flattened(const Value& value, const Layout& to) const {
    const auto& said = *value.as<Value::Record>();
    const auto* type = to.find(k_flat_type);
    if (type == nullptr || type->type.kind != Kind::enumeration) return {};
    const auto kind = symbol_named(kind_of_member(*said.layout), *type->type.enumeration);
    if (kind.is_absent()) return {};
    Value::Record record{&to, {}};
    record.fields.reserve(to.fields.size());
    for (const auto& field : to.fields) {
        if (&field == type) {
            record.fields.push_back(kind);
            continue;
        }
        if (const auto* own = own_field(*said.layout, field.name)) {
            const auto& part = said.fields[static_cast<std::size_t>(own - said.layout->fields.data())];
            record.fields.push_back(this->field(part, *own, to, field));
        } else if (is_member_struct(field, *said.layout)) {
            record.fields.push_back(this->record(value, *field.type.layout));
        } else {
            record.fields.push_back(missing(to, field));
        }
    }
    return Value{std::move(record)};
}

Value Translation::unflattened(const Value& value, const Union& to) const {
    const auto& said = *value.as<Value::Record>();
    const auto* type = value.find(k_flat_type);
    const auto* kind = type != nullptr ? type->as<Value::Symbol>() : nullptr;
    if (kind == nullptr) return {};
    const auto* of = member(to, kind->enumeration->values[kind->index] + std::string(k_member_end));
    if (of == nullptr) return {};
    for (std::size_t at = 0; at < said.fields.size(); ++at)
        if (const auto& field = said.layout->fields[at]; own_field(*of, field.name) == nullptr
                                                         && is_member_struct(field, *of)
                                                         && !said.fields[at].is_absent())
            return record(said.fields[at], *of);
    Value::Record record{of, {}};
    record.fields.reserve(of->fields.size());
    for (const auto& field : of->fields) {
        std::size_t index = 0;
        const auto* from = find_field(*said.layout, flat_field(*of, field.name), index);
        record.fields.push_back(from == nullptr ? missing(*of, field)
                                                : this->field(said.fields[index], *from, *of, field));
    }
    return Value{std::move(record)};
}

/// Elements that have no word are left out, but for lists in which the place of an element means something.
Value Translation::elements(const Value::List& list, const Type& from, const Type& to) const {
    const bool has_places = to.kind == Kind::sparse_list;
    Value::List said;
    said.reserve(list.size());
    for (const auto& element : list) {
        auto each = element.is_absent() ? Value() : translated(element, *from.element, *to.element);
        if (!each.is_absent() || has_places) said.push_back(std::move(each));
    }
    if (to.kind == Kind::fixed_list && said.size() != to.limit) return {};
    return Value{std::move(said)};
}

Value Translation::entries(const Value::Entries& entries, const Type& from, const Type& to) const {
    Value::Entries said;
    said.reserve(entries.size());
    for (const auto& [key, value] : entries) {
        auto new_key = translated(key, *from.key, *to.key);
        auto new_value = translated(value, *from.element, *to.element);
        if (!new_key.is_absent() && !new_value.is_absent())
            said.emplace_back(std::move(new_key), std::move(new_value));
    }
    return Value{std::move(said)};
}

bool has_same_bytes(const Layout& from, const Layout& to, Floats floats) {
    return Comparison(floats).layouts(from, to);
}

} // namespace orbis::protocol
