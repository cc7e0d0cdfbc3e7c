#include "app/command.hpp"
#include "app/table.hpp"
#include "bytes/shell_quote.hpp"
#include "jobs/snapshot/repair_store.hpp"
#include "jobs/snapshot/thin.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

namespace snapshot = jobs::snapshot;
using snapshot::Snapshot;
using snapshot::SnapshotStore;

class CommandSnapshots final : public Command {
    void declare(Options& options) override {
        options.path("STORE", store_, "Folder of snapshots")
            .text_argument("SNAPSHOT", snapshot_, "Show this one: name, id, start of an id, or latest", false)
            .flag("--verify", verify_, "Read everything and check every key; exit code 1 on damage")
            .flag("--repair", repair_,
                  "Like --verify, and repair the store: forget damaged contents, so that the next snapshot "
                  "stores them again; rewrite the store's mark; set aside packs that cannot be opened")
            .text(
                "--thin RULE", thin_,
                "Keep the newest snapshot of each of the last N hours, days, weeks and months, and the last "
                "N: hourly=24,daily=7,weekly=8,monthly=12,last=3")
            .text("--remove SNAPSHOT", remove_, "Remove this snapshot")
            .flag("--dry-run", dry_run_,
                  "With --thin or --remove: show what would be removed, without changing anything")
            .footer(
                "Without options the snapshots are listed. --thin and --remove free space at once. --thin "
                "never removes named snapshots and the newest of each source. Times are UTC.");
    }

    Result<Outcome> run(Console& console) override {
        const int jobs = (verify_ ? 1 : 0) + (repair_ ? 1 : 0) + (thin_.empty() ? 0 : 1)
                         + (remove_.empty() ? 0 : 1) + (snapshot_.empty() ? 0 : 1);
        if (jobs > 1)
            return fail(error(Errc::usage,
                              "SNAPSHOT, --verify, --repair, --thin and --remove cannot be used together")
                            .advise("orbis snapshots --help"));
        if (dry_run_ && thin_.empty() && remove_.empty())
            return fail(
                error(Errc::usage, "--dry-run needs --thin or --remove").advise("orbis snapshots --help"));
        if (repair_) {
            TRY(mark_repaired_, SnapshotStore::rewrite_marker_file(store_, snapshot::real_disk()));
        }
        TRY(const auto store, SnapshotStore::open(store_));
        if (verify_ || repair_) return verify(console, store);
        if (!thin_.empty()) return thin(console, store);
        if (!remove_.empty()) return remove(console, store);
        if (!snapshot_.empty()) return show(console, store);
        return list(console, store);
    }

    static Result<Outcome> list(Console& console, const SnapshotStore& store) {
        std::vector<Error> problems;
        const auto snapshots = store.list(problems);
        for (const auto& one : snapshots)
            if (console.json())
                print_json(console, one);
            else
                print_row(console, {{line_of(one)}, {fmt::format("of {}", one.manifest.source)}});
        for (const auto& problem : problems) console.problem(problem);
        if (!console.json())
            console.note(
                fmt::format("{}, {}", counted(snapshots.size(), "snapshot"), human_bytes(store.bytes())));
        return problems.empty() ? Outcome::fine : Outcome::damage;
    }

    static std::string line_of(const Snapshot& one) {
        const auto& manifest = one.manifest;
        auto text =
            fmt::format("{}  {}, {} new, {} added", one.id, counted(manifest.chunks, "chunk"),
                        human_count(manifest.new_chunks), human_bytes(manifest.bytes_added + one.file_bytes));
        if (!manifest.name.empty()) text += fmt::format("  {}", manifest.name);
        if (!manifest.note.empty()) text += fmt::format("  ({})", manifest.note);
        return text;
    }

    static void print_json(Console& console, const Snapshot& one) {
        JsonWriter json;
        const auto& manifest = one.manifest;
        json.object()
            .member("snapshot", one.id)
            .member("time", manifest.time)
            .member("name", manifest.name)
            .member("note", manifest.note)
            .member("source", manifest.source)
            .member("kind", world::name(manifest.kind))
            .member("chunks", manifest.chunks)
            .member("new_chunks", manifest.new_chunks)
            .member("files", manifest.files.size())
            .member("bytes_added", manifest.bytes_added + one.file_bytes)
            .key("worlds")
            .array();
        for (const auto& world : manifest.worlds)
            json.object()
                .member("name", world.name)
                .member("regions", world.regions.size())
                .member("chunks", chunks_of(world))
                .end();
        json.end().end();
        console.line(json.text());
    }

    static std::uint64_t chunks_of(const snapshot::WorldRecord& world) {
        std::uint64_t count = 0;
        for (const auto& region : world.regions) count += region.chunks;
        return count;
    }

    Result<Outcome> show(Console& console, const SnapshotStore& store) const {
        TRY(const auto one, store.find(snapshot_));
        if (console.json()) {
            print_json(console, one);
            return Outcome::fine;
        }
        const auto& manifest = one.manifest;
        print_sentence(console, line_of(one));
        print_fact(console, fmt::format("  source    {}: {}", manifest.source, world::name(manifest.kind)));
        print_fact(console, fmt::format("  files     {}", human_count(manifest.files.size())));
        for (const auto& world : manifest.worlds)
            print_fact(console,
                       fmt::format("  world     {}: {} in {}", world.name, counted(chunks_of(world), "chunk"),
                                   counted(world.regions.size(), "region")));
        return Outcome::fine;
    }

    Result<Outcome> verify(Console& console, const SnapshotStore& store) const {
        TRY(const auto report, snapshot::verify(store, common.threads, console));
        for (const auto& problem : report.problems) console.problem(problem);
        for (const auto& affected : report.affected)
            for (const auto& lost : affected.lost) print_lost(console, affected.id, lost);
        snapshot::StoreRepairReport repaired;
        if (repair_ && report.is_repairable()) {
            TRY(repaired, snapshot::repair_store(store_, report, console));
            for (const auto& problem : repaired.problems) console.problem(problem);
        }
        repaired.mark = mark_repaired_;
        const auto next = fmt::format("orbis snapshots {} --repair", shell_quoted(store_.string()));
        if (console.json()) {
            JsonWriter json;
            json.object()
                .member("snapshots", report.snapshots)
                .member("packs", report.packs)
                .member("contents", report.contents)
                .member("bytes", report.bytes)
                .member("damaged_contents", report.damaged.size())
                .member("damaged_snapshots", report.affected.size())
                .member("problems", report.problems.size());
            if (repair_) {
                json.member("mark_repaired", repaired.mark).member("forgotten", repaired.forgotten);
                json.member("packs_repaired", repaired.packs_repaired).key("set_aside").array();
                for (const auto& pack : repaired.set_aside) json.string(pack);
                json.end();
            } else if (report.is_repairable()) {
                json.member("advice", next);
            }
            json.end();
            console.line(json.text());
        } else {
            const bool is_sound = report.problems.empty();
            console.line({{fmt::format("{}, {} in {}, {} read: ", counted(report.snapshots, "snapshot"),
                                       counted(report.contents, "content"), counted(report.packs, "pack"),
                                       human_bytes(report.bytes))},
                          {is_sound ? "no damage" : counted(report.problems.size(), "problem"),
                           is_sound ? Tone::good : Tone::bad}});
            if (repair_)
                print(console, repaired, report.is_repairable());
            else if (report.is_repairable())
                console.note(
                    fmt::format("Next: {} (the next snapshot then stores what was lost again)", next));
        }
        return report.problems.empty() ? Outcome::fine : Outcome::damage;
    }

    static void print(Console& console, const snapshot::StoreRepairReport& repaired, bool packs) {
        if (repaired.mark) console.line("rewrote orbis-snapshots, the mark of the store");
        for (const auto& pack : repaired.set_aside) console.line(fmt::format("set aside as {}", pack));
        if (packs)
            console.line(fmt::format("forgot {}, repaired {}; the next snapshot stores what was lost again",
                                     counted(repaired.forgotten, "damaged content"),
                                     counted(repaired.packs_repaired, "pack")));
    }

    static void print_lost(Console& console, const std::string& id, const std::string& lost) {
        if (!console.json()) return print_fact(console, fmt::format("{}  lost: {}", id, lost), Tone::bad);
        JsonWriter json;
        json.object().member("snapshot", id).member("lost", lost).end();
        console.line(json.text());
    }

    Result<Outcome> thin(Console& console, const SnapshotStore& store) const {
        TRY(const auto rule, snapshot::KeepRule::parse(thin_));
        std::vector<Error> problems;
        const auto snapshots = store.list(problems);
        for (const auto& problem : problems) console.problem(problem);
        TRY(const auto outcome, remove(console, snapshot::to_be_thinned(snapshots, rule)));
        return problems.empty() ? outcome : Outcome::damage;
    }

    Result<Outcome> remove(Console& console, const SnapshotStore& store) const {
        // One whose manifest is damaged can be removed by its id.
        std::error_code code;
        if (std::filesystem::exists(store.manifest_path(remove_), code))
            return remove(console, std::vector{remove_});
        TRY(const auto one, store.find(remove_));
        return remove(console, std::vector{one.id});
    }

    Result<Outcome> remove(Console& console, const std::vector<std::string>& ids) const {
        TRY(const auto report, snapshot::remove_snapshots(store_, ids, dry_run_, console));
        for (const auto& problem : report.freed.problems) console.problem(problem);
        if (console.json()) {
            JsonWriter json;
            json.object().key("removed").array();
            for (const auto& id : report.removed) json.string(id);
            json.end()
                .member("dry_run", dry_run_)
                .member("freed", report.freed.freed())
                .member("bytes_before", report.freed.bytes_before)
                .member("bytes_after", report.freed.bytes_after)
                .end();
            console.line(json.text());
        } else {
            for (const auto& id : report.removed)
                console.line(fmt::format("{} {}", dry_run_ ? "would remove" : "removed", id));
            console.line(
                fmt::format("{} {}, {} {}", counted(report.removed.size(), "snapshot"),
                            dry_run_ ? "would be removed" : "removed", dry_run_ ? "about" : "freed",
                            human_bytes(report.freed.freed()) + (dry_run_ ? " would be freed" : "")));
        }
        return report.freed.problems.empty() ? Outcome::fine : Outcome::damage;
    }

    std::filesystem::path store_;
    std::string snapshot_;
    bool verify_ = false;
    bool repair_ = false;
    bool mark_repaired_ = false;
    std::string thin_;
    std::string remove_;
    bool dry_run_ = false;
};

} // namespace

std::unique_ptr<Command> make_command_snapshots() { return std::make_unique<CommandSnapshots>(); }

} // namespace orbis::app
