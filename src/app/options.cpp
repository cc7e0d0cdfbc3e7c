#include "app/options.hpp"

#include "app/command.hpp"
#include "app/help_text.hpp"
#include "bytes/near_names.hpp"
#include "bytes/shell_quote.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>

namespace orbis::app {

class Options::Parser : public CLI::App {
    using CLI::App::App;

public:
    std::vector<std::string> lists;                        ///< options that may have several values
    std::map<std::string, std::vector<std::string>> words; ///< what an argument may be, where that is a list
};

namespace {

constexpr int k_usage = 2;
constexpr int k_first_own = 10; ///< of the codes that belong to one verb

/// Help as it is shown: in lines that fit, and in words of this program.
class HelpFormat final : public CLI::Formatter {
    static constexpr std::size_t k_line = 100;
    static constexpr std::size_t k_names = 30; ///< the column of names, before their description

public:
    HelpFormat() {
        label("REQUIRED", ""); // the usage line shows what may be left out
        label("SUBCOMMAND", "VERB");
        label("Positionals", "Arguments");
        column_width(k_names);
    }
    std::string make_option_desc(const CLI::Option* option) const override {
        return wrapped(option->get_description(), k_line - k_names);
    }
    std::string make_footer(const CLI::App* app) const override {
        return wrapped(app->get_footer(), k_line) + "\n";
    }
};

template <typename Number>
bool parse_whole(std::string_view text, Number& value) {
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

/// `X,Z` with nothing before, between or after.
ChunkPos chunk_or_throw(const char* name, const std::string& text) {
    ChunkPos pos;
    const auto comma = std::min(text.find(','), text.size());
    if (comma == text.size() || !parse_whole(std::string_view(text).substr(0, comma), pos.x)
        || !parse_whole(std::string_view(text).substr(comma + 1), pos.z))
        throw CLI::ValidationError(name, "must be chunk coordinates such as -3,12, not " + text);
    return pos;
}

template <typename Number>
Number number_or_throw(const char* name, const std::string& text, Number least, Number most) {
    Number value{};
    if (parse_whole(text, value) && value >= least && value <= most) return value;
    throw CLI::ValidationError(
        name, least < 0 && most == std::numeric_limits<Number>::max()
                  ? fmt::format("must be a whole number, not {}", text)
                  : fmt::format("must be a whole number from {} to {}, not {}", least, most, text));
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

/// What the parser did not understand: `--jsn`, or an argument too many.
std::string unknown_argument(const std::string& argument, const CLI::App& verb) {
    if (is_value(argument)) return fmt::format("unexpected argument {}", argument);
    std::vector<std::string> names;
    for (const auto* option : verb.get_options())
        for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    const auto given = std::string_view(argument).substr(0, argument.find('='));
    return fmt::format("unknown option {}{}", given, did_you_mean(given, {names.begin(), names.end()}));
}

/// The library's words in ours.
std::string plain_text(const CLI::ParseError& problem, const CLI::App& app, const Options::Parser& verb) {
    std::string text = problem.what();
    const auto name = text.substr(0, text.find(": "));
    if (dynamic_cast<const CLI::ExtrasError*>(&problem) != nullptr)
        if (const auto rest = app.remaining(true); !rest.empty()) return unknown_argument(rest.front(), verb);
    if (dynamic_cast<const CLI::ValidationError*>(&problem) != nullptr && name.size() < text.size())
        return text.erase(name.size(), 1);
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&problem) != nullptr && name.size() < text.size())
        return name
               + (text.find(" missing") != std::string::npos ? " needs a value" : " can be given only once");
    constexpr std::string_view k_required = " is required";
    if (dynamic_cast<const CLI::RequiredError*>(&problem) != nullptr && text.ends_with(k_required)) {
        text.erase(text.size() - k_required.size());
        const auto words = verb.words.find(text);
        return text + " is missing" + (words == verb.words.end() ? "" : ": give " + either(words->second));
    }
    return text;
}

constexpr const char* k_exit_codes =
    "Exit codes: 0 success; 1 damage or errors in the data; 2 the command cannot be run as it was given.";

} // namespace

Options& Options::path(const char* name, std::filesystem::path& target, const char* help, bool required) {
    parser_.add_option(name, target, help)->required(required)->type_name("");
    return *this;
}

Options& Options::paths(const char* name, std::vector<std::filesystem::path>& target, const char* help) {
    parser_.add_option(name, target, help)->required()->type_name("");
    return *this;
}

Options& Options::text_argument(const char* name, std::string& target, const char* help, bool required) {
    parser_.add_option(name, target, help)->required(required)->type_name("");
    return *this;
}

Options& Options::chunk(const char* name, ChunkPos& target, const char* help) {
    // A comma would end the name, so the form of the value stands where its type is shown.
    parser_
        .add_option_function<std::string>(
            name, [&target, name](const std::string& text) { target = chunk_or_throw(name, text); }, help)
        ->required()
        ->type_name("X,Z");
    return *this;
}

Options& Options::optional_chunk(const char* name, std::optional<ChunkPos>& target, const char* help) {
    parser_
        .add_option_function<std::string>(
            name, [&target, name](const std::string& text) { target = chunk_or_throw(name, text); }, help)
        ->type_name("X,Z");
    return *this;
}

Options& Options::block(BlockPos& target, const char* help) {
    const auto add = [&](const char* name, std::int32_t& value) {
        parser_
            .add_option_function<std::string>(
                name,
                [&value, name](const std::string& text) {
                    constexpr auto k_most = std::numeric_limits<std::int32_t>::max();
                    value = number_or_throw<std::int32_t>(name, text, -k_most, k_most);
                },
                help)
            ->required()
            ->type_name("");
    };
    add("X", target.x);
    add("Y", target.y);
    add("Z", target.z);
    return *this;
}

Options& Options::flag(const char* name, bool& target, const char* help) {
    parser_.add_flag(name, target, help);
    return *this;
}

Options& Options::text(const char* name, std::string& target, const char* help) {
    parser_.add_option(name, target, help);
    return *this;
}

Options& Options::text(const char* name, std::optional<std::string>& target, const char* help) {
    parser_.add_option(name, target, help);
    return *this;
}

Options& Options::texts(const char* name, std::vector<std::string>& target, const char* help) {
    // One value each time: else it would take the arguments after it too. See `parse` for several.
    parser_.add_option(name, target, help)->allow_extra_args(false)->take_all();
    parser_.lists.emplace_back(name);
    return *this;
}

Options& Options::file(const char* name, std::filesystem::path& target, const char* help) {
    parser_.add_option(name, target, help)->type_name("PATH");
    return *this;
}

Options& Options::number(const char* name, std::optional<int>& target, int least, int most,
                         const char* help) {
    parser_
        .add_option_function<std::string>(
            name,
            [&target, name, least, most](const std::string& text) {
                target = number_or_throw(name, text, least, most);
            },
            help)
        ->type_name("N");
    return *this;
}

Options& Options::integer(const char* name, std::int64_t& target, const char* help) {
    parser_
        .add_option_function<std::string>(
            name,
            [&target, name](const std::string& text) {
                using Limits = std::numeric_limits<std::int64_t>;
                target = number_or_throw(name, text, Limits::min(), Limits::max());
            },
            help)
        ->type_name("N");
    return *this;
}

Options& Options::choice(const char* name, std::string& target, std::vector<std::string> words,
                         const char* help) {
    const bool is_argument = *name != '-';
    parser_.add_option(name, target, help)
        ->required(is_argument)
        ->type_name(is_argument ? "" : "WORD")
        ->check(CLI::Validator(
            [words](const std::string& text) {
                return std::ranges::find(words, text) != words.end()
                           ? std::string()
                           : fmt::format("must be {}, not {}", either(words), text);
            },
            ""));
    parser_.words[name] = std::move(words);
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
    parser_.footer(has_codes ? footer : footer + "\n" + k_exit_codes);
    return *this;
}

namespace {

void declare_common(CLI::App& parser, CommonOptions& common) {
    constexpr const char* k_group = "Common options";
    parser.add_flag("--json", common.json, "Print JSON, one object per line")->group(k_group);
    parser
        .add_option_function<std::string>(
            "--threads",
            [&common](const std::string& text) {
                common.threads = static_cast<std::size_t>(number_or_throw("--threads", text, 1, 256));
            },
            "Number of threads, up to 256 (default: one per core)")
        ->type_name("N")
        ->group(k_group);
    parser.add_flag("--quiet,-q", common.quiet, "Print no notes and no progress bar")->group(k_group);
}

Error unknown_verb(std::string_view word) {
    std::vector<std::string_view> names;
    for (const auto& verb : verbs()) names.emplace_back(verb.name);
    return error(Errc::not_found, "unknown verb {}{}", word, did_you_mean(word, names))
        .advise("orbis --help lists the verbs");
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

int run_command_line(int argc, char** argv) {
    Options::Parser app("orbis: open, inspect, convert and repair Hytale worlds.", "orbis");
    app.formatter(std::make_shared<HelpFormat>());
    app.set_version_flag("--version", "orbis " ORBIS_VERSION, "Print the version and exit");
    app.set_help_flag("-h,--help", "Print this help and exit");
    app.footer(std::string("`orbis VERB --help` explains a verb.\n") + k_exit_codes);

    Console console;
    const Verb* chosen = nullptr;
    std::unique_ptr<Command> command;
    std::shared_ptr<Options::Parser> chosen_parser;
    // The verb on the command line is declared alone: the others cost nothing then, and an argument of it may
    // have the name of another verb.
    const std::string_view wanted = argc > 1 ? argv[1] : "";
    const bool is_verb = std::ranges::any_of(verbs(), [&](const Verb& verb) { return wanted == verb.name; });
    for (const auto& verb : verbs()) {
        if (is_verb && wanted != verb.name) continue;
        auto parser = std::make_shared<Options::Parser>(verb.summary, verb.name);
        parser->group(verb.group);
        parser->formatter(app.get_formatter());
        app.add_subcommand(parser);
        if (wanted != verb.name) continue;
        chosen = &verb;
        chosen_parser = parser;
        command = verb.make();
        parser->set_help_flag("-h,--help", "Print this help and exit");
        parser->footer(k_exit_codes);
        Options options(*parser);
        command->declare(options);
        declare_common(*parser, command->common);
    }
    if (chosen == nullptr && !wanted.starts_with('-')) {
        if (wanted.empty())
            std::cerr << app.help();
        else
            console.problem(unknown_verb(wanted));
        return k_usage;
    }
    const auto& parser = chosen_parser ? *chosen_parser : app;
    try {
        parse(app, argc, argv, parser.lists);
    } catch (const CLI::ParseError& problem) {
        if (problem.get_exit_code() == 0) { // --help, --version
            std::ostringstream text;
            app.exit(problem, text, std::cerr);
            console.bytes(as_bytes(text.str()));
            return exit_code(console, Outcome::fine);
        }
        // The arguments of the user are in it: like all messages it goes through the console.
        console.problem(error(Errc::usage, "{}", plain_text(problem, app, parser))
                            .advise(chosen == nullptr ? "orbis --help"
                                                      : advice(*chosen, problem, parser.lists, argc, argv)));
        return k_usage;
    }
    if (chosen == nullptr) return k_usage;

    command->common.command_line = "orbis";
    for (int i = 1; i < argc; ++i) command->common.command_line += " " + shell_quoted(argv[i]);
    console.set_quiet(command->common.quiet);
    console.set_json(command->common.json);
    // A closed pipe ends what only prints. What writes would be left half done.
    if (chosen->writes) (void)std::signal(SIGPIPE, SIG_IGN);
    return exit_code(console, command->run(console));
}

} // namespace orbis::app
