#pragma once

#include "app/answer.hpp"
#include "app/command.hpp"
#include "app/problem_lines.hpp"

namespace orbis::app {

/// Lets Ctrl+C end the statement that runs, and only that, while this lives.
class InterruptGuard {
public:
    explicit InterruptGuard(query::Database& database);
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;
    ~InterruptGuard();
};

/// `.tables` lists the tables, `.schema` their columns; with a name, of that table alone.
Result<void> print_tables(Console& console, std::string_view command);

/// Asks a person at the terminal for one statement after another until they end it. Errors of statements are
/// printed, and the next one is asked for.
Result<Outcome> run_sql_prompt(Console& console, query::Database& database, ProblemLines& problems,
                               AnswerForm form);

} // namespace orbis::app
