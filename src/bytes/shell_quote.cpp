#include "bytes/shell_quote.hpp"

#include <algorithm>

namespace orbis {

std::string shell_quoted(std::string_view word) {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
               || std::string_view("_-./,:=+@%").find(c) != std::string_view::npos || (c & 0x80) != 0;
    };
    if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
    std::string quoted = "'";
    for (const char c : word) {
        if (c == '\'')
            quoted += "'\\''";
        else
            quoted += c;
    }
    return quoted + "'";
}

} // namespace orbis
