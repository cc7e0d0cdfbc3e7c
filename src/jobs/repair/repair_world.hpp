#pragma once

#include "bytes/temporary_folder.hpp"
#include "jobs/puzzle/orphans.hpp"
#include "jobs/repair/donors.hpp"
#include "jobs/repair/plan_chunk.hpp"
#include "jobs/repair/repair.hpp"
#include "jobs/undo/change.hpp"
#include "storage/region_files.hpp"

#include <map>
#include <mutex>
#include <set>

namespace orbis::jobs {

/// What is said of whole chunks that were found and not put back; `likeliest` is the chance of the best
/// guess, 0 without one.
std::string uncertain_text(std::size_t chunks, double likeliest);

/// Repairs the chunks of one world, region by region: all chunks of a region are looked at before any of them
/// is written, so that older copies in its unused segments are still there when they are needed.
class WorldRepair {
public:
    /// `alone` says that its location has no other world, so that its name does not matter in a backup.
    WorldRepair(const world::World& world, bool alone, const world::Assets& assets,
                const RepairOptions& options, const std::vector<Donor>& donors, const OnStep& on_step,
                RepairReport& report, const std::string& run);

    Result<void> run(Progress& progress);

private:
    using Plans = std::map<ChunkPos, ChunkPlan>;

    void tell(RepairStep::Outcome outcome, const ChunkPlan& plan, std::string part, std::string text,
              std::string advice = {});
    void tell_of_file(RepairStep::Outcome outcome, const std::string& file, std::string part,
                      std::string text, std::string advice = {});

    Result<void> region(RegionPos pos);
    Result<std::shared_ptr<storage::Store>> fix_header(RegionPos pos, const Error& problem,
                                                       TemporaryFolder& temporary);
    Result<void> replace_region(RegionPos pos, const Error& problem);
    [[nodiscard]] storage::Folder region_folder() const;
    void tell_of_folders();
    Result<void> missing_chunks(const ChunkSet& present);
    Result<void> bring_back(RegionPos pos, const std::set<ChunkPos>& chunks);
    Result<void> other_store(Progress& progress);

    Plans plan_all(const storage::Store& store, const std::vector<ChunkPos>& chunks,
                   const std::set<ChunkPos>& untrusted);
    void plan_around_misplaced(Plans& plans, const storage::Store& store,
                               const std::vector<ChunkPos>& chunks);
    Result<void> apply(Plans& plans, const storage::Store& store);
    Result<void> write(ChunkPos pos, const storage::CompressedChunk& frame, std::int32_t segment = 0);
    void put_misplaced_right(Plans& plans, const storage::Store& store);
    void find_owners(Plans& plans, const storage::Region& region, const storage::Store& store);
    std::optional<ChunkPos> owner_by_backup(std::span<const ChunkPos> claimants, const storage::Store& store);
    void claim(Plans& plans, std::span<const ChunkPos> claimants, ChunkPos pos, std::optional<ChunkPos> owner,
               std::string_view how);
    [[nodiscard]] bool removes(const ChunkPlan& plan) const {
        return options_.remove_unreadable || plan.is_ambiguous;
    }
    void find_replacements(Plans& plans, const storage::Store& store);
    bool take_from_backup(ChunkPlan& plan);
    std::span<const Orphan> orphans_of(RegionPos pos, const storage::RegionFiles& files);
    bool take_from_behind_wrong_lengths(ChunkPlan& plan, const storage::RegionFiles& files);
    void put_back_lost(Plans& plans, const storage::Region& region, const storage::RegionFiles& files);
    bool take_from_orphans(ChunkPlan& plan, const storage::RegionFiles& files);
    [[nodiscard]] std::string advice() const;
    [[nodiscard]] static Buffer bytes_of(ChunkPos pos, const storage::Store& store);
    Result<void> set_aside(const ChunkPlan& plan, const storage::Store& store);
    Result<void> part_overlaps(const storage::Region& region, const Plans& plans);
    [[nodiscard]] std::string file_of(ChunkPos pos) const;

    const world::World& world_;
    const world::Assets& assets_;
    const RepairOptions& options_;
    const OnStep& on_step_;
    RepairReport& report_;
    std::string run_;
    DonorStores donors_;
    std::mutex donors_mutex_;
    Target target_;
    std::string set_aside_folder_;
    std::set<RegionPos> unreadable_;        ///< regions whose file could not be opened, or is a folder
    std::vector<ChunkPos> present_;         ///< that the world has, those that were put back included
    std::optional<RegionOrphans> searched_; ///< of the region that is being repaired
};

} // namespace orbis::jobs
