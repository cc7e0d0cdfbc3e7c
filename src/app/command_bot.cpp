#include "app/capture_option.hpp"
#include "app/command.hpp"
#include "app/live_lines.hpp"
#include "app/server_options.hpp"
#include "app/table.hpp"
#include "bytes/file.hpp"
#include "game/bot/scenario.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

constexpr std::uint64_t k_largest_text_file = 16 << 20;

Result<std::string> read_small_text(const std::filesystem::path& path) {
    TRY(const auto file, open_file(path, FileMode::read));
    return read_text(*file, k_largest_text_file);
}

/// What is wrong in a file that the user wrote for this command is wrong with the command.
template <typename T>
Result<T> as_given(Result<T> parsed) {
    if (!parsed) parsed.error().code = Errc::usage;
    return parsed;
}

/// A number of an option that takes fractions.
Result<double> parse_number(std::string_view option, const std::string& text, double most) {
    char* end = nullptr;
    const auto value = std::strtod(text.c_str(), &end);
    if (!text.empty() && *end == '\0' && value > 0 && value <= most) return value;
    return fail(error(Errc::usage, "{} must be a number above 0 and at most {}, not {}", option, most,
                      json_quoted(text)));
}

class CommandBot final : public Command {
    void declare(Options& options) override {
        options.text_argument("HOST", place_, "The server: HOST or HOST:PORT (default port: 5520)")
            .number("--count COUNT", count_, 1, 10'000,
                    "Number of bots (default: 1, or as the scenario says)")
            .text("--name NAME", name_, "Name of the bots; several get a number behind it (default: bot)")
            .file("--password-file", password_file_, "File whose first line is the server's password")
            .text("--build BUILD", build_,
                  "Build of the game to speak as: its name or CRC (default: 2026.02.17)")
            .number("--view-radius BLOCKS", view_radius_, 1, 4096, "View radius in blocks (default: 192)")
            .text("--walk still|straight|random|circle", walk_,
                  "How they move: still, straight, random or circle (default: still)")
            .file("--path", path_, "File of points to walk to, one X Z per line")
            .text("--speed SPEED", speed_, "Blocks per second (default: 5.5)")
            .text("--chat MESSAGE", chat_, "Chat message of each bot once it is in the world")
            .text("--place KEY", place_block_, "Block that each bot places under its feet every second")
            .text("--time TIME", time_, "How long they stay: 500ms, 30s, 5m, 1h (default: 30s)")
            .text("--per-second COUNT", per_second_, "How many bots connect per second (default: 50)")
            .file("--scenario", scenario_, "File with the actions of the bots and the results to check")
            .integer("--seed SEED", seed_, "Seed for everything random (default: 1)")
            .flag("--no-world", no_world_, "Count chunks and entities instead of decoding them");
        capture_.declare(options);
        options.footer(
            "Joins with headless players and reports how the server performs: time to join, to "
            "the "
            "first and to the last chunk, chunks and bytes per second, pings, errors. Ctrl+C stops it "
            "early and still prints the report.\n"
            "Exit codes: 0 all bots joined, nothing failed, all expectations were met; 1 something "
            "failed, and the report says what; 2 the command cannot be run as it was given, or no server "
            "answers.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(auto rules, read_rules());
        std::optional<game::Scenario> scenario;
        if (!scenario_.empty()) {
            TRY(const auto text, read_small_text(scenario_));
            TRY(scenario, as_given(game::Scenario::parse(text, scenario_.string())));
            TRY_DO(fit(rules, *scenario));
        }
        TRY_DO(
            check_player_name(rules.count == 1 ? rules.name : fmt::format("{}{}", rules.name, rules.count)));
        const StopSignal signal;
        TRY(const auto recorder, capture_.start());
        rules.capture = recorder;
        auto report = run_bots(console, rules, scenario);
        if (!report) {
            if (recorder) recorder->discard();
            return fail(std::move(report).error());
        }
        if (console.json()) {
            JsonWriter json;
            report->write(json);
            console.line(json.text());
        } else {
            for (const auto& line : report->lines()) print_fact(console, line);
        }
        TRY_DO(CaptureOption::finish(console, recorder));
        return report->is_fine() ? Outcome::fine : Outcome::damage;
    }

    Result<game::CrowdReport> run_bots(Console& console, const game::CrowdRules& rules,
                                       const std::optional<game::Scenario>& scenario) {
        TRY(const auto crowd, game::Crowd::make(rules));
        std::optional<game::ScenarioRun> story;
        game::Crowd::Director director;
        if (scenario) {
            story.emplace(*scenario);
            director = [&](game::Crowd& all) { return story->tick(all); };
        }
        TRY(auto report,
            crowd->run(
                director, [&](const game::CrowdStatus& status) { tell(console, status, *crowd); },
                [] { return StopSignal::was_given(); }));
        live_.clear();
        if (story) story->complete(report);
        return report;
    }

    Result<game::CrowdRules> read_rules() {
        game::CrowdRules rules;
        TRY(rules.server, net::parse_host_port(place_));
        if (build_) {
            TRY(rules.build, option_value("--build", net::GameBuild::find(*build_)));
        }
        if (count_) rules.count = static_cast<std::size_t>(*count_);
        if (name_) rules.name = *name_;
        if (!password_file_.empty()) {
            TRY(rules.password, read_password_file(password_file_));
        }
        if (view_radius_) rules.view_radius = *view_radius_;
        if (walk_) {
            const auto kind = game::parse_walk(*walk_);
            if (!kind) {
                auto problem = kind.error();
                problem.problem = "--walk: " + problem.problem;
                return fail(std::move(problem).advise("to walk along points: --path FILE"));
            }
            rules.walk.kind = *kind;
        }
        if (!path_.empty()) {
            if (walk_) return fail(Errc::usage, "--walk and --path cannot be used together");
            TRY(const auto text, read_small_text(path_));
            auto points = as_given(game::parse_path(text));
            if (!points) return fail(std::move(points).error().in_file(path_.string()));
            rules.walk.kind = game::WalkRules::Kind::path;
            rules.walk.points = *std::move(points);
        }
        if (speed_) {
            TRY(rules.walk.speed, parse_number("--speed", *speed_, 1000));
        }
        if (per_second_) {
            TRY(rules.per_second, parse_number("--per-second", *per_second_, 100'000));
        }
        if (time_) {
            TRY(rules.time, parse_time("--time", *time_));
        }
        rules.chat = chat_;
        rules.place_block = place_block_;
        rules.seed = static_cast<std::uint64_t>(seed_);
        rules.keeps_world = !no_world_;
        return rules;
    }

    /// A scenario says itself what is done.
    Result<void> fit(game::CrowdRules& rules, const game::Scenario& scenario) {
        if (walk_ || !path_.empty() || chat_ || place_block_ || time_)
            return fail(error(Errc::usage,
                              "--scenario cannot be used with --walk, --path, --chat, --place and --time")
                            .advise("write these into the scenario"));
        if (no_world_)
            if (const auto* step = scenario.step_with_world())
                return fail(error(Errc::usage,
                                  "--no-world cannot be used with this scenario: line {} needs a world: {}",
                                  step->line, step->text)
                                .in_file(scenario.file));
        if (!count_ && scenario.bots) rules.count = *scenario.bots;
        if (count_ && scenario.bots && rules.count < *scenario.bots)
            return fail(error(Errc::usage, "the scenario needs {} bots, but --count is {}", *scenario.bots,
                              rules.count)
                            .in_file(scenario.file));
        rules.keeps_chat = true;
        return {};
    }

    void tell(Console& console, const game::CrowdStatus& status, const game::Crowd& crowd) {
        if (common.quiet) return;
        std::vector<std::string> lines = {fmt::format(
            "{:>5.0f} s  {:>5}/{} in the world  {:>3} errors  {:>7} chunks {:>6.0f}/s  {:>8}/s  ping {:.1f} "
            "ms",
            status.seconds, status.in_world, crowd.bots().size(), status.errors, status.chunks,
            status.chunks_per_second, human_bytes(static_cast<std::uint64_t>(status.bytes_per_second)),
            status.ping)};
        add_table(crowd.bots(), LiveLines::room() - 1, lines);
        live_.show(console, status.seconds, lines);
    }

    static void add_table(std::span<const std::unique_ptr<game::Bot>> bots, std::size_t room,
                          std::vector<std::string>& lines) {
        add_live_table(lines,
                       fmt::format("{:<16}  {:<12}  {:>26}  {:>7}  {:>10}  {:>6}", "bot", "state", "position",
                                   "chunks", "received", "moves"),
                       bots.size(), room, [&](std::size_t i) {
                           const auto& bot = *bots[i];
                           const auto& at = bot.place();
                           return fmt::format(
                               "{:<16}  {:<12}  {:>26}  {:>7}  {:>10}  {:>6}", bot.rules().client.name,
                               state_of(bot),
                               at ? fmt::format("{:.1f} {:.1f} {:.1f}", at->x, at->y, at->z) : "",
                               bot.counts().chunks, human_bytes(bot.counts().bytes), bot.counts().moves);
                       });
    }

    static std::string_view state_of(const game::Bot& bot) {
        if (bot.failure()) return "failed";
        if (bot.is_over()) return "left";
        if (bot.is_in_world()) return "in the world";
        return bot.counts().packets > 0 ? "setup" : "connecting";
    }

    std::string place_;
    std::optional<int> count_;
    std::optional<std::string> name_;
    std::optional<std::string> build_;
    std::filesystem::path password_file_;
    std::optional<int> view_radius_;
    std::optional<std::string> walk_;
    std::filesystem::path path_;
    std::optional<std::string> speed_;
    std::optional<std::string> chat_;
    std::optional<std::string> place_block_;
    std::optional<std::string> time_;
    std::optional<std::string> per_second_;
    std::filesystem::path scenario_;
    std::int64_t seed_ = 1;
    bool no_world_ = false;
    CaptureOption capture_;
    LiveLines live_;
};

} // namespace

std::unique_ptr<Command> make_command_bot() { return std::make_unique<CommandBot>(); }

} // namespace orbis::app
