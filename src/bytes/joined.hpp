#pragma once

#include <string>
#include <string_view>

namespace orbis {

/// The texts of a list with `separator` between them.
template <typename Texts>
std::string joined(const Texts& texts, std::string_view separator) {
    std::string out;
    bool is_first = true;
    for (const std::string_view text : texts) {
        if (!is_first) out += separator;
        out += text;
        is_first = false;
    }
    return out;
}

} // namespace orbis
