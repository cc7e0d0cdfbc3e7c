#include "app/assets_option.hpp"
#include "app/command.hpp"
#include "app/command_up_map.hpp"
#include "app/command_up_signals.hpp"
#include "app/game_server.hpp"
#include "app/key_files.hpp"
#include "app/player_assets.hpp"
#include "app/sample_universe.hpp"
#include "app/serve_events.hpp"
#include "app/world_argument.hpp"
#include "bytes/joined.hpp"
#include "game/serve/game_rules.hpp"
#include "http/host_check.hpp"
#include "jobs/inspect/summary.hpp"

#include <fmt/format.h>

#include <optional>

namespace orbis::app {

namespace {

class CommandUp final : public Command {
    void declare(Options& options) override {
        location_.declare(options, "UNIVERSE", nullptr, false);
        options
            .text(
                "--http ADDRESS", http_,
                "Address of the map: ADDRESS:PORT (default: 127.0.0.1:5521; port 0 takes any free port), or "
                "off")
            .text("--game ADDRESS", game_,
                  "Address for players: ADDRESS:PORT (default: 127.0.0.1:5520; port 0 takes any free port), "
                  "or off")
            .texts("--allow-host HOST", hosts_,
                   "Allow this host name for the map, such as map.example.org; can be given several times")
            .file("--cache FOLDER", cache_, "Folder for map images (default: $XDG_CACHE_HOME/orbis/maps)");
        assets_.declare(options, AssetsOption::k_help_for_players);
        options.footer(
            "Shows a map of all worlds until you stop it with Ctrl+C; changes appear as the game saves them. "
            "Nothing in the universe is changed or locked.\n"
            "Players can join and look around, without an account or a password, but cannot change anything. "
            "`orbis serve` has more options for running a server.\n"
            "Only this machine can open the map or join, unless --http or --game gives another address such "
            "as 0.0.0.0:5521. Then anyone who can reach it can open the map: by address, by the name of this "
            "machine, or by a name given with --allow-host.\n"
            "Without a path it opens a sample universe, and creates it the first time: "
            "$XDG_DATA_HOME/orbis/sample, else ~/.local/share/orbis/sample");
    }

    Result<Outcome> run(Console& console) override {
        std::optional<http::Address> address;
        if (http_ != "off") {
            TRY(address, http::parse_address(http_));
        }
        std::vector<net::Address> game_addresses;
        if (game_ != "off") {
            TRY(game_addresses, parse_bind(game_));
        }
        for (const auto& name : hosts_) TRY_DO(http::check_host_name(name));
        if (location_.path().empty()) {
            TRY(auto sample, make_default_sample(console, common.threads));
            location_.set_path(std::move(sample));
        }
        TRY(const auto location, location_.find_all());
        game::GameRules rules;
        TRY(rules.assets, assets_.load(console));
        std::optional<game::ContentPack> pack;
        if (!game_addresses.empty()) {
            TRY(pack, open_player_assets(assets_, console, common.threads));
        }
        if (pack) rules.pack = &*pack;
        JsonWriter json;
        const auto outcome = describe(console, location, json);
        EndingSignals signals;   // before the threads, which inherit it
        TRY_DO(console.flush()); // what follows goes through the events, which other threads have too
        ServeEvents events(console);
        const auto game = let_players_in(console, location, game_addresses, rules, events);
        const auto tell = [&](const std::string& url) {
            events.begin(describe_services(console, json, url, game.get()));
        };
        if (!address) {
            tell({});
            if (!game) return outcome;
            signals.wait();
            console.note("Stopping");
        } else {
            ServeOptions options;
            options.address = *address;
            options.cache = cache_;
            options.hosts = hosts_;
            options.threads = common.threads;
            TRY_DO(serve_map(console, location, *rules.assets, options, signals, tell));
        }
        if (game) {
            game->loop().post([&] { game->begin_stop(std::chrono::seconds(0), {}); });
            game->wait_for_end();
        }
        return Outcome::fine;
    }

    /// Null if players cannot join. The map is shown all the same, and the reason is printed.
    static std::unique_ptr<GameServer> let_players_in(Console& console, const world::Location& location,
                                                      const std::vector<net::Address>& addresses,
                                                      const game::GameRules& rules, ServeEvents& events) {
        if (addresses.empty()) return nullptr;
        if (location.worlds.empty()) {
            console.note(
                "players cannot join: there is no world; orbis sample DIR creates one to try things on");
            return nullptr;
        }
        auto worlds = location.worlds;
        put_first_world_first(worlds);
        net::ServerSettings settings;
        settings.addresses = addresses;
        auto identity = make_identity();
        auto started = identity ? GameServer::start(worlds, std::move(settings), *identity, rules, events)
                                : Result<std::unique_ptr<GameServer>>(std::unexpected(identity.error()));
        if (!started) {
            auto problem = started.error();
            if (problem.code == Errc::busy)
                problem.advice = "stop that program, such as the game's server or another orbis, or choose "
                                 "another port with --game ADDRESS:PORT; --game off lets nobody in";
            console.note(fmt::format("players cannot join: {}", problem.text()));
            events.forget();
            return nullptr;
        }
        for (const auto& address : (*started)->net().addresses())
            if (!address.is_loopback()) {
                console.note("anyone who can reach this address can join");
                break;
            }
        return *std::move(started);
    }

    /// Where the map is and where players connect; ends the JSON object.
    static std::vector<std::string> describe_services(const Console& console, JsonWriter& json,
                                                      const std::string& url, GameServer* game) {
        const auto where = game != nullptr ? game->net().addresses().front().text() : std::string();
        if (console.json()) {
            if (!url.empty()) json.member("url", url);
            json.key("game");
            if (where.empty())
                json.null();
            else
                json.string(where);
            return {std::string(json.end().text())};
        }
        std::vector<std::string> lines;
        if (!url.empty()) lines.push_back(fmt::format("Map: {}", url));
        if (!where.empty()) lines.push_back(fmt::format("Game: {} (to try it: orbis bot {})", where, where));
        return lines;
    }

    /// Says what is in the location; the JSON object stays open.
    Outcome describe(Console& console, const world::Location& location, JsonWriter& json) const {
        auto outcome = Outcome::fine;
        if (!console.json())
            console.line(fmt::format("Opened {}: {}, {}, {}", location.path, kind_text(location),
                                     counted(location.worlds.size(), "world"),
                                     counted(location.players, "player")));
        json.object()
            .member("path", location.path)
            .member("kind", world::name(location.kind))
            .member("zip", location.is_zip);
        json.member("players", location.players).key("worlds").array();
        for (const auto& world : location.worlds) {
            if (print_notes(console, world)) outcome = Outcome::damage;
            auto summary = jobs::summarize(world, common.threads);
            if (!summary) {
                console.problem(summary.error());
                outcome = Outcome::damage;
                continue;
            }
            for (const auto& problem : summary->problems) console.problem(problem);
            if (!summary->problems.empty()) outcome = Outcome::damage;
            json.object().member("name", world.name).member("storage", summary->storage);
            json.member("chunks", summary->chunks).member("bytes", summary->file_bytes).end();
            if (!console.json())
                console.line(fmt::format("  {}: {}, {}, {}", world.name, counted(summary->chunks, "chunk"),
                                         summary->storage, human_bytes(summary->file_bytes)));
        }
        json.end();
        return outcome;
    }

    WorldArgument location_{WorldArgument::Use::read};
    std::string http_ = "127.0.0.1:5521";
    std::string game_ = "127.0.0.1:5520";
    std::filesystem::path cache_;
    std::vector<std::string> hosts_;
    AssetsOption assets_;
};

} // namespace

std::unique_ptr<Command> make_command_up() { return std::make_unique<CommandUp>(); }

} // namespace orbis::app
