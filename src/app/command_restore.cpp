#include "app/command_restore.hpp"

#include "app/describe_place.hpp"
#include "bytes/joined.hpp"
#include "care/edit/restore.hpp"
#include "care/snapshot/source.hpp"

#include <fmt/format.h>

#include <array>

namespace orbis::app {

namespace {

using Restored = care::RestoredChunk::What;

class CommandRestore final : public Command {
    void declare(Options& options) override {
        options.path("PATH", path_, "Universe, world folder, region file or RocksDB folder to restore into")
            .text(
                "--from", from_,
                "The backup: a folder, a zip, STORE@SNAPSHOT, or STORE for its newest snapshot of this world")
            .texts("--chunks", chunks_, "Which chunks, such as 3,-4 or 'blocks:0,0~100' (docs/selections.md)")
            .text("--world", world_, "Which world of a universe")
            .text("--from-world", from_world_,
                  "Which world of the backup (default: the one of the same name)")
            .flag("--dry-run", dry_run_, "Say what would be done and change nothing")
            .flag("--force", force_, "Also when another process has the files open")
            .footer(
                "The backup decides which chunks are selected. Each of them is checked before it replaces "
                "anything. Chunks that the backup does not have, or has damaged, are listed and left alone. "
                "orbis undo takes it back.\n"
                "Examples:\n"
                "  orbis restore universe --from backup/2026-06-01_12-00-00.zip --chunks 3,-4\n"
                "  orbis restore world --from old-copy --chunks 'blocks:-200,300~64' --dry-run");
    }

    Result<Outcome> run(Console& console) override {
        if (from_.empty() || chunks_.empty())
            return fail(error(Errc::usage, "expected --from and --chunks, found only {}",
                              from_.empty() ? chunks_.empty() ? "a path" : "--chunks" : "--from")
                            .advise("orbis restore --help has examples; --chunks all takes everything"));
        TRY(const auto selection, care::Selection::parse(chunks_));
        TRY(const auto place, world::find_place(path_));
        TRY(const auto* world, world::choose_world(place, world_));
        TRY(const auto source, care::find_source(from_, std::array{care::identity_of(*world)}));
        TRY(const auto* backup, world::choose_counterpart(source, from_world_, *world));
        print_notes(console, *world);
        print_notes(console, *backup);
        note_other_world(console, *world, *backup);
        TRY(const auto report, care::restore(*world, *backup,
                                             {.selection = selection,
                                              .dry_run = dry_run_,
                                              .force = force_,
                                              .threads = common.threads,
                                              .command = common.command_line,
                                              .on_chunk = [&](const auto& chunk) { print(console, chunk); }},
                                             console));
        for (const auto& problem : report.problems) console.problem(problem);
        print_report(console, world->name, report);
        const bool whole = report.missing + report.unreadable + report.stuck == 0 && report.problems.empty();
        return whole ? Outcome::fine : Outcome::damage;
    }

    void print(Console& console, const care::RestoredChunk& chunk) const {
        if (chunk.problem) console.problem(*chunk.problem);
        if (console.json()) {
            JsonWriter json;
            json.object().member("x", chunk.pos.x).member("z", chunk.pos.z);
            json.member("result", care::name(chunk.what)).member("bytes", chunk.bytes);
            json.member("dry_run", dry_run_).end();
            console.line(json.text());
            return;
        }
        if (chunk.what == Restored::same) return; // only counted
        const auto note = chunk.what == Restored::missing      ? "not in the backup, left alone"
                          : chunk.what == Restored::unreadable ? "damaged in the backup, left alone"
                          : chunk.what == Restored::stuck      ? "cannot be written"
                          : chunk.what == Restored::added      ? dry_run_ ? "would be added" : "added"
                          : dry_run_                           ? "would be replaced"
                                                               : "replaced";
        console.line(fmt::format("{},{}: {}", chunk.pos.x, chunk.pos.z, note));
    }

    void print_report(Console& console, const std::string& world, const care::RestoreReport& report) const {
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
        add(report.same, "were the same already");
        add(report.missing, "not in the backup");
        add(report.unreadable, "damaged in the backup");
        add(report.stuck, "not writable");
        console.line(fmt::format("{}: {}", world, joined(parts, ", ")));
    }

    std::filesystem::path path_;
    std::string from_;
    std::vector<std::string> chunks_;
    std::string world_;
    std::string from_world_;
    bool dry_run_ = false;
    bool force_ = false;
};

} // namespace

std::unique_ptr<Command> make_command_restore() { return std::make_unique<CommandRestore>(); }

} // namespace orbis::app
