#pragma once

#include "jobs/snapshot/contents.hpp"
#include "jobs/snapshot/disk.hpp"
#include "jobs/snapshot/manifest.hpp"
#include "storage/write_lock.hpp"

#include <filesystem>

namespace orbis::jobs::snapshot {

/// A snapshot of a store, as it is listed.
struct Snapshot {
    std::string id; ///< the time in UTC, `2026-11-15T06-55-12Z`
    Manifest manifest;
    std::uint64_t file_bytes = 0; ///< of the manifest itself
};

/// A folder of snapshots (docs/formats/snapshot-store.md), for reading. Readers take no lock and never
/// wait.
class SnapshotStore {
public:
    /// Whether there is a store at the path, be it one whose mark is damaged.
    static bool is_store(const std::filesystem::path& path);
    /// Rewrites the mark of a store where it is damaged or gone and the rest of a store is there; whether
    /// that was needed. One of a newer version stays as it is.
    static Result<bool> rewrite_marker_file(const std::filesystem::path& path, Disk& disk);
    static Result<SnapshotStore> open(const std::filesystem::path& path);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path packs() const { return path_ / "packs"; }
    [[nodiscard]] std::filesystem::path snapshots() const { return path_ / "snapshots"; }
    [[nodiscard]] std::filesystem::path known() const { return path_ / "known"; }
    [[nodiscard]] std::filesystem::path manifest_path(const std::string& id) const;

    /// All snapshots, oldest first. A manifest that cannot be read goes to `problems`.
    [[nodiscard]] std::vector<Snapshot> list(std::vector<Error>& problems) const;
    [[nodiscard]] Result<Snapshot> load(const std::string& id) const;
    /// The snapshot that a user means: an id or the start of one, a name, or `latest`.
    [[nodiscard]] Result<Snapshot> find(const std::string& text) const;

    [[nodiscard]] Result<std::unique_ptr<Contents>> contents(std::vector<Error>& problems) const {
        return Contents::open(packs(), problems);
    }
    /// What the whole store takes on the disk.
    [[nodiscard]] std::uint64_t bytes() const;

private:
    explicit SnapshotStore(std::filesystem::path path) : path_(std::move(path)) {}
    friend class Session;
    [[nodiscard]] std::vector<std::string> ids() const;

    std::filesystem::path path_;
};

/// The id of a snapshot that is taken at this time.
std::string id_of_time(std::int64_t seconds);

/// The right to change a store. There is one at a time; it ends with the process. A run that was killed
/// leaves files without a final name, which the next session removes, and a note, which tells that packs may
/// be there that no snapshot needs.
class Session {
public:
    /// `busy` when another process has one. With `create` the store is made if there is nothing yet.
    static Result<Session> begin(const std::filesystem::path& path, bool create, Disk& disk);

    [[nodiscard]] const SnapshotStore& store() const { return store_; }
    [[nodiscard]] Disk& disk() const { return *disk_; }
    /// Whether the last run was interrupted.
    [[nodiscard]] bool recovers() const { return recovers_; }
    /// Whether a file was written by that run, and not by an earlier one.
    [[nodiscard]] bool is_of_killed_run(const std::filesystem::path& file) const;

    /// To be called when everything is done.
    Result<void> end();

private:
    Session(SnapshotStore store, Disk& disk, storage::WriteLock lock)
        : store_(std::move(store)), disk_(&disk), lock_(std::move(lock)) {}
    Result<void> clean();

    SnapshotStore store_;
    Disk* disk_;
    storage::WriteLock lock_;
    bool recovers_ = false;
};

} // namespace orbis::jobs::snapshot
