#pragma once

#include "protocol/schema.hpp"

#include <string>
#include <string_view>

namespace orbis::protocol {

/// A dissector for Wireshark in Lua: the schema as tables, followed by the script that reads by them.
std::string dissector(const Schema& schema);

/// That script (protocol/dissector.lua), as it is in the program.
std::string_view dissector_script();

} // namespace orbis::protocol
