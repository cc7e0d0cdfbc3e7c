#pragma once

#include "bytes/result.hpp"
#include "query/table.hpp"

#include <optional>

struct sqlite3;

namespace orbis::query {

/// What virtual tables share with the database that they are in.
struct ModuleState {
    Session& session;
    std::optional<Error> error; ///< of a table, as it happened: SQLite keeps only texts
    bool is_declaring = false;  ///< a table is being declared, by statements of SQLite's own
};

/// The column of every table that another location is given by, as in `blocks('PATH')`.
inline constexpr std::string_view k_path_column = "path";

/// Makes a table known to a database. The state must outlive it.
Result<void> add_table(sqlite3* database, const Table& table, ModuleState& state);

} // namespace orbis::query
