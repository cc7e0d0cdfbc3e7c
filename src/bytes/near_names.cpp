#include "bytes/near_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace orbis {

namespace {

constexpr std::size_t k_longest_word = 64; // who writes more means something else

char small_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// How many characters must be changed, added or removed to make one word of the other.
std::size_t edit_distance(std::string_view a, std::string_view b, std::vector<std::size_t>& row) {
    row.resize(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        auto diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const auto replaced = diagonal + (small_letter(a[i]) == small_letter(b[j]) ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

} // namespace

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& names) {
    if (word.empty() || word.size() > k_longest_word) return {};
    auto best = std::min<std::size_t>(3, word.size() / 3 + 1);
    std::string_view found;
    std::vector<std::size_t> row;
    for (const auto name : names) {
        if (name == word) return {};
        if (std::max(name.size(), word.size()) - std::min(name.size(), word.size()) >= best) continue;
        if (const auto distance = edit_distance(word, name, row); distance < best) {
            best = distance;
            found = name;
        }
    }
    return found;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& names) {
    const auto found = nearest(word, names);
    return found.empty() ? "" : fmt::format("; did you mean {}?", found);
}

} // namespace orbis
