#pragma once

#include <string>
#include <vector>

namespace orbis::app {

/// One argument or option of a verb. Help, manual pages and completion are all made of these, so that they
/// cannot differ.
struct Parameter {
    std::vector<std::string> names; ///< `-o` and `--output`; of an argument by place its name alone
    std::string value;              ///< what an option is given: `PATH`, `COUNT`; empty for a flag
    std::string help;
    std::vector<std::string> words{}; ///< all that it can be, where that is a list
    bool is_option = true;            ///< else an argument by place
    bool is_required = false;
    bool is_list = false;   ///< may be given several times
    bool is_common = false; ///< every verb has it

    /// `-o, --output PATH`.
    [[nodiscard]] std::string label() const;
    /// What its values are called; completion knows some of these names.
    [[nodiscard]] const std::string& value_name() const { return is_option ? value : names.front(); }
};

/// Everything that is said about a verb.
struct VerbText {
    std::string name;
    std::string summary;
    std::vector<Parameter> parameters{}; ///< in the order in which they are shown
    std::string footer{};                ///< what to know beyond the options; the exit codes come last

    /// `[OPTIONS] PATH [OUT]`.
    [[nodiscard]] std::string usage() const;
};

} // namespace orbis::app
