#include "app/options.hpp"

#include "app/command.hpp"
#include "app/completion.hpp"
#include "app/help_text.hpp"
#include "bytes/joined.hpp"
#include "bytes/near_names.hpp"
#include "bytes/shell_quote.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <iostream>
#include <limits>

namespace orbis::app {

class Options::Parser : public CLI::App {
    using CLI::App::App;

public:
    /// Takes down a parameter: `--output,-o PATH` are its names and what its value is called, which is
    /// `value` where nothing stands there. Returns the names as the library wants them.
    std::string add(std::string_view spelling, std::string_view value, const char* help);
    [[nodiscard]] Parameter& last() { return text.parameters.back(); }
    /// The name by which messages call what was added last: the long one of an option.
    [[nodiscard]] std::string last_name() const { return text.parameters.back().names.back(); }
    [[nodiscard]] const Parameter* find(std::string_view name) const;

    VerbText text;                       ///< what is said about the verb
    std::vector<std::string> lists;      ///< options that may have several values
    std::vector<std::string> lone_flags; ///< which need no arguments by place
};

std::string Options::Parser::add(std::string_view spelling, std::string_view value, const char* help) {
    const auto blank = std::min(spelling.find(' '), spelling.size());
    const std::string names(spelling.substr(0, blank));
    auto& made = text.parameters.emplace_back();
    made.value = blank < spelling.size() ? spelling.substr(blank + 1) : value;
    made.help = help;
    for (std::size_t begin = 0; begin <= names.size();) {
        const auto end = std::min(names.find(',', begin), names.size());
        made.names.push_back(names.substr(begin, end - begin));
        begin = end + 1;
    }
    // As everywhere, the short one comes first.
    std::ranges::stable_sort(made.names, {}, [](const auto& name) { return name.starts_with("--"); });
    made.is_option = names.starts_with('-');
    return names;
}

const Parameter* Options::Parser::find(std::string_view name) const {
    for (const auto& parameter : text.parameters)
        if (std::ranges::find(parameter.names, name) != parameter.names.end()) return &parameter;
    return nullptr;
}

namespace {

constexpr int k_usage = 2;
constexpr int k_first_own = 10; ///< of the codes that belong to one verb

/// Says what a value must be, in our words.
struct WrongValue : CLI::ParseError {
    explicit WrongValue(const std::string& text)
        : CLI::ParseError("WrongValue", text, CLI::ExitCodes::ValidationError) {}
};

template <typename Number>
bool parse_whole(std::string_view text, Number& value) {
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

/// `X,Z` with nothing before, between or after.
ChunkPos chunk_or_throw(const std::string& name, const std::string& text) {
    ChunkPos pos;
    const auto comma = std::min(text.find(','), text.size());
    if (comma == text.size() || !parse_whole(std::string_view(text).substr(0, comma), pos.x)
        || !parse_whole(std::string_view(text).substr(comma + 1), pos.z))
        throw WrongValue(fmt::format("{} must be chunk coordinates such as -3,12, not {}", name, text));
    return pos;
}

template <typename Number>
Number number_or_throw(const std::string& name, const std::string& text, Number least, Number most) {
    Number value{};
    if (parse_whole(text, value) && value >= least && value <= most) return value;
    const bool is_any = least < 0 && most == std::numeric_limits<Number>::max();
    throw WrongValue(fmt::format("{} must be a whole number{}, not {}", name,
                                 is_any ? "" : fmt::format(" from {} to {}", least, most), text));
}

/// What is wrong is not the data: a path that is not there, a target that is, a user who may not write.
bool is_usage(Errc code) {
    return code == Errc::usage || code == Errc::not_found || code == Errc::unknown_kind
           || code == Errc::exists || code == Errc::busy || code == Errc::read_only;
}

bool is_value(const std::string& argument) {
    return !argument.starts_with('-')
           || (argument.size() > 1 && argument[1] >= '0' && argument[1] <= '9'); // chunk -3,4
}

/// `--from A B C` as `--from A --from B --from C`: a shell makes the one of `--from *.zip`.
std::vector<std::string> with_lists_repeated(int argc, char** argv, const std::vector<std::string>& lists) {
    std::vector<std::string> arguments;
    const std::string* list = nullptr;
    bool first = false;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--") {
            arguments.insert(arguments.end(), argv + i, argv + argc);
            break;
        }
        if (!is_value(argument)) {
            const auto found = std::ranges::find(lists, argument);
            list = found == lists.end() ? nullptr : &*found;
            first = true;
        } else if (list != nullptr && !std::exchange(first, false)) {
            arguments.push_back(*list);
        }
        arguments.push_back(argument);
    }
    return arguments;
}

/// What is after a list might be one more value or what the verb works on, so nothing is guessed: what it
/// works on stands before the list, or after `--`.
void parse(CLI::App& app, int argc, char** argv, const std::vector<std::string>& lists) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::ExtrasError&) {
        auto arguments = with_lists_repeated(argc, argv, lists);
        if (arguments.size() == static_cast<std::size_t>(argc) - 1) throw;
        std::ranges::reverse(arguments); // as the library wants it
        app.parse(std::move(arguments));
    }
}

/// The next step. Where an argument is missing, an option with several values may have taken it.
std::string advice(const Verb& verb, const CLI::ParseError& problem, const std::vector<std::string>& lists,
                   int argc, char** argv) {
    const auto help = fmt::format("orbis {} --help", verb.name);
    if (dynamic_cast<const CLI::RequiredError*>(&problem) == nullptr) return help;
    for (int i = 1; i < argc; ++i)
        if (std::ranges::find(lists, argv[i]) != lists.end())
            return fmt::format("to give {0} several values, put it last: orbis {1} PATH {0} A B C; {2}",
                               argv[i], verb.name, help);
    return help;
}

std::string unknown_option(const std::string& argument, const Options::Parser& verb) {
    std::vector<std::string_view> names;
    for (const auto& parameter : verb.text.parameters)
        for (const auto& name : parameter.names)
            if (name.starts_with("--")) names.emplace_back(name);
    const auto given = std::string_view(argument).substr(0, argument.find('='));
    return fmt::format("unknown option {}{}", given, did_you_mean(given, names));
}

/// What the parser did not understand: `--jsn`, or an argument too many. An option is named first: what is
/// behind it was then taken for something else.
std::string unknown_argument(const std::vector<std::string>& arguments, const Options::Parser& verb) {
    const auto option = std::ranges::find_if_not(arguments, is_value);
    if (option != arguments.end()) return unknown_option(*option, verb);
    return arguments.empty() ? "" : fmt::format("unexpected argument {}", arguments.front());
}

/// An option that was given twice, or that has no value because it is the last argument.
std::string wrong_count(const Options::Parser& verb, std::string_view last) {
    for (const auto* option : verb.get_options())
        if (option->count() > static_cast<std::size_t>(std::max(1, option->get_items_expected_max())))
            return option->get_name() + " can be given only once";
    std::string name(last.substr(0, last.find('=')));
    if (!name.starts_with("--")) name = fmt::format("-{}", name.back()); // -o of -qo
    const auto* option = verb.get_option_no_throw(name);
    return (option != nullptr ? option->get_name() : name) + " needs a value";
}

std::string missing_argument(const Options::Parser& verb) {
    for (const auto* option : verb.get_options()) {
        if (!option->get_required() || option->count() > 0) continue;
        const auto name = option->get_name();
        const auto* parameter = verb.find(name);
        const bool has_words = parameter != nullptr && !parameter->words.empty();
        return name + " is missing" + (has_words ? ": give " + either(parameter->words) : "");
    }
    return "an argument is missing";
}

/// What is wrong, in our words.
std::string plain_text(const CLI::ParseError& problem, const CLI::App& app, const Options::Parser& verb,
                       std::string_view last) {
    // The wrong option comes before everything that may follow from it, such as a missing argument.
    const auto rest = app.remaining(true);
    if (dynamic_cast<const CLI::ExtrasError*>(&problem) != nullptr || !std::ranges::all_of(rest, is_value))
        if (auto unknown = unknown_argument(rest, verb); !unknown.empty()) return unknown;
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&problem) != nullptr) return wrong_count(verb, last);
    if (dynamic_cast<const CLI::RequiredError*>(&problem) != nullptr) return missing_argument(verb);
    return problem.what();
}

} // namespace

Options& Options::path(const char* name, std::filesystem::path& target, const char* help, bool required) {
    parser_.add_option(parser_.add(name, "", help), target)->required(required);
    parser_.last().is_required = required;
    return *this;
}

Options& Options::paths(const char* name, std::vector<std::filesystem::path>& target, const char* help) {
    parser_.add_option(parser_.add(name, "", help), target)->required();
    parser_.last().is_required = true;
    parser_.last().is_list = true;
    return *this;
}

Options& Options::text_argument(const char* name, std::string& target, const char* help, bool required) {
    parser_.add_option(parser_.add(name, "", help), target)->required(required);
    parser_.last().is_required = required;
    return *this;
}

Options& Options::words(const char* name, std::vector<std::string>& target, const char* help) {
    parser_.add_option(parser_.add(name, "", help), target);
    parser_.last().is_list = true;
    return *this;
}

Options& Options::chunk(const char* name, ChunkPos& target, const char* help) {
    parser_
        .add_option_function<std::string>(
            parser_.add(name, "X,Z", help),
            [&target, name](const std::string& text) { target = chunk_or_throw(name, text); })
        ->required();
    parser_.last().is_required = true;
    return *this;
}

Options& Options::optional_chunk(const char* name, std::optional<ChunkPos>& target, const char* help) {
    parser_.add_option_function<std::string>(
        parser_.add(name, "X,Z", help),
        [&target, name](const std::string& text) { target = chunk_or_throw(name, text); });
    return *this;
}

Options& Options::block(BlockPos& target, const char* help) {
    const auto add = [&](const char* name, std::int32_t& value) {
        parser_
            .add_option_function<std::string>(
                parser_.add(name, "", help),
                [&value, name](const std::string& text) {
                    constexpr auto k_most = std::numeric_limits<std::int32_t>::max();
                    value = number_or_throw<std::int32_t>(name, text, -k_most, k_most);
                })
            ->required();
        parser_.last().is_required = true;
    };
    add("X", target.x);
    add("Y", target.y);
    add("Z", target.z);
    return *this;
}

Options& Options::flag(const char* name, bool& target, const char* help) {
    parser_.add_flag(parser_.add(name, "", help), target);
    return *this;
}

Options& Options::lone_flag(const char* name, bool& target, const char* help) {
    parser_.lone_flags.emplace_back(name);
    return flag(name, target, help);
}

Options& Options::text(const char* name, std::string& target, const char* help) {
    parser_.add_option(parser_.add(name, "TEXT", help), target);
    return *this;
}

Options& Options::text(const char* name, std::optional<std::string>& target, const char* help) {
    parser_.add_option(parser_.add(name, "TEXT", help), target);
    return *this;
}

Options& Options::texts(const char* name, std::vector<std::string>& target, const char* help) {
    // One value each time: else it would take the arguments after it too. See `parse` for several.
    parser_.add_option(parser_.add(name, "TEXT", help), target)->allow_extra_args(false)->take_all();
    parser_.last().is_list = true;
    parser_.lists.insert(parser_.lists.end(), parser_.last().names.begin(), parser_.last().names.end());
    return *this;
}

Options& Options::file(const char* name, std::filesystem::path& target, const char* help) {
    parser_.add_option(parser_.add(name, "PATH", help), target);
    return *this;
}

Options& Options::number(const char* name, std::optional<int>& target, int least, int most,
                         const char* help) {
    const auto names = parser_.add(name, "NUMBER", help);
    parser_.add_option_function<std::string>(names, [&target, names, least, most](const std::string& text) {
        target = number_or_throw(names, text, least, most);
    });
    return *this;
}

Options& Options::integer(const char* name, std::int64_t& target, const char* help) {
    const auto names = parser_.add(name, "NUMBER", help);
    parser_.add_option_function<std::string>(names, [&target, names](const std::string& text) {
        using Limits = std::numeric_limits<std::int64_t>;
        target = number_or_throw(names, text, Limits::min(), Limits::max());
    });
    return *this;
}

Options& Options::choice(const char* name, std::string& target, std::vector<std::string> words,
                         const char* help) {
    const bool is_argument = *name != '-';
    const auto names = parser_.add(name, is_argument ? "" : joined(words, "|"), help);
    parser_
        .add_option_function<std::string>(
            names,
            [&target, words, shown = parser_.last_name()](const std::string& text) {
                if (std::ranges::find(words, text) == words.end())
                    throw WrongValue(fmt::format("{} must be {}, not {}", shown, either(words), text));
                target = text;
            })
        ->required(is_argument);
    parser_.last().is_required = is_argument;
    if (is_argument) parser_.last().help += ": " + either(words);
    parser_.last().words = std::move(words);
    return *this;
}

Options& Options::dry_run(bool& target) {
    return flag("--dry-run", target, "Show what would change, without changing anything");
}

Options& Options::force(bool& target) {
    return flag("--force", target, "Write even if another process has the files open");
}

Options& Options::footer(const char* text) {
    // A verb whose codes mean something of their own says so itself.
    const std::string footer(text);
    const bool has_codes = footer.find("Exit codes:") != std::string::npos;
    parser_.text.footer = has_codes ? footer : footer + "\n" + k_exit_codes;
    return *this;
}

namespace {

/// Everything that a verb takes: its own options, and behind them those of all verbs.
void declare(Options::Parser& parser, const Verb& verb, Command& command) {
    parser.text.name = verb.name;
    parser.text.summary = verb.summary;
    parser.text.footer = k_exit_codes;
    parser.set_help_flag(parser.add("-h,--help", "", "Print this help and exit"));
    Options options(parser);
    command.declare(options);
    auto& common = command.common;
    const auto own = parser.text.parameters.size();
    options.flag("--json", common.json, "Print JSON, one object per line");
    parser.add_option_function<std::string>(
        parser.add("--threads", "COUNT", "Number of threads, up to 256 (default: one per core)"),
        [&common](const std::string& text) {
            common.threads = static_cast<std::size_t>(number_or_throw("--threads", text, 1, 256));
        });
    options.flag("--quiet,-q", common.quiet, "Print no notes and no progress bar");
    options.choice("--color", common.colour, {"auto", "always", "never"},
                   "When to use colours (default: auto, on a terminal unless NO_COLOR is set)");
    for (auto i = own; i < parser.text.parameters.size(); ++i) parser.text.parameters[i].is_common = true;
}

/// Where one of the flags that need no arguments is given, none is asked for.
void allow_lone_flags(Options::Parser& parser, int argc, char** argv) {
    const auto is_lone = [&](const char* argument) {
        return std::ranges::find(parser.lone_flags, argument) != parser.lone_flags.end();
    };
    if (std::none_of(argv + 1, argv + argc, is_lone)) return;
    for (auto* option : parser.get_options())
        if (option->get_positional()) option->required(false);
}

/// The exit code, after the last words.
int exit_code(Console& console, const Result<Outcome>& outcome) {
    if (!outcome) console.problem(outcome.error());
    const auto flushed = console.flush();
    if (!flushed) console.problem(flushed.error());
    if (!outcome) return is_usage(outcome.error().code) ? k_usage : 1;
    if (*outcome >= Outcome::own)
        return k_first_own + static_cast<int>(*outcome) - static_cast<int>(Outcome::own);
    return *outcome == Outcome::fine && flushed ? 0 : 1;
}

} // namespace

VerbText text_of(const Verb& verb) {
    Options::Parser parser(verb.summary, verb.name);
    const auto command = verb.make();
    declare(parser, verb, *command);
    return std::move(parser.text);
}

const Verb* find_verb(std::string_view name) {
    const auto found = std::ranges::find_if(verbs(), [&](const Verb& verb) { return name == verb.name; });
    return found == verbs().end() ? nullptr : &*found;
}

Error unknown_verb(std::string_view name) {
    std::vector<std::string_view> names;
    for (const auto& verb : verbs()) names.emplace_back(verb.name);
    return error(Errc::not_found, "unknown verb {}{}", name, did_you_mean(name, names))
        .advise("orbis help lists the verbs");
}

int run_command_line(int argc, char** argv) {
    const std::string_view wanted = argc > 1 ? argv[1] : "";
    if (wanted == k_complete_verb) return print_completions({argv + 2, argv + argc});
    Console console;
    const auto* const verb = find_verb(wanted);
    if (verb == nullptr) {
        if (wanted.empty()) {
            std::cerr << help_of_program();
            return k_usage;
        }
        if (wanted == "--version") {
            console.line("orbis " ORBIS_VERSION);
        } else if (wanted == "--help" || wanted == "-h") {
            console.page(help_of_program());
        } else {
            console.problem(wanted.starts_with('-')
                                ? error(Errc::usage, "unknown option {}", wanted).advise("orbis --help")
                                : unknown_verb(wanted));
            return k_usage;
        }
        return exit_code(console, Outcome::fine);
    }

    // Only this verb is declared: the others cost nothing then.
    CLI::App app("", "orbis");
    app.set_help_flag();
    const auto parser = std::make_shared<Options::Parser>(verb->summary, verb->name);
    const auto command = verb->make();
    declare(*parser, *verb, *command);
    app.add_subcommand(parser);
    allow_lone_flags(*parser, argc, argv);
    try {
        parse(app, argc, argv, parser->lists);
    } catch (const CLI::ParseError& problem) {
        if (problem.get_exit_code() == 0) { // --help
            console.page(help_of(parser->text));
            return exit_code(console, Outcome::fine);
        }
        // The arguments of the user are in it: like all messages it goes through the console.
        console.problem(error(Errc::usage, "{}", plain_text(problem, app, *parser, argv[argc - 1]))
                            .advise(advice(*verb, problem, parser->lists, argc, argv)));
        return k_usage;
    }

    command->common.command_line = "orbis";
    for (int i = 1; i < argc; ++i) command->common.command_line += " " + shell_quoted(argv[i]);
    console.set_quiet(command->common.quiet);
    console.set_json(command->common.json);
    console.set_colour(command->common.colour);
    // A closed pipe ends what only prints. What writes would be left half done.
    if (verb->writes) (void)std::signal(SIGPIPE, SIG_IGN);
    return exit_code(console, command->run(console));
}

} // namespace orbis::app
