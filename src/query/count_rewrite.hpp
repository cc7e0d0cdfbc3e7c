#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orbis::query {

/// A statement that counts the rows of `blocks` or `fluids` and asks for nothing but keys, worlds and chunks:
/// the same of `block_counts` or `fluid_counts`, which need not go from cell to cell. Nothing for any other
/// statement.
///
///     SELECT count(*) FROM blocks WHERE key GLOB 'Ore_*'
///     SELECT coalesce(sum(cells), 0) AS "count(*)" FROM block_counts WHERE (key GLOB 'Ore_*') AND key <>
///     'Empty'
std::optional<std::string> count_by_sections(std::string_view sql);

} // namespace orbis::query
