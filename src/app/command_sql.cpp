#include "app/answer.hpp"
#include "app/command.hpp"
#include "app/problem_lines.hpp"
#include "app/query_options.hpp"
#include "app/sql_prompt.hpp"
#include "app/world_argument.hpp"
#include "query/save_answer.hpp"

#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <utility>

namespace orbis::app {

namespace {

class CommandSql final : public Command {
    void declare(Options& options) override {
        world_.declare_all(options);
        options
            .text_argument(
                "STATEMENT", statement_,
                "What to ask, such as SELECT count(*) FROM chunks (default: a prompt on a terminal, "
                "else read from stdin)",
                false)
            .flag("--csv", csv_, "Print comma-separated values, with a line of titles")
            .file("--into FILE", into_, "Write the answer to a new SQLite file, as the table answer");
        options.footer(
            "Nothing is imported: the tables read the world as it is on disk, and no statement can change "
            "it. "
            ".tables lists the tables, .schema their columns. A path as an argument of a table reads "
            "another world: SELECT * FROM blocks('BACKUP') WHERE key GLOB 'Ore_Iron*'. docs/sql.md has "
            "questions and answers.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto form, answer_form(csv_, common.json));
        const bool is_prompt = statement_.empty() && isatty(STDIN_FILENO) != 0;
        if (is_prompt && (!into_.empty() || !Console::data_goes_to_terminal()))
            return fail(error(Errc::usage, "there is no statement")
                            .advise("give one: orbis sql PATH 'SELECT count(*) FROM chunks'"));
        if (statement_.empty() && !is_prompt) statement_.assign(std::istreambuf_iterator<char>(std::cin), {});
        if (statement_ == ".tables" || statement_ == ".schema" || statement_.starts_with(".schema ")) {
            TRY_DO(print_tables(console, statement_));
            return Outcome::fine;
        }
        TRY(auto location, world_.find());
        const auto outcome = print_notes(console, location) ? Outcome::damage : Outcome::fine;
        ProblemLines problems(console);
        TRY(const auto database,
            query::Database::open(std::move(location), query_options(console, problems, common.threads)));
        if (is_prompt) return run_sql_prompt(console, *database, problems, form);
        const auto answered = answer(console, *database, form);
        const bool is_damaged = problems.print();
        if (!answered) return std::unexpected(answered.error());
        return is_damaged ? Outcome::damage : outcome;
    }

    Result<void> answer(Console& console, query::Database& database, AnswerForm form) const {
        const InterruptGuard interrupts(database);
        TRY(auto statement, database.prepare(statement_));
        if (into_.empty()) {
            TRY_DO(print_answer(console, statement, form));
            return {};
        }
        TRY(const auto rows, query::save_answer(statement, into_));
        console.note(
            fmt::format("{} written to the table answer of {}", counted(rows, "row"), into_.string()));
        return {};
    }

    WorldArgument world_{WorldArgument::Use::read};
    std::string statement_;
    bool csv_ = false;
    std::filesystem::path into_;
};

} // namespace

std::unique_ptr<Command> make_command_sql() { return std::make_unique<CommandSql>(); }

} // namespace orbis::app
