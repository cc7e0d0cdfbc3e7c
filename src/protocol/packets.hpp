#pragma once

#include "packets/all.hpp"
#include "protocol/packet_codec.hpp"
#include "protocol/packet_table.hpp"

/// All packets of the build that Orbis speaks, `packets::ClientMovement` for example. Code that needs only
/// some includes the headers of their families instead (docs/design/protocol.md).
