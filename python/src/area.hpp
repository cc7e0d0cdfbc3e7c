#pragma once

#include "orbis/world.hpp"

#include <algorithm>
#include <optional>
#include <pybind11/pybind11.h>
#include <string>
#include <utility>

namespace orbis::python {

/// A chunk as Python has it: (x, z).
using Corner = std::pair<int, int>;
/// Two of them, in any order; nothing for the whole world.
using Corners = std::optional<std::pair<Corner, Corner>>;

inline std::optional<Area> area_of(const Corners& corners) {
    if (!corners) return std::nullopt;
    const auto& [one, other] = *corners;
    return Area{{std::min(one.first, other.first), std::min(one.second, other.second)},
                {std::max(one.first, other.first), std::max(one.second, other.second)}};
}

/// A path of any kind that Python has for them, as the bytes that the system takes.
inline std::string path_of(const pybind11::object& path) {
    return pybind11::module_::import("os").attr("fsencode")(path).cast<std::string>();
}

} // namespace orbis::python
