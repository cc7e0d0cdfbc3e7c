#pragma once

#include "query/key_numbers.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace orbis::query {

/// How many cells hold each key, added up over many sections.
class KeyTotals {
public:
    void add(std::string_view key, std::int64_t cells) {
        const auto number = keys_.of(key);
        if (number == cells_.size()) cells_.push_back(0);
        cells_[number] += cells;
    }
    [[nodiscard]] std::size_t size() const { return cells_.size(); }
    [[nodiscard]] std::string_view key(std::size_t number) const { return keys_.key(number); }
    [[nodiscard]] std::int64_t cells(std::size_t number) const { return cells_[number]; }
    /// About the bytes that it takes.
    [[nodiscard]] std::size_t memory() const { return keys_.memory() + cells_.size() * sizeof(std::int64_t); }
    void clear() { *this = {}; }

private:
    KeyNumbers keys_;
    std::vector<std::int64_t> cells_; ///< by number
};

} // namespace orbis::query
