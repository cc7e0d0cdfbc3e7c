#pragma once

#include "chunk/block_palettes.hpp"
#include "chunk/label_set.hpp"
#include "chunk/section.hpp"
#include "query/filter.hpp"
#include "query/key_numbers.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
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
    [[nodiscard]] bool wants_air() const { return wants_empty_; }
    bool contains(std::string_view key);

private:
    const Filter filter_;
    bool wants_empty_;
    bool is_short_; ///< to compare takes no longer than to look up
    KeyNumbers keys_;
    std::vector<char> known_; ///< by number
};

/// Finds the cells of sections whose block has a wanted key, in order.
class BlockRuns {
public:
    explicit BlockRuns(const Filter& filter) : keys_(filter) {}

    /// Adds the runs of section `y`.
    void add(const chunk::Section& section, int y, std::vector<Run>& out);
    /// The same where air is not wanted.
    void add(const chunk::BlockPalettes::Section& section, int y, std::vector<Run>& out);
    [[nodiscard]] bool wants_air() const { return keys_.wants_air(); }

private:
    /// Labels that are wanted, of cells that are stored as bytes or half bytes.
    struct Labels {
        explicit Labels(chunk::PaletteKind kind) : set(kind), half(kind == chunk::PaletteKind::half_byte) {}
        chunk::LabelSet set;
        bool half;
        std::size_t count = 0;
    };

    void want(Labels& labels, std::uint8_t label, std::string_view key);
    void add_members(const Labels& labels, const std::uint8_t* cells, int y, std::vector<Run>& out);

    WantedKeys keys_;
    std::vector<char> wanted_; ///< by entry of the palette in work
    std::array<std::string_view, 256> key_of_label_;
    std::array<std::uint64_t, k_cells / 64> members_;
};

} // namespace orbis::query
