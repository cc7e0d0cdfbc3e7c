#pragma once

#include "jobs/missing/chunk_counts.hpp"
#include "jobs/undo/archive.hpp"
#include "storage/store.hpp"
#include "world/location.hpp"

#include <unordered_map>

namespace orbis::jobs {

struct ChangeOptions {
    std::string verb{};     ///< such as `restore`
    std::string command{};  ///< what was asked for, for the list of changes
    bool force = false;     ///< also when another process has the files open
    std::string run{};      ///< the same for all worlds of one run; made up where empty
    bool keeps_undo = true; ///< false for a copy that was just made: the original is its undo
    bool locks = true;      ///< false if the caller has locked the files already
};

struct ChangeReport {
    std::filesystem::path archive; ///< empty if nothing changed
    std::uint64_t chunks_written = 0;
    std::uint64_t chunks_removed = 0;
};

/// A name for one run of the program, to give to all of its changes.
std::string new_run();

/// Where the undo archives of a world are: `orbis-undo/` in the folder that has `chunks/` or `db/`. An error
/// for a world that cannot be written.
Result<std::filesystem::path> undo_folder(const world::World& world);
/// The same for the files of a universe or a world besides its chunks.
std::filesystem::path undo_folder(const std::filesystem::path& folder);
/// An error if the folder of archives is a link: archives belong to the world that they are of.
Result<void> check_undo_folder(const std::filesystem::path& folder);

/// One run of a writing verb on one world (docs/design/undo.md). Whatever is replaced or removed is safe in
/// an undo archive before that happens, so `orbis undo` can undo the change, also one that was killed
/// half way. What would change nothing is left alone and not archived.
///
/// Chunks are gathered and written in batches; `finish` makes them last. A chunk that is asked for between
/// is read as it was.
class Change {
public:
    /// Opens the chunks of a world for writing; `busy` when another program has them open.
    static Result<std::unique_ptr<Change>> begin(const world::World& world, const ChangeOptions& options);
    /// For files only: those of a universe or of a world, below `folder`.
    static Result<std::unique_ptr<Change>> begin_files(const std::filesystem::path& folder,
                                                       const ChangeOptions& options);
    ~Change();
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

    /// To read from. Not there in a change of files only.
    [[nodiscard]] const storage::Store& store() const { return *store_; }

    /// The frame is taken on trust and moved as it is.
    Result<void> write(ChunkPos pos, const storage::CompressedChunk& frame);
    Result<void> write_document(ChunkPos pos, Bytes document);
    /// The frame is in unused segments of the chunk's own region file, after correct lengths: the chunk is
    /// made to lead there, so that nothing is written over. Where it is not there any more, or
    /// something uses these segments, it is written like any other.
    Result<void> relink(ChunkPos pos, std::int32_t first_segment, const storage::CompressedChunk& frame);
    /// Writes a chunk as it is into segments of its own, where another claims those that it is in.
    Result<void> relocate(ChunkPos pos);
    /// Nothing happens if there is no such chunk. A damaged one is removed too; its bytes are kept.
    Result<void> remove(ChunkPos pos);

    /// Brings a region file to container version 1. Its chunks stay as they are, so nothing is archived.
    Result<void> migrate_region(RegionPos pos);

    /// Files are named by their path from the folder that has the archives. Small ones only.
    Result<void> write_file(const std::string& path, Bytes content);
    /// Puts a new file, which is beside it, in place of an old one.
    Result<void> replace_file(const std::string& path, const std::filesystem::path& by);
    /// Changes bytes in the middle of a file that the store does not have open.
    Result<void> patch_file(const std::string& path, std::uint64_t offset, Bytes content);
    Result<void> move_file(const std::string& from, const std::string& to);

    /// Writes what is gathered.
    Result<void> flush();
    /// Returns when everything is safe. Without this call what was flushed stays and can be undone.
    Result<ChangeReport> finish();

    /// The folder that paths of files count from.
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

private:
    struct Pending {
        ChunkPos pos;
        std::optional<Buffer> frame; ///< nothing: to be removed
        std::uint32_t raw_size = 0;
        std::int32_t segment = 0; ///< where the frame is already; 0: nowhere
        bool moves = false;       ///< written also where the content stays the same
    };

    Change(std::filesystem::path folder, ChangeOptions options, std::string world);

    Result<void> gather(Pending pending);
    Result<void> archive(const Pending& pending, bool& changes);
    [[nodiscard]] bool lies_in_place(const Pending& pending) const;
    Result<void> carry_out(const Pending& pending);
    Result<void> record(const UndoRecord& record);
    Result<void> sync_archive();

    std::filesystem::path folder_;
    ChangeOptions options_;
    std::string world_;
    std::shared_ptr<void> lock_; ///< of a change of files only
    std::shared_ptr<storage::Store> store_;
    std::optional<CountKeeper> counts_;
    std::optional<UndoWriter> writer_;
    std::vector<Pending> pending_;
    std::unordered_map<ChunkPos, std::size_t> places_; ///< in `pending_`
    std::uint64_t pending_bytes_ = 0;
    storage::ReadContext context_;
    ChangeReport report_;
};

/// A world that a verb is to change, or in a dry run only to look at.
struct Target {
    static Result<Target> open(const world::World& world, bool dry_run, const ChangeOptions& options);
    [[nodiscard]] const storage::Store& store() const { return change ? change->store() : *reader; }

    std::unique_ptr<Change> change;         ///< not there in a dry run
    std::shared_ptr<storage::Store> reader; ///< there in a dry run
};

/// A digest of a frame and of the size that it claims.
Sha256 compressed_hash(const storage::CompressedChunk& frame);

/// What tells two contents of a chunk apart: a digest of the frame where the store keeps frames, else of the
/// document. Nothing if there is no such chunk.
Result<std::optional<Sha256>> stored_hash(const storage::Store& store, ChunkPos pos,
                                          storage::ReadContext& context);

} // namespace orbis::jobs
