#pragma once

#include "query/table.hpp"

namespace orbis::query {

/// `sections`, `block_counts`, `fluid_counts`, `blocks` and `fluids`.
std::vector<Table> cell_tables();

} // namespace orbis::query
