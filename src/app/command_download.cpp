#include "app/command_download.hpp"

#include "app/describe_place.hpp"
#include "app/live_lines.hpp"
#include "app/server_options.hpp"
#include "game/download/downloader.hpp"
#include "world/assets.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace orbis::app {

namespace {

/// After so many seconds without a word the owner of a download is told: pings come every second.
constexpr double k_silence = 5;

/// Incomplete chunks that are listed for people.
constexpr std::size_t k_most_listed = 20;

/// Reads `1,-2,3`: so many whole numbers with commas between them.
template <std::size_t Count>
Result<std::array<int, Count>> parse_numbers(std::string_view option, std::string_view text,
                                             std::string_view form) {
    std::array<int, Count> out{};
    const auto refuse = [&] {
        return fail(error(Errc::usage, "{}: expected {}, found {}", option, form, json_quoted(text))
                        .advise("whole numbers of blocks, up to 30000000"));
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
            .path("OUT", out_, "The world folder to make; it must be new or empty")
            .flag("--continue", continue_, "Go on with a download that was not finished")
            .text("--area", area_, "Only the chunks from block to block: X1,Z1,X2,Z2; finds islands, too")
            .text("--around", around_, "Only the chunks around a block: X,Z,BLOCKS; finds islands, too")
            .number("--view-radius", view_radius_, 64, 4096, "How far to see, in blocks (default: 384)")
            .text("--speed", speed_, "Blocks per second (default: from stop to stop at once)")
            .flag("--fly", fly_, "High above the ground instead of on it")
            .text("--settle", settle_,
                  "With a server that does not say what is missing: how long to wait for more at each stop, "
                  "besides what its pace asks for (default: 1s)")
            .text("--name", name_, "The player's name (default: orbis)")
            .file("--password-file", password_file_, "A file whose first line is the server's password")
            .text("--time", time_, "End after so long, finished or not: 30s, 5m, 1h")
            .footer(
                "Joins as a player, goes through what the server sends, and writes a world folder: blocks, "
                "fluids, heights, tints, environments, and light where it was sent. Entities and what is "
                "inside of containers does not travel. No chunk is made up.\n"
                "Without --area or --around it goes on until nothing new comes; a server that makes land as "
                "players go has no end. Ctrl+C ends it early; --continue goes on later.\n"
                "Exit codes: 0 all is there; 1 something is missing, and the report says what; 2 the command "
                "makes no sense, OUT is there already, or nothing listens there.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto rules, read_rules());
        const StopSignal signal;
        auto done = game::download(
            rules, [&](const game::DownloadStatus& status) { tell(console, status); },
            [] { return StopSignal::was_given(); });
        live_.clear();
        if (!done && done.error().code == Errc::no_space)
            done.error().advice = "free some space and go on with --continue; what has come stays";
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
                return fail(error(Errc::usage, "--speed: expected a number above 0, up to 10000, found {}",
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
        if (area_ && around_) return fail(Errc::usage, "expected --area or --around, found both");
        std::array<int, 4> blocks{};
        if (area_) {
            TRY(blocks, parse_numbers<4>("--area", *area_, "X1,Z1,X2,Z2"));
        } else if (around_) {
            TRY(const auto circle, parse_numbers<3>("--around", *around_, "X,Z,BLOCKS"));
            const auto [x, z, radius] = circle;
            if (radius < 0)
                return fail(Errc::usage, "--around: expected a distance of 0 or more, found {}", radius);
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
                error(Errc::usage, "the area has more than 4 million chunks").advise("take it in parts"));
        return area;
    }

    void print(Console& console, const game::DownloadReport& report) const {
        std::error_code none;
        console.line(fmt::format("{} in the folder, {} written in {:.1f} s, {}, {} received{}",
                                 counted(report.chunks, "chunk"), human_count(report.written), report.seconds,
                                 counted(report.stops, "stop"), human_bytes(report.bytes),
                                 report.is_finished ? ""
                                 : std::filesystem::is_directory(out_, none)
                                     ? "; NOT finished: go on with --continue"
                                     : "; nothing is kept"));
        if (report.unreachable > 0)
            console.line(fmt::format("  {} where the server did not let the player stay",
                                     counted(report.unreachable, "stop")));
        if (report.unnamed > 0)
            console.line(fmt::format("  {} with blocks that the server has not named",
                                     counted(report.unnamed, "packet")));
        list(console, report.incomplete, "did not come whole");
        list(console, report.unanswered,
             "was not sent, and not said to be missing: the server may be unable to read it");
        for (const auto& problem : report.problems) console.line(fmt::format("  {}", problem));
        if (report.is_finished && report.reach > 0 && report.chunks > 0)
            console.note(fmt::format("Land more than {} blocks from all other land was not looked for; "
                                     "--area X1,Z1,X2,Z2 with --continue looks everywhere in it",
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
        std::vector<std::string> lines{
            fmt::format("{:>5.0f} s  {:>15}  {:>12}, {} known to follow  {} received", status.seconds,
                        counted(status.chunks, "chunk"), counted(status.stops, "stop"),
                        human_count(status.waiting), human_bytes(status.bytes))};
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
    std::filesystem::path password_file_;
    std::optional<std::string> time_;
    LiveLines live_;
};

} // namespace

std::unique_ptr<Command> make_command_download() { return std::make_unique<CommandDownload>(); }

} // namespace orbis::app
