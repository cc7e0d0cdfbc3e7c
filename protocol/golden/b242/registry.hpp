// Made by protocol/generate.py from the schema of b242; not to be edited.
#pragma once

#include "protocol/packet_info.hpp"

namespace orbis::protocol {
struct PacketCode;
}

namespace orbis::protocol::vb242 {

/// Every packet of the build, sorted by id.
Registry registry();
/// The same with the functions that read and write them.
std::span<const PacketCode> packet_codes();

} // namespace orbis::protocol::vb242
