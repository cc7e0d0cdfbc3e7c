#pragma once

#include "bytes/png.hpp"
#include "query/depths.hpp"

#include <string>
#include <vector>

namespace orbis::app {

/// Cells of one kind by height.
struct KindDepths {
    std::string name;
    std::vector<std::string> keys;
    query::ByHeight cells{};
    std::uint64_t total = 0;
};

/// Draws how much of each kind there is at each height: beside each other, the ground at the bottom, a line
/// of pixels per height. Each kind has a scale of its own, since gold is rare beside copper. At most 40 are
/// drawn.
Picture draw_depths(const std::vector<KindDepths>& kinds);

} // namespace orbis::app
