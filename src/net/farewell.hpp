#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"
#include "protocol/catalogue.hpp"

#include <string_view>

namespace orbis::net {

/// The frame by which a server sends a client of this build away; in the words of the usual build if this one
/// cannot be translated.
Result<Buffer> disconnect_frame(const protocol::BuildInfo& build, std::string_view reason);

} // namespace orbis::net
