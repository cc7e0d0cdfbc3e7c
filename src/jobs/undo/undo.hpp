#pragma once

#include "bytes/progress.hpp"
#include "jobs/undo/archive.hpp"
#include "world/location.hpp"

#include <vector>

namespace orbis::jobs {

/// A change that can be undone.
struct PastChange {
    std::filesystem::path archive;
    const world::World* world = nullptr; ///< of the location; null for files of the universe
    UndoTitle title;
    bool complete = false;
    std::uint64_t bytes = 0; ///< of the archive
    std::uint64_t chunks = 0;
    std::uint64_t files = 0;
};

/// Every archive of a location, also those that cannot be read and those that were kept after their use.
Result<std::vector<std::filesystem::path>> archive_files(const world::Location& location);

/// The changes of all worlds of a location, newest first; archives that cannot be read go to `problems`. The
/// location must outlive the result.
Result<std::vector<PastChange>> past_changes(const world::Location& location, std::vector<Error>& problems);

struct UndoOptions {
    bool dry_run = false;
    bool overwrite = false; ///< also chunks and files that were changed again since
    bool force = false;     ///< also when another process has the files open
};

struct UndoReport {
    std::uint64_t chunks_restored = 0; ///< given their old content
    std::uint64_t chunks_removed = 0;  ///< that the change had added
    std::vector<std::string>
        files; ///< besides chunks, given back their old content, removed or moved back; by path
    std::uint64_t already = 0;   ///< chunks and files that were as before the change already
    std::vector<Error> changed;  ///< what was changed again since; nothing is touched unless `overwrite`
    std::vector<Error> kept;     ///< repaired chunks that stay, because their damage cannot be brought back
    std::vector<Error> problems; ///< what could not be brought back; then the archive is kept as `.used`
};

/// Undoes one change, from its last step to its first, and deletes its archive when everything is as it
/// was. Killed at any time it can be called again. When something was changed since, nothing is touched.
Result<UndoReport> undo_change(const PastChange& change, const UndoOptions& options, Progress& progress);

} // namespace orbis::jobs
