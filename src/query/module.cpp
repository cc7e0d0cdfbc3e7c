#include "query/module.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <sqlite3.h>

namespace orbis::query {
namespace {

/// A table and the database that it is in, for the functions that SQLite calls.
struct Known {
    const Table& table;
    ModuleState& state;
};

struct VirtualTable : sqlite3_vtab {
    explicit VirtualTable(const Known& of) : sqlite3_vtab{}, known(of) {}
    const Known& known;
};

struct VirtualCursor : sqlite3_vtab_cursor {
    std::unique_ptr<Rows> rows;
    bool is_at_end = true;
};

const Known& known_of(sqlite3_vtab_cursor* cursor) {
    return static_cast<VirtualTable*>(cursor->pVtab)->known;
}

/// Keeps an error for the statement that runs.
int failed(const Known& known, Error&& error) {
    known.state.error = std::move(error);
    return SQLITE_ERROR;
}

int connect(sqlite3* database, void* data, int, const char* const*, sqlite3_vtab** out, char**) {
    const auto& known = *static_cast<const Known*>(data);
    // SQLite tells rows apart by the key where a condition with OR finds them twice.
    std::string declaration = "CREATE TABLE x(";
    for (const auto& column : known.table.columns)
        declaration += fmt::format("\"{}\" {}, ", column.name, column.type);
    declaration +=
        fmt::format("{} TEXT HIDDEN, PRIMARY KEY({})) WITHOUT ROWID", k_path_column, known.table.key);
    known.state.is_declaring = true;
    const auto code = sqlite3_declare_vtab(database, declaration.c_str());
    known.state.is_declaring = false;
    if (code != SQLITE_OK) return code;
    sqlite3_vtab_config(database, SQLITE_VTAB_DIRECTONLY);
    *out = new VirtualTable(known);
    return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
    delete static_cast<VirtualTable*>(table);
    return SQLITE_OK;
}

// What a plan hands to the filter: the columns that are looked at, then for each argument what it is compared
// with and how, such as `ff;=3;<0;`.

bool is_text(Role role) { return role == Role::world || role == Role::key; }

/// How a condition is written in a plan; 0 for one that tells nothing.
char sign_of(Role role, unsigned char op) {
    if (is_text(role)) {
        if (op == SQLITE_INDEX_CONSTRAINT_GLOB) return 'G';
        if (op == SQLITE_INDEX_CONSTRAINT_LIKE) return 'L';
    }
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ: return '=';
    case SQLITE_INDEX_CONSTRAINT_GE: return 'g';
    case SQLITE_INDEX_CONSTRAINT_GT: return '>';
    case SQLITE_INDEX_CONSTRAINT_LE: return 'l';
    case SQLITE_INDEX_CONSTRAINT_LT: return '<';
    default: return '\0';
    }
}

/// Whether rows come in the order that is asked for: by chunk, then as cells are stored.
bool comes_in_order(const Table& table, const sqlite3_index_info& info, bool is_one_world) {
    if (info.nOrderBy == 0) return false;
    static constexpr std::array k_order{Role::world, Role::chunk_x, Role::chunk_z, Role::y, Role::z, Role::x};
    std::size_t at = 0;
    for (int i = 0; i < info.nOrderBy; ++i) {
        const auto& term = info.aOrderBy[i];
        if (term.desc != 0 || term.iColumn < 0
            || static_cast<std::size_t>(term.iColumn) >= table.columns.size())
            return false;
        const auto role = table.columns[static_cast<std::size_t>(term.iColumn)].role;
        if (i == 0 && role != Role::world && is_one_world) at = 1;
        if (at == k_order.size() || role != k_order[at]) return false;
        ++at;
    }
    return true;
}

/// Whether texts are equal where SQLite says so: not where it shall overlook capitals.
bool compares_bytes(sqlite3_index_info* info, int condition) {
    return sqlite3_stricmp(sqlite3_vtab_collation(info, condition), "BINARY") == 0;
}

/// Whether a condition on a key is with a text that is known already: then the table checks it exactly, and
/// SQLite need not look at the key of each row. Of a pattern that ends with `*` SQLite makes two comparisons
/// more, and looks at keys unless the table checks these too.
bool is_checked_by_table(const Table& table, Role role, char sign, sqlite3_index_info* info, int condition) {
    sqlite3_value* value = nullptr;
    return table.checks_keys && role == Role::key && sign != '\0'
           && sqlite3_vtab_rhs_value(info, condition, &value) == SQLITE_OK && value != nullptr
           && sqlite3_value_type(value) == SQLITE_TEXT;
}

int best_index(sqlite3_vtab* virtual_table, sqlite3_index_info* info) {
    const auto& known = static_cast<VirtualTable*>(virtual_table)->known;
    const auto& table = known.table;
    auto plan = fmt::format("{:x};", static_cast<std::uint64_t>(info->colUsed));
    double rows = table.rows;
    int arguments = 0;
    bool has_path = false;
    for (int i = 0; i < info->nConstraint; ++i) {
        const auto& condition = info->aConstraint[i];
        const bool is_path = condition.iColumn == static_cast<int>(table.columns.size());
        if (is_path && condition.op == SQLITE_INDEX_CONSTRAINT_EQ) {
            if (condition.usable == 0) return SQLITE_CONSTRAINT; // the location must be known first
            has_path = true;
        }
        if (condition.usable == 0 || condition.iColumn < 0) continue;
        const auto column = static_cast<std::size_t>(condition.iColumn);
        const auto role = is_path ? Role::world : table.columns[column].role;
        const auto sign = role == Role::other ? '\0' : sign_of(role, condition.op);
        if (sign == '\0' || (is_path && sign != '=')) continue;
        if (is_text(role) && sign != 'G' && sign != 'L' && !compares_bytes(info, i)) continue;
        auto& usage = info->aConstraintUsage[i];
        usage.argvIndex = ++arguments;
        const bool is_list = !is_path && is_text(role) && sign == '=' && sqlite3_vtab_in(info, i, 1) != 0;
        usage.omit = is_path || (!is_list && is_checked_by_table(table, role, sign, info, i)) ? 1 : 0;
        plan += fmt::format("{}{};", is_list ? 'I' : sign, column);
        if (!is_path) rows *= sign == '=' ? 0.01 : 0.3;
    }
    const auto worlds =
        has_path ? Result<const std::vector<OpenWorld>*>(nullptr) : known.state.session.worlds("");
    const bool is_one_world = worlds && *worlds != nullptr && (*worlds)->size() == 1;
    if (comes_in_order(table, *info, is_one_world)) {
        info->orderByConsumed = 1;
        info->idxNum = 1;
    }
    info->estimatedRows = static_cast<sqlite3_int64>(std::max(rows, 1.0));
    info->estimatedCost = std::max(rows, 1.0);
    info->idxStr = sqlite3_mprintf("%s", plan.c_str());
    info->needToFreeIdxStr = 1;
    return info->idxStr == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int open_cursor(sqlite3_vtab*, sqlite3_vtab_cursor** out) {
    *out = new VirtualCursor();
    return SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
    delete static_cast<VirtualCursor*>(cursor);
    return SQLITE_OK;
}

std::string text_of(sqlite3_value* value) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
    return text == nullptr ? std::string()
                           : std::string(text, static_cast<std::size_t>(sqlite3_value_bytes(value)));
}

/// A number as the bound of a range; nothing for what is no number, about which SQLite has rules of its own.
std::optional<double> number_of(sqlite3_value* value) {
    const auto type = sqlite3_value_type(value);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) return std::nullopt;
    constexpr double k_far = 1e15; // where a double still is every whole number
    return std::clamp(sqlite3_value_double(value), -k_far, k_far);
}

void narrow(Range& range, char sign, double value) {
    const auto up = static_cast<std::int64_t>(std::ceil(value));
    const auto down = static_cast<std::int64_t>(std::floor(value));
    if (sign == '=' || sign == 'g') range.at_least(up);
    if (sign == '=' || sign == 'l') range.at_most(down);
    if (sign == '>') range.at_least(down + 1);
    if (sign == '<') range.at_most(up - 1);
}

/// A little wider than what was asked for: something may stand outside of the chunk that stores it.
void narrow_point(Range& range, char sign, double value) {
    const auto down = static_cast<std::int64_t>(std::floor(value));
    if (sign == '=' || sign == 'g' || sign == '>') range.at_least(down - k_side);
    if (sign == '=' || sign == 'l' || sign == '<') range.at_most(down + k_side);
}

TextTest text_test(char sign, sqlite3_value* value) {
    if (sign == 'G') return {TextTest::Kind::glob, {text_of(value)}};
    if (sign == 'L') return {TextTest::Kind::like, {text_of(value)}};
    if (sign == 'g') return {TextTest::Kind::at_least, {text_of(value)}};
    if (sign == 'l') return {TextTest::Kind::at_most, {text_of(value)}};
    if (sign == '>') return {TextTest::Kind::above, {text_of(value)}};
    if (sign == '<') return {TextTest::Kind::below, {text_of(value)}};
    TextTest test;
    if (sign == '=') {
        test.values.push_back(text_of(value));
        return test;
    }
    sqlite3_value* one = nullptr;
    for (int code = sqlite3_vtab_in_first(value, &one); code == SQLITE_OK && one != nullptr;
         code = sqlite3_vtab_in_next(value, &one))
        test.values.push_back(text_of(one));
    return test;
}

void apply(Filter& filter, Role role, char sign, sqlite3_value* value) {
    if (is_text(role)) {
        // A pattern over something else than a text has rules of its own.
        if (sign != 'I' && sqlite3_value_type(value) != SQLITE_TEXT) return;
        (role == Role::world ? filter.worlds : filter.keys).push_back(text_test(sign, value));
        return;
    }
    const auto number = number_of(value);
    if (!number) return;
    switch (role) {
    case Role::x: return narrow(filter.x, sign, *number);
    case Role::y: return narrow(filter.y, sign, *number);
    case Role::z: return narrow(filter.z, sign, *number);
    case Role::point_x: return narrow_point(filter.x, sign, *number);
    case Role::point_z: return narrow_point(filter.z, sign, *number);
    case Role::chunk_x: return narrow(filter.chunk_x, sign, *number);
    case Role::chunk_z: return narrow(filter.chunk_z, sign, *number);
    case Role::section: return narrow(filter.section, sign, *number);
    default: return;
    }
}

Filter read_plan(const Table& table, const char* plan, bool in_order, sqlite3_value** arguments) {
    Filter filter;
    filter.in_order = in_order;
    const char* const end = plan + std::strlen(plan);
    const char* at = std::from_chars(plan, end, filter.columns, 16).ptr + 1;
    for (int i = 0; at < end; ++i) {
        const char sign = *at++;
        std::size_t column = 0;
        at = std::from_chars(at, end, column).ptr + 1;
        if (column == table.columns.size())
            filter.path = text_of(arguments[i]);
        else
            apply(filter, table.columns[column].role, sign, arguments[i]);
    }
    return filter;
}

int advance(sqlite3_vtab_cursor* base) {
    auto& cursor = *static_cast<VirtualCursor*>(base);
    auto found = cursor.rows->next();
    if (!found) return failed(known_of(base), std::move(found).error());
    cursor.is_at_end = !*found;
    return SQLITE_OK;
}

int filter_rows(sqlite3_vtab_cursor* base, int number, const char* plan, int, sqlite3_value** arguments) {
    auto& cursor = *static_cast<VirtualCursor*>(base);
    const auto& known = known_of(base);
    cursor.rows.reset();
    auto rows = known.table.open(known.state.session, read_plan(known.table, plan, number == 1, arguments));
    if (!rows) return failed(known, std::move(rows).error());
    cursor.rows = *std::move(rows);
    return advance(base);
}

int is_at_end(sqlite3_vtab_cursor* cursor) { return static_cast<VirtualCursor*>(cursor)->is_at_end ? 1 : 0; }

int column_of(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
    const auto& cursor = *static_cast<VirtualCursor*>(base);
    if (static_cast<std::size_t>(column) < known_of(base).table.columns.size())
        cursor.rows->column(static_cast<std::size_t>(column), Cell(context));
    return SQLITE_OK;
}

constexpr sqlite3_module make_module() {
    sqlite3_module made{};
    made.iVersion = 0;
    made.xConnect = connect; // without xCreate: each table is there once, and its name is a function too
    made.xBestIndex = best_index;
    made.xDisconnect = disconnect;
    made.xOpen = open_cursor;
    made.xClose = close_cursor;
    made.xFilter = filter_rows;
    made.xNext = advance;
    made.xEof = is_at_end;
    made.xColumn = column_of;
    return made;
}

constexpr sqlite3_module k_module = make_module();

} // namespace

void Cell::integer(std::int64_t value) const { sqlite3_result_int64(context_, value); }
void Cell::real(double value) const { sqlite3_result_double(context_, value); }
void Cell::text(std::string_view value) const {
    sqlite3_result_text64(context_, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

Result<void> add_table(sqlite3* database, const Table& table, ModuleState& state) {
    const std::string name(table.name);
    const auto code = sqlite3_create_module_v2(database, name.c_str(), &k_module, new Known{table, state},
                                               [](void* known) { delete static_cast<Known*>(known); });
    if (code != SQLITE_OK)
        return fail(Errc::io, "the table {} cannot be made: {}", name, sqlite3_errstr(code));
    return {};
}

} // namespace orbis::query
