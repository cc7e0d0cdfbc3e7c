#pragma once

#include "app/console.hpp"

#include <functional>
#include <string>
#include <vector>

namespace orbis::app {

/// What a long job is doing now. On a terminal lines that are drawn over and over in the same place; else the
/// first of them now and then.
class LiveLines {
public:
    /// How many lines there is room for; 1 if there is no terminal.
    [[nodiscard]] static std::size_t room();
    /// `seconds` since the job began.
    void show(Console& console, double seconds, const std::vector<std::string>& lines);
    /// Takes them away, before something else is printed.
    void clear();

private:
    /// Without a terminal a line now and then is enough.
    static constexpr double k_seconds_between_lines = 5;

    std::size_t shown_ = 0;
    double next_line_ = k_seconds_between_lines;
};

/// Adds a head and a line for each of so many rows, as far as there is room: nothing where it is less than
/// three lines, and where they do not all fit not more than one can look at, with a last line that says how
/// many there are beside these.
void add_live_table(std::vector<std::string>& lines, std::string head, std::size_t rows, std::size_t room,
                    const std::function<std::string(std::size_t row)>& row);

} // namespace orbis::app
