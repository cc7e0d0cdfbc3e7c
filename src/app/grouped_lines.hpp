#pragma once

#include "app/console.hpp"

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::app {

/// Lines of a long report in groups, to be printed after its verdict. Memory does not grow with their
/// number: of each group the first lines are kept, and where all are wanted they wait in a temporary file.
class GroupedLines {
public:
    struct Group {
        std::string key;
        std::string title;     ///< of the first line
        bool is_mixed = false; ///< other lines of it have other titles
        std::uint64_t count = 0;
        std::vector<std::string> examples;
    };

    /// With `all`, `print_all` has every line; else groups have some.
    explicit GroupedLines(bool all);

    /// Adds a line to the group of that key. `most` examples of it are kept.
    void add(Console& console, std::string_view key, std::string_view title, std::string_view line,
             std::size_t most);

    /// In the order in which they came.
    [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
    /// Lines that are in no group's examples and that `print_all` does not print.
    [[nodiscard]] std::uint64_t left_out() const;
    /// Every line in the order in which they came, where they were asked for.
    void print_all(Console& console);

private:
    struct CloseFile {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    bool all_;
    std::vector<Group> groups_;
    std::unique_ptr<std::FILE, CloseFile> spool_;
};

} // namespace orbis::app
