#include "protocol/hex.hpp"

namespace orbis::protocol {

namespace {

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

} // namespace

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
        const int high = digit(text[2 * at]);
        const int low = digit(text[2 * at + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        bytes[at] = static_cast<std::uint8_t>(high << 4 | low);
    }
    return bytes;
}

} // namespace orbis::protocol
