#pragma once

#include "jobs/cells/chunk_edit_job.hpp"
#include "jobs/cells/region_bits.hpp"

#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

namespace orbis::jobs {

/// The plan of an edit as it grows. Chunks are added by one thread; drafts may be taken by others meanwhile.
class EditPlan {
public:
    /// A draft that waits for what the chunks around it mean for its light.
    struct Waiting {
        ChunkDraft draft;
        PlannedChunk* planned = nullptr; ///< gets the frame
        ChunkPos pos;
        SectionBits stale = 0; ///< as far as it is known
    };

    /// Whether all chunks of the store are added, also those outside of the edit: then it need not be asked
    /// for those around.
    EditPlan(const storage::Store& store, bool gets_all) : store_(store), gets_all_(gets_all) {}

    void add(ChunkPos pos, LookedAt& found, EditReport& report);
    void add_cut(CutBlocks& cut);

    /// The draft that waits longest; nothing if a chunk around it is still to come.
    std::optional<Waiting> take_draft();
    /// All that wait, when no more chunks come.
    std::vector<Waiting> take_drafts();

    /// Chunks around the edited ones, which were not looked at.
    [[nodiscard]] std::vector<ChunkPos> beside_edited() const;
    /// When all chunks were added.
    void finish(EditReport& report);

    [[nodiscard]] std::vector<ChunkPos> positions() const;
    [[nodiscard]] PlannedChunk& of(ChunkPos pos) { return chunks_.at(pos); }

private:
    /// Whether there may be such a chunk in the store.
    [[nodiscard]] bool may_exist(ChunkPos pos) const { return !gets_all_ || exists_.contains(pos); }
    void mark_around(ChunkPos pos, const LookedAt& found);
    [[nodiscard]] Waiting take_first();

    const storage::Store& store_;
    const bool gets_all_;
    std::mutex mutex_; ///< of the drafts and of what is stale
    std::deque<Waiting> waiting_;
    ChunkPos last_; ///< that was added
    std::map<ChunkPos, SectionBits> stale_;
    std::unordered_map<ChunkPos, PlannedChunk> chunks_;
    RegionBits exists_; ///< of those that were added
    RegionBits walked_;
    std::set<ChunkPos> damaged_;
    RegionBits beside_;
    std::set<BlockPos> bases_;
    std::set<BlockPos> cut_cells_;
};

} // namespace orbis::jobs
