#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orbis::query {

/// A statement that does nothing but count cells, asked in a way that is much quicker to answer; nothing for
/// any other statement. Both give the same rows under the same titles.
///
/// The rows of `blocks` and `fluids` need not be counted one by one:
///
///     SELECT count(*) FROM blocks WHERE key GLOB 'Ore_*'
///     SELECT coalesce(sum(cells), 0) AS "count(*)" FROM block_totals WHERE (key GLOB 'Ore_*') AND key <>
///     'Empty'
///
/// and sums over `block_counts` and `fluid_counts` need not be taken section by section:
///
///     SELECT key, sum(cells) AS cells FROM block_counts GROUP BY key ORDER BY cells DESC
///     SELECT key, sum(cells) AS cells FROM block_totals GROUP BY key ORDER BY cells DESC
std::optional<std::string> quicker_count(std::string_view sql);

} // namespace orbis::query
