#pragma once

#include "protocol/types.hpp"

#include <optional>
#include <string>

namespace orbis::protocol {

/// `00112233-4455-6677-8899-aabbccddeeff`, in lower case.
std::string uuid_text(const Uuid& uuid);

/// Reads that form, digits in either case; nothing for anything else.
std::optional<Uuid> parse_uuid(std::string_view text);

} // namespace orbis::protocol
