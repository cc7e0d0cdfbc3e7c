#pragma once

#include "query/table.hpp"

namespace orbis::query {

/// `blocks` and `fluids`.
std::vector<Table> cell_tables();

} // namespace orbis::query
