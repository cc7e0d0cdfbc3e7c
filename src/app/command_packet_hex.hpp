#pragma once

#include "app/command.hpp"
#include "protocol/json_lines.hpp"

#include <string>
#include <vector>

namespace orbis::app {

/// `orbis packet decode` with plain hex instead of JSON lines: a payload, whose packet NAME says, or frames
/// one after another. The hex is in the arguments, else on stdin.
Result<Outcome> decode_plain_hex(Console& console, const protocol::Schema& schema, const std::string& name,
                                 const std::vector<std::string>& hex, const protocol::LineOptions& options);

/// Whether stdin begins like hex and not like JSON. Blanks before that are read.
bool stdin_has_plain_hex();

/// The names of packets, and of types where `with_types`, for "did you mean".
std::vector<std::string_view> packet_names(const protocol::Schema& schema, bool with_types);

} // namespace orbis::app
