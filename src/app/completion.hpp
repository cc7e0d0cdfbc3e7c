#pragma once

#include "app/parameters.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::app {

/// The hidden verb that the scripts of `orbis completion` call: `orbis __complete SHELL WORD…`.
inline constexpr std::string_view k_complete_verb = "__complete";

/// One possibility.
struct Candidate {
    std::string value;
    std::string help{};
};

/// What can stand in the place of the last word.
struct Completions {
    enum class Kind : std::uint8_t { values, files, folders };
    Kind kind = Kind::values;
    bool may_go_on = false; ///< the values are beginnings: no blank comes behind them
    std::vector<Candidate> values{};
};

/// What can stand in the place of the last of the words, which come behind `orbis` on a command line.
Completions complete(std::span<const std::string> words);

/// The values that the name of a parameter's value stands for: worlds for WORLD, block keys for KEY. They
/// need not all begin with `typed`. What `line` has may decide, such as the universe of a world.
class LineSoFar;
Completions complete_value(const Parameter& parameter, const std::string& typed, const LineSoFar& line);

/// What has been typed before the last word.
class LineSoFar {
public:
    explicit LineSoFar(const VerbText& verb) : verb_(verb) {}
    void take(const std::string& word);

    /// The option that the next word belongs to, or the argument by place; null where nothing is wanted.
    [[nodiscard]] const Parameter* wanted() const;
    [[nodiscard]] bool takes_options() const { return pending_ == nullptr && !only_arguments_; }
    [[nodiscard]] bool was_given(const Parameter& option) const;

    /// The argument by place or the value of the option with one of these names; empty where there is none.
    [[nodiscard]] std::string value_of(std::span<const std::string_view> names) const;
    [[nodiscard]] const VerbText& verb() const { return verb_; }

private:
    [[nodiscard]] const Parameter* find(std::string_view name) const;

    const VerbText& verb_;
    std::vector<std::pair<const Parameter*, std::string>> given_;
    const Parameter* pending_ = nullptr; ///< an option without its value yet
    std::size_t arguments_ = 0;
    bool only_arguments_ = false; ///< behind `--`
};

/// A word as a shell has it on its line, without its quotes: `'my world'`, `my\ world`, `~/worlds`. Nothing
/// is run or looked up for that: `$x` stays as it is.
std::string unquoted(std::string_view word);

/// Prints what `complete` says, for the scripts: a line with the kind, then a line with value, tab and help
/// for each. Names that could do something to a terminal or to a script are left out. Never prints a message;
/// the exit code.
int print_completions(std::span<char* const> arguments);

/// The script for a shell: bash, zsh or fish.
std::string_view completion_script(std::string_view shell);

} // namespace orbis::app
