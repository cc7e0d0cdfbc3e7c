#include "app/command.hpp"
#include "app/world_argument.hpp"
#include "bytes/atomic_file.hpp"
#include "bytes/system_error.hpp"
#include "jobs/undo/undo.hpp"

#include <fmt/format.h>

namespace orbis::app {

namespace {

class CommandUndo final : public Command {
    void declare(Options& options) override {
        world_.declare_all(options);
        options.flag("--list", list_, "List the changes that can be undone, the newest first")
            .dry_run(dry_run_)
            .flag("--overwrite", overwrite_, "Undo also what has been changed again since")
            .flag("--forget", forget_, "Delete the archives of all changes; they cannot be undone any more")
            .force(force_)
            .footer(
                "Every verb that changes a world keeps what it replaces in orbis-undo/ beside the chunks. "
                "Each call undoes the newest change; call it again for the one before.");
    }

    Result<Outcome> run(Console& console) override {
        TRY(const auto location, world_.find());
        if (forget_) {
            TRY(const auto archives, jobs::archive_files(location));
            return forget(console, archives);
        }
        std::vector<Error> problems;
        TRY(const auto changes, jobs::past_changes(location, problems));
        for (const auto& problem : problems) console.problem(problem);
        const auto outcome = problems.empty() ? Outcome::fine : Outcome::damage;
        if (list_) {
            print_list(console, changes);
            return outcome;
        }
        if (changes.empty())
            return fail(error(Errc::not_found, "nothing to undo")
                            .in_file(location.path)
                            .advise("only changes made by orbis can be undone"));
        // One run may have changed several worlds.
        auto worst = outcome;
        for (const auto& change : changes)
            if (change.title.run == changes.front().title.run) {
                TRY(const auto done, undo(console, change));
                if (done == Outcome::damage) worst = done;
            }
        return worst;
    }

    Result<Outcome> undo(Console& console, const jobs::PastChange& change) const {
        TRY(const auto report, jobs::undo_change(change, {dry_run_, overwrite_, force_}, console));
        for (const auto& problem : report.changed) console.problem(problem);
        for (const auto& problem : report.kept) console.problem(problem);
        for (const auto& problem : report.problems) console.problem(problem);
        const bool refused = !report.changed.empty() && !overwrite_;
        if (!change.complete && report.problems.empty() && !refused)
            console.note("this change was interrupted; everything that its archive lists was undone, but the "
                         "archive may have been cut off later");
        if (console.json()) {
            JsonWriter json;
            json.object();
            describe(json, change);
            json.member("done", !dry_run_ && !refused)
                .member("chunks_restored", report.chunks_restored)
                .member("chunks_removed", report.chunks_removed)
                .member("files", report.files.size())
                .member("already", report.already)
                .member("changed_since", report.changed.size())
                .member("problems", report.problems.size())
                .key("paths")
                .array();
            for (const auto& path : report.files) json.string(path);
            json.end().end();
            console.line(json.text());
        } else if (refused) {
            console.line(
                fmt::format("{}: nothing was undone, because {} changed since; --overwrite undoes it "
                            "anyway",
                            title_text(change), counted(report.changed.size(), "part")));
        } else {
            console.line(fmt::format(
                "{}: {} {} and {}, {} {}", title_text(change), dry_run_ ? "would restore" : "restored",
                counted(report.chunks_restored, "chunk"), counted(report.files.size(), "file"),
                dry_run_ ? "remove" : "removed", counted(report.chunks_removed, "added chunk")));
            for (const auto& path : report.files) console.line(fmt::format("  {}", path));
        }
        return refused || !report.problems.empty() ? Outcome::damage : Outcome::fine;
    }

    static std::string title_text(const jobs::PastChange& change) {
        return fmt::format("{} {}{}", change.title.time, change.title.verb,
                           change.title.world.empty() ? "" : " of " + change.title.world);
    }

    static void describe(JsonWriter& json, const jobs::PastChange& change) {
        json.member("archive", change.archive.string())
            .member("time", change.title.time)
            .member("verb", change.title.verb)
            .member("command", change.title.command)
            .member("world", change.title.world)
            .member("complete", change.complete)
            .member("bytes", change.bytes)
            .member("chunks", change.chunks)
            .member("other_files", change.files);
    }

    static void print_list(Console& console, const std::vector<jobs::PastChange>& changes) {
        if (changes.empty()) console.note("nothing to undo");
        for (const auto& change : changes) {
            if (console.json()) {
                JsonWriter json;
                json.object();
                describe(json, change);
                json.end();
                console.line(json.text());
                continue;
            }
            console.line(fmt::format("{}: {}, {}, {}{}", title_text(change), counted(change.chunks, "chunk"),
                                     counted(change.files, "file"), human_bytes(change.bytes),
                                     change.complete ? "" : ", interrupted or cut off"));
            if (!change.title.command.empty()) console.line(fmt::format("  {}", change.title.command));
        }
    }

    Result<Outcome> forget(Console& console, const std::vector<std::filesystem::path>& archives) const {
        std::uint64_t bytes = 0;
        for (const auto& archive : archives) {
            std::error_code code;
            bytes += std::filesystem::file_size(archive, code);
            if (!dry_run_ && !std::filesystem::remove(archive, code))
                return fail(system_error("remove the archive").in_file(archive.string()));
        }
        if (console.json()) {
            JsonWriter json;
            json.object()
                .member("forgotten", archives.size())
                .member("bytes", bytes)
                .member("dry_run", dry_run_);
            json.end();
            console.line(json.text());
        } else {
            console.line(fmt::format("{} {}, {}", dry_run_ ? "would forget" : "forgot",
                                     counted(archives.size(), "change"), human_bytes(bytes)));
        }
        return Outcome::fine;
    }

    WorldArgument world_{WorldArgument::Use::write};
    bool list_ = false;
    bool dry_run_ = false;
    bool overwrite_ = false;
    bool forget_ = false;
    bool force_ = false;
};

} // namespace

std::unique_ptr<Command> make_command_undo() { return std::make_unique<CommandUndo>(); }

} // namespace orbis::app
