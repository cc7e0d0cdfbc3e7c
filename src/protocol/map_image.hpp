#pragma once

#include "protocol/value.hpp"

#include <optional>

namespace orbis::protocol {

/// Says the picture of a map in the other of its two forms: a list of colours, or from 2026.03.26 on a
/// palette and indices of as few bits as it needs, the first in the lowest bits (docs/design/builds.md).
/// Nothing for other records, and for pictures whose layout is the same in both.
std::optional<Value> translated_map_image(const Value::Record& said, const Layout& to);

} // namespace orbis::protocol
