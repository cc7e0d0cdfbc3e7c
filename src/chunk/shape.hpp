#pragma once

#include "orbis/shape.hpp"

/// Rotations and fillers as numbers that one can work with (docs/formats/section.md).
namespace orbis::chunk {

using orbis::Filler;
using orbis::Rotation;

} // namespace orbis::chunk
