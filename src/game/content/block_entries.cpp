#include "game/content/block_entries.hpp"

#include "game/content/block_defaults.hpp"
#include "game/content/registry_numbers.hpp"
#include "packets/assets.hpp"

#include <algorithm>
#include <array>

namespace orbis::game {
namespace {

using protocol::Text;

constexpr std::string_view k_state_mark = "_State_Definitions_";
constexpr std::int32_t k_empty = 0;
constexpr std::int32_t k_reserved_blocks = 4;
constexpr std::int32_t k_reserved_fluids = 2;
constexpr std::int32_t k_most_fluid = 8;

packets::Color wire(world::Colour colour) {
    return {.red = static_cast<std::int8_t>(colour.red),
            .green = static_cast<std::int8_t>(colour.green),
            .blue = static_cast<std::int8_t>(colour.blue)};
}

/// `0xAARRGGBB`, opaque.
std::int32_t packed(world::Colour colour) {
    return static_cast<std::int32_t>(0xFF00'0000U | static_cast<std::uint32_t>(colour.red) << 16U
                                     | static_cast<std::uint32_t>(colour.green) << 8U | colour.blue);
}

/// Levels from 0 to 15. Light without a radius has 0, as in the game.
packets::ColorLight light(world::Colour colour, std::optional<int> radius) {
    const auto level = [](std::uint8_t part) { return static_cast<std::int8_t>(part / 17); };
    packets::ColorLight made{
        .radius = 0, .red = level(colour.red), .green = level(colour.green), .blue = level(colour.blue)};
    if (radius) made.radius = static_cast<std::int8_t>(std::clamp(*radius, 0, 127));
    return made;
}

packets::DrawType wire(world::DrawType type) {
    switch (type) {
    case world::DrawType::empty: return packets::DrawType::empty;
    case world::DrawType::cube: return packets::DrawType::cube;
    case world::DrawType::model: return packets::DrawType::model;
    case world::DrawType::cube_with_model: return packets::DrawType::cube_with_model;
    }
    return packets::DrawType::cube;
}

packets::Opacity wire(world::Opacity opacity) {
    switch (opacity) {
    case world::Opacity::solid: return packets::Opacity::solid;
    case world::Opacity::semitransparent: return packets::Opacity::semitransparent;
    case world::Opacity::cutout: return packets::Opacity::cutout;
    case world::Opacity::transparent: return packets::Opacity::transparent;
    }
    return packets::Opacity::solid;
}

packets::ShaderType shader_of(const world::FluidType& fluid) {
    if (fluid.has_effect("Lava")) return packets::ShaderType::lava;
    if (fluid.has_effect("Slime")) return packets::ShaderType::slime;
    if (fluid.has_effect("Water")) return packets::ShaderType::water;
    return packets::ShaderType::none;
}

FluidLook look_of(const world::FluidType& fluid) {
    if (fluid.has_effect("Lava")) return FluidLook::lava;
    if (fluid.has_effect("Slime")) return FluidLook::slime;
    return FluidLook::water;
}

/// What the table says; a block that no table knows stays the solid cube that the game shows for it.
void put_facts(const world::BlockType& type, packets::BlockType& block) {
    block.draw_type = wire(type.draw_type);
    block.material = type.material == world::Material::solid ? packets::BlockMaterial::solid
                                                             : packets::BlockMaterial::empty;
    block.opacity = wire(type.opacity);
    block.requires_alpha_blending = type.opacity == world::Opacity::semitransparent;
    if (type.particle) block.particle_color = wire(*type.particle);
    if (type.light) block.light = light(*type.light, type.light_radius);
    if (!type.tint_up.empty()) block.tint->top = packed(type.tint_up.front());
    block.biome_tint->top = type.biome_tint_up;
}

} // namespace

std::pair<std::string_view, std::string_view> split_state(std::string_view key) {
    const auto mark = key.rfind(k_state_mark);
    if (!key.starts_with('*') || mark == std::string_view::npos) return {};
    return {key.substr(1, mark - 1), key.substr(mark + k_state_mark.size())};
}

std::string_view debug_block(std::int32_t id) {
    constexpr std::array<std::string_view, 2> names = {"Debug_Cube", "Debug_Model"};
    return id == 2 || id == 3 ? names[static_cast<std::size_t>(id - 2)] : std::string_view{};
}

BlockEntries::BlockEntries(const world::Assets& assets, const WireIds& ids) : assets_(assets), ids_(ids) {
    for (const auto& type : assets.blocks.all()) {
        if (!type.group.empty()) groups_.try_emplace(type.group, 0);
        if (const auto [block, state] = split_state(type.key); !state.empty())
            states_[block].emplace_back(state, type.key);
    }
    std::int32_t number = 0;
    for (auto& [name, place] : groups_) place = ++number;
}

packets::BlockType BlockEntries::block(std::int32_t id, std::string_view name, RegistryMemory& memory) const {
    auto block = plain_block(name);
    if (id == k_empty) block.group = static_cast<std::int32_t>(groups_.size()) + 1; // one of its own
    if (id < k_reserved_blocks) {
        put_reserved(id, block);
        return block;
    }
    block.tag_indexes = protocol::List<std::int32_t>();
    const auto* type = assets_.block(name);
    const auto [base, state] = split_state(name);
    const auto has_states = states_.find(state.empty() ? name : base);
    if (has_states != states_.end()) {
        std::vector<protocol::Entry<protocol::Text, std::int32_t>> numbers;
        for (const auto& [of_state, key] : has_states->second)
            if (const auto number = ids_.blocks.find(key)) numbers.push_back({of_state, *number});
        if (const auto number = ids_.blocks.find(has_states->first)) numbers.push_back({"default", *number});
        block.states = memory.list(std::span<const protocol::Entry<protocol::Text, std::int32_t>>(numbers));
    }
    if (type != nullptr) {
        put_facts(*type, block);
        if (state.empty()) block.item = name; // items are made for blocks of the table alone
        if (const auto group = groups_.find(type->group); group != groups_.end()) block.group = group->second;
    } else {
        block.material = packets::BlockMaterial::solid; // what the game shows for a block that it misses
    }
    put_supports(block);
    return block;
}

BlockEntries::Blocks BlockEntries::blocks(std::int32_t begin, std::int32_t end,
                                          RegistryMemory& memory) const {
    Blocks made;
    for (auto id = begin; id < end; ++id) {
        const auto name = ids_.blocks.name(id).value_or(debug_block(id));
        if (!name.empty()) made.push_back({id, block(id, name, memory)});
    }
    return made;
}

BlockEntries::Fluids BlockEntries::fluids(std::int32_t begin, std::int32_t end,
                                          RegistryMemory& memory) const {
    Fluids made;
    for (auto id = begin; id < end; ++id) {
        const auto name = ids_.fluids.name(id);
        if (!name) continue;
        packets::Fluid fluid;
        fluid.id = *name;
        fluid.max_fluid_level = k_most_fluid;
        fluid.requires_alpha_blending = true;
        fluid.opacity = packets::Opacity::solid;
        fluid.draw_type = packets::FluidDrawType::liquid;
        fluid.block_sound_set_index = k_silence;
        fluid.cube_textures = memory.list({same_on_all_sides(k_no_texture)});
        fluid.shader_effect = memory.list({packets::ShaderType::none});
        if (id >= k_reserved_fluids) fluid.tag_indexes = protocol::List<std::int32_t>();
        if (const auto* type = id == k_empty ? nullptr : assets_.fluid(*name)) {
            fluid.max_fluid_level = type->max_level;
            fluid.fluid_fx_index = static_cast<std::int32_t>(look_of(*type));
            if (type->particle) fluid.particle_color = wire(*type->particle);
            fluid.shader_effect = memory.list({shader_of(*type)});
            if (type->has_effect("Lava"))
                fluid.requires_alpha_blending = false;
            else
                fluid.opacity = packets::Opacity::transparent;
        }
        made.push_back({id, fluid});
    }
    return made;
}

BlockEntries::Environments BlockEntries::environments(std::int32_t begin, std::int32_t end) const {
    Environments made;
    for (auto id = begin; id < end; ++id) {
        const auto name = ids_.environments.name(id);
        if (!name) continue;
        packets::WorldEnvironment environment;
        environment.id = *name;
        if (id != 0) environment.tag_indexes = protocol::List<std::int32_t>();
        if (const auto* type = assets_.environment(*name); type != nullptr && type->water_tint)
            environment.water_tint = wire(*type->water_tint);
        made.push_back({id, environment});
    }
    return made;
}

} // namespace orbis::game
