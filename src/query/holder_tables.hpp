#pragma once

#include "query/table.hpp"

namespace orbis::query {

/// What chunks hold beside cells: `chunks`, `block_components`, `containers`, `items`, `entities`,
/// `findings`.
std::vector<Table> holder_tables();

} // namespace orbis::query
