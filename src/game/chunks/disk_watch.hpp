#pragma once

#include "bytes/result.hpp"
#include "game/chunks/watch_settings.hpp"
#include "storage/store.hpp"
#include "watch/world_problem.hpp"
#include "world/location.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <thread>
#include <vector>

namespace orbis::watch {
class WorldWatch;
}

namespace orbis::game {

/// Looks, in a thread of its own, which chunks of a world others change on the disk. Only reads, and takes no
/// lock.
class DiskWatch {
public:
    /// Called in the thread of the watch with chunks that are new, gone or have other content.
    using Changed = std::function<void(std::vector<ChunkPos> chunks)>;
    /// Whether the chunk, as it is in the store now, is what this program has written itself: no news then.
    /// Called in the thread of the watch.
    using IsOwn = std::function<bool(ChunkPos pos, const storage::Store& store)>;

    /// The world must outlive this. What changes after the call is noticed.
    static Result<std::unique_ptr<DiskWatch>> start(const world::World& world, WatchSettings settings,
                                                    Changed changed, IsOwn is_own = {});
    ~DiskWatch();
    DiskWatch(const DiskWatch&) = delete;
    DiskWatch& operator=(const DiskWatch&) = delete;

    /// Looks no more; what is known stays readable.
    void stop();

    /// Reads chunks as they were at the last look or later, whole ones only. Not to be kept: after a change
    /// it is another.
    [[nodiscard]] std::shared_ptr<const storage::Store> store() const;
    /// What keeps chunks from being read now.
    [[nodiscard]] std::vector<watch::WorldProblem> problems() const;
    /// How often it has looked; what changes from then on is seen by the next look or the one after.
    [[nodiscard]] std::uint64_t looks() const { return looks_; }
    /// Whether it knows the content of all chunks. Until then a file that changes has only changed chunks.
    [[nodiscard]] bool is_settled() const { return is_settled_; }

private:
    DiskWatch(std::unique_ptr<watch::WorldWatch> watch, WatchSettings settings, Changed changed,
              IsOwn is_own);
    void run();

    std::unique_ptr<watch::WorldWatch> watch_;
    WatchSettings settings_;
    Changed changed_;
    IsOwn is_own_;
    std::mutex mutex_; ///< guards `is_stopping_`
    std::condition_variable wake_;
    bool is_stopping_ = false;
    std::atomic<std::uint64_t> looks_ = 0;
    std::atomic<bool> is_settled_ = false;
    std::jthread thread_;
};

} // namespace orbis::game
