#pragma once

#include "map/painter.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace orbis::map {

/// Painters for the threads of a job: a thread takes one and gives it back, so there are never more
/// than threads.
class Painters {
public:
    explicit Painters(const Colours& colours) : colours_(colours) {}

    /// Calls `work(painter)` with one that no other thread has.
    template <typename Work>
    decltype(auto) use(Work&& work) {
        struct Return {
            Painters& home;
            std::unique_ptr<ChunkPainter> painter;
            ~Return() {
                const std::lock_guard lock(home.lock_);
                home.free_.push_back(std::move(painter));
            }
        };
        Return taken{*this, take()};
        return work(*taken.painter);
    }

private:
    std::unique_ptr<ChunkPainter> take() {
        const std::lock_guard lock(lock_);
        if (free_.empty()) {
            free_.reserve(++made_); // so that giving it back never allocates
            return std::make_unique<ChunkPainter>(colours_);
        }
        auto painter = std::move(free_.back());
        free_.pop_back();
        return painter;
    }

    const Colours& colours_;
    std::mutex lock_;
    std::vector<std::unique_ptr<ChunkPainter>> free_;
    std::size_t made_ = 0;
};

} // namespace orbis::map
