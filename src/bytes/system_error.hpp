#pragma once

#include "bytes/result.hpp"

namespace orbis {

/// The error for a system call that just failed, from `errno`: `cannot <action>: <reason>`, with a next step
/// where one is known.
Error system_error(std::string_view action);

/// The same where something was to be written: for a user who may not, the place is `read_only`.
Error write_error(std::string_view action);

} // namespace orbis
