#pragma once

#include "bytes/progress.hpp"
#include "world/location.hpp"

#include <optional>
#include <vector>

namespace orbis::jobs {

struct CompactOptions {
    std::optional<int> level{}; ///< compress every chunk again at this level
    bool force = false;         ///< also when another process has the files open
    bool dry_run = false;       ///< only say what would change
    std::size_t threads = 1;
    std::string command{};   ///< for the list of changes
    bool drops_lost = false; ///< also space with whole chunks that no entry leads to
    bool keeps_undo = true;  ///< keep the files as they were; they take their space until they are forgotten
};

/// What happened to one file.
struct CompactedFile {
    std::string file;
    std::uint64_t bytes_before = 0;
    std::uint64_t bytes_after = 0;
    bool rewritten = false;
};

struct CompactReport {
    std::vector<CompactedFile> files;
    std::vector<Error> problems;   ///< files left as they are, chunks moved though they do not decompress
    std::filesystem::path archive; ///< of undo; empty if there is none
};

/// Rewrites the region files of a world without holes and without older copies of chunks. Each file is
/// rewritten beside the old one, synced and read back before it takes its place. A file whose index or
/// blob headers are damaged is left alone, and so is one that has lost entries of its index (`LostEntries`);
/// a chunk that does not decompress moves byte for byte. Files of
/// container version 0 become version 1. A RocksDB world is compacted by its library.
Result<CompactReport> compact(const world::World& world, const CompactOptions& options, Progress& progress);

} // namespace orbis::jobs
