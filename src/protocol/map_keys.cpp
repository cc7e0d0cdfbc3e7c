#include "protocol/map_keys.hpp"

#include "bytes/utf8.hpp"
#include "protocol/replacement.hpp"

#include <bit>
#include <cmath>

namespace orbis::protocol {

namespace {

template <typename Float, typename Bits>
Bits comparable(Float value) {
    return std::isnan(value) ? Bits{0} - 1 : std::bit_cast<Bits>(value);
}

void append_number(std::string& out, std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) out += static_cast<char>(number >> (8 * byte));
}

void append_key(std::string& out, const Value& key) {
    if (const auto* flag = key.as<bool>()) append_number(out, *flag ? 1 : 0);
    if (const auto* number = key.as<std::int64_t>()) append_number(out, static_cast<std::uint64_t>(*number));
    if (const auto* real = key.as<float>()) append_number(out, comparable<float, std::uint32_t>(*real));
    if (const auto* real = key.as<double>()) append_number(out, comparable<double, std::uint64_t>(*real));
    if (const auto* uuid = key.as<Uuid>()) out.append(uuid->begin(), uuid->end());
    if (const auto* symbol = key.as<Value::Symbol>()) append_number(out, symbol->index);
    if (const auto* text = key.as<std::string>()) {
        const auto held = is_utf8(*text) ? *text : with_replacements(*text);
        append_number(out, held.size());
        out += held;
    }
    if (const auto* flags = key.as<Value::List>()) { // in any order
        std::uint64_t set = 0;
        for (const auto& flag : *flags)
            if (const auto* symbol = flag.as<Value::Symbol>())
                set |= std::uint64_t{1} << (symbol->index % 64);
        append_number(out, set);
    }
    if (const auto* record = key.as<Value::Record>())
        for (const auto& field : record->fields) {
            out += field.is_absent() ? '\0' : '\1';
            append_key(out, field);
        }
}

} // namespace

std::string comparable_key(const Value& key) {
    std::string out;
    append_key(out, key);
    return out;
}

} // namespace orbis::protocol
