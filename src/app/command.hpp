#pragma once

#include "app/console.hpp"
#include "app/options.hpp"
#include "app/parameters.hpp"
#include "bytes/parallel.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace orbis::app {

/// How a verb that ran to its end found the data.
enum class Outcome : std::uint8_t {
    fine,   ///< exit code 0
    damage, ///< exit code 1: damage or errors in the data were reported
    own,    ///< the first of a verb's own outcomes, exit code 10 and on; its help lists them
};

/// The outcome of a verb that tells more than fine or not: `number` counts from 0.
constexpr Outcome own_outcome(std::uint8_t number) {
    return static_cast<Outcome>(static_cast<std::uint8_t>(Outcome::own) + number);
}

/// What every verb takes.
struct CommonOptions {
    bool json = false;
    bool quiet = false;
    std::string colour = "auto"; ///< when to use colours: auto, always or never
    std::size_t threads = default_threads();
    std::string command_line{}; ///< as it was given, so that it can be pasted
};

/// A verb, in two phases: `declare` says which arguments it takes, `run` does the job with them.
class Command {
public:
    Command() = default;
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;
    virtual ~Command() = default;

    virtual void declare(Options& options) = 0;
    virtual Result<Outcome> run(Console& console) = 0;

    CommonOptions common;
};

/// A verb in the list of `orbis --help`.
struct Verb {
    const char* group; ///< the heading that the help shows it under
    const char* name;
    std::unique_ptr<Command> (*make)();
    const char* summary;
    bool writes = false; ///< it runs to its end even if its output is no longer read
};

/// All verbs, in the order in which the help shows them.
const std::vector<Verb>& verbs();

/// What help, manual pages and completion say about a verb.
VerbText text_of(const Verb& verb);

/// The verb of that name; null where there is none.
const Verb* find_verb(std::string_view name);
/// That there is none, with the name that was most likely meant.
Error unknown_verb(std::string_view name);

/// Reads the command line and runs the verb; the exit code of the program.
int run_command_line(int argc, char** argv);

} // namespace orbis::app
