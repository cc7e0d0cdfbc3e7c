#pragma once

#include "protocol/catalogue.hpp"

namespace orbis::protocol {

/// The schema of the usual build, which the vectors are of.
inline const Schema& usual_schema() { return *find_schema(k_default_build).value(); }

} // namespace orbis::protocol
