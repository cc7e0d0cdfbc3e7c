#include "protocol/missing_fields.hpp"

namespace orbis::protocol {

namespace {

Value plainest_field(const Field& field) {
    if (field.is_nullable()) return {};
    auto value = plainest_value(field.type);
    put_in_range(field, value);
    return value;
}

} // namespace

Value plainest_value(const Layout& layout) {
    Value::Record record{&layout, {}};
    record.fields.reserve(layout.fields.size());
    for (const auto& field : layout.fields) record.fields.push_back(plainest_field(field));
    return Value{std::move(record)};
}

Value plainest_value(const Type& type) {
    switch (type.kind) {
    case Kind::boolean: return Value{false};
    case Kind::i8:
    case Kind::i16:
    case Kind::i32:
    case Kind::i64: return Value{std::int64_t{0}};
    case Kind::f32: return Value{0.0F};
    case Kind::f64: return Value{0.0};
    case Kind::uuid: return Value{Uuid{}};
    case Kind::enumeration: return Value{Value::Symbol{type.enumeration, 0}};
    case Kind::flags: return Value{Value::List()};
    case Kind::structure: return plainest_value(*type.layout);
    case Kind::choice: return plainest_value(*type.choice->types.begin()->second);
    case Kind::text:
    case Kind::fixed_text: return Value{std::string()};
    case Kind::list:
        if (type.is_bytes()) return Value{Buffer()};
        return Value{Value::List()};
    case Kind::fixed_list:
        if (type.is_bytes()) return Value{Buffer(type.limit)};
        return Value{Value::List(type.limit, plainest_value(*type.element))};
    case Kind::sparse_list: return Value{Value::List()};
    case Kind::map: return Value{Value::Entries()};
    }
    return {};
}

void fill_missing_fields(Value& value) {
    if (auto* list = std::get_if<Value::List>(&value.content))
        for (auto& element : *list) fill_missing_fields(element);
    if (auto* entries = std::get_if<Value::Entries>(&value.content))
        for (auto& [key, mapped] : *entries) {
            fill_missing_fields(key);
            fill_missing_fields(mapped);
        }
    auto* record = std::get_if<Value::Record>(&value.content);
    if (record == nullptr) return;
    for (std::size_t at = 0; at < record->fields.size(); ++at) {
        auto& field = record->fields[at];
        if (field.is_absent())
            field = plainest_field(record->layout->fields[at]);
        else
            fill_missing_fields(field);
    }
}

} // namespace orbis::protocol
