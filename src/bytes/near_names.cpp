#include "bytes/near_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace orbis {

namespace {

constexpr std::size_t k_longest_word = 64; // who writes more means something else

char small_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The rows of a table that `edit_distance` works on, kept from one word to the next.
struct Rows {
    std::vector<std::size_t> now;
    std::vector<std::size_t> last;
    std::vector<std::size_t> before;
};

/// How many characters must be changed, added, removed or swapped with the next to make one word of the
/// other.
std::size_t edit_distance(std::string_view a, std::string_view b, Rows& rows) {
    const auto same = [&](std::size_t i, std::size_t j) { return small_letter(a[i]) == small_letter(b[j]); };
    rows.now.resize(b.size() + 1);
    rows.last.resize(b.size() + 1);
    rows.before.resize(b.size() + 1);
    std::iota(rows.now.begin(), rows.now.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::swap(rows.before, rows.last);
        std::swap(rows.last, rows.now);
        rows.now[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            auto& least = rows.now[j + 1];
            least = std::min({rows.last[j] + (same(i, j) ? 0 : 1), rows.now[j] + 1, rows.last[j + 1] + 1});
            if (i > 0 && j > 0 && same(i, j - 1) && same(i - 1, j))
                least = std::min(least, rows.before[j - 1] + 1);
        }
    }
    return rows.now.back();
}

} // namespace

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& names) {
    if (word.empty() || word.size() > k_longest_word) return {};
    auto best = std::min<std::size_t>(3, word.size() / 3 + 1);
    std::string_view found;
    Rows rows;
    for (const auto name : names) {
        if (name == word) return {};
        if (std::max(name.size(), word.size()) - std::min(name.size(), word.size()) >= best) continue;
        if (const auto distance = edit_distance(word, name, rows); distance < best) {
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
