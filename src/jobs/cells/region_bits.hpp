#pragma once

#include "bytes/position.hpp"

#include <bitset>
#include <unordered_map>

namespace orbis::jobs {

/// A set of chunks with a bit for each chunk of a region, for jobs that go through worlds region by region.
class RegionBits {
public:
    void insert(ChunkPos pos) {
        if (last_ == nullptr || last_->first != pos.region())
            last_ = &*regions_.try_emplace(pos.region()).first;
        last_->second.set(bit(pos));
    }
    [[nodiscard]] bool contains(ChunkPos pos) const {
        const auto found = regions_.find(pos.region());
        return found != regions_.end() && found->second.test(bit(pos));
    }
    /// Calls `visit(ChunkPos)` for each, in any order.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (const auto& [region, chunks] : regions_)
            for (int slot = 0; slot < k_columns; ++slot)
                if (chunks.test(static_cast<std::size_t>(slot))) visit(region.chunk(Slot(slot)));
    }

private:
    using Regions = std::unordered_map<RegionPos, std::bitset<k_columns>>;

    static std::size_t bit(ChunkPos pos) { return static_cast<std::size_t>(pos.slot().value); }

    Regions regions_;
    Regions::value_type* last_ = nullptr; ///< where the last one was put; the map does not move it
};

} // namespace orbis::jobs
