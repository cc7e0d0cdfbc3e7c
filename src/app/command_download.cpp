#include "app/command.hpp"
#include "app/live_lines.hpp"
#include "app/server_options.hpp"
#include "game/download/downloader.hpp"
#include "world/assets.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace orbis::app {

namespace {

/// Seconds without a packet after which that is reported: pings come every second.
constexpr double k_silence = 5;

/// Incomplete chunks that are listed for people.
constexpr std::size_t k_most_listed = 20;

/// Reads `1,-2,3`: `Count` whole numbers with commas between them.
template <std::size_t Count>
Result<std::array<int, Count>> parse_numbers(std::string_view option, std::string_view text,
                                             std::string_view form) {
    std::array<int, Count> out{};
    const auto refuse = [&] {
        return fail(error(Errc::usage, "{} must be {}, not {}", option, form, json_quoted(text))
                        .advise("give whole numbers of blocks, up to 30000000"));
    };
    const auto* at = text.data();
    const auto* const end = text.data() + text.size();
    for (std::size_t i = 0; i < Count; ++i) {
        if (i > 0 && (at == end || *at++ != ',')) return refuse();
        const auto [stop, problem] = std::from_chars(at, end, out[i]);
        if (problem != std::errc() || out[i] < -30'000'000 || out[i] > 30'000'000) return refuse();
        at = stop;
    }
    if (at != end) return refuse();
    return out;
}

class CommandDownload final : public Command {
    void declare(Options& options) override {
        options.text_argument("HOST", place_, "The server: HOST or HOST:PORT (default port: 5520)")
            .path("OUT", out_, "World folder to create; it must be new or empty")
            .flag("--continue", continue_, "Continue an unfinished download")
            .text("--area X1,Z1,X2,Z2", area_, "Only this area, in blocks: X1,Z1,X2,Z2; finds islands too")
            .text("--around X,Z,BLOCKS", around_,
                  "Only the area around a block: X,Z,BLOCKS; finds islands too")
            .number("--view-radius BLOCKS", view_radius_, 64, 4096, "View radius in blocks (default: 384)")
            .text("--speed SPEED", speed_, "Blocks per second (default: jump from stop to stop)")
            .flag("--fly", fly_, "Move high above the ground instead of on it")
            .text("--settle TIME", settle_,
                  "Extra time to wait for chunks at each stop, for servers that do not say which chunks are "
                  "missing (default: 1s)")
            .text("--name NAME", name_, "Name of the player (default: orbis)")
            .file("--password-file", password_file_, "File whose first line is the server's password")
            .text("--build BUILD", build_,
                  "Build of the game to speak as: its name or CRC (default: 2026.02.17)")
            .text("--time TIME", time_, "Stop after this time, finished or not: 30s, 5m, 1h")
            .footer(
                "Joins as a player, visits everything that the server sends, and writes a world folder: "
                "blocks, fluids, heights, tints, environments, and light if it was sent. Servers do not send "
                "entities as they are stored, nor the contents of containers. No chunk is invented.\n"
                "Without --area or --around it continues until nothing new comes. On a server that generates "
                "land as players move, that never ends: stop it with Ctrl+C, or use --area. --continue "
                "resumes it later.\n"
                "Exit codes: 0 complete; 1 something is missing, and the report says what; 2 the command "
                "cannot be run as it was given, OUT exists already, or no server answers.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto rules, read_rules());
        const StopSignal signal;
        auto done = game::download(
            rules, [&](const game::DownloadStatus& status) { tell(console, status); },
            [] { return StopSignal::was_given(); });
        live_.clear();
        if (!done && done.error().code == Errc::no_space)
            done.error().advice =
                "free some space and run it again with --continue; what was downloaded is kept";
        TRY(const auto report, std::move(done));
        if (console.json())
            print_json(console, report);
        else
            print(console, report);
        return report.is_fine() ? Outcome::fine : Outcome::damage;
    }

    Result<game::DownloadRules> read_rules() {
        game::DownloadRules rules;
        TRY(rules.server, net::parse_host_port(place_));
        if (build_) {
            TRY(rules.build, option_value("--build", net::GameBuild::find(*build_)));
        }
        rules.out = out_;
        rules.goes_on = continue_;
        rules.command = common.command_line + (continue_ ? "" : " --continue");
        if (name_) rules.name = *name_;
        TRY_DO(check_player_name(rules.name));
        if (!password_file_.empty()) {
            TRY(rules.password, read_password_file(password_file_));
        }
        if (view_radius_) rules.view_radius = *view_radius_;
        TRY(rules.area, read_area());
        if (speed_) {
            char* end = nullptr;
            const auto value = std::strtod(speed_->c_str(), &end);
            if (speed_->empty() || *end != '\0' || !(value > 0 && value <= 10'000))
                return fail(error(Errc::usage, "--speed must be a number above 0 and at most 10000, not {}",
                                  json_quoted(*speed_)));
            rules.speed = value;
        }
        rules.flies = fly_;
        if (settle_) {
            TRY(rules.settle, parse_time("--settle", *settle_));
        }
        if (time_) {
            TRY(rules.time, parse_time("--time", *time_));
        }
        rules.is_transparent = [](std::string_view key) {
            return world::Assets::built_in().is_transparent(key);
        };
        return rules;
    }

    Result<std::optional<game::ChunkArea>> read_area() const {
        if (area_ && around_) return fail(Errc::usage, "--area and --around cannot be used together");
        std::array<int, 4> blocks{};
        if (area_) {
            TRY(blocks, parse_numbers<4>("--area", *area_, "X1,Z1,X2,Z2"));
        } else if (around_) {
            TRY(const auto circle, parse_numbers<3>("--around", *around_, "X,Z,BLOCKS"));
            const auto [x, z, radius] = circle;
            if (radius < 0)
                return fail(Errc::usage, "--around needs a distance of 0 or more, not {}", radius);
            blocks = {x - radius, z - radius, x + radius, z + radius};
        } else {
            return std::nullopt;
        }
        const game::ChunkArea area{
            BlockPos{std::min(blocks[0], blocks[2]), 0, std::min(blocks[1], blocks[3])}.chunk(),
            BlockPos{std::max(blocks[0], blocks[2]), 0, std::max(blocks[1], blocks[3])}.chunk()};
        const auto side = [](int from, int to) { return std::int64_t{to} - from + 1; };
        if (side(area.least.x, area.most.x) * side(area.least.z, area.most.z) > 4'000'000)
            return fail(
                error(Errc::usage, "the area has more than 4 million chunks").advise("download it in parts"));
        return area;
    }

    void print(Console& console, const game::DownloadReport& report) const {
        std::error_code none;
        console.line(fmt::format("{}{} in the folder, {} written in {:.1f} s, {}, {} received",
                                 report.is_finished ? ""
                                 : std::filesystem::is_directory(out_, none)
                                     ? "NOT finished, use --continue: "
                                     : "NOT finished, nothing kept: ",
                                 counted(report.chunks, "chunk"), human_count(report.written), report.seconds,
                                 counted(report.stops, "stop"), human_bytes(report.bytes)));
        if (report.unreachable > 0)
            console.line(fmt::format("  {} that the server did not let the player reach",
                                     counted(report.unreachable, "stop")));
        if (report.unnamed > 0)
            console.line(fmt::format("  {} with blocks that the server did not name",
                                     counted(report.unnamed, "packet")));
        list(console, report.incomplete, "is incomplete");
        list(console, report.unanswered, "was not sent; the server may be unable to read it");
        for (const auto& problem : report.problems) console.line(fmt::format("  {}", problem));
        if (report.is_finished && report.reach > 0 && report.chunks > 0)
            console.note(fmt::format("Islands more than {} blocks away were not searched for; --continue "
                                     "--area X1,Z1,X2,Z2 searches an area completely",
                                     report.reach * 32));
    }

    static void list(Console& console, const std::vector<ChunkPos>& chunks, std::string_view what) {
        for (std::size_t i = 0; i < std::min(k_most_listed, chunks.size()); ++i)
            console.line(fmt::format("  {} {}", chunks[i], what));
        if (chunks.size() > k_most_listed)
            console.line(fmt::format("  and {} more", human_count(chunks.size() - k_most_listed)));
    }

    static void print_json(Console& console, const game::DownloadReport& report) {
        JsonWriter json;
        json.object()
            .member("finished", report.is_finished)
            .member("chunks", report.chunks)
            .member("written", report.written)
            .member("stops", report.stops)
            .member("unreachable_stops", report.unreachable)
            .member("unnamed_packets", report.unnamed)
            .member("bytes", report.bytes)
            .key("seconds")
            .raw(fmt::format("{:.3f}", report.seconds))
            .key("incomplete")
            .array();
        for (const auto pos : report.incomplete) json.object().member("x", pos.x).member("z", pos.z).end();
        json.end().key("unanswered").array();
        for (const auto pos : report.unanswered) json.object().member("x", pos.x).member("z", pos.z).end();
        json.end().key("problems").array();
        for (const auto& problem : report.problems) json.string(problem);
        json.end().end();
        console.line(json.text());
    }

    void tell(Console& console, const game::DownloadStatus& status) {
        if (common.quiet) return;
        std::vector<std::string> lines{fmt::format("{:>5.0f} s  {:>15}  {:>12}, {} to go  {} received",
                                                   status.seconds, counted(status.chunks, "chunk"),
                                                   counted(status.stops, "stop"), human_count(status.waiting),
                                                   human_bytes(status.bytes))};
        if (status.silence >= k_silence)
            lines.push_back(fmt::format("the server has been silent for {:.0f} s", status.silence));
        live_.show(console, status.seconds, lines);
    }

    std::string place_;
    std::filesystem::path out_;
    bool continue_ = false;
    std::optional<std::string> area_;
    std::optional<std::string> around_;
    std::optional<int> view_radius_;
    std::optional<std::string> speed_;
    bool fly_ = false;
    std::optional<std::string> settle_;
    std::optional<std::string> name_;
    std::optional<std::string> build_;
    std::filesystem::path password_file_;
    std::optional<std::string> time_;
    LiveLines live_;
};

} // namespace

std::unique_ptr<Command> make_command_download() { return std::make_unique<CommandDownload>(); }

} // namespace orbis::app
