#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::query {

/// How many cells hold each key, added up over many sections.
class KeyTotals {
public:
    struct Total {
        std::string key;
        std::int64_t cells;
        std::uint64_t hash;
        std::size_t following; ///< that came after this one the last time
    };

    void add(std::string_view key, std::int64_t cells);
    [[nodiscard]] const std::vector<Total>& totals() const { return totals_; }
    /// About the bytes that it takes.
    [[nodiscard]] std::size_t memory() const { return memory_; }
    void clear();

private:
    std::size_t find(std::string_view key);
    void grow();

    std::vector<Total> totals_;
    std::vector<std::uint32_t> slots_; ///< numbers of totals from 1, by hash; 0 for none
    std::size_t last_ = 0;
    std::size_t memory_ = 0;
};

} // namespace orbis::query
