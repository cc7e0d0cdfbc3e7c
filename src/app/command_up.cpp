#include "app/command_up.hpp"

#include "app/command_sample.hpp"
#include "app/describe_place.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

class CommandUp final : public Command {
    void declare(Options& options) override {
        options
            .path("UNIVERSE", path_, "Universe, world folder, region file, RocksDB folder or backup zip",
                  false)
            .footer("Without a path it opens a sample universe, which it makes when there is none yet:\n"
                    "$XDG_DATA_HOME/orbis/sample, else ~/.local/share/orbis/sample");
    }

    Result<Outcome> run(Console& console) override {
        if (path_.empty()) {
            TRY(path_, make_default_sample(console, common.threads));
        }
        TRY(const auto place, world::find_place(path_));
        auto outcome = Outcome::fine;
        if (!console.json())
            console.line(fmt::format("Opened {}: {}, {}, {}", place.path, kind_text(place),
                                     counted(place.worlds.size(), "world"),
                                     counted(place.players, "player")));
        JsonWriter json;
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
                console.line(fmt::format("  {}: {}, {}, {}", world.name, counted(summary->chunks, "chunk"),
                                         summary->storage, human_bytes(summary->file_bytes)));
        }
        json.end().end();
        if (console.json()) console.line(json.text());
        return outcome;
    }

    std::filesystem::path path_;
};

} // namespace

std::unique_ptr<Command> make_command_up() { return std::make_unique<CommandUp>(); }

} // namespace orbis::app
