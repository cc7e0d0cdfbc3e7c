#pragma once

#include "bytes/result.hpp"
#include "query/filter.hpp"
#include "query/session.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

struct sqlite3_context;

namespace orbis::query {

/// Where the value of one column of one row goes. A value that is not given is NULL.
class Cell {
public:
    explicit Cell(sqlite3_context* context) : context_(context) {}
    void integer(std::int64_t value) const;
    void real(double value) const;
    void text(std::string_view value) const;

private:
    sqlite3_context* context_;
};

/// The rows that a statement asks a table for, one after another.
class Rows {
public:
    virtual ~Rows() = default;
    /// False at the end.
    virtual Result<bool> next() = 0;
    /// A column of the row that `next` went to.
    virtual void column(std::size_t index, Cell cell) const = 0;
};

/// A table over worlds as they are on disk.
struct Table {
    std::string_view name;
    std::string_view about; ///< what a row is
    std::vector<Column> columns;
    std::string_view key; ///< the columns that tell a row from all others, as SQL lists them
    double rows = 0;      ///< that a world has, about; to choose the best order of joins
    std::function<Result<std::unique_ptr<Rows>>(Session& session, const Filter& filter)> open;
    bool is_hidden = false;   ///< statements of people do not name it
    bool checks_keys = false; ///< it has only rows whose key meets all conditions of its filter
};

/// All of them, in the order in which they are shown.
std::span<const Table> tables();

} // namespace orbis::query
