#pragma once

#include "jobs/repair/donors.hpp"
#include "jobs/repair/fix_parts.hpp"
#include "jobs/verify/finding.hpp"
#include "storage/store.hpp"
#include "world/assets.hpp"

#include <memory>
#include <mutex>
#include <set>

namespace orbis::jobs {

/// What is to be done with one chunk.
struct ChunkPlan {
    ChunkPos pos;
    bool unreadable = false;      ///< needs another copy, or goes
    bool is_lost = false;         ///< is in the file without an entry that leads to it
    bool is_ambiguous = false;    ///< another entry leads to the same content, and it is unclear whose it is
    std::string reason;           ///< why it is unreadable
    std::optional<ChunkPos> home; ///< of a chunk that is in the wrong place
    std::vector<ChunkFix> steps;
    std::vector<std::string> left;     ///< what is wrong and stays so
    std::vector<std::string> beside{}; ///< what stays besides all that is fixed
    Buffer frame;                      ///< the repaired chunk, where there are steps
    std::uint32_t raw_size = 0;
    std::int32_t segment = 0; ///< where the frame is in the region file already; 0: nowhere

    [[nodiscard]] bool loses() const;
};

/// Checks chunks and repairs them in memory. Keep one per thread.
class ChunkPlanner {
public:
    /// Backups are asked for single parts; they are guarded by the mutex. Nothing is concluded from what is
    /// in the chunks that are not trusted.
    ChunkPlanner(const storage::Store& store, const world::Assets& assets, bool damage_only,
                 DonorStores& donors, std::mutex& donors_mutex, const std::set<ChunkPos>& untrusted);
    ~ChunkPlanner();
    ChunkPlanner(const ChunkPlanner&) = delete;
    ChunkPlanner& operator=(const ChunkPlanner&) = delete;

    ChunkPlan plan(ChunkPos pos);

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace orbis::jobs
