#include "app/assets_option.hpp"
#include "app/capture_option.hpp"
#include "app/command.hpp"
#include "app/command_serve_owner.hpp"
#include "app/game_server.hpp"
#include "app/key_files.hpp"
#include "app/player_assets.hpp"
#include "app/serve_events.hpp"
#include "app/server_options.hpp"
#include "app/world_argument.hpp"
#include "game/content/content_pack.hpp"
#include "game/serve/game_metrics.hpp"
#include "game/serve/metrics_page.hpp"
#include "game/serve/served_world.hpp"

#include <algorithm>
#include <csignal>

namespace orbis::app {

namespace {

constexpr std::string_view k_usual_bind = "127.0.0.1:5520";

/// An option has the name of the setting: `--max-players` and `max_players`.
Error as_option(Error problem) {
    std::ranges::replace(problem.part, '_', '-');
    problem.part = "--" + problem.part;
    problem.code = Errc::usage;
    return problem;
}

class CommandServe final : public Command {
    void declare(Options& options) override {
        location_.declare(options);
        options
            .text("--world WORLD", given_.world,
                  "Serve only this world (default: all; players start in the world `default`)")
            .text("--bind ADDRESS", given_.bind,
                  "Address for players: ADDRESS:PORT (default: 127.0.0.1:5520; port 0 takes any free port)")
            .file("--password-file", password_file_, "File whose first line is the password of the server")
            .file("--identity", identity_,
                  "Certificate and key from `orbis keys make` (default: new ones at each start)")
            .file("--settings", settings_file_,
                  "JSON file with these settings, such as max_players; options override it")
            .text("--name NAME", given_.name, "Name of the server (default: Orbis)")
            .text("--motd MESSAGE", given_.motd, "Message that clients show for the server")
            .text("--welcome MESSAGE", given_.welcome, "Chat message to each player who joins")
            .number("--max-players COUNT", given_.max_players, game::k_player_limits.least,
                    game::k_player_limits.most, "Most players at the same time (default: 100)")
            .number("--view-radius CHUNKS", given_.view_radius, game::k_view_limits.least,
                    game::k_view_limits.most, "Largest view radius of a player, in chunks (default: 32)")
            .number("--workers COUNT", given_.workers, game::k_worker_limits.least,
                    game::k_worker_limits.most, "Threads that prepare chunks (default: as --threads)")
            .number("--cache MEGABYTES", given_.cache, game::k_cache_limits.least, game::k_cache_limits.most,
                    "Megabytes for prepared chunks that no player sees (default: 256)")
            .number("--stop-notice SECONDS", given_.stop_notice, game::k_notice_limits.least,
                    game::k_notice_limits.most,
                    "Seconds between the announcement of a stop and the stop (default: 3)")
            .text("--metrics ADDRESS", given_.metrics,
                  "Address for Prometheus metrics: ADDRESS:PORT (default: off)")
            .text("--accept BUILDS", given_.accept,
                  "Builds of the game whose clients may join, separated by commas (default: all that orbis "
                  "speaks)")
            .flag("--no-map", no_map_, "Draw no map for players")
            .flag("--edit", edit_, "Let players in creative mode change blocks, and save the changes")
            .flag("--read-only", read_only_, "Change and lock nothing on disk (the default)")
            .number("--save-every SECONDS", save_every_, 1, 3600,
                    "With --edit: seconds between saves (default: 2)")
            .flag("--tell-edits", tell_edits_, "With --edit: report who changes which blocks")
            .flag("--unlimited", unlimited_,
                  "Send chunks as fast as the network allows, not at the pace of the game");
        capture_.declare(options);
        assets_.declare(options, AssetsOption::k_help_for_players);
        options.footer(
            "Serves the worlds until you stop it with Ctrl+C. Without --edit nothing on disk is changed or "
            "locked, so the game may have the worlds open; players see what it changes.\n"
            "With --edit the worlds are locked against other orbis commands, and the game must not have them "
            "open. Edits count as saved once they are safe on disk.\n"
            "Type commands on stdin; help lists them. With --settings, the command reload and SIGHUP read "
            "the "
            "file again.\n"
            "There are no accounts: anyone who can reach the address can join under any name, unless "
            "--password-file sets a password.\n"
            "With --json each event is one object per line: ready, join, leave, chat, world, edit, saved, "
            "unsaved, lost, unopened, empty, unreadable, answer, stopping, stopped.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto start, read_settings());
        TRY(auto location, location_.find(start.all.world.value_or("")));
        auto& worlds = location.worlds;
        if (worlds.empty())
            return fail(
                error(Errc::not_found, "there is no world to serve")
                    .in_file(location.path)
                    .advise(
                        "give a universe with a world in its folder worlds; orbis sample DIR creates one"));
        put_first_world_first(worlds);
        print_notes(console, location);

        if (edit_ && read_only_)
            return fail(error(Errc::usage, "--edit and --read-only cannot be used together")
                            .advise("leave one of them out"));
        if ((save_every_ || tell_edits_) && !edit_)
            return fail(error(Errc::usage, "{} needs --edit", save_every_ ? "--save-every" : "--tell-edits")
                            .advise("without --edit players cannot change anything"));
        for (const auto& world : worlds)
            if (edit_ && world.config.game_mode == "Adventure")
                console.note(fmt::format("players cannot edit {}: its config.json has the GameMode "
                                         "Adventure. To allow it, change it "
                                         "to Creative and start the server again",
                                         world.name));
        net::ServerSettings settings;
        TRY(settings.addresses, parse_bind(start.all.bind.value_or(std::string(k_usual_bind))));
        settings.rules.password = start.password;
        if (start.all.accept) {
            TRY(settings.rules.builds, net::find_spoken_builds(*start.all.accept)); // checked with the others
        }
        std::optional<http::Address> metrics;
        if (start.all.metrics && *start.all.metrics != "off") {
            auto address = http::parse_address(*start.all.metrics);
            if (!address) return fail(std::move(address).error().about("--metrics"));
            metrics = *address;
        }
        TRY(const auto identity, load_or_make_identity(identity_));
        TRY(const auto rules, game_rules(console, start.all));
        return serve(console, worlds, std::move(settings), identity, rules, start, metrics);
    }

    /// The command line over the file.
    Result<ServeOwner::Start> read_settings() {
        ServeOwner::Start start;
        start.given = given_;
        if (unlimited_) start.given.unlimited = true;
        if (!password_file_.empty()) start.given.password_file = password_file_.string();
        if (auto checked = start.given.check(); !checked) return fail(as_option(std::move(checked).error()));
        start.file = settings_file_;
        start.all = start.given;
        if (!settings_file_.empty()) {
            auto written = game::ServeSettings::load(settings_file_.string());
            if (!written) {
                // What is wrong in a file that was written for this command is wrong with the command.
                written.error().code = Errc::usage;
                return fail(std::move(written).error());
            }
            start.all = start.given.over(*written);
        }
        TRY(start.password, password_of(start.all));
        return start;
    }

    Result<game::GameRules> game_rules(Console& console, const game::ServeSettings& settings) {
        game::GameRules rules;
        rules.facts = facts_of(settings);
        rules.is_unlimited = settings.unlimited.value_or(false);
        rules.workers = static_cast<std::size_t>(settings.workers.value_or(
            static_cast<int>(std::min<std::size_t>(common.threads, game::k_worker_limits.most))));
        if (settings.cache) rules.cache.most_unused_bytes = static_cast<std::size_t>(*settings.cache) << 20;
        rules.has_map = !no_map_;
        rules.can_edit = edit_;
        rules.editing.saving.every = std::chrono::seconds(save_every_.value_or(2));
        TRY(rules.assets, assets_.load(console));
        TRY(pack_, open_player_assets(assets_, console, common.threads));
        if (pack_) rules.pack = &*pack_;
        return rules;
    }

    Result<Outcome> serve(Console& console, const std::vector<world::World>& worlds,
                          net::ServerSettings settings, const net::Identity& identity,
                          const game::GameRules& rules, const ServeOwner::Start& start,
                          const std::optional<http::Address>& metrics) {
        SignalWatch signals({SIGINT, SIGTERM, SIGHUP}); // before the threads, which inherit it
        ServeEvents events(console, tell_edits_);
        ServeOwner owner(start, events, signals);
        TRY(const auto recorder, capture_.start());
        settings.capture = recorder;
        auto started = GameServer::start(worlds, std::move(settings), identity, rules, events,
                                         [&](net::Loop& loop, game::ServedGame&) { owner.listen(loop); });
        if (!started) {
            if (recorder) recorder->discard();
            return fail(std::move(started).error());
        }
        auto server = *std::move(started);
        std::unique_ptr<game::MetricsPage> page;
        if (metrics) {
            auto shown = game::MetricsPage::start(*metrics, server->loop(), [&game = *server] {
                return game::game_metrics(game.game(), game.figures());
            });
            if (!shown) {
                auto problem = std::move(shown).error();
                if (problem.code == Errc::busy)
                    problem.advice = "stop that program, or choose another port with --metrics ADDRESS:PORT; "
                                     "port 0 takes any free port";
                return fail(std::move(problem));
            }
            page = *std::move(shown);
        }

        ServeEvents::Ready ready;
        bool is_public = false;
        for (const auto& address : server->net().addresses()) {
            ready.addresses.push_back(address.text());
            is_public |= !address.is_loopback();
        }
        for (const auto& world : server->game().worlds()) ready.worlds.push_back(world->name());
        ready.certificate = identity.fingerprint().text();
        ready.can_edit = edit_;
        ready.has_password = !start.password.empty();
        ready.facts = rules.facts;
        if (page) ready.metrics = page->url();
        if (is_public && !ready.has_password) console.note("anyone who can reach this address can join");
        events.on_ready(ready);

        owner.run(*server);
        page.reset(); // before the game that it asks
        const auto stopped = stopped_of(server->game());
        server.reset();
        events.on_stopped(stopped);
        TRY_DO(CaptureOption::finish(console, recorder));
        return stopped.unsaved == 0 ? Outcome::fine : Outcome::damage;
    }

    static ServeEvents::Stopped stopped_of(const game::ServedGame& game) {
        std::uint64_t unsaved = 0;
        for (const auto& world : game.worlds()) unsaved += world->edits().made - world->edits().saved;
        return {std::chrono::floor<std::chrono::seconds>(game.uptime()), game.counters().joined,
                game.counters().chunks_sent, unsaved};
    }

    WorldArgument location_{WorldArgument::Use::read};
    game::ServeSettings given_;
    std::filesystem::path settings_file_;
    std::filesystem::path password_file_;
    std::filesystem::path identity_;
    std::optional<int> save_every_;
    bool unlimited_ = false;
    bool no_map_ = false;
    bool edit_ = false;
    bool read_only_ = false;
    bool tell_edits_ = false;
    CaptureOption capture_;
    AssetsOption assets_;
    std::optional<game::ContentPack> pack_;
};

} // namespace

std::unique_ptr<Command> make_command_serve() { return std::make_unique<CommandServe>(); }

} // namespace orbis::app
