#include "game/content/block_defaults.hpp"

#include "game/content/registry_numbers.hpp"

#include <array>

namespace orbis::game {
namespace {

using protocol::Entry;
using protocol::List;
using protocol::Map;
using protocol::Text;

template <typename T>
using Supports = Map<packets::BlockNeighbor, List<T>>;

packets::BlockMovementSettings usual_movement() {
    return {.is_climbable = false,
            .climb_up_speed_multiplier = 1,
            .climb_down_speed_multiplier = 1,
            .climb_lateral_speed_multiplier = 1,
            .is_bouncy = false,
            .bounce_velocity = 0,
            .drag = 0.82F,
            .friction = 0.18F,
            .terminal_velocity_modifier = 1,
            .horizontal_speed_multiplier = 1,
            .acceleration = 0,
            .jump_force_multiplier = 1};
}

/// Holds whatever is next to it, on all sides and corners.
Supports<packets::BlockFaceSupport> holds_everything() {
    static const std::array<packets::BlockFaceSupport, 1> faces = [] {
        packets::BlockFaceSupport full;
        full.face_type = Text("Full");
        return std::array{full};
    }();
    static const auto all = [] {
        std::array<Entry<packets::BlockNeighbor, List<packets::BlockFaceSupport>>,
                   value_count(packets::BlockNeighbor{})>
            made;
        for (std::size_t i = 0; i < made.size(); ++i)
            made[i] = {static_cast<packets::BlockNeighbor>(i), List<packets::BlockFaceSupport>(faces)};
        return made;
    }();
    return all;
}

/// Stands on a full face below it.
Supports<packets::RequiredBlockFaceSupport> stands_on_ground() {
    static const std::array<packets::RequiredBlockFaceSupport, 1> faces = [] {
        packets::RequiredBlockFaceSupport full;
        full.block_type_id = -1;
        full.tag_index = k_no_entry;
        full.fluid_id = -1;
        full.support = packets::SupportMatch::required;
        full.match_self = packets::SupportMatch::ignored;
        full.allow_support_propagation = true;
        full.rotate = true;
        full.face_type = Text("Full");
        return std::array{full};
    }();
    static const std::array below{Entry<packets::BlockNeighbor, List<packets::RequiredBlockFaceSupport>>{
        packets::BlockNeighbor::down, List<packets::RequiredBlockFaceSupport>(faces)}};
    return below;
}

bool is_full_cube(packets::DrawType type) {
    using enum packets::DrawType;
    return type == cube || type == cube_with_model || type == gizmo_cube;
}

} // namespace

packets::BlockTextures same_on_all_sides(std::string_view texture) {
    return {.weight = 1,
            .top = texture,
            .bottom = texture,
            .front = texture,
            .back = texture,
            .left = texture,
            .right = texture};
}

packets::BlockType plain_block(std::string_view name) {
    static const std::array<packets::ShaderType, 1> no_shader{packets::ShaderType::none};
    static const std::array<packets::BlockTextures, 1> cube{same_on_all_sides(k_no_texture)};
    static const std::array<packets::ModelTexture, 1> model{{{.weight = 1, .texture = Text(k_no_texture)}}};
    packets::BlockType block;
    block.name = name;
    block.draw_type = packets::DrawType::cube;
    block.material = packets::BlockMaterial::empty;
    block.opacity = packets::Opacity::solid;
    block.hitbox = k_full_hitbox;
    block.interaction_hitbox = k_no_entry;
    block.model_scale = 1;
    block.block_supports_required_for = packets::BlockSupportsRequiredForType::all;
    block.block_sound_set_index = k_silence;
    block.ambient_sound_event_index = k_silence;
    block.tint = packets::Tint{-1, -1, -1, -1, -1, -1};
    block.biome_tint = packets::Tint{};
    block.movement_settings = usual_movement();
    block.flags = packets::BlockFlags{.is_usable = false, .is_stackable = true};
    block.transition_to_tag = k_no_entry;
    block.shader_effect = List<packets::ShaderType>(no_shader);
    block.model_texture = List<packets::ModelTexture>(model);
    block.cube_textures = List<packets::BlockTextures>(cube);
    block.interactions = Map<packets::InteractionType, std::int32_t>();
    return block;
}

void put_supports(packets::BlockType& block) {
    const bool is_solid = block.material == packets::BlockMaterial::solid;
    if (!is_solid) block.support = stands_on_ground();
    block.supporting = is_solid && is_full_cube(block.draw_type) ? holds_everything()
                                                                 : Supports<packets::BlockFaceSupport>();
}

void put_reserved(std::int32_t id, packets::BlockType& block) {
    static const std::array<packets::BlockTextures, 1> debug_cube{
        {{.weight = 1,
          .top = Text("BlockTextures/_Debug/Up.png"),
          .bottom = Text("BlockTextures/_Debug/Down.png"),
          .front = Text("BlockTextures/_Debug/South.png"),
          .back = Text("BlockTextures/_Debug/North.png"),
          .left = Text("BlockTextures/_Debug/West.png"),
          .right = Text("BlockTextures/_Debug/East.png")}}};
    static const std::array<packets::ModelTexture, 1> debug_model{
        {{.weight = 1, .texture = Text("Blocks/_Debug/Texture.png")}}};
    block.material = id == 1 || id == 2 ? packets::BlockMaterial::solid : packets::BlockMaterial::empty;
    put_supports(block);
    switch (id) {
    case 0:
        block.draw_type = packets::DrawType::empty;
        block.opacity = packets::Opacity::transparent;
        block.support = Supports<packets::RequiredBlockFaceSupport>();
        block.supporting = Supports<packets::BlockFaceSupport>();
        break;
    case 1: block.unknown = true; break;
    case 2:
        block.variant_rotation = packets::VariantRotation::up_down_nesw;
        block.cube_textures = List<packets::BlockTextures>(debug_cube);
        break;
    default:
        block.draw_type = packets::DrawType::model;
        block.variant_rotation = packets::VariantRotation::up_down_nesw;
        block.model = Text("Blocks/_Debug/Model.blockymodel");
        block.model_texture = List<packets::ModelTexture>(debug_model);
        block.supporting = Supports<packets::BlockFaceSupport>();
    }
}

} // namespace orbis::game
