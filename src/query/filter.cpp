#include "query/filter.hpp"

#include <algorithm>
#include <sqlite3.h>

namespace orbis::query {

bool TextTest::admits(std::string_view text) const {
    if (kind == Kind::one_of) return std::ranges::find(values, text) != values.end();
    switch (kind) {
    case Kind::at_least: return text >= values.front();
    case Kind::at_most: return text <= values.front();
    case Kind::above: return text > values.front();
    case Kind::below: return text < values.front();
    default: break;
    }
    const std::string ended(text);
    return std::ranges::any_of(values, [&](const std::string& pattern) {
        return kind == Kind::glob ? sqlite3_strglob(pattern.c_str(), ended.c_str()) == 0
                                  : sqlite3_strlike(pattern.c_str(), ended.c_str(), 0) == 0;
    });
}

bool Filter::names_key(std::string_view key) const {
    return std::ranges::any_of(keys, [key](const TextTest& test) {
        return (test.kind == TextTest::Kind::one_of || test.kind == TextTest::Kind::glob)
               && std::ranges::find(test.values, key) != test.values.end();
    });
}

Range Filter::sections() const {
    auto found = section;
    found.at_least(std::max<std::int64_t>(y.least, 0) / k_side);
    found.at_most(std::clamp<std::int64_t>(y.most, -1, k_sections * k_side - 1) < 0
                      ? -1
                      : std::clamp<std::int64_t>(y.most, 0, k_sections * k_side - 1) / k_side);
    return found;
}

bool Filter::admits(const std::vector<TextTest>& tests, std::string_view text) {
    return std::ranges::all_of(tests, [text](const auto& test) { return test.admits(text); });
}

Range Filter::both(Range chunks, Range blocks) {
    chunks.at_least(blocks.least >> 5);
    chunks.at_most(blocks.most >> 5);
    return chunks;
}

} // namespace orbis::query
