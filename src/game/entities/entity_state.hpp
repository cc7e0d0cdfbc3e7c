#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"
#include "packets/entities.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace orbis::game {

/// The number of an entity in its world: from 1 on, never given twice while the world runs.
enum class NetworkId : std::int32_t { none = -1 };

using ComponentType = packets::ComponentUpdateType;

/// One component of an entity as it travels: the type and the body after it, already in bytes. Most
/// components never change, and all viewers get the same bytes.
struct Component {
    ComponentType type{};
    Buffer bytes{}; ///< with the type in front

    friend bool operator==(const Component&, const Component&) = default;
};

/// Writes any component; an error if it does not fit into the packet.
Result<Component> make_component(const packets::ComponentUpdate& update);

// The usual ones. Text that is too long for the wire is an error of `make_component`; these are left out
// then.
void add_nameplate(std::vector<Component>& to, std::string_view text);
/// The name of a model that the client has; where it looks it up, its own values count. `entity_scale` is 0
/// for an entity without a scale of its own.
void add_model(std::vector<Component>& to, std::string_view asset, float scale, float entity_scale = 0);
void add_component(std::vector<Component>& to, const packets::ComponentUpdate& update);

/// Where an entity is and where it looks.
struct Transform {
    packets::Position position{};
    packets::Direction body{};
    packets::Direction look{};

    friend bool operator==(const Transform& a, const Transform& b);
};

/// All that a server says of an entity.
struct EntityState {
    Transform transform{};
    /// Only creatures and players have them.
    std::optional<packets::MovementStates> movement{};
    /// The longest side of its box in blocks: small ones vanish early (docs/design/serve.md).
    float box_side = 1;
    /// For players in creative mode only, such as the markers where creatures spawn.
    bool is_for_builders = false;
    /// Everything but transform and movement states, each type once.
    std::vector<Component> components{};

    friend bool operator==(const EntityState& a, const EntityState& b);
};

} // namespace orbis::game
