#include "protocol/replacement.hpp"

#include "bytes/utf8.hpp"

#include <cstdint>

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

} // namespace orbis::protocol
