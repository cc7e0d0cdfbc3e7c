#pragma once

#include "orbis/error.hpp"

#include <iostream>

namespace orbis {

/// Prints an error to standard error. Returns 1, for `return orbis::report(world.error());` in `main`.
inline int report(const Error& error) {
    std::cerr << "error: " << error.text() << '\n';
    return 1;
}

} // namespace orbis
