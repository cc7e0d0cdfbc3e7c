#include "protocol/value.hpp"

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

} // namespace orbis::protocol
