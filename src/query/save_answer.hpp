#pragma once

#include "query/database.hpp"

#include <filesystem>

namespace orbis::query {

/// Writes the answer of a statement to a new SQLite file, as the table `answer`; how many rows there were.
/// The file gets its name when it is complete, and must not be there before.
Result<std::uint64_t> save_answer(Statement& statement, const std::filesystem::path& file);

} // namespace orbis::query
