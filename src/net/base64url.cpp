#include "net/base64url.hpp"

#include <array>

namespace orbis::net {
namespace {

constexpr std::string_view k_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr std::array<std::int8_t, 256> k_values = [] {
    std::array<std::int8_t, 256> values{};
    values.fill(-1);
    for (std::size_t i = 0; i < k_alphabet.size(); ++i)
        values[static_cast<std::uint8_t>(k_alphabet[i])] = static_cast<std::int8_t>(i);
    return values;
}();

} // namespace

std::string to_base64url(Bytes bytes) {
    std::string text;
    text.reserve((bytes.size() * 4 + 2) / 3);
    std::uint32_t bits = 0;
    int held = 0;
    for (const auto byte : bytes) {
        bits = bits << 8 | byte;
        held += 8;
        while (held >= 6) {
            held -= 6;
            text += k_alphabet[bits >> held & 63];
        }
    }
    if (held > 0) text += k_alphabet[bits << (6 - held) & 63];
    return text;
}

std::optional<Buffer> from_base64url(std::string_view text) {
    if (text.size() % 4 == 1) return std::nullopt;
    Buffer bytes;
    bytes.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : text) {
        const auto value = k_values[static_cast<std::uint8_t>(c)];
        if (value < 0) return std::nullopt;
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes.push_back(static_cast<std::uint8_t>(bits >> held));
        }
    }
    if ((bits & ((1U << held) - 1)) != 0) return std::nullopt;
    return bytes;
}

} // namespace orbis::net
