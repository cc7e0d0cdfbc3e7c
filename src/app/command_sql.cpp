#include "app/command.hpp"
#include "app/table.hpp"
#include "app/world_argument.hpp"
#include "bytes/hex.hpp"
#include "query/database.hpp"
#include "query/save_answer.hpp"
#include "query/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace orbis::app {

namespace {

/// The database whose statement Ctrl+C ends.
query::Database* g_interruptible = nullptr;

/// Lets Ctrl+C end the statement that runs, and only that, while this lives.
class InterruptGuard {
public:
    explicit InterruptGuard(query::Database& database) {
        g_interruptible = &database;
        struct sigaction action{};
        action.sa_handler = [](int) { g_interruptible->interrupt(); };
        sigaction(SIGINT, &action, &before_);
    }
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;
    ~InterruptGuard() {
        sigaction(SIGINT, &before_, nullptr);
        g_interruptible = nullptr;
    }

private:
    struct sigaction before_{};
};

std::string text_of(const query::Field& field) {
    if (const auto* integer = std::get_if<std::int64_t>(&field)) return fmt::format("{}", *integer);
    if (const auto* real = std::get_if<double>(&field)) return fmt::format("{}", *real);
    if (const auto* text = std::get_if<std::string_view>(&field)) return std::string(*text);
    if (const auto* binary = std::get_if<query::Binary>(&field)) return to_hex(as_bytes(binary->bytes));
    return {};
}

bool is_number(const query::Field& field) {
    return std::holds_alternative<std::int64_t>(field) || std::holds_alternative<double>(field);
}

/// A value of a line of CSV, in quotes where it needs them.
std::string csv_of(std::string text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos && !text.starts_with(' ') && !text.ends_with(' '))
        return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
}

/// Prints rows in columns as wide as those of the first rows need.
class AnswerTable {
public:
    AnswerTable(Console& console, const std::vector<std::string>& columns) : console_(console) {
        for (const auto& column : columns) titles_.push_back({column});
        widths_.assign(columns.size(), 0);
    }

    void add(std::vector<Cell> row) {
        if (is_printing_) return print(std::move(row));
        waiting_.push_back(std::move(row));
        constexpr std::size_t k_rows_that_decide = 500;
        if (waiting_.size() == k_rows_that_decide) begin();
    }
    void end() {
        if (!is_printing_) begin();
    }
    /// The rows before an error; nothing if there were none.
    void break_off() {
        if (!is_printing_ && !waiting_.empty()) begin();
    }

private:
    void begin() {
        is_printing_ = true;
        static constexpr std::size_t k_widest = 60;
        const auto widen = [this](const std::vector<Cell>& row) {
            for (std::size_t i = 0; i < row.size(); ++i)
                widths_[i] = std::max(widths_[i], std::min(columns_of(row[i].text), k_widest));
        };
        widen(titles_);
        for (const auto& row : waiting_) widen(row);
        for (std::size_t i = 0; i < titles_.size(); ++i) {
            titles_[i].width = i + 1 == titles_.size() ? 0 : widths_[i];
            titles_[i].right = !waiting_.empty() && waiting_.front()[i].right;
            titles_[i].rank = static_cast<int>(i);
        }
        // What a column is called is part of an answer, also where that does not go to a terminal.
        Console::data_goes_to_terminal() ? print_titles(console_, titles_) : print_row(console_, titles_);
        for (auto& row : std::exchange(waiting_, {})) print(std::move(row));
    }
    void print(std::vector<Cell> row) const {
        for (std::size_t i = 0; i < row.size(); ++i) {
            const bool is_last = i + 1 == row.size();
            row[i].width = is_last && !row[i].right ? 0 : widths_[i];
            row[i].rank = static_cast<int>(i);
        }
        print_row(console_, std::move(row));
    }

    Console& console_;
    std::vector<Cell> titles_;
    std::vector<std::size_t> widths_;
    std::vector<std::vector<Cell>> waiting_;
    bool is_printing_ = false;
};

class CommandSql final : public Command {
    void declare(Options& options) override {
        world_.declare_all(options);
        options
            .text_argument("STATEMENT", statement_,
                           "What to ask, such as SELECT count(*) FROM chunks (default: read from stdin)",
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
        if (csv_ && common.json)
            return fail(Errc::usage, "--csv and --json are two forms of the answer; give one");
        if (statement_.empty()) {
            if (isatty(STDIN_FILENO) != 0)
                return fail(error(Errc::usage, "there is no statement")
                                .advise("give one: orbis sql PATH 'SELECT count(*) FROM chunks'"));
            statement_.assign(std::istreambuf_iterator<char>(std::cin), {});
        }
        if (statement_ == ".tables" || statement_ == ".schema") return print_tables(console);
        TRY(auto location, world_.find());
        auto outcome = print_notes(console, location) ? Outcome::damage : Outcome::fine;
        std::uint64_t total = 0;
        query::SessionOptions options;
        options.threads = common.threads;
        options.on_problem = [&](const Error& problem) {
            outcome = Outcome::damage;
            console.problem(problem);
        };
        options.on_progress = [&](std::uint64_t, std::uint64_t of) {
            if (std::exchange(total, of) != of) console.begin("Reading chunks", of);
            console.step();
        };
        TRY(const auto database, query::Database::open(std::move(location), std::move(options)));
        const InterruptGuard interrupts(*database);
        TRY(auto statement, database->prepare(statement_));
        if (!into_.empty()) {
            TRY(const auto rows, query::save_answer(statement, into_));
            console.note(
                fmt::format("{} written to the table answer of {}", counted(rows, "row"), into_.string()));
            return outcome;
        }
        TRY_DO(print_answer(console, statement));
        return outcome;
    }

    Result<void> print_answer(Console& console, query::Statement& statement) const {
        const auto& columns = statement.columns();
        if (csv_) print_csv(console, columns);
        AnswerTable table(console, columns);
        while (true) {
            auto is_there = statement.next();
            if (!is_there && !csv_ && !console.json()) table.break_off();
            if (!is_there) return std::unexpected(std::move(is_there).error());
            if (!*is_there) break;
            if (console.json()) {
                print_json(console, statement);
                continue;
            }
            std::vector<std::string> texts;
            std::vector<Cell> cells;
            for (std::size_t i = 0; i < columns.size(); ++i) {
                const auto field = statement.field(i);
                if (csv_)
                    texts.push_back(text_of(field));
                else
                    cells.push_back({text_of(field), 0, Tone::plain, is_number(field)});
            }
            csv_ ? print_csv(console, texts) : table.add(std::move(cells));
        }
        if (!csv_ && !console.json()) table.end();
        return {};
    }

    static void print_csv(Console& console, const std::vector<std::string>& values) {
        std::string line;
        for (const auto& value : values)
            line += (line.empty() && &value == values.data() ? "" : ",") + csv_of(value);
        if (Console::data_goes_to_terminal()) return console.line(line);
        line += '\n';
        console.bytes(as_bytes(line));
    }

    static void print_json(Console& console, const query::Statement& statement) {
        JsonWriter json;
        json.object();
        for (std::size_t i = 0; i < statement.columns().size(); ++i) {
            json.key(statement.columns()[i]);
            const auto field = statement.field(i);
            if (const auto* integer = std::get_if<std::int64_t>(&field))
                json.number(*integer);
            else if (const auto* real = std::get_if<double>(&field))
                json.real(*real);
            else if (std::holds_alternative<std::monostate>(field))
                json.null();
            else
                json.string(text_of(field));
        }
        json.end();
        console.line(json.text());
    }

    Result<Outcome> print_tables(Console& console) const {
        for (const auto& table : query::tables()) {
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
            } else if (statement_ == ".tables") {
                print_row(console,
                          {{std::string(table.name), 16}, {std::string(table.about), 0, Tone::faint}});
            } else {
                print_row(console, {{fmt::format("{}({})", table.name, columns)}});
            }
        }
        return Outcome::fine;
    }

    WorldArgument world_{WorldArgument::Use::read};
    std::string statement_;
    bool csv_ = false;
    std::filesystem::path into_;
};

} // namespace

std::unique_ptr<Command> make_command_sql() { return std::make_unique<CommandSql>(); }

} // namespace orbis::app
