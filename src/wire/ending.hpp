#pragma once

#include "net/close.hpp"
#include "orbis/wire/close.hpp"

#include <optional>

namespace orbis::wire {

/// The public form of an end. `said` is what a Disconnect packet has said, if there was one.
Ending ending_of(const net::Close& close, const std::optional<std::string>& said);

/// The code inside.
constexpr net::CloseCode inner_code(CloseCode code) { return static_cast<net::CloseCode>(code); }

} // namespace orbis::wire
