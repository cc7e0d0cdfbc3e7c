#include "bytes/hex.hpp"

namespace orbis {

std::string to_hex(Bytes bytes) {
    static constexpr std::string_view k_digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const auto byte : bytes) {
        text += k_digits[byte >> 4];
        text += k_digits[byte & 15];
    }
    return text;
}

std::optional<Buffer> from_hex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    Buffer bytes(text.size() / 2);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        const int high = hex_digit(text[2 * at]);
        const int low = hex_digit(text[2 * at + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        bytes[at] = static_cast<std::uint8_t>(high << 4 | low);
    }
    return bytes;
}

} // namespace orbis
