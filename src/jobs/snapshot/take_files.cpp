#include "jobs/snapshot/take_files.hpp"

namespace orbis::jobs::snapshot {

namespace {

using storage::Folder;

/// Folders in one another.
constexpr int k_deepest = 40;
/// What a folder has that is unchanged.
constexpr auto k_usual_folder = std::filesystem::perms{0755};
/// Of a sparse file: its pieces take no space, but their keys do.
constexpr std::uint64_t k_most_pieces = 1 << 20;
/// How often a file that changes while it is read is read again.
constexpr int k_file_tries = 4;

class FileTaking {
public:
    FileTaking(const Folder& root, const std::function<bool(const std::string&)>& is_chunks,
               const std::function<FileStamp(const std::string&)>& stamp, const TakeWork& work)
        : root_(root), is_chunks_(is_chunks), stamp_(stamp), work_(work) {}

    Result<void> folder(const std::string& path, int depth) {
        auto entries = root_.sub(path).list();
        if (!entries) {
            // The root must be readable; of a folder below it the rest of the world does not depend.
            if (depth == 0) return std::unexpected(std::move(entries).error());
            work_.report.problems.push_back(std::move(entries).error());
            return {};
        }
        if (depth > k_deepest) {
            work_.report.problems.push_back(
                error(Errc::too_deep, "folders are nested more than {} levels deep", k_deepest)
                    .in_file(root_.shown(path))
                    .advise("its content is not in the snapshot; move this folder out of the world"));
            return {};
        }
        const auto prefix = path.empty() ? std::string() : path + "/";
        for (const auto& entry : *entries) {
            const auto below = prefix + entry.name;
            if (is_chunks_(entry.is_folder ? below + "/" : below)) continue;
            if (entry.is_folder) {
                TRY_DO(folder(below, depth + 1));
            } else if (entry.is_link) {
                TRY_DO(link(below));
            } else if (entry.is_special) {
                work_.report.problems.push_back(
                    error(Errc::unknown_kind, "this is a device, a pipe or a socket, not a file")
                        .in_file(root_.shown(below))
                        .advise("it is not in the snapshot"));
            } else if (!entry.name.ends_with(k_unfinished_suffix)) {
                TRY_DO(file(below));
            }
        }
        const auto permissions = root_.permissions(path);
        if (depth > 0 && (entries->empty() || permissions.value_or(k_usual_folder) != k_usual_folder))
            files.push_back({prefix, 0, {}, false, permissions});
        return {};
    }

    /// A link is kept as its text, wherever it leads.
    Result<void> link(const std::string& path) {
        const auto text = root_.read_link(path);
        if (!text) {
            work_.report.problems.push_back(Error(text.error()).advise("this link is not in the snapshot"));
            return {};
        }
        ++work_.report.files;
        const auto key = key_of(as_bytes(*text));
        TRY(const bool added, work_.writer.put(key, as_bytes(*text), {}));
        work_.report.new_files += added ? 1 : 0;
        files.push_back({path, text->size(), {key}, true, std::nullopt});
        return {};
    }

    /// A file that cannot be read is reported and left out; only what concerns the store ends the run.
    Result<void> file(const std::string& path) {
        ++work_.report.files;
        const auto* older = work_.before.file(path);
        bool is_new = false; // also if an earlier try put it in
        for (int tries = 1;; ++tries) {
            const auto stamp = stamp_(path);
            if (older != nullptr && !older->is_link && !work_.options.reread
                && work_.before.is_unchanged(path, stamp)) {
                work_.known.files[path].stamp = stamp;
                files.push_back(*older);
                files.back().permissions = root_.permissions(path);
                return {};
            }
            FileRecord record{path, 0, {}, false, root_.permissions(path)};
            std::optional<Error> unreadable;
            TRY_DO(pieces(record, older, is_new, unreadable));
            const bool is_steady = stamp == stamp_(path);
            if (!is_steady && tries < k_file_tries) continue;
            if (unreadable) {
                work_.report.problems.push_back(
                    std::move(*unreadable).advise("this file is not in the snapshot"));
                return {};
            }
            work_.report.new_files += is_new ? 1 : 0;
            work_.known.files[path].stamp = is_steady && !work_.is_fresh(stamp) ? stamp : FileStamp{};
            files.push_back(std::move(record));
            return {};
        }
    }

    std::vector<FileRecord> files;

private:
    Result<void> pieces(FileRecord& record, const FileRecord* older, bool& is_new,
                        std::optional<Error>& unreadable) {
        const auto file = root_.open(record.path);
        const auto size = file ? (*file)->size() : Result<std::uint64_t>(std::unexpected(file.error()));
        if (!size) {
            unreadable = size.error();
            return {};
        }
        record.size = *size;
        if (*size > k_most_pieces * k_piece_size) {
            unreadable = error(Errc::too_large, "expected a file of at most {} bytes, found {}",
                               k_most_pieces * k_piece_size, *size)
                             .in_file((*file)->name());
            return {};
        }
        Extent data;
        for (std::uint64_t at = 0; at < record.size; at += k_piece_size) {
            if (at >= data.end) {
                TRY(data, (*file)->next_data(at));
            }
            if (data.begin >= at + k_piece_size && record.size - at >= k_piece_size) {
                TRY_DO(hole(record));
                continue;
            }
            const auto view = (*file)->view(at, std::min(k_piece_size, record.size - at));
            if (!view) {
                unreadable = view.error();
                return {};
            }
            // A copy: the key must be that of the bytes which are stored.
            const Buffer piece(view->bytes().begin(), view->bytes().end());
            if (auto delivered = (*file)->check(*view); !delivered) {
                unreadable = std::move(delivered).error();
                return {};
            }
            const auto number = record.pieces.size();
            const auto key = key_of(piece);
            const bool has_older = older != nullptr && number < older->pieces.size();
            TRY(const bool added, work_.writer.put(key, piece, has_older ? older->pieces[number] : Key{}));
            is_new = is_new || added;
            record.pieces.push_back(key);
        }
        return {};
    }

    /// A piece that was never written has no bytes to read.
    Result<void> hole(FileRecord& record) {
        if (!hole_) {
            const Buffer zeros(k_piece_size);
            hole_ = key_of(zeros);
            TRY_DO(work_.writer.put(*hole_, zeros, {}));
        }
        record.pieces.push_back(*hole_);
        return {};
    }

    const Folder& root_;
    const std::function<bool(const std::string&)>& is_chunks_;
    const std::function<FileStamp(const std::string&)>& stamp_;
    const TakeWork& work_;
    std::optional<Key> hole_;
};

} // namespace

Result<std::vector<FileRecord>> take_files(const Folder& root,
                                           const std::function<bool(const std::string& path)>& is_chunks,
                                           const std::vector<std::string>& extra,
                                           const std::function<FileStamp(const std::string& path)>& stamp,
                                           const TakeWork& work) {
    FileTaking taking(root, is_chunks, stamp, work);
    TRY_DO(taking.folder({}, 0));
    for (const auto& path : extra) TRY_DO(taking.file(path));
    std::ranges::sort(taking.files, {}, &FileRecord::path);
    return std::move(taking.files);
}

} // namespace orbis::jobs::snapshot
