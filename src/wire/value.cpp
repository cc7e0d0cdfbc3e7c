#include "orbis/wire/value.hpp"

#include "protocol/uuid.hpp"
#include "protocol/value_json.hpp"
#include "wire/inside.hpp"

namespace orbis::wire {

namespace {

const protocol::Value& inner(const void* node) {
    static const protocol::Value none;
    return node != nullptr ? *static_cast<const protocol::Value*>(node) : none;
}

const protocol::Type* type_of(const void* type) { return static_cast<const protocol::Type*>(type); }

/// The type of elements and of values in a map.
const protocol::Type* element_type(const void* type) {
    return type != nullptr ? type_of(type)->element : nullptr;
}

bool is_key(const protocol::Value& key, std::string_view name) {
    if (const auto* text = key.as<std::string>()) return *text == name;
    if (const auto* symbol = key.as<protocol::Value::Symbol>())
        return symbol->enumeration->values[symbol->index] == name;
    if (const auto* uuid = key.as<protocol::Uuid>()) return protocol::uuid_text(*uuid) == name;
    return false;
}

struct KindOf {
    Value::Kind operator()(std::monostate) const { return Value::Kind::none; }
    Value::Kind operator()(bool) const { return Value::Kind::boolean; }
    Value::Kind operator()(std::int64_t) const { return Value::Kind::integer; }
    Value::Kind operator()(float) const { return Value::Kind::real; }
    Value::Kind operator()(double) const { return Value::Kind::real; }
    Value::Kind operator()(const protocol::Uuid&) const { return Value::Kind::uuid; }
    Value::Kind operator()(const protocol::Value::Symbol&) const { return Value::Kind::name; }
    Value::Kind operator()(const std::string&) const { return Value::Kind::text; }
    Value::Kind operator()(const Buffer&) const { return Value::Kind::bytes; }
    Value::Kind operator()(const protocol::Value::List&) const { return Value::Kind::list; }
    Value::Kind operator()(const protocol::Value::Entries&) const { return Value::Kind::map; }
    Value::Kind operator()(const protocol::Value::Record&) const { return Value::Kind::record; }
    Value::Kind operator()(const protocol::Value::Unreadable&) const { return Value::Kind::unreadable; }
};

} // namespace

Value::Value() = default;

Value::Value(std::shared_ptr<const void> owner, const void* node, const void* type)
    : owner_(std::move(owner)), node_(node), type_(type) {}

Value::Kind Value::kind() const { return std::visit(KindOf(), inner(node_).content); }

Value Value::operator[](std::string_view field) const {
    const auto& node = inner(node_);
    if (const auto* record = node.as<protocol::Value::Record>()) {
        const auto* found = record->layout->find(field);
        if (found == nullptr) return {};
        return (*this)[static_cast<std::size_t>(found - record->layout->fields.data())];
    }
    if (const auto* entries = node.as<protocol::Value::Entries>())
        for (const auto& [key, mapped] : *entries)
            if (is_key(key, field)) return {owner_, &mapped, element_type(type_)};
    return {};
}

Value Value::operator[](std::size_t index) const {
    if (index >= size()) return {};
    const auto& node = inner(node_);
    if (const auto* record = node.as<protocol::Value::Record>())
        return {owner_, &record->fields[index], &record->layout->fields[index].type};
    if (const auto* entries = node.as<protocol::Value::Entries>())
        return {owner_, &(*entries)[index].second, element_type(type_)};
    return {owner_, &(*node.as<protocol::Value::List>())[index], element_type(type_)};
}

std::size_t Value::size() const {
    const auto& node = inner(node_);
    if (const auto* record = node.as<protocol::Value::Record>()) return record->fields.size();
    if (const auto* entries = node.as<protocol::Value::Entries>()) return entries->size();
    if (const auto* list = node.as<protocol::Value::List>()) return list->size();
    return 0;
}

Value Value::key(std::size_t index) const {
    const auto* entries = inner(node_).as<protocol::Value::Entries>();
    if (entries == nullptr || index >= entries->size()) return {};
    return {owner_, &(*entries)[index].first, type_ != nullptr ? type_of(type_)->key : nullptr};
}

std::string_view Value::field_name(std::size_t index) const {
    const auto* record = inner(node_).as<protocol::Value::Record>();
    if (record == nullptr || index >= record->fields.size()) return {};
    return record->layout->fields[index].name;
}

std::string_view Value::type() const {
    const auto* record = inner(node_).as<protocol::Value::Record>();
    return record != nullptr ? std::string_view(record->layout->name) : std::string_view();
}

bool Value::is_variant() const { return type_ != nullptr && type_of(type_)->kind == protocol::Kind::choice; }

bool Value::boolean(bool otherwise) const {
    const auto* value = inner(node_).as<bool>();
    return value != nullptr ? *value : otherwise;
}

std::int64_t Value::integer(std::int64_t otherwise) const {
    const auto* value = inner(node_).as<std::int64_t>();
    return value != nullptr ? *value : otherwise;
}

double Value::number(double otherwise) const {
    const auto& node = inner(node_);
    if (const auto* value = node.as<double>()) return *value;
    if (const auto* value = node.as<float>()) return double{*value};
    if (const auto* value = node.as<std::int64_t>()) return static_cast<double>(*value);
    return otherwise;
}

std::string Value::text(std::string_view otherwise) const {
    const auto& node = inner(node_);
    if (const auto* value = node.as<std::string>()) return *value;
    if (const auto* value = node.as<protocol::Value::Symbol>())
        return value->enumeration->values[value->index];
    if (const auto* value = node.as<protocol::Uuid>()) return protocol::uuid_text(*value);
    return std::string(otherwise);
}

std::vector<std::uint8_t> Value::bytes() const {
    const auto& node = inner(node_);
    if (const auto* value = node.as<Buffer>()) return *value;
    if (const auto* value = node.as<protocol::Value::Unreadable>()) return value->bytes;
    if (const auto* value = node.as<std::string>()) return {value->begin(), value->end()};
    return {};
}

std::string Value::json() const {
    JsonWriter json;
    if (type_ != nullptr)
        protocol::write_json(json, *type_of(type_), inner(node_));
    else
        protocol::write_json(json, inner(node_));
    return json.take();
}

} // namespace orbis::wire
