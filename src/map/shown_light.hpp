#pragma once

#include "chunk/section.hpp"

#include <algorithm>

namespace orbis::map {

/// The global light of a cell as it is drawn. It has at least what the local one has; stale, it may be older
/// than that.
inline chunk::LightValue shown_global_light(const chunk::Section& section, CellIndex cell) {
    const auto global = section.global_light.at(cell);
    if (section.global_light_valid() || !section.local_light_valid() || !section.local_light.present())
        return global;
    const auto local = section.local_light.at(cell);
    return chunk::LightValue::of(std::max(global.red(), local.red()), std::max(global.green(), local.green()),
                                 std::max(global.blue(), local.blue()), std::max(global.sky(), local.sky()));
}

} // namespace orbis::map
