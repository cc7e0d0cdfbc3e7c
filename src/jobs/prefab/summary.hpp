#pragma once

#include "jobs/prefab/prefab.hpp"
#include "world/assets.hpp"

#include <map>

namespace orbis::jobs::prefab {

/// What is in a prefab, for people.
struct Summary {
    struct Key {
        std::string name;
        std::uint64_t cells = 0;
    };
    std::optional<Bounds> bounds;
    std::vector<Key> blocks; ///< the most common first, without `Empty`
    std::vector<Key> fluids; ///< the same
    std::uint64_t empty_blocks = 0;
    std::uint64_t filler_cells = 0;                  ///< that belong to a larger block
    std::uint64_t items = 0;                         ///< stacks in containers
    std::map<std::string, std::uint64_t> components; ///< of blocks, by name
    std::vector<std::string> unknown;                ///< block keys that no table has
    std::uint64_t renamed = 0;                       ///< block keys that have another name today

    [[nodiscard]] std::uint64_t solid_blocks() const;
};

Summary summarise(const Prefab& prefab, const world::Assets& assets);

} // namespace orbis::jobs::prefab
