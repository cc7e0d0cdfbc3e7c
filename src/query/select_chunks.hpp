#pragma once

#include "jobs/select/selection.hpp"

namespace orbis::query {

/// The chunks that a statement selects: its rows are positions, x and z. This is how `sql:` terms of
/// selections are answered (docs/selections.md).
Result<jobs::AskedChunks> select_chunks(const std::string& statement, const world::World& world,
                                        const storage::Store& store, std::size_t threads, Progress& progress);

} // namespace orbis::query
