#pragma once

#include "query/table.hpp"

namespace orbis::query {

/// What a location holds beside chunks: `worlds`, `config`, `players`, `markers`, `warps`.
std::vector<Table> place_tables();

} // namespace orbis::query
