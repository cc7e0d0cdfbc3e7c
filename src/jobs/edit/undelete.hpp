#pragma once

#include "jobs/compare/diff_chunks.hpp"
#include "jobs/puzzle/orphans.hpp"
#include "jobs/select/selection.hpp"
#include "jobs/undo/change.hpp"

namespace orbis::jobs {

/// How the chunk is now of which an older version was found.
enum class PresentState : std::uint8_t {
    unknown,    ///< chunk position unknown
    same,       ///< it is as the older version
    differs,    ///< it is something else
    missing,    ///< there is no such chunk any more
    unreadable, ///< it is damaged
};
std::string_view name(PresentState state);

/// An older version of a chunk beside the present one.
struct OlderVersion {
    Orphan orphan;
    PresentState present = PresentState::unknown;
    ChunkDiff diff; ///< from the present to the older version, where it `differs`
};

/// Compares a copy with the chunk that it is, or is said to be, a version of. The store has region files.
OlderVersion compare_with_present(const storage::Store& store, Orphan orphan);

/// `12 blocks, 1 container`: what would change, for people.
std::string difference_text(const OlderVersion& version);

struct UndeleteOptions {
    Selection selection; ///< empty: everything
    std::size_t threads = 1;
    /// Called for each version that is selected, by region, chunk and age.
    std::function<void(const OlderVersion& version)> on_version;
};

struct UndeleteReport {
    std::uint64_t files = 0;
    std::uint64_t not_searched = 0; ///< files of container version 0
    std::uint64_t segments = 0;
    std::uint64_t unused_segments = 0;
    std::uint64_t versions = 0;   ///< that are selected
    std::uint64_t attributed = 0; ///< of them, certain or likely
    std::uint64_t partly_overwritten = 0;
    std::uint64_t no_chunks = 0;
    std::vector<Error> problems;
};

/// The chunks of a world of region files. `usage` for worlds that are kept in another way: they have no older
/// copies that could be read.
Result<std::shared_ptr<const storage::Store>> open_region_files(const world::World& world);

/// Finds the older versions that still are in the region files of a world, which the store has.
Result<UndeleteReport> list_older_versions(const world::World& world, const storage::Store& store,
                                           const UndeleteOptions& options, Progress& progress);

/// An older version and the place that it is put to.
struct Undeletion {
    Orphan orphan;
    ChunkPos chunk;
};

/// Puts older versions back. They stay where they are wherever that is possible, and what was there before
/// becomes an older version itself. What is replaced can be undone.
Result<ChangeReport> undelete(const world::World& world, std::vector<Undeletion> versions,
                              const ChangeOptions& options);

/// Why an older version cannot be put back to where it came from; nothing if it can.
std::optional<Error> reason_against(const Orphan& orphan, std::optional<ChunkPos> as);

} // namespace orbis::jobs
