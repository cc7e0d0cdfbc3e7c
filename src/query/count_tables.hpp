#pragma once

#include "query/table.hpp"

namespace orbis::query {

/// `sections`, `block_counts` and `fluid_counts`; then `block_totals` and `fluid_totals`, which only
/// `count_rewrite` names.
std::vector<Table> count_tables();

} // namespace orbis::query
