#include "app/capture_input.hpp"
#include "app/capture_replay.hpp"
#include "app/capture_tables.hpp"
#include "app/command.hpp"
#include "app/game_server.hpp"
#include "app/server_options.hpp"
#include "app/table.hpp"
#include "capture/capture_writer.hpp"
#include "game/download/captured_world.hpp"
#include "game/replay/client_side.hpp"
#include "world/assets.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

class CommandCapture final : public Command {
    void declare(Options& options) override {
        options
            .choice(
                "ACTION", action_,
                {"info", "show", "serve", "filter", "stats", "json", "diff", "world", "replay", "scenario"},
                "What to do")
            .path("FILE", file_, "The capture: a pcapng file")
            .path("OUT", other_,
                  "filter: the new capture. diff: the capture to compare with. world: the new world folder. "
                  "replay: the server, HOST or HOST:PORT, unless --listen is given. scenario: the new file",
                  false)
            .text("--where FILTER", where_,
                  "Only frames that this is true for, such as 'to server and size > 1000'")
            .number("--limit COUNT", limit_, 1, 2'000'000'000, "Stop after so many frames")
            .number("--player NUMBER", player_, 1, 2'000'000'000,
                    "world, replay: which player (default: the first who joins a world)")
            .text("--listen ADDRESS", listen_,
                  "replay: wait here for a client, ADDRESS:PORT, and play the server's side to it (port 0 "
                  "takes any free port)")
            .number("--clients COUNT", clients_, 1, 1000,
                    "replay --listen: end after so many clients (default: 1)")
            .text("--stay TIME", stay_,
                  "replay --listen: how long a client may stay after the last frame (default: 10s)")
            .flag("--at-once", at_once_,
                  "replay: as fast as the other side reads, not at the times of the capture")
            .text("--name NAME", name_, "replay: name of the player (default: as in the capture)")
            .file("--password-file", password_file_, "replay: file whose first line is the server's password")
            .text("--http ADDRESS", http_,
                  "serve: address of the page: ADDRESS:PORT (default: 127.0.0.1:5522; port 0 takes any free "
                  "port)")
            .texts("--allow-host HOST", hosts_,
                   "serve: allow this host name for the page; can be given several times")
            .flag("--personal", personal_,
                  "serve: show tokens, passwords and referral data too, where the capture has them")
            .text("--build BUILD", build_, "Build, CRC or hash of the game for frames that do not say theirs")
            .footer("info tells what is in the file and who speaks; show prints a line for each frame, json "
                    "an object "
                    "with all fields; serve shows the file in the browser until you stop it with Ctrl+C: a "
                    "list with "
                    "filters, fields and bytes, rates, a map; stats counts packets; filter copies frames "
                    "into a new file; diff "
                    "compares two "
                    "captures, without their times; world writes what a player saw as a world folder, as "
                    "orbis download does; replay joins a server and says again what a player said, or with "
                    "--listen "
                    "says to a client again what the server said; scenario writes for bots what players "
                    "did.\n"
                    "Captures are written by orbis serve, orbis bot and orbis proxy with --capture FILE. "
                    "Wireshark opens them too: orbis packet dissector --install.\n"
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
        if (action_ == "serve") return serve(console, input);
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
        const auto* of_serve = http_             ? "--http"
                               : !hosts_.empty() ? "--allow-host"
                               : personal_       ? "--personal"
                                                 : nullptr;
        if (of_serve != nullptr && action_ != "serve")
            return fail(error(Errc::usage, "{} can only be used with serve", of_serve)
                            .advise("orbis capture --help"));
        if (action_ == "serve" && (!where_.empty() || limit_))
            return fail(
                error(Errc::usage, "{} cannot be used with serve", where_.empty() ? "--limit" : "--where")
                    .advise("the page has a field for filters"));
        const auto* of_replay = at_once_                  ? "--at-once"
                                : listen_                 ? "--listen"
                                : clients_                ? "--clients"
                                : stay_                   ? "--stay"
                                : name_                   ? "--name"
                                : !password_file_.empty() ? "--password-file"
                                                          : nullptr;
        if (of_replay != nullptr && action_ != "replay")
            return fail(error(Errc::usage, "{} can only be used with replay", of_replay)
                            .advise("orbis capture --help"));
        if (action_ == "replay") {
            TRY_DO(check_sides());
        }
        const bool takes_other =
            action_ == "filter" || action_ == "diff" || action_ == "scenario" || (is_played && !listen_);
        if (takes_other != other_.empty()) return {};
        if (!takes_other)
            return fail(
                error(Errc::usage, "unexpected argument {}", other_.string()).advise("orbis capture --help"));
        return fail(error(Errc::usage, "OUT is missing: {} needs {}", action_,
                          action_ == "filter" || action_ == "scenario" ? "a file to write"
                          : action_ == "diff"                          ? "a second capture"
                          : action_ == "replay"                        ? "a server, or --listen ADDRESS"
                                                                       : "a folder to write")
                        .advise("orbis capture --help"));
    }

    /// One side is played, to a server or to clients.
    [[nodiscard]] Result<void> check_sides() const {
        if (listen_ && !other_.empty())
            return fail(
                error(Errc::usage, "--listen and the server {} cannot be used together", other_.string())
                    .advise("leave out one: a server is told what the player said, a client that "
                            "comes to --listen what the server said"));
        const auto* of_clients = clients_ ? "--clients" : stay_ ? "--stay" : nullptr;
        if (!listen_ && of_clients != nullptr)
            return fail(error(Errc::usage, "{} needs --listen", of_clients).advise("--listen ADDRESS:PORT"));
        const auto* of_servers = name_ ? "--name" : !password_file_.empty() ? "--password-file" : nullptr;
        if (listen_ && of_servers != nullptr)
            return fail(error(Errc::usage, "{} cannot be used with --listen", of_servers)
                            .advise("it is for a server that the player joins"));
        return {};
    }

    Result<Outcome> serve(Console& console, const CaptureInput& input) const {
        CapturePageOptions options;
        if (http_) options.address = *http_;
        options.hosts = hosts_;
        options.keeps_personal = personal_;
        return serve_capture(console, input, options);
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
        if (end.damage) {
            auto damage = *end.damage;
            damage.advice = "the new file has what comes before this";
            console.problem(damage);
        }
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
        if (listen_) return replay_to_clients(console, input);
        game::ClientSideRules rules;
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
        TRY(const auto report, game::replay_client_side(rules, [] { return StopSignal::was_given(); }));
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

    Result<Outcome> replay_to_clients(Console& console, const CaptureInput& input) {
        game::ServerSideRules rules;
        rules.connection.capture = input.file;
        if (player_) rules.connection.player = static_cast<std::uint64_t>(*player_);
        rules.connection.build = input.build;
        TRY(rules.addresses, option_value("--listen", parse_bind(*listen_)));
        rules.is_at_once = at_once_;
        if (clients_) rules.clients = static_cast<std::size_t>(*clients_);
        if (stay_) {
            TRY(rules.stay, parse_time("--stay", *stay_));
        }
        return replay_capture_to_clients(console, rules);
    }

    std::string action_;
    std::filesystem::path file_;
    std::filesystem::path other_;
    std::string where_;
    std::optional<int> limit_;
    std::optional<int> player_;
    std::optional<std::string> listen_;
    std::optional<int> clients_;
    std::optional<std::string> stay_;
    bool at_once_ = false;
    std::optional<std::string> name_;
    std::filesystem::path password_file_;
    std::string build_;
    std::optional<std::string> http_;
    std::vector<std::string> hosts_;
    bool personal_ = false;
};

} // namespace

std::unique_ptr<Command> make_command_capture() { return std::make_unique<CommandCapture>(); }

} // namespace orbis::app
