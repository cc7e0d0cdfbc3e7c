#include "bytes/printable.hpp"

#include "bytes/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace orbis {

namespace {

/// Of a well-formed sequence.
char32_t code_point(std::string_view sequence) {
    const auto first = static_cast<unsigned char>(sequence.front());
    char32_t value = sequence.size() == 1   ? first
                     : sequence.size() == 2 ? first & 0x1FU
                     : sequence.size() == 3 ? first & 0x0FU
                                            : first & 0x07U;
    for (const char next : sequence.substr(1))
        value = value << 6 | (static_cast<unsigned char>(next) & 0x3FU);
    return value;
}

/// Control characters, ends of lines, and marks that turn the direction of text.
bool acts(char32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C
           || (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E)
           || (code >= 0x2060 && code <= 0x2069) || code == 0xFEFF;
}

} // namespace

std::string printable(std::string_view text, bool keeps_tabs) {
    const auto is_plain = [keeps_tabs](char c) {
        return (c >= ' ' && c <= '~') || (c == '\t' && keeps_tabs);
    };
    if (std::ranges::all_of(text, is_plain)) return std::string(text); // nearly always
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto length = utf8_sequence_length(text);
        const auto sequence = text.substr(0, std::max<std::size_t>(length, 1));
        text.remove_prefix(sequence.size());
        const auto byte = static_cast<unsigned char>(sequence.front());
        const auto code = length == 0 ? char32_t{byte} : code_point(sequence);
        if (code == '\n')
            out += "\\n";
        else if (code == '\t')
            out += keeps_tabs ? "\t" : "\\t";
        else if (length == 0 || (acts(code) && code < 0x80))
            out += fmt::format("\\x{:02x}", byte);
        else if (acts(code))
            out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
        else
            out += sequence;
    }
    return out;
}

} // namespace orbis
