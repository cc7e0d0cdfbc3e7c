#pragma once

#include "bytes/result.hpp"

namespace orbis {

/// The error for a system call that just failed, from `errno`: `cannot <action>: <reason>`, with a next step
/// where one is known.
Error system_error(std::string_view action);

} // namespace orbis
