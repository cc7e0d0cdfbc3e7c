#include "app/command_serve.hpp"

#include "app/assets_option.hpp"
#include "app/describe_place.hpp"
#include "app/game_server.hpp"
#include "app/key_files.hpp"
#include "app/serve_events.hpp"
#include "app/serve_owner.hpp"
#include "bytes/shell_quote.hpp"
#include "care/snapshot/source.hpp"
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
        options
            .path("PATH", path_,
                  "Universe, world folder, region file, RocksDB folder, backup zip or snapshot")
            .text("--world", given_.world,
                  "Serve only this world (default: all, and players begin in `default`)")
            .text(
                "--bind", given_.bind,
                "Where players connect: ADDRESS:PORT (default: 127.0.0.1:5520; port 0 for any that is free)")
            .file("--password-file", password_file_, "A file whose first line is the password to get in")
            .file("--identity", identity_,
                  "Certificate and key as `orbis keys make` writes them (default: new ones at each start)")
            .file("--settings", settings_file_,
                  "A JSON file with settings of these names, such as max_players; options here win")
            .text("--name", given_.name, "The name of the server (default: Orbis)")
            .text("--motd", given_.motd, "A line that clients show for the server")
            .text("--welcome", given_.welcome, "What a player hears when it comes")
            .number("--max-players", given_.max_players, game::k_player_limits.least,
                    game::k_player_limits.most, "Players at a time (default: 100)")
            .number("--view-radius", given_.view_radius, game::k_view_limits.least, game::k_view_limits.most,
                    "Chunks that a player sees at most (default: 32)")
            .number("--workers", given_.workers, game::k_worker_limits.least, game::k_worker_limits.most,
                    "Threads that prepare chunks (default: one per core, or what --threads says)")
            .number("--cache", given_.cache, game::k_cache_limits.least, game::k_cache_limits.most,
                    "Megabytes of prepared chunks that are kept though nobody sees them (default: 256)")
            .number("--stop-notice", given_.stop_notice, game::k_notice_limits.least,
                    game::k_notice_limits.most,
                    "Seconds that players have to leave when the server is asked to stop (default: 3)")
            .text("--metrics", given_.metrics,
                  "Where figures are served for Prometheus: ADDRESS:PORT (default: off)")
            .flag("--no-map", no_map_, "Draw no map of the worlds for players")
            .flag("--edit", edit_, "Let players in creative mode change blocks, and save what they change")
            .flag("--read-only", read_only_, "Change nothing on the disk and lock nothing (the default)")
            .number("--save-every", save_every_, 1, 3600, "With --edit: seconds between saves (default: 2)")
            .flag("--tell-edits", tell_edits_, "With --edit: tell who changes which blocks")
            .flag("--unlimited", unlimited_,
                  "Send chunks as fast as the network takes them, not at the pace of the game");
        assets_.declare(options);
        options.footer(
            "Lets players into the worlds of a universe until it is ended with Ctrl+C. Without --edit "
            "nothing on the disk is changed or locked: the game may have the worlds open. What others change "
            "on the disk is shown to players.\n"
            "With --edit the worlds are locked, so no other orbis writes to them, and the game must not "
            "have them open. Edits count as saved when they are safe on the disk.\n"
            "Commands are read from stdin, one per line: help lists them. With --settings, reload and SIGHUP "
            "read the file again.\n"
            "No account is asked for, so everyone who can reach the address can join under any name; "
            "--password-file asks for a password.\n"
            "With --json each event is an object on a line of its own: ready, join, leave, chat, world, "
            "edit, saved, unsaved, lost, unopened, empty, unreadable, answer, stopping, stopped.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto start, read_settings());
        TRY(auto place, care::find_source(path_.string()));
        TRY(place, world::narrow_to_world(std::move(place), start.all.world.value_or("")));
        auto& worlds = place.worlds;
        if (worlds.empty())
            return fail(
                error(Errc::not_found, "expected a world to serve, found none")
                    .in_file(place.path)
                    .advise("give a universe with something in its folder worlds; orbis sample makes one"));
        put_first_world_first(worlds);
        for (const auto& world : worlds) print_notes(console, world);

        if (edit_ && read_only_)
            return fail(error(Errc::usage, "expected one of --edit and --read-only, found both")
                            .advise("leave one of them out"));
        if ((save_every_ || tell_edits_) && !edit_)
            return fail(error(Errc::usage, "expected --edit with {}, found none",
                              save_every_ ? "--save-every" : "--tell-edits")
                            .advise("without --edit nothing is changed"));
        for (const auto& world : worlds)
            if (edit_ && world.config.game_mode == "Adventure")
                console.note(fmt::format(
                    "players of {} cannot edit: its config.json has the GameMode Adventure; write "
                    "Creative there and start again to let them",
                    world.name));
        net::ServerSettings settings;
        TRY(settings.addresses, parse_bind(start.all.bind.value_or(std::string(k_usual_bind))));
        settings.rules.password = start.password;
        std::optional<http::Address> metrics;
        if (start.all.metrics && *start.all.metrics != "off") {
            auto address = http::parse_address(*start.all.metrics);
            if (!address) return fail(std::move(address).error().about("--metrics"));
            metrics = *address;
        }
        TRY(const auto identity, load_identity());
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

    [[nodiscard]] Result<net::Identity> load_identity() const {
        if (identity_.empty()) return make_identity();
        const auto files = KeyFiles::named(identity_);
        if (files.key.empty())
            return fail(error(Errc::not_found, "expected a certificate and a key beside it, found none")
                            .in_file(identity_.string())
                            .advise("orbis keys make " + shell_quoted(identity_.string())));
        return net::load_identity(files.certificate, files.key);
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
        if (!assets_.path().empty()) {
            TRY_DO(offer_assets(console));
            if (pack_) rules.pack = &*pack_;
        }
        return rules;
    }

    /// What the user's assets have for clients is offered to them. Those that only name blocks have nothing.
    Result<void> offer_assets(Console& console) {
        std::vector<Error> problems;
        auto pack = game::ContentPack::open(assets_.path(), console, problems, common.threads);
        for (const auto& problem : problems) console.problem(problem);
        if (!pack && pack.error().code == Errc::unknown_kind) return {}; // no folder for clients in it
        if (!pack) return fail(std::move(pack).error());
        pack_.emplace(*std::move(pack));
        console.note(fmt::format("Offered for download: {}, {}", counted(pack_->assets().size(), "file"),
                                 human_bytes(pack_->bytes())));
        return {};
    }

    Result<Outcome> serve(Console& console, const std::vector<world::World>& worlds,
                          net::ServerSettings settings, const net::Identity& identity,
                          const game::GameRules& rules, const ServeOwner::Start& start,
                          const std::optional<http::Address>& metrics) {
        SignalWatch signals({SIGINT, SIGTERM, SIGHUP}); // before the threads, which inherit it
        ServeEvents events(console, tell_edits_);
        ServeOwner owner(start, events, signals);
        TRY(auto server, GameServer::start(worlds, std::move(settings), identity, rules, events,
                                           [&](net::Loop& loop, game::ServedGame&) { owner.listen(loop); }));
        std::unique_ptr<game::MetricsPage> page;
        if (metrics) {
            auto started = game::MetricsPage::start(*metrics, server->loop(), [&game = *server] {
                return game::game_metrics(game.game(), game.figures());
            });
            if (!started) {
                auto problem = std::move(started).error();
                if (problem.code == Errc::busy)
                    problem.advice = "end that program, or choose another port with --metrics ADDRESS:PORT; "
                                     "port 0 takes any that is free";
                return fail(std::move(problem));
            }
            page = *std::move(started);
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
        if (is_public && !ready.has_password) console.note("everyone who can reach this address can join");
        events.on_ready(ready);

        owner.run(*server);
        page.reset(); // before the game that it asks
        const auto stopped = stopped_of(server->game());
        server.reset();
        events.on_stopped(stopped);
        return stopped.unsaved == 0 ? Outcome::fine : Outcome::damage;
    }

    static ServeEvents::Stopped stopped_of(const game::ServedGame& game) {
        std::uint64_t unsaved = 0;
        for (const auto& world : game.worlds()) unsaved += world->edits().made - world->edits().saved;
        return {std::chrono::floor<std::chrono::seconds>(game.uptime()), game.counters().joined,
                game.counters().chunks_sent, unsaved};
    }

    std::filesystem::path path_;
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
    AssetsOption assets_;
    std::optional<game::ContentPack> pack_;
};

} // namespace

std::unique_ptr<Command> make_command_serve() { return std::make_unique<CommandServe>(); }

} // namespace orbis::app
