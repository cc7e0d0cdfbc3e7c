#pragma once

#include "map/map_state.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orbis::map {

/// What `world.js` says beside the state.
struct WorldIndex {
    std::string name;
    std::uint64_t state = 0;      ///< hash of the state's file
    std::uint64_t generation = 0; ///< how often the index was replaced
    std::optional<std::array<double, 3>> spawn;

    /// The text of the file.
    [[nodiscard]] std::string text(const MapState& content) const;
};

/// The state and the generation that an index names; nothing for a text that is none.
struct IndexHead {
    std::uint64_t state = 0;
    std::uint64_t generation = 0;
};
[[nodiscard]] std::optional<IndexHead> read_index_head(std::string_view text);

/// The text of an index with another extent (`"bounds":…,"chunks":…,"levels":…`); nothing for a text that is
/// none.
[[nodiscard]] std::optional<std::string> with_extent(std::string_view text, std::string_view extent);

/// The text of `map.js`; the worlds are those in `folders`, named as folders.
[[nodiscard]] std::string map_script(std::string_view program, std::string_view title, bool live,
                                     const std::vector<std::string>& folders);

} // namespace orbis::map
