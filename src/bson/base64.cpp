#include "bson/extended_json.hpp"

#include <array>

namespace orbis::bson {

namespace {

constexpr std::string_view k_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> digits() {
    std::array<std::int8_t, 256> made{};
    made.fill(-1);
    for (std::size_t i = 0; i < k_alphabet.size(); ++i)
        made[static_cast<unsigned char>(k_alphabet[i])] = static_cast<std::int8_t>(i);
    return made;
}

constexpr auto k_digits = digits();

} // namespace

std::string to_base64(Bytes data) {
    std::string out;
    out.reserve((data.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < data.size(); i += 3) {
        const auto left = data.size() - i;
        const auto group = static_cast<std::uint32_t>(data[i]) << 16
                           | (left > 1 ? static_cast<std::uint32_t>(data[i + 1]) << 8 : 0U)
                           | (left > 2 ? static_cast<std::uint32_t>(data[i + 2]) : 0U);
        out += k_alphabet[group >> 18 & 63];
        out += k_alphabet[group >> 12 & 63];
        out += left > 1 ? k_alphabet[group >> 6 & 63] : '=';
        out += left > 2 ? k_alphabet[group & 63] : '=';
    }
    return out;
}

std::optional<Buffer> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    Buffer out;
    out.reserve(text.size() / 4 * 3);
    for (std::size_t i = 0; i < text.size(); i += 4) {
        const bool last = i + 4 == text.size();
        const std::size_t padding = !last || text[i + 3] != '=' ? 0 : text[i + 2] == '=' ? 2 : 1;
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const auto digit = k >= 4 - padding ? 0 : k_digits[static_cast<unsigned char>(text[i + k])];
            if (digit < 0) return std::nullopt;
            group = group << 6 | static_cast<std::uint32_t>(digit);
        }
        out.push_back(static_cast<std::uint8_t>(group >> 16));
        if (padding < 2) out.push_back(static_cast<std::uint8_t>(group >> 8));
        if (padding < 1) out.push_back(static_cast<std::uint8_t>(group));
    }
    return out;
}

} // namespace orbis::bson
