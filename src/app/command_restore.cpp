#include "app/chunks_option.hpp"
#include "app/command.hpp"
#include "app/world_argument.hpp"
#include "bytes/joined.hpp"
#include "jobs/edit/restore.hpp"
#include "jobs/snapshot/world_identity.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

using Restored = jobs::RestoredChunk::What;

class CommandRestore final : public Command {
    void declare(Options& options) override {
        world_.declare_one(options);
        from_.declare(options,
                      "The backup: a folder, a zip, STORE@SNAPSHOT, or STORE for the newest snapshot of this "
                      "world");
        chunks_.declare(options,
                        "Chunks to restore, such as 3,-4 or 'blocks:0,0~100', or all (docs/selections.md)");
        options.dry_run(dry_run_).force(force_).footer(
            "The selection is looked up in the backup. Each chunk is checked before it replaces "
            "anything. Chunks that the backup does not have, or that are damaged there, are listed and "
            "stay as they are. `orbis undo PATH` undoes a restore.\n"
            "Examples:\n"
            "  orbis restore universe --from backup/2026-06-01_12-00-00.zip --chunks 3,-4\n"
            "  orbis restore world --from old-copy --chunks 'blocks:-200,300~64' --dry-run");
    }

    Result<Outcome> run(Console& console) override {
        if (!from_.is_given() || !chunks_.is_given())
            return fail(error(Errc::usage, "{} missing",
                              from_.is_given()     ? "--chunks is"
                              : chunks_.is_given() ? "--from is"
                                                   : "--from and --chunks are")
                            .advise("orbis restore --help has examples; --chunks all restores everything"));
        TRY(const auto selection, chunks_.selection());
        TRY(const auto ours, world_.choose(console));
        TRY(const auto backup, from_.choose(console, ours.world));
        note_other_world(console, ours.world, backup.world);
        TRY(const auto report, jobs::restore(ours.world, backup.world,
                                             {.selection = selection,
                                              .dry_run = dry_run_,
                                              .force = force_,
                                              .threads = common.threads,
                                              .command = common.command_line,
                                              .on_chunk = [&](const auto& chunk) { print(console, chunk); }},
                                             console));
        for (const auto& problem : report.problems) console.problem(problem);
        print_report(console, ours.world.name, report);
        const bool whole = report.missing + report.unreadable + report.stuck == 0 && report.problems.empty();
        return whole ? Outcome::fine : Outcome::damage;
    }

    static void note_other_world(Console& console, const world::World& world, const world::World& backup) {
        const auto ours = jobs::identity_of(world);
        const auto theirs = jobs::identity_of(backup);
        if (jobs::kinship(ours, theirs) == jobs::Kinship::other)
            console.note(fmt::format("the backup is of another world: {}; this one is {}", shown(theirs),
                                     shown(ours)));
    }

    void print(Console& console, const jobs::RestoredChunk& chunk) const {
        if (chunk.problem) console.problem(*chunk.problem);
        if (console.json()) {
            JsonWriter json;
            json.object().member("x", chunk.pos.x).member("z", chunk.pos.z);
            json.member("result", jobs::name(chunk.what)).member("bytes", chunk.bytes);
            json.member("dry_run", dry_run_).end();
            console.line(json.text());
            return;
        }
        if (chunk.what == Restored::same) return; // only counted
        const auto note = chunk.what == Restored::missing      ? "not in the backup; not changed"
                          : chunk.what == Restored::unreadable ? "damaged in the backup; not changed"
                          : chunk.what == Restored::stuck      ? "cannot be written"
                          : chunk.what == Restored::added      ? dry_run_ ? "would be added" : "added"
                          : dry_run_                           ? "would be replaced"
                                                               : "replaced";
        console.line(fmt::format("{:n}: {}", chunk.pos, note));
    }

    void print_report(Console& console, const std::string& world, const jobs::RestoreReport& report) const {
        if (console.json()) {
            JsonWriter json;
            json.object().member("world", world).member("summary", true);
            json.member("replaced", report.replaced)
                .member("added", report.added)
                .member("same", report.same)
                .member("missing", report.missing)
                .member("unreadable", report.unreadable)
                .member("stuck", report.stuck)
                .member("bytes", report.bytes)
                .member("undo_archive", report.change.archive.string())
                .member("dry_run", dry_run_)
                .end();
            console.line(json.text());
            return;
        }
        std::vector<std::string> parts;
        const auto add = [&](std::uint64_t count, std::string_view what) {
            if (count != 0) parts.push_back(fmt::format("{} {}", human_count(count), what));
        };
        parts.push_back(fmt::format("{} {} ({})", dry_run_ ? "would restore" : "restored",
                                    counted(report.replaced + report.added, "chunk"),
                                    human_bytes(report.bytes)));
        add(report.same, "already the same");
        add(report.missing, "not in the backup");
        add(report.unreadable, "damaged in the backup");
        add(report.stuck, "could not be written");
        console.line(fmt::format("{}: {}", world, joined(parts, ", ")));
    }

    WorldArgument world_{WorldArgument::Use::write};
    FromOption from_;
    ChunksOption chunks_;
    bool dry_run_ = false;
    bool force_ = false;
};

} // namespace

std::unique_ptr<Command> make_command_restore() { return std::make_unique<CommandRestore>(); }

} // namespace orbis::app
