#pragma once

#include "game/codec/wire_ids.hpp"
#include "game/content/registry_memory.hpp"
#include "packets/assets.hpp"
#include "world/assets.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace orbis::game {

/// Makes the entries of blocks, fluids and environments from the tables, for any range of ids.
class BlockEntries {
public:
    BlockEntries(const world::Assets& assets, const WireIds& ids);

    using Blocks = std::vector<protocol::Entry<std::int32_t, packets::BlockType>>;
    using Fluids = std::vector<protocol::Entry<std::int32_t, packets::Fluid>>;
    using Environments = std::vector<protocol::Entry<std::int32_t, packets::WorldEnvironment>>;

    // Of the ids from `begin` up to `end`, without those that have no name. Valid as long as `memory`.
    [[nodiscard]] Blocks blocks(std::int32_t begin, std::int32_t end, RegistryMemory& memory) const;
    [[nodiscard]] Fluids fluids(std::int32_t begin, std::int32_t end, RegistryMemory& memory) const;
    [[nodiscard]] Environments environments(std::int32_t begin, std::int32_t end) const;

    /// The groups of the table, sorted; a block's `group` is the place in it, and one.
    [[nodiscard]] const std::map<std::string_view, std::int32_t>& groups() const { return groups_; }

private:
    [[nodiscard]] packets::BlockType block(std::int32_t id, std::string_view name,
                                           RegistryMemory& memory) const;

    const world::Assets& assets_;
    const WireIds& ids_;
    std::map<std::string_view, std::int32_t> groups_;
    /// States by the block that has them: the name of the state and its key.
    std::map<std::string_view, std::vector<std::pair<std::string_view, std::string_view>>> states_;
};

/// The name of the block whose state `key` is, and the name of the state; empty ones for a plain block.
std::pair<std::string_view, std::string_view> split_state(std::string_view key);

/// The names of the two blocks behind `Unknown`.
std::string_view debug_block(std::int32_t id);

} // namespace orbis::game
