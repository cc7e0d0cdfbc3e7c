#pragma once

#include "bytes/result.hpp"

#include <cstddef>
#include <string_view>

namespace orbis {

/// Why a text is not JSON, in words for people. `read` is how many bytes the parser had read when it stopped:
/// the last of them is the one that it could not use.
Error json_fault(std::string_view text, std::size_t read);

} // namespace orbis
