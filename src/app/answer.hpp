#pragma once

#include "app/console.hpp"
#include "query/database.hpp"

#include <string>
#include <vector>

namespace orbis::app {

/// How the rows of an answer are printed.
enum class AnswerForm : std::uint8_t {
    table, ///< in columns; on a terminal that is too narrow each value on a line of its own
    csv,   ///< with a line of titles
    json,  ///< an object per line
};

/// The form that the options ask for. They must not both be given.
[[nodiscard]] Result<AnswerForm> answer_form(bool csv, bool json);

/// Runs a statement to its end and prints its rows; how many there were.
Result<std::uint64_t> print_answer(Console& console, query::Statement& statement, AnswerForm form);

/// A line of comma-separated values, in quotes where they need them.
void print_csv(Console& console, const std::vector<std::string>& values);

} // namespace orbis::app
