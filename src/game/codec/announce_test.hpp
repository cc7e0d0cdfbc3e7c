#pragma once

#include "game/codec/wire_ids.hpp"
#include "packets/assets.hpp"

#include <vector>

namespace orbis::game::test_names {

template <typename Value>
std::vector<protocol::Entry<std::int32_t, Value>> entries_of(const IdTable& ids) {
    std::vector<protocol::Entry<std::int32_t, Value>> out;
    for (std::int32_t id = 0; id < ids.end(); ++id)
        if (const auto name = ids.name(id)) {
            auto& entry = out.emplace_back();
            entry.key = id;
            if constexpr (requires { entry.value.id; })
                entry.value.id = *name;
            else
                entry.value.name = *name;
        }
    return out;
}

/// Sends what all numbers stand for, as a server does before the world.
template <typename Send>
void announce(const WireIds& ids, Send&& send) {
    const auto blocks = entries_of<packets::BlockType>(ids.blocks);
    packets::UpdateBlockTypes types;
    types.max_id = ids.blocks.end();
    types.block_types = protocol::Map<std::int32_t, packets::BlockType>(blocks);
    send(types);
    const auto fluids = entries_of<packets::Fluid>(ids.fluids);
    packets::UpdateFluids kinds;
    kinds.max_id = ids.fluids.end();
    kinds.fluids = protocol::Map<std::int32_t, packets::Fluid>(fluids);
    send(kinds);
    const auto places = entries_of<packets::WorldEnvironment>(ids.environments);
    packets::UpdateEnvironments environments;
    environments.max_id = ids.environments.end();
    environments.environments = protocol::Map<std::int32_t, packets::WorldEnvironment>(places);
    send(environments);
}

} // namespace orbis::game::test_names
