#include "jobs/undo/undo.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/inner_path.hpp"
#include "bytes/shell_quote.hpp"
#include "bytes/system_error.hpp"
#include "jobs/undo/change.hpp"
#include "jobs/undo/salvage.hpp"
#include "storage/region_files.hpp"
#include "storage/write_lock.hpp"

#include <algorithm>
#include <map>

namespace orbis::jobs {

namespace fs = std::filesystem;

namespace {

void find_archives(const fs::path& folder, const world::World* world, std::vector<PastChange>& found,
                   std::vector<Error>& problems) {
    if (auto own = check_undo_folder(folder); !own) {
        problems.push_back(std::move(own).error());
        return;
    }
    std::error_code code;
    for (fs::directory_iterator at(folder, code); !code && at != fs::directory_iterator();
         at.increment(code)) {
        if (at->path().extension() != ".undo") continue;
        const auto path = inner_file(folder, at->path().filename().string());
        auto outline = path ? outline_of(*path) : std::unexpected(path.error());
        if (!outline) {
            problems.push_back(
                std::move(outline).error().advise("this is not an undo archive: move it out of the folder; "
                                                  "the other archives work without it"));
            continue;
        }
        std::error_code ignored;
        found.push_back({at->path(), world, std::move(outline->title), outline->complete,
                         at->file_size(ignored), outline->chunks, outline->files});
    }
}

/// In one folder the numbers tell the order, whatever the clock did; between folders the time of the run
/// does.
std::vector<PastChange> newest_first(std::vector<PastChange> changes) {
    const auto later = [](const PastChange& a, const PastChange& b) {
        const auto key = [](const PastChange& change) {
            return std::pair(change.title.run.size(), change.title.run); // hexadecimal: longer is later
        };
        return key(a) > key(b);
    };
    std::map<fs::path, std::vector<PastChange>> folders;
    for (auto& change : changes) folders[change.archive.parent_path()].push_back(std::move(change));
    for (auto& [folder, own] : folders)
        std::ranges::sort(own, {},
                          [](const PastChange& change) { return change.archive; }); // the newest last
    std::vector<PastChange> sorted;
    while (true) {
        std::vector<PastChange>* best = nullptr;
        for (auto& [folder, own] : folders)
            if (!own.empty() && (best == nullptr || later(own.back(), best->back()))) best = &own;
        if (best == nullptr) return sorted;
        sorted.push_back(std::move(best->back()));
        best->pop_back();
    }
}

/// What a chunk was before the first step of a change, and what the steps made of it.
struct ChunkHistory {
    const ChunkRecord* before = nullptr;
    std::vector<std::optional<Sha256>> after;
};

class Undo {
public:
    Undo(const PastChange& change, const UndoArchive& archive, const UndoOptions& options)
        : change_(change),
          options_(options),
          archive_(archive),
          folder_(change.archive.parent_path().parent_path()) {}

    Result<UndoReport> run(Progress& progress) {
        TRY_DO(check_paths());
        TRY_DO(lock_or_open());
        progress.begin("Looking", history_.size());
        TRY_DO(compare_chunks(progress));
        TRY_DO(compare_files());
        if (options_.dry_run || (!report_.changed.empty() && !options_.overwrite)) {
            count_only();
            return std::move(report_);
        }
        progress.begin("Undoing", to_restore_.size());
        CountKeeper counts(folder_, store_.get());
        // What a repair had brought back is missing again, and that is to be said.
        const bool changes_counts = change_.title.verb != "repair";
        for (const auto* before : to_restore_) {
            if (changes_counts) counts.before_change(before->pos.region());
            TRY_DO(restore(*before));
            progress.step();
        }
        if (store_) TRY_DO(store_->sync());
        counts.keep();
        store_.reset();
        for (auto at = archive_.records().rbegin(); at != archive_.records().rend(); ++at)
            TRY_DO(take_back_file(*at));
        return std::move(report_);
    }

private:
    /// The archive comes from the same stranger as the world: before anything is touched, every path in it
    /// must lead to a file of the world.
    [[nodiscard]] Result<void> check_paths() const {
        for (const auto& record : archive_.records())
            for (const auto& path : paths_of(record))
                if (auto found = inner_file(folder_, path); !found) {
                    auto problem = std::move(found).error();
                    problem.advice = "nothing was changed. orbis never writes such archives: do not use it, "
                                     "and find out where this world comes from";
                    return fail(std::move(problem).about(
                        fmt::format("undo archive {}", change_.archive.filename().string())));
                }
        return {};
    }

    static std::vector<std::string> paths_of(const UndoRecord& record) {
        if (const auto* file = std::get_if<FileRecord>(&record)) return {file->path};
        if (const auto* patch = std::get_if<PatchRecord>(&record)) return {patch->path};
        if (const auto* move = std::get_if<MoveRecord>(&record)) return {move->from, move->to};
        return {};
    }

    Result<void> lock_or_open() {
        for (const auto& record : archive_.records())
            if (const auto* chunk = std::get_if<ChunkRecord>(&record)) {
                auto& history = history_[chunk->pos];
                if (history.before == nullptr) history.before = chunk;
                history.after.push_back(chunk->after);
            }
        if (change_.world == nullptr) {
            TRY(auto lock, storage::WriteLock::take(folder_, options_.force));
            lock_.emplace(std::move(lock));
            return {};
        }
        storage::StoreOptions how;
        how.write = !options_.dry_run;
        how.force = options_.force;
        how.sync = storage::SyncPolicy::batch;
        TRY(store_, change_.world->open(how));
        return {};
    }

    [[nodiscard]] Error located(Error&& error, ChunkPos pos) const {
        return std::move(error).in_file(store_->name()).at(pos);
    }

    Result<void> compare_chunks(Progress& progress) {
        for (const auto& [pos, history] : history_) {
            progress.step();
            const auto now = stored_hash(*store_, pos, context_);
            const auto& before = *history.before;
            if (is_as_before(before, now)) {
                ++report_.already;
                continue;
            }
            if (!now || std::find(history.after.begin(), history.after.end(), *now) == history.after.end())
                report_.changed.push_back(
                    located(error(Errc::mismatch, "it was changed again after this change")
                                .advise("--overwrite undoes it anyway"),
                            pos));
            to_restore_.push_back(&before);
        }
        return {};
    }

    bool is_as_before(const ChunkRecord& before, const Result<std::optional<Sha256>>& now) {
        switch (before.before) {
        case ChunkRecord::PriorState::absent: return now && !*now;
        case ChunkRecord::PriorState::damaged: {
            if (now) return false;
            const auto entry = salvage_entry(*store_, before.pos);
            return entry && entry->entry != 0 && entry->bytes.size() >= before.bytes.size()
                   && std::equal(before.bytes.begin(), before.bytes.end(), entry->bytes.begin());
        }
        case ChunkRecord::PriorState::frame: break;
        }
        if (!now || !*now) return false;
        if (store_->keeps_compressed()) return **now == compressed_hash({before.bytes, before.raw_size});
        const auto document =
            context_.decompressor.decompress(before.bytes, before.raw_size, storage::k_largest_document);
        return document && **now == sha256(*document);
    }

    Result<void> restore(const ChunkRecord& before) {
        switch (before.before) {
        case ChunkRecord::PriorState::frame:
            TRY_DO(store_->write_compressed(before.pos, {before.bytes, before.raw_size}));
            ++report_.chunks_restored;
            return {};
        case ChunkRecord::PriorState::absent:
            TRY_DO(store_->remove(before.pos));
            ++report_.chunks_removed;
            return {};
        case ChunkRecord::PriorState::damaged: break;
        }
        return restore_damage(before);
    }

    /// A chunk that could not be read: its bytes come back with the lengths that they had, or an entry that
    /// leads nowhere.
    Result<void> restore_damage(const ChunkRecord& before) {
        auto* files = store_->region_editor();
        if (files == nullptr || before.entry == 0) {
            report_.kept.push_back(
                located(error(Errc::unsupported, "it was unreadable before the change, and this storage "
                                                 "cannot store damaged chunks; the new content stays"),
                        before.pos));
            return {};
        }
        // In one step, so that a power cut leaves the new content or the damage. An entry never leads to the
        // segments of the new content: that would still be readable there.
        if (before.bytes.size() >= 8) {
            TRY_DO(files->put_bytes(before.pos, before.bytes));
        } else if (auto put = files->put_entry(before.pos, before.entry); !put) {
            if (put.error().code != Errc::overlap) return put;
            TRY_DO(files->put_entry(before.pos, -1)); // leads nowhere, as it did
        }
        ++report_.chunks_restored;
        return {};
    }

    // Files.

    static Result<std::optional<Buffer>> content_of(const fs::path& path) {
        std::error_code code;
        if (!fs::exists(path, code)) return std::nullopt;
        TRY(const auto file, open_file(path, FileMode::read));
        TRY(const auto size, file->size());
        TRY(const auto view, file->view(0, size));
        Buffer content(view.bytes().begin(), view.bytes().end());
        TRY_DO(file->check(view));
        return content;
    }

    static bool same(const std::optional<Buffer>& content, const std::optional<Bytes>& other) {
        if (!content || !other) return !content && !other;
        return std::equal(content->begin(), content->end(), other->begin(), other->end());
    }

    Result<void> compare_files() {
        for (const auto& record : archive_.records()) {
            const auto* file = std::get_if<FileRecord>(&record);
            if (file == nullptr) continue;
            TRY(const auto now, content_of(folder_ / file->path));
            const auto digest = now ? std::optional(sha256(*now)) : std::nullopt;
            if (!same(now, file->before) && digest != file->after)
                report_.changed.push_back(error(Errc::mismatch, "it was changed again after this change")
                                              .in_file((folder_ / file->path).string())
                                              .advise("--overwrite undoes it anyway"));
        }
        return {};
    }

    Result<void> take_back_file(const UndoRecord& record) {
        if (const auto* file = std::get_if<FileRecord>(&record)) return take_back(*file);
        if (const auto* patch = std::get_if<PatchRecord>(&record)) return take_back(*patch);
        if (const auto* move = std::get_if<MoveRecord>(&record)) return take_back(*move);
        return {};
    }

    Result<void> take_back(const FileRecord& record) {
        TRY(const auto path, inner_file(folder_, record.path));
        TRY(const auto now, content_of(path));
        if (same(now, record.before)) {
            ++report_.already;
            return {};
        }
        report_.files.push_back(record.path);
        if (record.before) return write_file_atomically(path, *record.before);
        std::error_code code;
        fs::remove(path, code);
        return sync_folder(path.parent_path());
    }

    Result<void> take_back(const PatchRecord& record) {
        TRY(const auto path, inner_file(folder_, record.path));
        TRY(const auto file, open_file(path, FileMode::write));
        TRY(const auto now, file->view(record.offset, record.before.size()));
        const auto is = [&](Bytes bytes) {
            return std::equal(bytes.begin(), bytes.end(), now.bytes().begin(), now.bytes().end());
        };
        if (is(record.before)) {
            ++report_.already;
            return {};
        }
        if (!is(record.after) && !options_.overwrite) {
            report_.problems.push_back(error(Errc::mismatch, "it was changed again after this change")
                                           .in_file(file->name())
                                           .at(record.offset));
            return {};
        }
        report_.files.push_back(record.path);
        TRY_DO(file->write(record.offset, record.before));
        return file->sync();
    }

    Result<void> take_back(const MoveRecord& record) {
        std::error_code code;
        TRY(const auto from, inner_file(folder_, record.from));
        TRY(const auto to, inner_file(folder_, record.to));
        if (!fs::exists(to, code)) {
            ++report_.already;
            return {};
        }
        if (fs::exists(from, code) && !is_empty_region(from)) {
            report_.problems.push_back(
                error(Errc::exists, "cannot move it back to {}: there is a new file", record.to)
                    .in_file(from.string())
                    .advise("move one of the two files away"));
            return {};
        }
        fs::remove(from, code);
        report_.files.push_back(record.from);
        TRY_DO(place_file(to, from));
        return sync_folder(to.parent_path());
    }

    /// A region file without chunks, as it is left when writing into it is undone.
    static bool is_empty_region(const fs::path& path) {
        const auto pos = storage::parse_region_file_name(path.filename().string());
        if (!pos) return false;
        auto file = open_file(path, FileMode::read);
        if (!file) return false;
        const auto region = storage::open_region(*std::move(file), *pos);
        if (!region) return false;
        const auto slots = (*region)->slots();
        return slots && slots->empty();
    }

    void count_only() {
        for (const auto* before : to_restore_)
            ++(before->before == ChunkRecord::PriorState::absent ? report_.chunks_removed
                                                                 : report_.chunks_restored);
        for (const auto& record : archive_.records())
            if (auto paths = paths_of(record); !paths.empty())
                report_.files.push_back(std::move(paths.front()));
    }

    const PastChange& change_;
    const UndoOptions& options_;
    const UndoArchive& archive_;
    fs::path folder_; ///< that paths of files count from
    std::shared_ptr<storage::Store> store_;
    std::optional<storage::WriteLock> lock_;
    storage::ReadContext context_;
    std::map<ChunkPos, ChunkHistory> history_;
    std::vector<const ChunkRecord*> to_restore_;
    UndoReport report_;
};

} // namespace

Result<std::vector<fs::path>> archive_files(const world::Location& location) {
    std::vector<fs::path> folders;
    if (const auto root = location.root.on_disk(); root && location.kind == world::Location::Kind::universe)
        folders.push_back(undo_folder(*root));
    for (const auto& world : location.worlds) {
        TRY(auto folder, undo_folder(world));
        folders.push_back(std::move(folder));
    }
    std::vector<fs::path> files;
    for (const auto& folder : folders) {
        TRY_DO(check_undo_folder(folder));
        std::error_code code;
        for (fs::directory_iterator at(folder, code); !code && at != fs::directory_iterator();
             at.increment(code))
            if (at->path().extension() == ".undo" || at->path().extension() == ".used")
                files.push_back(at->path());
    }
    std::ranges::sort(files);
    files.erase(std::ranges::unique(files).begin(), files.end());
    return files;
}

Result<std::vector<PastChange>> past_changes(const world::Location& location, std::vector<Error>& problems) {
    std::vector<PastChange> found;
    if (const auto root = location.root.on_disk(); root && location.kind == world::Location::Kind::universe)
        find_archives(undo_folder(*root), nullptr, found, problems);
    for (const auto& world : location.worlds) {
        if (auto own = world.folder.check_folder(); !own) {
            problems.push_back(std::move(own).error()); // the other worlds can be undone all the same
            continue;
        }
        TRY(const auto folder, undo_folder(world));
        find_archives(folder, &world, found, problems);
    }
    return newest_first(std::move(found));
}

Result<UndoReport> undo_change(const PastChange& change, const UndoOptions& options, Progress& progress) {
    TRY(const auto archive, UndoArchive::open(change.archive));
    TRY(auto report, Undo(change, archive, options).run(progress));
    if (archive.damaged_records() > 0)
        report.problems.push_back(
            error(Errc::bad_value, "damaged records in the archive: {}; those changes cannot be undone",
                  archive.damaged_records())
                .in_file(change.archive.string())
                .advise(fmt::format("compare with a backup: orbis diff BACKUP {}",
                                    shell_quoted(change.archive.parent_path().parent_path().string()))));
    if (!archive.is_complete() && archive.unread_bytes() > 0)
        report.problems.push_back(
            error(Errc::truncated,
                  "the archive ends inside a record: the command was interrupted there, or the file was cut "
                  "off later. Changes after that are unknown and cannot be undone")
                .in_file(change.archive.string())
                .advise(fmt::format("compare with a backup: orbis diff BACKUP {}",
                                    shell_quoted(change.archive.parent_path().parent_path().string()))));
    const bool untouched = options.dry_run || (!report.changed.empty() && !options.overwrite);
    if (untouched) return report;
    // Whatever of the archive could not be used is kept aside, out of the way of earlier changes.
    std::error_code code;
    if (archive.unread_bytes() > 0 || !report.problems.empty() || !report.kept.empty()) {
        auto used = change.archive;
        used += ".used";
        fs::rename(change.archive, used, code);
    } else {
        fs::remove(change.archive, code);
    }
    if (code) return fail(system_error("remove the archive").in_file(change.archive.string()));
    TRY_DO(sync_folder(change.archive.parent_path()));
    return report;
}

} // namespace orbis::jobs
