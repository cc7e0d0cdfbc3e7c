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

Result<Buffer> from_loose_hex(std::string_view text) {
    constexpr std::string_view k_between = " \t\r\n:,-";
    Buffer bytes;
    bool is_after_prefix = false;
    int first = -1; // the digit that waits for the second of its byte
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (k_between.find(c) != std::string_view::npos) {
            if (first >= 0) return fail(error(Errc::bad_text, "a byte has only one digit").at(i));
            continue;
        }
        const bool is_prefix =
            first < 0 && !is_after_prefix && c == '0' && i + 1 < text.size() && (text[i + 1] | 0x20) == 'x';
        is_after_prefix = is_prefix;
        if (is_prefix) {
            ++i;
            continue;
        }
        const auto digit = hex_digit(c);
        if (digit < 0) return fail(error(Errc::bad_text, "a character is not a hexadecimal digit").at(i));
        if (first >= 0) bytes.push_back(static_cast<std::uint8_t>(first * 16 + digit));
        first = first < 0 ? digit : -1;
    }
    if (first >= 0) return fail(error(Errc::bad_text, "the last byte has only one digit").at(text.size()));
    return bytes;
}

} // namespace orbis
