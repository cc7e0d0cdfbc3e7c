#include "app/command_compact.hpp"

#include "app/describe_place.hpp"
#include "bytes/zstd.hpp"
#include "care/edit/compact.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

class CommandCompact final : public Command {
    void declare(Options& options) override {
        options.path("PATH", path_, "Universe, world folder, region file or RocksDB folder")
            .text("--world", world_, "Only this world of a universe")
            .number("--level", level_, 1, 22,
                    "Compress every chunk anew at this Zstandard level (the game uses 3)")
            .flag("--dry-run", dry_run_, "Say what would change and change nothing")
            .flag("--drop-lost", drops_lost_,
                  "Also where whole chunks lie that no index entry leads to: after they were removed on "
                  "purpose")
            .flag("--no-undo", no_undo_, "Keep no copy of the files as they were: frees the space at once")
            .flag("--force", force_, "Also when another process has the files open")
            .footer(
                "Each file is written anew beside the old one, synced and read back before it takes its "
                "place. "
                "Older copies of chunks that still lie in unused segments are gone afterwards. The files as "
                "they were are kept for orbis undo and take their space until orbis undo PATH --forget.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto place, world::find_place(path_));
        if (!world_.empty() || place.worlds.size() == 1) {
            TRY(const auto* world, world::choose_world(place, world_));
            return compact(console, *world);
        }
        auto outcome = Outcome::fine;
        for (const auto& world : place.worlds) {
            const auto done = compact(console, world);
            if (!done) console.problem(done.error());
            if (!done || *done == Outcome::damage) outcome = Outcome::damage;
        }
        return outcome;
    }

    Result<Outcome> compact(Console& console, const world::World& world) const {
        const bool noted = print_notes(console, world);
        const care::CompactOptions options{
            level_, force_, dry_run_, common.threads, common.command_line, drops_lost_, !no_undo_};
        TRY(const auto report, care::compact(world, options, console));
        for (const auto& problem : report.problems) console.problem(problem);
        std::uint64_t before = 0;
        std::uint64_t after = 0;
        std::uint64_t rewritten = 0;
        for (const auto& file : report.files) {
            before += file.bytes_before;
            after += file.bytes_after;
            rewritten += file.rewritten ? 1 : 0;
            if (console.json()) print_json(console, file);
        }
        if (!console.json())
            console.line(fmt::format("{}: {} {} of {}, {} before, {} after", world.name,
                                     dry_run_ ? "would rewrite" : "rewrote", human_count(rewritten),
                                     counted(report.files.size(), "file"), human_bytes(before),
                                     human_bytes(after)));
        if (!report.archive.empty())
            console.note(
                fmt::format("take it back with: orbis undo {0}; free the space of the old files with: "
                            "orbis undo {0} --forget",
                            place_argument(path_, world_)));
        return report.problems.empty() && !noted ? Outcome::fine : Outcome::damage;
    }

    void print_json(Console& console, const care::CompactedFile& file) const {
        JsonWriter json;
        json.object()
            .member("file", file.file)
            .member("bytes_before", file.bytes_before)
            .member("bytes_after", file.bytes_after)
            .member("rewritten", file.rewritten)
            .member("dry_run", dry_run_)
            .end();
        console.line(json.text());
    }

    std::filesystem::path path_;
    std::string world_;
    std::optional<int> level_;
    bool dry_run_ = false;
    bool force_ = false;
    bool drops_lost_ = false;
    bool no_undo_ = false;
};

} // namespace

std::unique_ptr<Command> make_command_compact() { return std::make_unique<CommandCompact>(); }

} // namespace orbis::app
