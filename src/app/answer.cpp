#include "app/answer.hpp"

#include "app/table.hpp"
#include "bytes/hex.hpp"
#include "bytes/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace orbis::app {

namespace {

std::string text_of_field(const query::Field& field) {
    if (const auto* integer = std::get_if<std::int64_t>(&field)) return fmt::format("{}", *integer);
    if (const auto* real = std::get_if<double>(&field)) return fmt::format("{}", *real);
    if (const auto* text = std::get_if<std::string_view>(&field)) return std::string(*text);
    if (const auto* binary = std::get_if<query::Binary>(&field)) return to_hex(as_bytes(binary->bytes));
    return {};
}

bool is_number(const query::Field& field) {
    return std::holds_alternative<std::int64_t>(field) || std::holds_alternative<double>(field);
}

std::string csv_of(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos && !text.starts_with(' ') && !text.ends_with(' '))
        return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
}

/// Prints rows in columns as wide as those of the first rows need. Where a terminal is too narrow for them, a
/// row is a list of its values.
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
        std::size_t needed = 0;
        const auto widen = [&](const std::vector<Cell>& row) {
            std::size_t width = 0;
            for (std::size_t i = 0; i < row.size(); ++i) {
                const auto taken = columns_of(row[i].text);
                widths_[i] = std::max(widths_[i], std::min(taken, k_widest));
                width = std::max(width, taken); // a value that is wider than any column
            }
            needed = std::max(needed, width);
        };
        widen(titles_);
        for (const auto& row : waiting_) widen(row);
        std::size_t wide = 0;
        for (const auto width : widths_) wide += width + 2;
        const auto room = Console::data_width();
        is_list_ = room != 0 && titles_.size() > 1 && !waiting_.empty() && std::max(wide - 2, needed) > room;
        if (!is_list_) print_heads();
        for (auto& row : std::exchange(waiting_, {})) print(std::move(row));
    }

    void print_heads() {
        for (std::size_t i = 0; i < titles_.size(); ++i) {
            titles_[i].width = i + 1 == titles_.size() ? 0 : widths_[i];
            titles_[i].right = !waiting_.empty() && waiting_.front()[i].right;
            titles_[i].rank = static_cast<int>(i);
        }
        // What a column is called is part of an answer, also where that does not go to a terminal.
        Console::data_goes_to_terminal() ? print_titles(console_, titles_) : print_row(console_, titles_);
    }

    void print(std::vector<Cell> row) {
        if (is_list_) return print_list(row);
        for (std::size_t i = 0; i < row.size(); ++i) {
            const bool is_last = i + 1 == row.size();
            row[i].width = is_last && !row[i].right ? 0 : widths_[i];
            row[i].rank = static_cast<int>(i);
        }
        print_row(console_, std::move(row));
    }

    void print_list(const std::vector<Cell>& row) {
        if (std::exchange(has_rows_, true)) console_.line("");
        for (std::size_t i = 0; i < row.size(); ++i)
            print_labelled(console_, printable(titles_[i].text) + ": ", row[i].text);
    }

    Console& console_;
    std::vector<Cell> titles_;
    std::vector<std::size_t> widths_;
    std::vector<std::vector<Cell>> waiting_;
    bool is_printing_ = false;
    bool is_list_ = false;
    bool has_rows_ = false;
};

void print_json_row(Console& console, const query::Statement& statement) {
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
            json.string(text_of_field(field));
    }
    json.end();
    console.line(json.text());
}

} // namespace

Result<AnswerForm> answer_form(bool csv, bool json) {
    if (csv && json) return fail(Errc::usage, "--csv and --json are two forms of the answer; give one");
    return csv ? AnswerForm::csv : json ? AnswerForm::json : AnswerForm::table;
}

void print_csv(Console& console, const std::vector<std::string>& values) {
    std::string line;
    for (const auto& value : values) line += (&value == values.data() ? "" : ",") + csv_of(value);
    if (Console::data_goes_to_terminal()) return console.line(line);
    line += '\n';
    console.bytes(as_bytes(line));
}

Result<std::uint64_t> print_answer(Console& console, query::Statement& statement, AnswerForm form) {
    const auto& columns = statement.columns();
    if (form == AnswerForm::csv) print_csv(console, columns);
    AnswerTable table(console, columns);
    for (std::uint64_t rows = 0;; ++rows) {
        auto is_there = statement.next();
        if (!is_there && form == AnswerForm::table) table.break_off();
        if (!is_there) return std::unexpected(std::move(is_there).error());
        if (!*is_there) {
            if (form == AnswerForm::table) table.end();
            return rows;
        }
        if (form == AnswerForm::json) {
            print_json_row(console, statement);
            continue;
        }
        std::vector<std::string> texts;
        std::vector<Cell> cells;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const auto field = statement.field(i);
            if (form == AnswerForm::csv)
                texts.push_back(text_of_field(field));
            else
                cells.push_back({text_of_field(field), 0, Tone::plain, is_number(field)});
        }
        form == AnswerForm::csv ? print_csv(console, texts) : table.add(std::move(cells));
    }
}

} // namespace orbis::app
