#pragma once

#include "protocol/dialect.hpp"
#include "protocol/frame_writer.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace orbis::net {

/// What a frame of the usual build is in the words of others, each made once for all clients to whom it is
/// the same bytes. Threads may use it at the same time.
class Renderings {
public:
    using Frames = std::vector<std::pair<protocol::Channel, protocol::SharedFrame>>;

    /// Nothing when none was made for this dialect.
    [[nodiscard]] std::optional<Frames> find(const protocol::Dialect& dialect) const {
        const std::lock_guard lock(mutex_);
        for (const auto& [of, frames] : made_)
            if (of == &dialect) return frames;
        return std::nullopt;
    }
    void add(const protocol::Dialect& dialect, Frames frames) {
        const std::lock_guard lock(mutex_);
        made_.emplace_back(&dialect, std::move(frames));
    }

    /// What this frame and the one that follows it, which is known by its memory, are together.
    [[nodiscard]] std::optional<Frames> find(const protocol::Dialect& dialect,
                                             const std::shared_ptr<const void>& next) const {
        const std::lock_guard lock(mutex_);
        for (const auto& each : together_)
            if (each.of == &dialect && each.next == next) return each.frames;
        return std::nullopt;
    }
    /// Only the last is kept: what follows a frame rarely changes while that does not.
    void add(const protocol::Dialect& dialect, std::shared_ptr<const void> next, Frames frames) {
        const std::lock_guard lock(mutex_);
        std::erase_if(together_, [&](const Together& each) { return each.of == &dialect; });
        together_.push_back({&dialect, std::move(next), std::move(frames)});
    }

    /// Memory that the frames take.
    [[nodiscard]] std::size_t bytes() const {
        const std::lock_guard lock(mutex_);
        std::size_t sum = 0;
        const auto count = [&](const Frames& frames) {
            for (const auto& [channel, frame] : frames) sum += frame.bytes().size();
        };
        for (const auto& [of, frames] : made_) count(frames);
        for (const auto& each : together_) count(each.frames);
        return sum;
    }

private:
    struct Together {
        const protocol::Dialect* of;
        std::shared_ptr<const void> next; ///< held, so that no other frame can have its memory
        Frames frames;
    };
    mutable std::mutex mutex_;
    std::vector<std::pair<const protocol::Dialect*, Frames>> made_;
    std::vector<Together> together_;
};

} // namespace orbis::net
