#pragma once

#include <string>
#include <string_view>

namespace orbis {

/// A word as a shell takes it: as it is if nothing in it is special, else in single quotes.
std::string shell_quoted(std::string_view word);

} // namespace orbis
