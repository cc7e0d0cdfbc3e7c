#include "app/help_text.hpp"

#include <algorithm>
#include <numeric>

namespace orbis::app {

namespace {

/// How many characters must be changed, added or removed to make one word of the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        auto diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const auto replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

} // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
    std::string out;
    while (true) {
        auto line = text.substr(0, text.find('\n'));
        const bool is_last = line.size() == text.size();
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        while (line.size() > width && !line.starts_with(' ')) {
            auto end = line.rfind(' ', width);
            if (end == std::string_view::npos) end = line.find(' ');
            if (end == std::string_view::npos) break;
            out.append(line.substr(0, end)).append("\n").append(indent, ' ');
            line.remove_prefix(end + 1);
        }
        out += line;
        if (is_last) return out;
        out.append("\n").append(indent, ' ');
    }
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& names) {
    constexpr std::size_t k_longest = 40; // who writes more means something else
    if (word.size() > k_longest) return {};
    auto best = std::min<std::size_t>(3, word.size() / 3 + 1);
    std::string_view found;
    for (const auto name : names)
        if (const auto distance = edit_distance(word, name); distance < best) {
            best = distance;
            found = name;
        }
    return found;
}

std::string either(const std::vector<std::string>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) out += i + 1 < words.size() ? ", " : " or ";
        out += words[i];
    }
    return out;
}

} // namespace orbis::app
