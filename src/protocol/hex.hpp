#pragma once

#include "bytes/bytes.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace orbis::protocol {

/// Two lower-case digits per byte.
std::string to_hex(Bytes bytes);

/// The bytes of an even number of hex digits in either case; nothing for anything else.
std::optional<Buffer> from_hex(std::string_view text);

} // namespace orbis::protocol
