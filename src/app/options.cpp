#include "app/options.hpp"

#include "app/command.hpp"
#include "bytes/shell_quote.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <csignal>

namespace orbis::app {

class Options::Parser : public CLI::App {
    using CLI::App::App;

public:
    std::vector<std::string> lists; ///< options that may have several values
};

namespace {

constexpr int k_usage = 2;
constexpr int k_first_own = 10; ///< of the codes that belong to one verb

/// `X,Z` with nothing before, between or behind.
bool parse_chunk(const std::string& text, ChunkPos& target) {
    const auto comma = text.find(',');
    if (comma == std::string::npos) return false;
    const auto number = [](std::string_view digits, std::int32_t& value) {
        const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size();
    };
    return number(std::string_view(text).substr(0, comma), target.x)
           && number(std::string_view(text).substr(comma + 1), target.z);
}

ChunkPos chunk_or_throw(const char* name, const std::string& text) {
    ChunkPos pos;
    if (!parse_chunk(text, pos))
        throw CLI::ValidationError(name, "expected chunk coordinates such as -3,12, found " + text);
    return pos;
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

/// What is behind a list might be one more value or what the verb works on, so nothing is guessed: what it
/// works on stands before the list, or behind `--`.
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

std::string advice(const Verb* verb, const std::vector<std::string>& lists, int argc, char** argv) {
    if (verb == nullptr) return "orbis --help";
    const auto help = fmt::format("orbis {} --help", verb->name);
    for (int i = 1; i < argc; ++i)
        if (std::ranges::find(lists, argv[i]) != lists.end())
            return fmt::format("{0} takes several values when what the verb works on stands before it: orbis "
                               "{1} PATH {0} A B C; {2}",
                               argv[i], verb->name, help);
    return help;
}

constexpr const char* k_exit_codes =
    "Exit codes: 0 fine; 1 damage or a failure in the data; 2 the command cannot be "
    "carried out as it was given.";

} // namespace

Options& Options::path(const char* name, std::filesystem::path& target, const char* help, bool required) {
    parser_.add_option(name, target, help)->required(required);
    return *this;
}

Options& Options::paths(const char* name, std::vector<std::filesystem::path>& target, const char* help) {
    parser_.add_option(name, target, help)->required();
    return *this;
}

Options& Options::text_argument(const char* name, std::string& target, const char* help, bool required) {
    parser_.add_option(name, target, help)->required(required);
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
    parser_.add_option("X", target.x, help)->required();
    parser_.add_option("Y", target.y, help)->required();
    parser_.add_option("Z", target.z, help)->required();
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
    // One value each time: else it would take the arguments behind it too. See `parse` for several.
    parser_.add_option(name, target, help)->allow_extra_args(false)->take_all();
    parser_.lists.emplace_back(name);
    return *this;
}

Options& Options::file(const char* name, std::filesystem::path& target, const char* help) {
    parser_.add_option(name, target, help);
    return *this;
}

Options& Options::number(const char* name, std::optional<int>& target, int least, int most,
                         const char* help) {
    parser_.add_option(name, target, help)->check(CLI::Range(least, most));
    return *this;
}

Options& Options::integer(const char* name, std::int64_t& target, const char* help) {
    parser_.add_option(name, target, help);
    return *this;
}

Options& Options::choice(const char* name, std::string& target, std::vector<std::string> words,
                         const char* help) {
    parser_.add_option(name, target, help)->check(CLI::IsMember(std::move(words)));
    return *this;
}

Options& Options::footer(const char* text) {
    // A verb whose codes mean something of their own says so itself.
    const std::string footer(text);
    const bool has_codes = footer.find("Exit codes:") != std::string::npos;
    parser_.footer(has_codes ? footer : footer + "\n" + k_exit_codes);
    return *this;
}

namespace {

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
    Options::Parser app("orbis: open, look into, convert and care for Hytale worlds.", "orbis");
    app.set_version_flag("--version", "orbis " ORBIS_VERSION);
    app.footer(std::string("`orbis VERB --help` explains a verb. ") + k_exit_codes);

    Console console;
    const Verb* chosen = nullptr;
    std::unique_ptr<Command> command;
    std::vector<std::string> lists;
    // The verb on the command line is declared alone: the others cost nothing then, and an argument of it may
    // have the name of another verb.
    const std::string_view wanted = argc > 1 ? argv[1] : "";
    const bool is_verb = std::ranges::any_of(verbs(), [&](const Verb& verb) { return wanted == verb.name; });
    for (const auto& verb : verbs()) {
        if (is_verb && wanted != verb.name) continue;
        auto parser = std::make_shared<Options::Parser>(verb.summary, verb.name);
        app.add_subcommand(parser);
        if (wanted != verb.name) continue;
        chosen = &verb;
        command = verb.make();
        parser->footer(k_exit_codes);
        Options options(*parser);
        command->declare(options);
        lists = parser->lists;
        parser->add_flag("--json", command->common.json, "Print JSON, one object per line")
            ->group("Common options");
        parser
            ->add_option("--threads", command->common.threads, "Threads to work with (default: one per core)")
            ->check(CLI::Range(1, 256))
            ->group("Common options");
        parser->add_flag("--quiet,-q", command->common.quiet, "No notes and no progress bar")
            ->group("Common options");
    }
    if (chosen == nullptr && !wanted.starts_with('-')) {
        if (wanted.empty())
            std::cerr << app.help();
        else
            console.problem(
                error(Errc::not_found, "there is no verb {}", wanted).advise("orbis --help lists the verbs"));
        return k_usage;
    }
    try {
        parse(app, argc, argv, lists);
    } catch (const CLI::ParseError& problem) {
        if (problem.get_exit_code() == 0) { // --help, --version
            std::ostringstream text;
            app.exit(problem, text, std::cerr);
            console.bytes(as_bytes(text.str()));
            return exit_code(console, Outcome::fine);
        }
        console.problem(error(Errc::usage, "{}", problem.what()).advise(advice(chosen, lists, argc, argv)));
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
