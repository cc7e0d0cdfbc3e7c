#include "bytes/json_fault.hpp"

#include "bytes/json_writer.hpp"

#include <algorithm>

namespace orbis {

namespace {

/// How much of the text a message repeats.
constexpr std::size_t k_most_repeated = 20;

bool is_in_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

} // namespace

Error json_fault(std::string_view text, std::size_t read) {
    constexpr std::string_view k_blank = " \t\r\n";
    const auto end = text.find_last_not_of(k_blank);
    if (end == std::string_view::npos) return error(Errc::bad_text, "expected JSON, found nothing").at(0);
    auto at = read - std::min<std::size_t>(read, 1);
    if (at > end) return error(Errc::bad_text, "the JSON ends too early").at(text.size());
    // Parsers stop in or behind a word that they do not know; people want to see the whole word.
    auto word = at;
    while (word > 0 && is_in_word(text[word - 1])) --word;
    if (is_in_word(text[at]) || text[word] >= 'A') at = word;
    auto rest = text.substr(at, end + 1 - at);
    const bool is_cut = rest.size() > k_most_repeated;
    if (is_cut) {
        auto length = k_most_repeated;
        while (length > 0 && (static_cast<unsigned char>(rest[length]) & 0xC0U) == 0x80U) --length;
        rest = rest.substr(0, length);
    }
    return error(Errc::bad_text, "expected JSON, found {}{}", json_quoted(rest), is_cut ? " …" : "").at(at);
}

} // namespace orbis
