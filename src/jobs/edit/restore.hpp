#pragma once

#include "bytes/progress.hpp"
#include "jobs/select/selection.hpp"
#include "jobs/undo/change.hpp"
#include "jobs/undo/writable_regions.hpp"

#include <functional>

namespace orbis::jobs {

/// What a restore does with one chunk.
struct RestoredChunk {
    enum class What : std::uint8_t {
        replaced,   ///< takes the place of another content, or of one that cannot be read
        added,      ///< the world had no such chunk
        same,       ///< it is as in the backup already
        missing,    ///< the backup does not have it: left alone
        unreadable, ///< the backup's copy is damaged: left alone
        stuck,      ///< the world's region file cannot be written
    };

    ChunkPos pos;
    What what = What::same;
    std::uint64_t bytes = 0; ///< compressed
    std::optional<Error> problem;
};
/// `replaced`, `added` …
std::string_view name(RestoredChunk::What what);

struct RestoreOptions {
    Selection selection;
    bool dry_run = false;
    bool force = false;
    std::size_t threads = 1;
    std::string command; ///< for the list of changes
    /// Called for every selected chunk that the backup or the world has, or that is named on its own.
    std::function<void(const RestoredChunk& chunk)> on_chunk;
};

struct RestoreReport {
    std::uint64_t replaced = 0;
    std::uint64_t added = 0;
    std::uint64_t same = 0;
    std::uint64_t missing = 0;
    std::uint64_t unreadable = 0;
    std::uint64_t stuck = 0;
    std::uint64_t bytes = 0;     ///< compressed, of replaced and added chunks
    std::vector<Error> problems; ///< of the selection and of regions that cannot be read
    ChangeReport change;
};

/// Takes chunks out of a backup into a world. What is selected is judged by the backup. Frames move as they
/// are. Chunks that are the same already are not decompressed; each other one is, and decoded, before it may
/// replace anything. Everything that is replaced can be undone.
Result<RestoreReport> restore(const world::World& world, const world::World& backup,
                              const RestoreOptions& options, Progress& progress);

/// That a frame holds a chunk that can be read whole.
Result<void> check_chunk_frame(const storage::CompressedChunk& frame, storage::ReadContext& context);

} // namespace orbis::jobs
