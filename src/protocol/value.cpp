#include "protocol/value.hpp"

namespace orbis::protocol {

const Value* Value::find(std::string_view field) const {
    const auto* record = as<Record>();
    if (record == nullptr) return nullptr;
    for (std::size_t at = 0; at < record->fields.size(); ++at)
        if (record->layout->fields[at].name == field) return &record->fields[at];
    return nullptr;
}

} // namespace orbis::protocol
