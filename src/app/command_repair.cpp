#include "app/command_repair.hpp"

#include "app/assets_option.hpp"
#include "app/describe_place.hpp"
#include "care/repair/repair.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

class CommandRepair final : public Command {
    void declare(Options& options) override {
        options
            .path("PATH", path_,
                  "Universe, world folder, folder of region files, region file or RocksDB folder")
            .text("--world", world_, "Only this world of a universe")
            .texts("--from", options_.from,
                   "A backup to take unreadable chunks and files from: folder, zip, a folder of zips, "
                   "STORE@SNAPSHOT, or STORE for all its snapshots of this world; several may be given, the "
                   "newest good copy is taken")
            .flag("--other-world", options_.other_world,
                  "Also take from backups of another world than this one")
            .flag("--missing", options_.missing, "Bring back chunks that a backup has and the world has not")
            .flag("--from-orphans", options_.from_orphans,
                  "Take older copies that still lie in unused segments of the region file")
            .flag("--remove-unreadable", options_.remove_unreadable,
                  "Remove what cannot be read, so that the game generates it anew; the bytes are set aside")
            .flag("--damage-only", options_.damage_only,
                  "Leave alone what the game can load though it contradicts itself")
            .flag("--dry-run", options_.dry_run, "Say what would be done and do nothing")
            .flag("--force", options_.force, "Also when another process has the files open");
        assets_.declare(options);
        options.footer(
            "Without choices only what is certain is mended: headers, shared segments, palette counts, "
            "heights, "
            "stale light, parts of blocks whose base is gone, parts of chunks that cannot be read. A chunk "
            "that "
            "cannot be read at all stays until you choose where to take it from: --from first, then "
            "--from-orphans, then --remove-unreadable.\n"
            "Everything can be taken back with orbis undo PATH. Stop the game's server first.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto* assets, assets_.load(console));
        options_.threads = common.threads;
        options_.command = common.command_line;
        if (options_.missing && options_.from.empty())
            return fail(
                error(Errc::usage, "--missing needs --from")
                    .advise("give the backup that has them: orbis repair PATH --from BACKUP --missing"));
        TRY(auto place, world::find_place(path_));
        TRY(place, world::narrow_to_world(std::move(place), world_));
        TRY(const auto report,
            care::repair(
                place, *assets, options_,
                [&](const care::RepairStep& step) {
                    console.line(console.json() ? care::to_json(step) : care::to_text(step));
                },
                console));
        for (const auto& note : report.notes) console.note(note);
        print_summary(console, report);
        return report.left > 0 ? Outcome::damage : Outcome::fine;
    }

    void print_summary(Console& console, const care::RepairReport& report) const {
        if (console.json()) {
            JsonWriter json;
            json.object().member("summary", true).member("dry_run", options_.dry_run);
            json.member("chunks", report.chunks).member("mended", report.chunks_mended);
            json.member("restored", report.chunks_restored).member("removed", report.chunks_removed);
            json.member("missing", report.chunks_missing);
            json.member("files", report.files).member("left", report.left).key("undo").array();
            for (const auto& archive : report.archives) json.string(archive);
            json.end().end();
            console.line(json.text());
            return;
        }
        console.line(fmt::format(
            "{}: {} looked at, {} mended, {} restored, {} removed, {}, {} left as {} {}{}", path_.string(),
            counted(report.chunks, "chunk"), human_count(report.chunks_mended),
            human_count(report.chunks_restored), human_count(report.chunks_removed),
            counted(report.files, "file"), human_count(report.left), report.left == 1 ? "it" : "they",
            report.left == 1 ? "is" : "are", options_.dry_run ? " (dry run: nothing was changed)" : ""));
        if (report.chunks_missing > 0 && !options_.missing)
            console.note(fmt::format("{} that a backup has {} not in the world: --missing brings {} back; "
                                     "nothing needs to be done where that is on purpose",
                                     counted(report.chunks_missing, "chunk"),
                                     report.chunks_missing == 1 ? "is" : "are",
                                     report.chunks_missing == 1 ? "it" : "them"));
        if (!report.archives.empty())
            console.note(fmt::format("take it back with: orbis undo {}", place_argument(path_, world_)));
    }

    std::filesystem::path path_;
    std::string world_;
    care::RepairOptions options_;
    AssetsOption assets_;
};

} // namespace

std::unique_ptr<Command> make_command_repair() { return std::make_unique<CommandRepair>(); }

} // namespace orbis::app
