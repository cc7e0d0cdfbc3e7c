#include "game/chunks/disk_watch.hpp"

#include "watch/world_watch.hpp"

namespace orbis::game {

Result<std::unique_ptr<DiskWatch>> DiskWatch::start(const world::World& world, WatchSettings settings,
                                                    Changed changed, IsOwn is_own) {
    std::error_code ignored;
    if (settings.scratch.empty()) settings.scratch = std::filesystem::temp_directory_path(ignored);
    TRY(auto watch, watch::WorldWatch::open(world, settings.scratch));
    return std::unique_ptr<DiskWatch>(
        new DiskWatch(std::move(watch), std::move(settings), std::move(changed), std::move(is_own)));
}

DiskWatch::DiskWatch(std::unique_ptr<watch::WorldWatch> watch, WatchSettings settings, Changed changed,
                     IsOwn is_own)
    : watch_(std::move(watch)),
      settings_(std::move(settings)),
      changed_(std::move(changed)),
      is_own_(std::move(is_own)),
      thread_([this] { run(); }) {}

DiskWatch::~DiskWatch() { stop(); }

void DiskWatch::stop() {
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
}

std::shared_ptr<const storage::Store> DiskWatch::store() const { return watch_->store(); }

std::vector<watch::WorldProblem> DiskWatch::problems() const { return watch_->problems(); }

void DiskWatch::run() {
    while (true) {
        {
            std::unique_lock lock(mutex_);
            if (wake_.wait_for(lock, settings_.every, [this] { return is_stopping_; })) return;
        }
        auto chunks = watch_->poll();
        if (is_own_ && !chunks.empty())
            std::erase_if(chunks,
                          [&, store = watch_->store()](ChunkPos pos) { return is_own_(pos, *store); });
        if (!chunks.empty()) changed_(std::move(chunks));
        is_settled_ = watch_->is_settled();
        ++looks_;
    }
}

} // namespace orbis::game
