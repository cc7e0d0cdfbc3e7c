#include "query/database.hpp"

#include "query/count_rewrite.hpp"
#include "query/module.hpp"

#include <fmt/format.h>

#include <cstring>
#include <sqlite3.h>

namespace orbis::query {
namespace {

/// Statements read, and do nothing else: neither this database nor any file can be changed by one.
int authorize(void* state, int action, const char*, const char* name, const char*, const char*) {
    if (static_cast<const ModuleState*>(state)->is_declaring) return SQLITE_OK;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION:
        return name != nullptr && std::strcmp(name, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    default: return SQLITE_DENY;
    }
}

/// Is asked all the time while a statement runs; not 0 ends it.
int is_to_stop(void* session) { return static_cast<Session*>(session)->is_stopped() ? 1 : 0; }

bool is_blank(const char* text) { return text == nullptr || text[std::strspn(text, " \t\r\n;")] == '\0'; }

} // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Database::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Statement::Statement(std::unique_ptr<sqlite3_stmt, Finalize> statement, Database& database)
    : statement_(std::move(statement)), database_(database) {
    for (int i = 0; i < sqlite3_column_count(statement_.get()); ++i)
        columns_.emplace_back(sqlite3_column_name(statement_.get(), i));
}

Result<bool> Statement::next() {
    const auto code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    if (database_.session_.is_stopped()) return fail(Errc::usage, "the statement was stopped");
    if (code == SQLITE_DONE) return false;
    return std::unexpected(database_.last_error());
}

Field Statement::field(std::size_t column) const {
    const auto at = static_cast<int>(column);
    auto* statement = statement_.get();
    const auto text = [&](const void* bytes) {
        return std::string_view(static_cast<const char*>(bytes),
                                static_cast<std::size_t>(sqlite3_column_bytes(statement, at)));
    };
    switch (sqlite3_column_type(statement, at)) {
    case SQLITE_INTEGER: return static_cast<std::int64_t>(sqlite3_column_int64(statement, at));
    case SQLITE_FLOAT: return sqlite3_column_double(statement, at);
    case SQLITE_TEXT: return text(sqlite3_column_text(statement, at));
    case SQLITE_BLOB: return Binary{text(sqlite3_column_blob(statement, at))};
    default: return std::monostate{};
    }
}

template <typename... Arguments>
Database::Database(Arguments&&... session)
    : session_(std::forward<Arguments>(session)...), state_(new ModuleState{session_, std::nullopt, false}) {}

Database::~Database() = default;

Result<std::unique_ptr<Database>> Database::open(world::Location location, SessionOptions options) {
    std::unique_ptr<Database> made(new Database(std::move(location), std::move(options)));
    TRY_DO(made->set_up());
    return made;
}

Result<std::unique_ptr<Database>> Database::open(const world::World& world, const storage::Store& store,
                                                 SessionOptions options) {
    std::unique_ptr<Database> made(new Database(world, store, std::move(options)));
    TRY_DO(made->set_up());
    return made;
}

Result<void> Database::set_up() {
    sqlite3* opened = nullptr;
    const auto code =
        sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    database_.reset(opened);
    if (code != SQLITE_OK) return fail(Errc::io, "SQLite cannot be started: {}", sqlite3_errstr(code));
    sqlite3_extended_result_codes(opened, 1);
    constexpr int k_longest_text = 64 << 20; // what one value may take
    sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, k_longest_text);
    for (const auto& table : tables()) TRY_DO(add_table(opened, table, *state_));
    sqlite3_set_authorizer(opened, authorize, state_.get());
    constexpr int k_steps_between_questions = 1000;
    sqlite3_progress_handler(opened, k_steps_between_questions, is_to_stop, &session_);
    return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
    state_->error.reset();
    if (sql.find('\0') != std::string_view::npos)
        return fail(Errc::usage, "the statement has a zero byte in it");
    // A statement that cannot be prepared is one that SQLite has to explain, as it was written.
    if (const auto counts = quicker_count(sql)) {
        if (auto statement = prepare_text(*counts)) return statement;
        state_->error.reset();
    }
    return prepare_text(std::string(sql));
}

Result<Statement> Database::prepare_text(const std::string& text) {
    sqlite3_stmt* made = nullptr;
    const char* rest = nullptr;
    const auto code =
        sqlite3_prepare_v2(database_.get(), text.c_str(), static_cast<int>(text.size()) + 1, &made, &rest);
    std::unique_ptr<sqlite3_stmt, Statement::Finalize> statement(made);
    if (code == SQLITE_AUTH)
        return fail(error(Errc::usage, "this statement would do more than read")
                        .advise("only SELECT, VALUES and WITH are possible here"));
    if (code != SQLITE_OK) return std::unexpected(last_error());
    if (!statement)
        return fail(error(Errc::usage, "there is no statement")
                        .advise("give one, such as SELECT count(*) FROM chunks"));
    if (!is_blank(rest))
        return fail(error(Errc::usage, "there is more than one statement").advise("give them one at a time"));
    return Statement(std::move(statement), *this);
}

void Database::interrupt() { session_.stop(); }

Error Database::last_error() {
    if (state_->error) return *std::exchange(state_->error, std::nullopt);
    auto made = error(Errc::usage, "{}", sqlite3_errmsg(database_.get()));
    if (const auto at = sqlite3_error_offset(database_.get()); at >= 0)
        made.problem += fmt::format(", at character {} of the statement", at + 1);
    return std::move(made).advise("orbis sql PATH .tables lists the tables, .schema their columns");
}

bool is_complete(const std::string& sql) { return sqlite3_complete(sql.c_str()) != 0; }

} // namespace orbis::query
