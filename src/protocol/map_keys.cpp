#include "protocol/map_keys.hpp"

#include "bytes/utf8.hpp"

#include <bit>
#include <cmath>

namespace orbis::protocol {

namespace {

/// How many bytes at the start of `text`, which is malformed there, one replacement stands for: the longest
/// start of a sequence that could have become well-formed.
std::size_t malformed_length(std::string_view text) {
    const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
    const auto lead = byte(0);
    const std::size_t whole = lead >= 0xf0 && lead <= 0xf4 ? 4 : lead >= 0xe0 && lead < 0xf0 ? 3 : 1;
    if (whole == 1 || text.size() < 2) return 1;
    const int low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const int high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (byte(1) < low || byte(1) > high) return 1;
    std::size_t length = 2;
    while (length < whole - 1 && length < text.size() && (byte(length) & 0xc0) == 0x80) ++length;
    return length;
}

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
    if (const auto* record = key.as<Value::Record>())
        for (const auto& field : record->fields) {
            out += field.is_absent() ? '\0' : '\1';
            append_key(out, field);
        }
}

} // namespace

std::string with_replacements(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto sound = utf8_valid_prefix(text);
        out += text.substr(0, sound);
        text.remove_prefix(sound);
        if (text.empty()) break;
        out += "\xef\xbf\xbd";
        text.remove_prefix(malformed_length(text));
    }
    return out;
}

std::string comparable_key(const Value& key) {
    std::string out;
    append_key(out, key);
    return out;
}

} // namespace orbis::protocol
