#pragma once

#include "chunk/section.hpp"
#include "query/filter.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace orbis::query {

/// Cells of a section one after another that hold the same.
struct Run {
    int section;
    int first;
    int end;
    std::string_view key;
};

/// Which keys a filter wants. Patterns are matched once for each key.
class WantedKeys {
public:
    explicit WantedKeys(const Filter& filter)
        : filter_(filter),
          wants_empty_(filter.names_key(chunk::k_empty_key)),
          is_short_(std::ranges::all_of(filter.keys, [](const TextTest& test) {
              constexpr std::size_t k_few = 8;
              return test.kind == TextTest::Kind::one_of && test.values.size() <= k_few;
          })) {}

    /// Air is wanted only by its name.
    bool of_blocks(std::string_view key) { return key == chunk::k_empty_key ? wants_empty_ : contains(key); }
    bool contains(std::string_view key);

private:
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };

    const Filter filter_;
    bool wants_empty_;
    bool is_short_; ///< to compare takes no longer than to look up
    std::unordered_map<std::string, bool, TextHash, std::equal_to<>> known_;
};

/// Finds the cells of sections whose block has a wanted key, in order.
class BlockRuns {
public:
    explicit BlockRuns(const Filter& filter) : keys_(filter) {}

    /// Adds the runs of section `y`.
    void add(const chunk::Section& section, int y, std::vector<Run>& out);

private:
    void add_members(const chunk::Section& section, int y, std::vector<Run>& out);

    WantedKeys keys_;
    std::vector<char> wanted_; ///< by entry of the palette in work
    std::array<std::uint64_t, k_cells / 64> members_;
};

} // namespace orbis::query
