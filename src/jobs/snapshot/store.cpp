#include "jobs/snapshot/store.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/json_writer.hpp"
#include "bytes/shell_quote.hpp"
#include "bytes/utc_text.hpp"

#include <algorithm>
#include <limits>

namespace orbis::jobs::snapshot {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view k_mark_file = "orbis-snapshots";
constexpr std::string_view k_mark = "Orbis snapshot store, version 1\n";
constexpr std::string_view k_mark_start = k_mark.substr(0, k_mark.rfind(' ') + 1);
constexpr std::string_view k_unfinished = "unfinished";
constexpr std::string_view k_suffix = ".snapshot";
constexpr std::uint64_t k_largest_manifest = 256 << 20;

Error no_store(const fs::path& path) {
    return error(Errc::unknown_kind, "this is not a snapshot store")
        .in_file(path.string())
        .advise("give the folder that you gave to orbis snapshot");
}

/// Whether the folders of a store are there with something in them.
bool has_rest_of_store(const fs::path& path) {
    std::error_code code;
    for (fs::directory_iterator at(path / "snapshots", code), end; !code && at != end; at.increment(code))
        if (at->path().string().ends_with(k_suffix)) return fs::is_directory(path / "packs", code);
    return false;
}

bool is_newer_mark(std::string_view text) {
    if (!text.starts_with(k_mark_start) || !text.ends_with('\n')) return false;
    const auto number = text.substr(k_mark_start.size(), text.size() - k_mark_start.size() - 1);
    return !number.empty() && number != "1" && number.find_first_not_of("0123456789") == number.npos;
}

Error damaged_mark(const fs::path& path, std::string_view found) {
    return error(Errc::bad_magic, "expected the line {}, found {}", json_quoted(k_mark), found)
        .in_file((path / k_mark_file).string())
        .advise(fmt::format("orbis snapshots {} --repair rewrites it", shell_quoted(path.string())));
}

Result<void> check_mark(const fs::path& path) {
    std::error_code code;
    if (!fs::exists(path, code))
        return fail(error(Errc::not_found, "there is no snapshot store here")
                        .in_file(path.string())
                        .advise("check the spelling of the path"));
    if (!fs::is_regular_file(path / k_mark_file, code))
        return fail(has_rest_of_store(path) ? damaged_mark(path, "no such file") : no_store(path));
    TRY(const auto file, open_file(path / k_mark_file, FileMode::read));
    TRY(const auto size, file->size());
    if (size > 4096) return fail(damaged_mark(path, fmt::format("{} bytes", size)));
    TRY(const auto text, read_text(*file, 4096));
    if (text == k_mark) return {};
    if (!is_newer_mark(text)) return fail(damaged_mark(path, json_quoted(text.substr(0, 60))));
    return fail(error(Errc::unsupported, "expected a store of version 1, found {}", json_quoted(text))
                    .in_file((path / k_mark_file).string())
                    .advise("use a newer orbis"));
}

/// Makes the mark of a store in a folder that is missing or empty.
Result<void> create_store(const fs::path& path, Disk& disk) {
    if (SnapshotStore::is_store(path)) return {};
    std::error_code code;
    TRY_DO(create_folders(path));
    for (fs::directory_iterator at(path, code), end; !code && at != end; at.increment(code))
        if (!at->path().string().ends_with(k_unfinished_suffix))
            return fail(error(Errc::exists,
                              "this folder is neither a snapshot store nor empty: it contains {}",
                              at->path().filename().string())
                            .in_file(path.string())
                            .advise("choose another folder for the store"));
    return write_whole(disk, path / k_mark_file, as_bytes(k_mark));
}

} // namespace

std::string id_of_time(std::int64_t seconds) {
    return utc_text(std::chrono::sys_seconds(std::chrono::seconds(seconds)), UtcForm::iso_name);
}

bool SnapshotStore::is_store(const fs::path& path) {
    std::error_code code;
    return fs::is_regular_file(path / k_mark_file, code) || has_rest_of_store(path);
}

Result<bool> SnapshotStore::rewrite_marker_file(const fs::path& path, Disk& disk) {
    auto checked = check_mark(path);
    if (checked) return false;
    if (checked.error().code != Errc::bad_magic) return std::unexpected(std::move(checked).error());
    TRY_DO(write_whole(disk, path / k_mark_file, as_bytes(k_mark)));
    return true;
}

Result<SnapshotStore> SnapshotStore::open(const fs::path& path) {
    TRY_DO(check_mark(path));
    return SnapshotStore(path);
}

fs::path SnapshotStore::manifest_path(const std::string& id) const {
    return snapshots() / (id + std::string(k_suffix));
}

std::vector<std::string> SnapshotStore::ids() const {
    std::vector<std::string> found;
    std::error_code code;
    for (fs::directory_iterator at(snapshots(), code), end; !code && at != end; at.increment(code)) {
        const auto name = at->path().filename().string();
        if (name.ends_with(k_suffix)) found.push_back(name.substr(0, name.size() - k_suffix.size()));
    }
    std::ranges::sort(found);
    return found;
}

Result<Snapshot> SnapshotStore::load(const std::string& id) const {
    const auto path = manifest_path(id);
    TRY(const auto file, open_file(path, FileMode::read));
    TRY(const auto bytes, read_text(*file, k_largest_manifest));
    auto manifest = Manifest::decode(as_bytes(bytes));
    if (!manifest)
        return fail(std::move(manifest)
                        .error()
                        .in_file(path.string())
                        .about("snapshot " + id)
                        .advise(fmt::format("this snapshot is lost, the others are not: orbis snapshots {} "
                                            "--remove {}",
                                            shell_quoted(path_.string()), shell_quoted(id))));
    return Snapshot{id, *std::move(manifest), bytes.size()};
}

std::vector<Snapshot> SnapshotStore::list(std::vector<Error>& problems) const {
    std::vector<Snapshot> found;
    for (const auto& id : ids()) {
        auto snapshot = load(id);
        if (snapshot)
            found.push_back(*std::move(snapshot));
        else if (snapshot.error().code != Errc::not_found) // removed since the folder was listed
            problems.push_back(std::move(snapshot).error());
    }
    return found;
}

Result<Snapshot> SnapshotStore::find(const std::string& text) const {
    const auto all = ids();
    if (text == "latest") {
        for (auto id = all.rbegin(); id != all.rend(); ++id)
            if (auto snapshot = load(*id)) return snapshot;
    }
    std::vector<std::string> matching;
    for (const auto& id : all) {
        if (id == text) return load(id);
        if (!text.empty() && id.starts_with(text)) matching.push_back(id);
    }
    for (const auto& id : all)
        if (auto snapshot = load(id); snapshot && !text.empty() && snapshot->manifest.name == text)
            return snapshot;
    if (matching.size() == 1) return load(matching.front());
    auto problem = matching.empty()
                       ? error(Errc::not_found, "no snapshot has the name or id {}", text)
                       : error(Errc::not_found, "{1} snapshots start with {0}", text, matching.size());
    return fail(std::move(problem)
                    .in_file(path_.string())
                    .advise(fmt::format("orbis snapshots {} lists them", shell_quoted(path_.string()))));
}

std::uint64_t SnapshotStore::bytes() const {
    std::uint64_t sum = 0;
    std::error_code code;
    for (fs::recursive_directory_iterator at(path_, code), end; !code && at != end; at.increment(code)) {
        std::error_code gone;
        if (const auto size = at->is_regular_file(gone) ? at->file_size(gone) : 0; !gone) sum += size;
    }
    return sum;
}

Result<Session> Session::begin(const fs::path& path, bool create, Disk& disk) {
    if (create) TRY_DO(create_store(path, disk));
    TRY(auto store, SnapshotStore::open(path));
    TRY(auto lock, storage::WriteLock::take(path, true)); // readers may have files open
    Session session(std::move(store), disk, std::move(lock));
    TRY_DO(session.clean());
    return session;
}

Result<void> Session::clean() {
    std::error_code code;
    for (const auto& folder : {store_.packs(), store_.snapshots(), store_.known()}) {
        TRY_DO(create_folders(folder));
        std::vector<fs::path> left;
        for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code))
            if (at->path().string().ends_with(k_unfinished_suffix)) left.push_back(at->path());
        for (const auto& file : left) TRY_DO(disk_->remove(file));
    }
    recovers_ = fs::exists(store_.path() / k_unfinished, code);
    if (recovers_) return {};
    return write_whole(*disk_, store_.path() / k_unfinished, as_bytes("a run is writing, or was killed\n"));
}

bool Session::is_of_killed_run(const fs::path& file) const {
    std::error_code code;
    const auto began = fs::last_write_time(store_.path() / k_unfinished, code);
    return recovers_ && !code && fs::last_write_time(file, code) >= began && !code;
}

Result<void> Session::end() { return disk_->remove(store_.path() / k_unfinished); }

} // namespace orbis::jobs::snapshot
