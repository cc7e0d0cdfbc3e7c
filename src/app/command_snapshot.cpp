#include "app/command.hpp"
#include "app/world_argument.hpp"
#include "bytes/utc_text.hpp"
#include "jobs/snapshot/take.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

class CommandSnapshot final : public Command {
    void declare(Options& options) override {
        options.path("STORE", store_, "Folder of snapshots; created if it does not exist");
        world_.declare_all(options);
        options.text("--name NAME", name_, "A name for the snapshot; named snapshots are never thinned out")
            .text("--note REMARK", note_, "A remark to list with it")
            .number("--level LEVEL", level_, 1, 19, "Zstandard level for new content, 1 to 19 (default: 7)")
            .flag("--reread", reread_, "Read also files that look unchanged since the last snapshot")
            .footer("PATH is not changed. Everything is stored once, so a snapshot takes only the space of "
                    "what changed. The server may run: each chunk is whole, but chunks may be seconds apart. "
                    "If it is interrupted, earlier snapshots are safe; run the same command again.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto location, world_.find());
        bool noted = false;
        for (const auto& world : location.worlds) {
            noted = print_notes(console, world) || noted;
            noted = lacks_configuration(console, world) || noted;
        }
        jobs::snapshot::TakeOptions options;
        if (name_) {
            TRY_DO(jobs::snapshot::check_name(*name_));
            options.name = *name_;
        }
        options.note = note_;
        options.level = level_.value_or(jobs::snapshot::k_default_level);
        options.reread = reread_;
        options.threads = common.threads;
        auto taken = jobs::snapshot::take(store_, location, options, console);
        if (!taken && (taken.error().code == Errc::io || taken.error().code == Errc::no_space))
            taken.error().problem = "no snapshot was taken, earlier ones are safe: " + taken.error().problem;
        TRY(const auto report, std::move(taken));
        const auto now = utc_now().time_since_epoch().count();
        for (std::size_t i = 0; i < location.worlds.size(); ++i)
            jobs::remember_counts(location.worlds[i], report.counts[i], now, false);
        for (const auto& problem : report.problems) console.problem(problem);
        if (console.json())
            print_json(console, report);
        else
            print(console, report);
        return report.problems.empty() && !noted ? Outcome::fine : Outcome::damage;
    }

    /// Without its seed a world is not a whole backup, and later snapshots will not have it either.
    bool lacks_configuration(Console& console, const world::World& world) const {
        if (world.source != world::World::Source::provider || !world.config.file.empty()) return false;
        console.problem(error(Errc::not_found,
                              "this world has no readable configuration; without it the game "
                              "creates one with another seed")
                            .in_file(world.folder.shown("config.json"))
                            .advise(fmt::format("restore it from a backup: orbis repair {} --from BACKUP",
                                                world_.argument())));
        return true;
    }

    static void print(Console& console, const jobs::snapshot::TakeReport& report) {
        console.line(fmt::format("{}: {}, {} new; {}, {} new; {} added, {} in total", report.id,
                                 counted(report.chunks, "chunk"), human_count(report.new_chunks),
                                 counted(report.files, "other file"), human_count(report.new_files),
                                 human_bytes(report.bytes_added), human_bytes(report.store_bytes)));
        if (report.was_taken)
            console.note("an interrupted run of this command had already taken this snapshot; to keep the "
                         "world as it is now, take another one with another name");
        if (report.opaque_chunks > 0)
            console.note(fmt::format("{} cannot be decompressed; stored byte for byte",
                                     counted(report.opaque_chunks, "chunk")));
    }

    static void print_json(Console& console, const jobs::snapshot::TakeReport& report) {
        JsonWriter json;
        json.object()
            .member("snapshot", report.id)
            .member("was_taken", report.was_taken)
            .member("chunks", report.chunks)
            .member("new_chunks", report.new_chunks)
            .member("opaque_chunks", report.opaque_chunks)
            .member("missing_chunks", report.missing_chunks)
            .member("regions", report.regions)
            .member("unread_regions", report.unread_regions)
            .member("decompressed", report.decompressed)
            .member("files", report.files)
            .member("new_files", report.new_files)
            .member("bytes_added", report.bytes_added)
            .member("store_bytes", report.store_bytes)
            .member("problems", report.problems.size())
            .end();
        console.line(json.text());
    }

    std::filesystem::path store_;
    WorldArgument world_{WorldArgument::Use::read};
    std::optional<std::string> name_;
    std::string note_;
    std::optional<int> level_;
    bool reread_ = false;
};

} // namespace

std::unique_ptr<Command> make_command_snapshot() { return std::make_unique<CommandSnapshot>(); }

} // namespace orbis::app
