#pragma once

#include "packets/v2026_02_17/codec.hpp"
#include "protocol/packet_codec.hpp"

namespace orbis {

/// The packets of the build that Orbis speaks, `packets::ClientMovement` for example. Other builds stand in
/// namespaces beside it when they are generated (docs/design/protocol.md).
namespace packets = protocol::v2026_02_17;

} // namespace orbis
