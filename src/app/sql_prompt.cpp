#include "app/sql_prompt.hpp"

#include "app/history_file.hpp"
#include "app/line_editor.hpp"
#include "app/table.hpp"
#include "query/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

namespace orbis::app {

namespace {

/// The database whose statement Ctrl+C ends.
query::Database* g_interruptible = nullptr;
struct sigaction g_interrupt_before{};

constexpr std::array<std::string_view, 41> k_keywords{
    "ALL",    "AND",      "AS",        "ASC",   "AVG",    "BETWEEN", "BY",     "CASE",  "COUNT",
    "DESC",   "DISTINCT", "ELSE",      "END",   "EXCEPT", "EXISTS",  "FROM",   "GLOB",  "GROUP",
    "HAVING", "IN",       "INTERSECT", "IS",    "JOIN",   "LEFT",    "LIKE",   "LIMIT", "MAX",
    "MIN",    "NOT",      "NULL",      "ON",    "OR",     "ORDER",   "SELECT", "SUM",   "THEN",
    "UNION",  "VALUES",   "WHEN",      "WHERE", "WITH"};
constexpr std::array<std::string_view, 4> k_commands{".help", ".quit", ".schema", ".tables"};

std::string lower(std::string_view text) {
    std::string made(text);
    std::ranges::transform(made, made.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return made;
}

std::vector<std::string> completions(std::string_view line, std::string_view word) {
    std::vector<std::string> found;
    const auto wanted = lower(word);
    const auto add = [&](std::string_view name) {
        if (lower(name).starts_with(wanted)) found.emplace_back(name);
    };
    const bool is_first = line.find_first_not_of(" \t") == std::string_view::npos;
    if (word.starts_with('.')) {
        if (is_first)
            for (const auto command : k_commands) add(command);
        return found;
    }
    for (const auto& table : query::tables()) {
        if (table.is_hidden) continue;
        add(table.name);
        if (line.starts_with(".schema")) continue;
        for (const auto& column : table.columns) add(column.name);
    }
    if (!line.starts_with('.') && !word.empty())
        for (const auto keyword : k_keywords) add(keyword);
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
}

void print_help(Console& console) {
    console.page(
        "A statement ends with a semicolon and may have several lines: SELECT count(*) FROM chunks;\n"
        "  .tables          lists the tables\n"
        "  .schema [TABLE]  lists their columns\n"
        "  .help            shows this\n"
        "  .quit            ends, as Ctrl+D does\n"
        "Tab completes names, the arrow keys bring earlier statements back, Ctrl+R searches them. Ctrl+C "
        "ends a statement that runs. docs/sql.md has questions and answers.\n");
}

/// The text without blanks around it.
std::string_view trimmed(std::string_view text) {
    constexpr std::string_view k_blanks = " \t\r\n";
    const auto first = text.find_first_not_of(k_blanks);
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(k_blanks) - first + 1);
}

/// A statement as it comes back: on one line, except where a comment would then hide its rest.
std::vector<std::string> as_lines(std::string text) {
    std::vector<std::string> lines;
    if (text.find("--") == std::string::npos) {
        std::ranges::replace(text, '\n', ' ');
        lines.push_back(std::move(text));
        return lines;
    }
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('\n', at), text.size());
        if (end > at) lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

} // namespace

InterruptGuard::InterruptGuard(query::Database& database) {
    database.session().go_on();
    g_interruptible = &database;
    struct sigaction action{};
    action.sa_handler = [](int) { g_interruptible->interrupt(); };
    action.sa_flags = SA_RESTART; // rows that a terminal has not taken yet are no failure
    sigaction(SIGINT, &action, &g_interrupt_before);
}

InterruptGuard::~InterruptGuard() {
    sigaction(SIGINT, &g_interrupt_before, nullptr);
    g_interruptible = nullptr;
}

Result<void> print_tables(Console& console, std::string_view command) {
    const auto blank = std::min(command.find(' '), command.size());
    const auto wanted = trimmed(command.substr(blank));
    bool is_any = false;
    for (const auto& table : query::tables()) {
        if (table.is_hidden || (!wanted.empty() && lower(wanted) != table.name)) continue;
        is_any = true;
        std::string columns;
        for (const auto& column : table.columns)
            columns += fmt::format("{}{}", columns.empty() ? "" : ", ", column.name);
        if (console.json()) {
            JsonWriter json;
            json.object().member("table", table.name).member("row", table.about).key("columns").array();
            for (const auto& column : table.columns)
                json.object().member("name", column.name).member("type", column.type).end();
            json.end().end();
            console.line(json.text());
        } else if (command.starts_with(".tables")) {
            print_row(console, {{std::string(table.name), 16}, {std::string(table.about), 0, Tone::faint}});
        } else {
            print_labelled(console, "", fmt::format("{}({})", table.name, columns));
        }
    }
    if (!is_any)
        return fail(error(Errc::usage, "there is no table {}", wanted).advise(".tables lists the tables"));
    return {};
}

Result<Outcome> run_sql_prompt(Console& console, query::Database& database, ProblemLines& problems,
                               AnswerForm form) {
    LineEditor editor("orbis", completions);
    const HistoryFile history("sql_history");
    for (const auto& line : history.load()) editor.remember(line);
    console.note("Type a statement that ends with ; or .help");
    auto outcome = Outcome::fine;
    // All the time: Ctrl+C may come just before a statement runs, or just after it ended.
    const InterruptGuard interrupts(database);
    const auto answer = [&](const std::string& text) -> Result<void> {
        TRY(auto statement, database.prepare(text));
        TRY_DO(print_answer(console, statement, form));
        return {};
    };
    const auto obey = [&](std::string_view command) -> Result<void> {
        if (command == ".help") return print_help(console), Result<void>();
        if (command == ".tables" || command == ".schema" || command.starts_with(".schema "))
            return print_tables(console, command);
        return fail(error(Errc::usage, "unknown command {}", command).advise(".help lists the commands"));
    };
    std::string text;
    while (true) {
        auto typed = editor.read(text.empty() ? "orbis> " : "  ...> ");
        database.session().go_on();
        if (typed.how == LineEditor::Typed::How::cancelled) {
            text.clear();
            continue;
        }
        if (typed.how == LineEditor::Typed::How::ended) break;
        const auto line = trimmed(typed.text);
        const bool is_command = text.empty() && line.starts_with('.');
        if (text.empty() && line.empty()) continue;
        if (is_command && (line == ".quit" || line == ".exit")) return outcome;
        text += text.empty() ? "" : "\n";
        text += typed.text;
        if (!is_command && !query::is_complete(text)) continue;
        for (const auto& remembered : as_lines(text)) {
            editor.remember(remembered);
            history.add(remembered);
        }
        const auto done = is_command ? obey(line) : answer(text);
        text.clear();
        if (problems.print()) outcome = Outcome::damage;
        if (!done) console.problem(done.error());
        TRY_DO(console.flush());
    }
    console.line("");
    return outcome;
}

} // namespace orbis::app
