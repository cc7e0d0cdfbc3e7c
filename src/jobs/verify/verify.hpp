#pragma once

#include "bytes/progress.hpp"
#include "jobs/missing/chunk_counts.hpp"
#include "jobs/verify/finding.hpp"
#include "world/assets.hpp"
#include "world/location.hpp"

#include <functional>

namespace orbis::jobs {

struct VerifyOptions {
    bool quick = false; ///< indexes, headers and files only: no chunk is decompressed
    std::size_t threads = 1;
    bool accepts = false; ///< what is there now is all there is: no entry of an index counts as lost
    /// A backup of each world of the location, in their order, whose chunks must all be there; null if a
    /// world is not compared. Empty without a backup.
    std::vector<const world::World*> against{};
    /// The universe of that backup, whose players must all be there.
    std::optional<storage::Folder> against_universe{};
};

/// The chunks of a world that were counted, and the regions where they could not be.
struct CountedWorld {
    bool is_counted = false; ///< not with `quick` where that would take a look at every chunk
    RegionCounts regions;
    RegionCounts unreadable;
};

struct VerifyReport {
    std::uint64_t worlds = 0;
    std::uint64_t unreadable_worlds = 0; ///< whose storage cannot even be opened
    std::uint64_t chunks = 0;            ///< looked at
    std::uint64_t files = 0;             ///< region files
    std::uint64_t damage = 0;            ///< findings by severity
    std::uint64_t wrong = 0;
    std::uint64_t notes = 0;
    std::uint64_t damaged_chunks = 0;
    std::vector<std::uint64_t> by_code; ///< findings, in the order of `all_codes`
    std::vector<CountedWorld> counted;  ///< one for each world of the location
    std::uint64_t missing_chunks = 0;   ///< that the backup has and the world has not
    std::uint64_t fewer_chunks = 0;     ///< than the world remembers
};

/// Called for each finding, in the order of files and chunks, by one thread at a time.
using OnFinding = std::function<void(const Finding& finding)>;

/// Checks every layer of every chunk of a location and its files (docs/verify.md). Memory does not grow
/// with the world, and nothing that is found ends the walk.
VerifyReport verify(const world::Location& location, const world::Assets& assets,
                    const VerifyOptions& options, const OnFinding& on_finding, Progress& progress);

/// What can be found in one chunk: reads it and checks everything. Keep one per thread.
class ChunkVerifier {
public:
    ChunkVerifier(const storage::Store& store, const world::Assets& assets);
    ~ChunkVerifier();
    ChunkVerifier(const ChunkVerifier&) = delete;
    ChunkVerifier& operator=(const ChunkVerifier&) = delete;

    /// Findings with file, chunk and offsets.
    void run(ChunkPos pos, std::vector<Finding>& out);

private:
    struct Parts;
    [[nodiscard]] bool states_other_size(ChunkPos pos) const;

    std::unique_ptr<Parts> parts_;
};

/// How commands name a location and, if only one is meant, a world of it.
HelpTarget help_target(const world::Location& location, std::string_view world = {});

} // namespace orbis::jobs
