#include "app/capture_input.hpp"
#include "app/capture_tables.hpp"
#include "app/command.hpp"
#include "app/server_options.hpp"
#include "app/table.hpp"
#include "capture/capture_writer.hpp"
#include "game/bot/replay.hpp"
#include "game/download/captured_world.hpp"
#include "world/assets.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

class CommandCapture final : public Command {
    void declare(Options& options) override {
        options
            .choice("ACTION", action_,
                    {"info", "show", "filter", "stats", "json", "diff", "world", "replay", "scenario"},
                    "What to do")
            .path("FILE", file_, "The capture: a pcapng file")
            .path("OUT", other_,
                  "filter: the new capture. diff: the capture to compare with. world: the new world folder. "
                  "replay: the server, HOST or HOST:PORT. scenario: the new file",
                  false)
            .text("--where FILTER", where_,
                  "Only frames that this is true for, such as 'to server and size > 1000'")
            .number("--limit COUNT", limit_, 1, 2'000'000'000, "Stop after so many frames")
            .number("--player NUMBER", player_, 1, 2'000'000'000,
                    "world, replay: which player (default: the first who joins a world)")
            .flag("--at-once", at_once_,
                  "replay: as fast as the server reads, not at the times of the capture")
            .text("--name NAME", name_, "replay: name of the player (default: as in the capture)")
            .file("--password-file", password_file_, "replay: file whose first line is the server's password")
            .text("--build BUILD", build_, "Build, CRC or hash of the game for frames that do not say theirs")
            .footer("info tells what is in the file and who speaks; show prints a line for each frame, json "
                    "an object "
                    "with all fields; stats counts packets; filter copies frames into a new file; diff "
                    "compares two "
                    "captures, without their times; world writes what a player saw as a world folder, as "
                    "orbis download does; replay joins a server and says again what a player said; scenario "
                    "writes "
                    "that for bots.\n"
                    "Captures are written by `orbis serve --capture FILE` and `orbis bot --capture FILE`. "
                    "Wireshark "
                    "opens them too: orbis packet dissector --install.\n"
                    "A filter asks about packet, id, category, size, channel, to, from, player, build and "
                    "about fields, "
                    "joined by and, or, not and brackets:\n"
                    "  ChatMessage                            packets of this name\n"
                    "  packet ~ Update*                       * and ? stand for anything; without them: "
                    "contains\n"
                    "  ChatMessage.message ~ \"hello\"          = != < <= > >= ~ !~\n"
                    "  EntityUpdates.updates[].networkId = 5  any element of a list; [0] is the first\n"
                    "  *.networkId = 5                        any packet that has the field\n"
                    "A damaged file is read up to the damage; the exit code is 1 then, and for captures that "
                    "differ.");
    }

    Result<Outcome> run(Console& console) override {
        TRY_DO(check_options());
        CaptureInput input;
        input.file = file_;
        if (limit_) input.limit = static_cast<std::uint64_t>(*limit_);
        if (!where_.empty()) {
            auto filter = capture::Filter::parse(where_);
            if (!filter) return fail(std::move(filter).error().about("--where"));
            input.filter = *std::move(filter);
        }
        if (!build_.empty()) {
            TRY_DO(option_value("--build", protocol::find_schema(build_))); // names the builds that there are
            input.build = protocol::find_build(build_);
        }
        if (action_ == "info") return print_capture_info(console, input);
        if (action_ == "stats") return print_capture_stats(console, input);
        if (action_ == "filter") return filter(console, input);
        if (action_ == "world") return world(console, input);
        if (action_ == "replay") return replay(console, input);
        if (action_ == "scenario") return write_capture_scenario(console, input, other_);
        if (action_ != "diff") return show(console, input);
        auto other = input;
        other.file = other_;
        return print_capture_diff(console, input, other);
    }

    /// Options of one action are mistakes with another.
    [[nodiscard]] Result<void> check_options() const {
        const bool is_played = action_ == "world" || action_ == "replay";
        if (player_ && !is_played)
            return fail(error(Errc::usage, "--player can only be used with world and replay")
                            .advise("--where 'player = 3' chooses frames"));
        if (is_played && (!where_.empty() || limit_))
            return fail(error(Errc::usage, "{} cannot be used with {}",
                              where_.empty() ? "--limit" : "--where", action_)
                            .advise("orbis capture filter makes a capture of some frames"));
        const auto* of_replay = at_once_                  ? "--at-once"
                                : name_                   ? "--name"
                                : !password_file_.empty() ? "--password-file"
                                                          : nullptr;
        if (of_replay != nullptr && action_ != "replay")
            return fail(error(Errc::usage, "{} can only be used with replay", of_replay)
                            .advise("orbis capture --help"));
        const bool takes_other =
            action_ == "filter" || action_ == "diff" || action_ == "scenario" || is_played;
        if (takes_other != other_.empty()) return {};
        if (!takes_other)
            return fail(
                error(Errc::usage, "unexpected argument {}", other_.string()).advise("orbis capture --help"));
        return fail(error(Errc::usage, "OUT is missing: {} needs {}", action_,
                          action_ == "filter" || action_ == "scenario" ? "a file to write"
                          : action_ == "diff"                          ? "a second capture"
                          : action_ == "replay"                        ? "a server"
                                                                       : "a folder to write")
                        .advise("orbis capture --help"));
    }

    Result<Outcome> show(Console& console, const CaptureInput& input) {
        capture::RecordDecoder decoder;
        const bool is_json = console.json() || action_ == "json";
        std::optional<std::int64_t> start;
        TRY(const auto end,
            input.read([&](std::uint64_t number, const capture::Record& record) -> Result<void> {
                if (is_json) {
                    console.line(capture_json(number, record, decoder));
                    return {};
                }
                if (!start) start = record.time;
                print_row(console, {{fmt::format("{}", number), 7, Tone::faint, true, 3},
                                    {since_text(record.time, *start), 12, Tone::plain, true, 2},
                                    {fmt::format("{}", record.session), 3, Tone::plain, true},
                                    {std::string(arrow_of(record)), 1},
                                    {capture::packet_name(record), 28},
                                    {fmt::format("{}", record.length), 8, Tone::plain, true, 1},
                                    {short_value(record, decoder), 0, Tone::faint}});
                return {};
            }));
        if (end.damage) console.problem(*end.damage);
        return end.outcome();
    }

    Result<Outcome> filter(Console& console, const CaptureInput& input) {
        TRY(auto first, capture::CaptureReader::open(input.file)); // before a file is made for nothing
        if (auto opened = first.next(); !opened && first.facts().bytes == 0)
            return fail(std::move(opened).error());
        TRY(auto out, capture::CaptureWriter::create(other_, "orbis " ORBIS_VERSION));
        TRY(const auto end,
            input.read([&](std::uint64_t, const capture::Record& record) { return out.add(record); }));
        TRY_DO(out.finish());
        if (console.json()) {
            JsonWriter json;
            json.object()
                .member("frames", end.taken)
                .member("of", end.facts.records)
                .member("file", other_.string())
                .end();
            console.line(json.text());
        } else {
            console.line(fmt::format("Wrote {} of {} to {}", human_count(end.taken),
                                     counted(end.facts.records, "frame"), other_.string()));
        }
        if (end.damage) console.problem(*end.damage);
        return end.outcome();
    }

    Result<Outcome> world(Console& console, const CaptureInput& input) {
        game::CapturedWorldRules rules;
        rules.capture = input.file;
        rules.out = other_;
        if (player_) rules.player = static_cast<std::uint64_t>(*player_);
        rules.build = input.build;
        rules.command = common.command_line;
        rules.is_transparent = [](std::string_view key) {
            return world::Assets::built_in().is_transparent(key);
        };
        TRY(const auto report, game::world_of_capture(rules));
        if (console.json()) {
            JsonWriter json;
            json.object().member("player", report.player).member("chunks", report.chunks);
            json.member("unnamed_packets", report.unnamed).key("incomplete").array();
            for (const auto pos : report.incomplete)
                json.object().member("x", pos.x).member("z", pos.z).end();
            json.end().key("problems").array();
            for (const auto& problem : report.problems) json.string(problem);
            json.end().end();
            console.line(json.text());
        } else {
            console.line(fmt::format("Wrote {} that player {} saw to {}", counted(report.chunks, "chunk"),
                                     report.player, other_.string()));
            if (!report.incomplete.empty())
                console.line(
                    fmt::format("  {} did not come completely", counted(report.incomplete.size(), "chunk")));
            if (report.unnamed > 0)
                console.line(fmt::format("  {} with blocks that the server did not name",
                                         counted(report.unnamed, "packet")));
            for (const auto& problem : report.problems) console.line(fmt::format("  {}", problem));
        }
        if (report.has_more_worlds)
            console.note("the player went into another world later, which was left out");
        if (report.damage) console.problem(*report.damage);
        return report.is_fine() ? Outcome::fine : Outcome::damage;
    }

    Result<Outcome> replay(Console& console, const CaptureInput& input) {
        game::ReplayRules rules;
        rules.capture = input.file;
        TRY(rules.server, net::parse_host_port(other_.string()));
        if (player_) rules.player = static_cast<std::uint64_t>(*player_);
        rules.build = input.build;
        rules.name = name_;
        if (name_) {
            TRY_DO(check_player_name(*name_));
        }
        if (!password_file_.empty()) {
            TRY(rules.password, read_password_file(password_file_));
        }
        rules.is_at_once = at_once_;
        const StopSignal signal;
        TRY(const auto report, game::replay(rules, [] { return StopSignal::was_given(); }));
        if (console.json()) {
            JsonWriter json;
            json.object()
                .member("player", report.player)
                .member("name", report.name)
                .member("sent", report.sent);
            json.member("left_out", report.left_out).member("received", report.received);
            json.key("seconds").raw(fmt::format("{:.3f}", report.seconds));
            if (report.problem) json.member("problem", *report.problem);
            json.end();
            console.line(json.text());
        } else {
            console.line(fmt::format(
                "Sent {} of player {} as {} in {:.1f} s, received {}; {} belonged to the connection of then",
                counted(report.sent, "frame"), report.player, report.name, report.seconds,
                counted(report.received, "frame"), human_count(report.left_out)));
            if (report.problem) console.line(fmt::format("  {}", *report.problem));
        }
        if (report.damage) console.problem(*report.damage);
        return report.is_fine() ? Outcome::fine : Outcome::damage;
    }

    std::string action_;
    std::filesystem::path file_;
    std::filesystem::path other_;
    std::string where_;
    std::optional<int> limit_;
    std::optional<int> player_;
    bool at_once_ = false;
    std::optional<std::string> name_;
    std::filesystem::path password_file_;
    std::string build_;
};

} // namespace

std::unique_ptr<Command> make_command_capture() { return std::make_unique<CommandCapture>(); }

} // namespace orbis::app
