#include "jobs/cells/cell_mask.hpp"

#include "jobs/select/selection.hpp"

#include <algorithm>

namespace orbis::jobs {
namespace {

constexpr std::size_t k_layer_words = k_columns / 64;

/// The cells of a section whose block is meant.
void find_cells(const chunk::Section& section, const KeyPatterns& patterns, CellSet& out, int y) {
    out.insert_all(y);
    chunk::keep_cells(section.blocks, out.edit(y),
                      [&](std::size_t entry) { return patterns.match(section.block_key(entry)); });
    out.settle(y);
}

void narrow_by_above(const chunk::Chunk& chunk, const KeyPatterns& patterns, CellSet& cells) {
    CellSet meant;
    for (int y = 0; y < k_sections; ++y) find_cells(chunk.section(y), patterns, meant, y);
    const auto outside = patterns.match(chunk::k_empty_key) ? ~std::uint64_t{0} : 0;
    for (int y = 0; y < k_sections; ++y) {
        if (!cells.any(y)) continue;
        const auto words = cells.edit(y);
        for (std::size_t w = 0; w < words.size(); ++w) {
            const auto above = w + k_layer_words;
            if (above < words.size())
                words[w] &= meant.words(y)[above];
            else if (y + 1 < k_sections)
                words[w] &= meant.words(y + 1)[above - words.size()];
            else
                words[w] &= outside;
        }
        cells.settle(y);
    }
}

void narrow_by_environment(const chunk::Chunk& chunk, const KeyPatterns& patterns, CellSet& cells) {
    for (int i = 0; i < k_columns; ++i) {
        const ColumnIndex column(i);
        int from = 0;
        for (const auto& run : chunk.environments().runs(column)) {
            const int end = std::clamp(run.max_y, -1, k_world_height - 1) + 1;
            if (!patterns.match(run.key))
                for (int y = from; y < end; ++y) cells.erase(y >> 5, CellIndex(column.x(), y, column.z()));
            from = std::max(from, end);
        }
    }
    for (int y = 0; y < k_sections; ++y) cells.settle(y);
}

} // namespace

Result<KeyPatterns> KeyPatterns::parse(std::string_view text) {
    KeyPatterns out;
    while (true) {
        auto part = text.substr(0, text.find(','));
        const auto length = part.size();
        const bool unwanted = part.starts_with('!');
        if (unwanted) part.remove_prefix(1);
        if (part.empty())
            return fail(error(Errc::usage, "an empty key in a list of keys")
                            .advise("such as Soil_*,Rock_Stone or !Empty"));
        (unwanted ? out.unwanted_ : out.wanted_).emplace_back(part);
        if (length == text.size()) return out;
        text.remove_prefix(length + 1);
    }
}

bool KeyPatterns::match(std::string_view key) const {
    const auto is_like = [key](const std::string& pattern) { return matches_wildcard(pattern, key); };
    if (std::ranges::any_of(unwanted_, is_like)) return false;
    return wanted_.empty() || std::ranges::any_of(wanted_, is_like);
}

void CellMask::narrow(const chunk::Chunk& chunk, CellSet& cells) const {
    if (!blocks.empty()) {
        for (int y = 0; y < k_sections; ++y) {
            if (!cells.any(y)) continue;
            const auto& section = chunk.section(y);
            chunk::keep_cells(section.blocks, cells.edit(y),
                              [&](std::size_t entry) { return blocks.match(section.block_key(entry)); });
            cells.settle(y);
        }
    }
    if (!above.empty() && !cells.empty()) narrow_by_above(chunk, above, cells);
    if (!environments.empty() && !cells.empty()) narrow_by_environment(chunk, environments, cells);
}

} // namespace orbis::jobs
