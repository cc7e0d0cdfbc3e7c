#pragma once

#include "bytes/progress.hpp"
#include "jobs/missing/chunk_counts.hpp"
#include "jobs/snapshot/store.hpp"
#include "world/location.hpp"

#include <optional>

namespace orbis::jobs::snapshot {

inline constexpr int k_default_level = 7;

struct TakeOptions {
    std::string name;            ///< by which the snapshot can be asked for; may be empty
    std::string note;            ///< without control characters
    int level = k_default_level; ///< of Zstandard, for what is new
    bool reread = false;         ///< also files that look as they did at the last snapshot
    std::size_t threads = 1;
    std::optional<std::int64_t> time; ///< seconds since 1970; now when it is not set
    Disk* disk = nullptr;             ///< the real one when it is not set
};

/// What taking a snapshot did. Problems name what is not in it, or in it as unreadable bytes; everything else
/// is in it all the same.
struct TakeReport {
    std::string id;
    bool was_taken = false; ///< by a run that was killed after it; nothing is new
    std::uint64_t chunks = 0;
    std::uint64_t new_chunks = 0;
    std::uint64_t opaque_chunks = 0;  ///< kept as the bytes they are, because they do not decompress
    std::uint64_t missing_chunks = 0; ///< could not be read at all
    std::uint64_t regions = 0;
    std::uint64_t unread_regions = 0; ///< taken over from the last snapshot without being read
    std::uint64_t decompressed = 0;   ///< chunks whose compressed bytes were not known
    std::uint64_t files = 0;
    std::uint64_t new_files = 0;
    std::uint64_t bytes_added = 0; ///< to the store
    std::uint64_t store_bytes = 0;
    std::vector<Error> problems;
    std::vector<RegionCounts> counts; ///< for each world of the location: the chunks that it has
};

/// Whether a snapshot can be asked for by this name, as `STORE@NAME` and on a command line.
Result<void> check_name(std::string_view name);

/// Takes a snapshot of a location into a store, which is made when it is not there. After a kill at any
/// moment the store has every earlier snapshot, and this one whole or not at all.
Result<TakeReport> take(const std::filesystem::path& store, const world::Location& location,
                        const TakeOptions& options, Progress& progress);

} // namespace orbis::jobs::snapshot
