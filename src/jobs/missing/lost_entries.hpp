#pragma once

#include "jobs/missing/chunk_counts.hpp"
#include "storage/region_files.hpp"
#include "storage/store.hpp"

namespace orbis::jobs {

/// Chunks that are whole in the unused segments of a region file. Most are older copies of chunks in use.
/// If there are more that nothing explains, entries of the index were lost, or chunks were removed.
struct LostEntries {
    std::size_t in_use = 0; ///< chunks that have an entry
    std::size_t older = 0;  ///< copies that are older versions of them
    std::size_t unexplained =
        0; ///< copies of chunks that have no entry, and those that look like no chunk in use

    /// Whether these are too many to be left behind by the game as it saved.
    [[nodiscard]] bool is_damage() const { return unexplained > older; }
};

/// Looks at one region file. Copies are read only if there are more of them than a tenth of the chunks in
/// use, and more than four: a few may be anything.
/// `remembered` is how many chunks the region had when it was last in order: as many as now explain
/// everything, for then the others were gone before (`verify --accept`, `prune`).
Result<LostEntries> look_for_lost_entries(const storage::Region& region,
                                          std::optional<std::uint32_t> remembered = {});

/// What is reported about such a file.
std::string lost_entries_text(const LostEntries& lost);
inline constexpr std::string_view k_lost_entries_advice =
    "orbis repair PATH --from-orphans puts them back, and with --dry-run only shows them; if they were "
    "removed on purpose: orbis verify PATH --accept";

/// An error if the index of a region file was lost: a job that copies or rewrites its chunks would lose those
/// that it does not list.
Result<void> refuse_lost_entries(const storage::Region& region, std::optional<std::uint32_t> remembered = {});
/// The same for all files of a store, where it has region files.
Result<void> refuse_lost_entries(const storage::Store& store, const RememberedCounts& remembered = {});

/// What is remembered of a region, if anything is.
std::optional<std::uint32_t> remembered_count(const RememberedCounts& counts, RegionPos pos);

} // namespace orbis::jobs
