#pragma once

#include "protocol/value.hpp"

#include <string>

namespace orbis::protocol {

/// Bytes that are equal exactly when the game takes two keys for the same: floats by their bits with all
/// NaNs alike, text after malformed parts were replaced, structs by all fields.
std::string comparable_key(const Value& key);

} // namespace orbis::protocol
