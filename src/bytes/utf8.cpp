#include "bytes/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace orbis {

std::size_t utf8_sequence_length(std::string_view text) {
    if (text.empty()) return 0;
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto lead = at(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                               : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xF0 && lead < 0xF5 ? 4
                                                             : 0;
    if (length == 0 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((at(i) & 0xC0) != 0x80) return 0;
    // The second byte decides about overlong forms, surrogates and the upper end.
    const auto second = at(1);
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second >= 0xA0)) return 0;
    if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second >= 0x90)) return 0;
    return length;
}

std::size_t utf8_valid_prefix(std::string_view text) {
    std::size_t i = 0;
    while (i < text.size()) {
        if (text.size() - i >= 8) { // eight ASCII bytes at a time
            std::uint64_t word = 0;
            std::memcpy(&word, text.data() + i, sizeof word);
            if ((word & 0x8080808080808080U) == 0) {
                i += 8;
                continue;
            }
        }
        const auto length = utf8_sequence_length(text.substr(i));
        if (length == 0) return i;
        i += length;
    }
    return i;
}

} // namespace orbis
