#pragma once

#include "bytes/bytes.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace orbis::net {

/// Base64 with `-` and `_` and without padding, as tokens and fingerprints use it (RFC 4648, section 5).
std::string to_base64url(Bytes bytes);

/// The bytes of such a text; nothing for anything else. Strict: no padding, no white space, and bits that the
/// last character does not need are zero, so that two texts are never the same bytes.
std::optional<Buffer> from_base64url(std::string_view text);

} // namespace orbis::net
