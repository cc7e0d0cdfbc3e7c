#pragma once

#include "app/parameters.hpp"

#include <string>

namespace orbis::app {

/// The manual page `orbis-VERB(1)` in roff, of what `orbis VERB --help` prints.
std::string manual_of(const VerbText& verb);

/// The manual page `orbis(1)`.
std::string manual_of_program();

} // namespace orbis::app
