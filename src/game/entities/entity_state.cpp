#include "game/entities/entity_state.hpp"

#include "packets/entities.hpp"
#include "protocol/packet_codec.hpp"

#include <cstring>

namespace orbis::game {

namespace {

/// Plain values without gaps between them: the same bytes are the same on the wire.
template <typename T>
bool same_bytes(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

} // namespace

bool operator==(const Transform& a, const Transform& b) {
    return same_bytes(a.position, b.position) && same_bytes(a.body, b.body) && same_bytes(a.look, b.look);
}

bool operator==(const EntityState& a, const EntityState& b) {
    const auto same_movement = a.movement.has_value() == b.movement.has_value()
                               && (!a.movement || same_bytes(*a.movement, *b.movement));
    return same_movement && a.transform == b.transform && a.box_side == b.box_side
           && a.is_for_builders == b.is_for_builders && a.components == b.components;
}

Result<Component> make_component(const packets::ComponentUpdate& update) {
    // One update of one entity in a packet of its own: what stands before the component has a fixed length.
    constexpr std::size_t k_before =
        packets::EntityUpdates::k_var_start + 1 + packets::EntityUpdate::k_var_start + 1;
    packets::EntityUpdate entity;
    entity.updates = protocol::List<packets::ComponentUpdate>(&update, 1);
    packets::EntityUpdates packet;
    packet.updates = protocol::List<packets::EntityUpdate>(&entity, 1);
    protocol::PayloadWriter writer;
    TRY(const auto payload, writer.write(packet));
    const auto bytes = payload.subspan(k_before);
    return Component{static_cast<ComponentType>(update.index()), Buffer(bytes.begin(), bytes.end())};
}

void add_component(std::vector<Component>& to, const packets::ComponentUpdate& update) {
    if (auto made = make_component(update)) to.push_back(*std::move(made));
}

void add_nameplate(std::vector<Component>& to, std::string_view text) {
    packets::NameplateUpdate nameplate;
    nameplate.text = text;
    add_component(to, nameplate);
}

void add_model(std::vector<Component>& to, std::string_view asset, float scale, float entity_scale) {
    packets::Model model;
    model.scale = scale;
    model.asset_id = protocol::Text(asset);
    model.texture = protocol::Text("textures/Unknown.png"); // what the game says where it knows none
    model.animation_sets = protocol::Map<protocol::Text, packets::AnimationSet>();
    model.detail_boxes = protocol::Map<protocol::Text, protocol::List<packets::DetailBox>>();
    packets::ModelUpdate update;
    update.entity_scale = entity_scale;
    update.model = model;
    add_component(to, update);
}

} // namespace orbis::game
