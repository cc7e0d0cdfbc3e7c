#include "app/command_up.hpp"

#include "app/assets_option.hpp"
#include "app/command_sample.hpp"
#include "app/describe_place.hpp"
#include "app/serve_map.hpp"
#include "care/source.hpp"
#include "http/host_check.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

class CommandUp final : public Command {
    void declare(Options& options) override {
        options
            .path("UNIVERSE", path_, "Universe, world folder, region file, RocksDB folder or backup zip",
                  false)
            .text("--http", http_,
                  "Where the map is served: ADDRESS:PORT (default: 127.0.0.1:5521; port 0 for any that is "
                  "free), or off")
            .texts("--allow-host", hosts_,
                   "Name by which others open the map, such as map.example.org; may be given again")
            .file("--cache", cache_, "Folder for the map's pictures (default: $XDG_CACHE_HOME/orbis/maps)");
        assets_.declare(options);
        options.footer(
            "Serves a map of all worlds until it is ended with Ctrl+C, and shows changes as the game "
            "saves them.\nNothing in the universe is changed or locked. Only this machine can see the "
            "map unless --http\nnames another address, such as 0.0.0.0:5521: then everyone who can "
            "reach it can look, by its\naddress, by the name of this machine, and by names given with "
            "--allow-host.\n"
            "Without a path it opens a sample universe, which it makes when there is none yet:\n"
            "$XDG_DATA_HOME/orbis/sample, else ~/.local/share/orbis/sample");
    }

    Result<Outcome> run(Console& console) override {
        std::optional<http::Address> address;
        if (http_ != "off") {
            TRY(address, http::parse_address(http_));
        }
        for (const auto& name : hosts_) TRY_DO(http::check_host_name(name));
        if (path_.empty()) {
            TRY(path_, make_default_sample(console, common.threads));
        }
        TRY(const auto place, care::find_source(path_.string()));
        TRY(const auto* assets, assets_.load(console));
        JsonWriter json;
        const auto outcome = describe(console, place, json);
        if (!address) {
            if (console.json()) console.line(json.end().text());
            return outcome;
        }
        ServeOptions options;
        options.address = *address;
        options.cache = cache_;
        options.hosts = hosts_;
        options.threads = common.threads;
        TRY_DO(serve_map(console, place, *assets, options, [&](const std::string& url) {
            if (console.json())
                console.line(json.member("url", url).end().text());
            else
                console.line(fmt::format("Map: {}", url));
        }));
        return Outcome::fine;
    }

    /// Says what is in the place; the JSON object stays open.
    Outcome describe(Console& console, const world::Place& place, JsonWriter& json) const {
        auto outcome = Outcome::fine;
        if (!console.json())
            console.line(fmt::format("Opened {}: {}, {}, {}", place.path, kind_text(place),
                                     counted(place.worlds.size(), "world"),
                                     counted(place.players, "player")));
        json.object()
            .member("path", place.path)
            .member("kind", world::name(place.kind))
            .member("zip", place.is_zip);
        json.member("players", place.players).key("worlds").array();
        for (const auto& world : place.worlds) {
            if (print_notes(console, world)) outcome = Outcome::damage;
            auto summary = care::summarize(world, common.threads);
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
                console.line(fmt::format("  {}: {}, {}, {}", one_line(world.name),
                                         counted(summary->chunks, "chunk"), summary->storage,
                                         human_bytes(summary->file_bytes)));
        }
        json.end();
        return outcome;
    }

    std::filesystem::path path_;
    std::string http_ = "127.0.0.1:5521";
    std::filesystem::path cache_;
    std::vector<std::string> hosts_;
    AssetsOption assets_;
};

} // namespace

std::unique_ptr<Command> make_command_up() { return std::make_unique<CommandUp>(); }

} // namespace orbis::app
