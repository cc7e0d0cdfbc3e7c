#pragma once

#include "bytes/result.hpp"
#include "query/session.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

/// SQL over worlds as they are on disk (docs/design/query.md).
namespace orbis::query {

struct ModuleState;

/// One value of an answer; texts live until the next row. Bytes are what a statement made itself, by
/// `zeroblob` for example.
struct Binary {
    std::string_view bytes;
};
using Field = std::variant<std::monostate, std::int64_t, double, std::string_view, Binary>;

/// A statement that runs, row by row. It must not outlive its database.
class Statement {
public:
    /// The names of the columns of its answer; none for one that has none.
    [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
    /// Goes to the next row; false at the end.
    Result<bool> next();
    [[nodiscard]] Field field(std::size_t column) const;

private:
    friend class Database;
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    Statement(std::unique_ptr<sqlite3_stmt, Finalize> statement, class Database& database);

    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
    Database& database_;
    std::vector<std::string> columns_;
};

/// A location as a database that can only be read.
class Database {
public:
    static Result<std::unique_ptr<Database>> open(world::Location location, SessionOptions options);
    /// One world that is open already; the store must outlive the database.
    static Result<std::unique_ptr<Database>> open(const world::World& world, const storage::Store& store,
                                                  SessionOptions options);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    /// The one statement of a text. What would write is refused.
    Result<Statement> prepare(std::string_view sql);

    /// Ends the statement that runs; its next row is an error with `Errc::usage`. Any thread and signal
    /// handlers may call it.
    void interrupt();

    [[nodiscard]] Session& session() { return session_; }

private:
    friend class Statement;
    template <typename... Arguments>
    explicit Database(Arguments&&... session);
    Result<void> set_up();
    Result<Statement> prepare_text(const std::string& text);
    [[nodiscard]] Error last_error();

    Session session_;
    std::unique_ptr<ModuleState> state_;
    struct Close {
        void operator()(sqlite3* database) const;
    };
    std::unique_ptr<sqlite3, Close> database_;
};

/// Whether a text ends where a statement can end: with a `;` that is no part of a text or a comment.
bool is_complete(const std::string& sql);

} // namespace orbis::query
