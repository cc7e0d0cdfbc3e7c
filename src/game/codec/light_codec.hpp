#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"
#include "chunk/light.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace orbis::game {

/// Appends a light as packets have it (docs/formats/column-packets.md): the stored tree with its values in
/// the other byte order.
///
///     u8    has light       0: nothing follows
///     node  u8 mask, then eight children: a node where the mask bit is set, else a u16 value
void append_light(const chunk::Light& light, Buffer& out);

/// A value per cell; nothing if the section has no light.
using ReceivedLight = std::optional<std::vector<std::uint16_t>>;

/// Reads the whole of `bytes` as one light.
Result<ReceivedLight> read_light(Bytes bytes);

} // namespace orbis::game
