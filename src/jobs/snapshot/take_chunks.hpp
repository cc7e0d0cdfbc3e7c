#pragma once

#include "jobs/missing/chunk_counts.hpp"
#include "jobs/snapshot/content_writer.hpp"
#include "jobs/snapshot/previous_snapshot.hpp"
#include "jobs/snapshot/take.hpp"

#include <chrono>
#include <functional>

namespace orbis::jobs::snapshot {

/// Where the chunks of a world are, and how to see whether they changed.
struct ChunkSource {
    std::string name;   ///< of the world
    std::string folder; ///< of the region files or the database, below the root, with `/`
    std::function<FileStamp(const std::string& file)> stamp; ///< of a region file, or of the database for ""
    RememberedCounts remembered{};                           ///< how many chunks regions had
};

/// What all parts of taking a snapshot share.
struct TakeWork {
    const Contents& contents;
    ContentWriter& writer;
    const PreviousSnapshot& before;
    const TakeOptions& options;
    std::int64_t time = 0;
    Progress& progress;
    LastSeen& known; ///< for the next snapshot
    TakeReport& report;

    /// Whether a file was written so shortly before that another write could leave the same stamp.
    [[nodiscard]] bool is_fresh(const FileStamp& stamp) const {
        return stamp.is_fresh(std::chrono::sys_seconds(std::chrono::seconds(time)));
    }
};

/// Puts the chunks of a store into the snapshot. Region files that cannot be opened are named in `unopened`,
/// to be kept as files.
Result<WorldRecord> take_chunks(const storage::Store& store, const ChunkSource& source, const TakeWork& work,
                                std::vector<std::string>& unopened);

} // namespace orbis::jobs::snapshot
