#include "app/command.hpp"
#include "app/world_argument.hpp"
#include "bytes/zstd.hpp"
#include "jobs/edit/compact.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

class CommandCompact final : public Command {
    void declare(Options& options) override {
        world_.declare_all(options);
        options
            .number("--level LEVEL", level_, 1, 22,
                    "Recompress every chunk at this Zstandard level, 1 to 22 (the game uses 3)")
            .dry_run(dry_run_)
            .flag("--drop-lost", drops_lost_,
                  "Also drop whole chunks that no index entry points to; use this if they were removed on "
                  "purpose")
            .flag("--no-undo", no_undo_, "Keep no copy of the old files; this frees the space at once")
            .force(force_)
            .footer("Each file is rewritten beside the old one, synced and read back before it replaces it. "
                    "Older versions of chunks in unused segments are lost. The old files are kept for `orbis "
                    "undo`; `orbis undo PATH --forget` frees their space.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto location, world_.find());
        return for_each_world(console, location,
                              [&](const world::World& world) { return compact(console, world); });
    }

    Result<Outcome> compact(Console& console, const world::World& world) const {
        const bool noted = print_notes(console, world);
        const jobs::CompactOptions options{
            level_, force_, dry_run_, common.threads, common.command_line, drops_lost_, !no_undo_};
        TRY(const auto report, jobs::compact(world, options, console));
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
            console.line(fmt::format("{}: {} {} of {}; {} before, {} after", world.name,
                                     dry_run_ ? "would rewrite" : "rewrote", human_count(rewritten),
                                     counted(report.files.size(), "file"), human_bytes(before),
                                     human_bytes(after)));
        if (!report.archive.empty())
            console.note(fmt::format(
                "to undo this: orbis undo {0}; to free the space of the old files: orbis undo {0} "
                "--forget",
                world_.argument()));
        return report.problems.empty() && !noted ? Outcome::fine : Outcome::damage;
    }

    void print_json(Console& console, const jobs::CompactedFile& file) const {
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

    WorldArgument world_{WorldArgument::Use::write};
    std::optional<int> level_;
    bool dry_run_ = false;
    bool force_ = false;
    bool drops_lost_ = false;
    bool no_undo_ = false;
};

} // namespace

std::unique_ptr<Command> make_command_compact() { return std::make_unique<CommandCompact>(); }

} // namespace orbis::app
