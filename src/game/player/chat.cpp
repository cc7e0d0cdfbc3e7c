#include "game/player/chat.hpp"

#include "bytes/utf8.hpp"

namespace orbis::game {

std::optional<std::string> clean_chat(std::string_view text) {
    if (!is_utf8(text)) return {};
    std::string line;
    std::size_t characters = 0;
    while (!text.empty() && characters < k_longest_chat) {
        const auto sequence = text.substr(0, utf8_sequence_length(text));
        text.remove_prefix(sequence.size());
        const auto first = static_cast<unsigned char>(sequence.front());
        // U+0080 to U+009F are control characters too.
        const bool is_control = first < 0x20 || first == 0x7F
                                || (first == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0);
        if (is_control || (line.empty() && sequence == " ")) continue;
        line += sequence;
        ++characters;
    }
    line.resize(line.find_last_not_of(' ') + 1);
    if (line.empty()) return {};
    return line;
}

} // namespace orbis::game
