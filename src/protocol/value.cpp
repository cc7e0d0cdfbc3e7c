#include "protocol/value.hpp"

#include <type_traits>

namespace orbis::protocol {

Value::Value() = default;
Value::Value(Content content_) : content(std::move(content_)) {}
Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;
bool Value::operator==(const Value& other) const { return content == other.content; }

const Value* Value::find(std::string_view field) const {
    const auto* record = as<Record>();
    if (record == nullptr) return nullptr;
    for (std::size_t at = 0; at < record->fields.size(); ++at)
        if (record->layout->fields[at].name == field) return &record->fields[at];
    return nullptr;
}

bool is_in_range(const Field& field, const Value& value) {
    const auto fits = [&](auto number) {
        const auto real = static_cast<double>(number);
        return !(field.min_value && real < *field.min_value) && !(field.max_value && real > *field.max_value);
    };
    if (const auto* number = value.as<std::int64_t>()) return fits(*number);
    if (const auto* number = value.as<float>()) return fits(*number);
    if (const auto* number = value.as<double>()) return fits(*number);
    return true;
}

void put_in_range(const Field& field, Value& value) {
    const auto put = [&](auto& number) {
        using Number = std::remove_reference_t<decltype(number)>;
        if (field.min_value && static_cast<double>(number) < *field.min_value)
            number = static_cast<Number>(*field.min_value);
        if (field.max_value && static_cast<double>(number) > *field.max_value)
            number = static_cast<Number>(*field.max_value);
    };
    if (auto* number = std::get_if<std::int64_t>(&value.content)) put(*number);
    if (auto* number = std::get_if<float>(&value.content)) put(*number);
    if (auto* number = std::get_if<double>(&value.content)) put(*number);
}

} // namespace orbis::protocol
