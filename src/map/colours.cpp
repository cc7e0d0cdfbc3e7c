#include "map/colours.hpp"

#include "chunk/palette.hpp"
#include "map/guess.hpp"

#include <array>

namespace orbis::map {

namespace {

/// One channel of step 2.
std::uint8_t mix(std::uint8_t own, std::uint8_t tint, float part) {
    const auto s = static_cast<float>(own);
    return static_cast<std::uint8_t>(s + (static_cast<float>(tint) - s) * part);
}

std::uint8_t times(std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a * b / 255); }

/// Groups of blocks that are not ground: what is built, and what grows.
bool is_ground_group(std::string_view group) {
    for (const std::string_view other :
         {"Wood", "Leaves", "Plant", "SeaLife", "Roof", "Wall", "Cloth", "Props", "LeavesGround", "Cover"})
        if (group == other) return false;
    return true;
}

} // namespace

Colour BlockLook::tinted(Colour tint) const {
    auto c = base;
    if (biome_percent > 0) {
        const float m = static_cast<float>(biome_percent) / 100.0F;
        c = {mix(c.red, tint.red, m), mix(c.green, tint.green, m), mix(c.blue, tint.blue, m)};
    }
    if (biome_percent < 100 && has_particle)
        c = {times(c.red, particle.red), times(c.green, particle.green), times(c.blue, particle.blue)};
    return c;
}

BlockLook Colours::block(std::string_view key, std::size_t migrations) const {
    BlockLook look;
    const auto* type = assets_->block(key);
    if (type == nullptr && migrations != k_all_migrations)
        type = assets_->block(assets_->migrations.apply(key, migrations));
    look.empty = key == chunk::k_empty_key;
    look.see_through = world::Assets::is_transparent(key, type);
    if (type == nullptr) {
        look.guessed = !look.empty;
        look.has_particle = true;
        // A state that is not known looks like the block it belongs to, where that one is.
        const auto* base = assets_->block(base_of_state(key));
        look.particle = base != nullptr && base->particle ? *base->particle : guess_block_colour(key);
        look.ground = !look.empty && !names_a_plant(key);
        return look;
    }
    if (!type->tint_up.empty()) look.base = type->tint_up.front();
    look.has_particle = type->particle.has_value();
    look.particle = type->particle.value_or(Colour{});
    look.biome_percent = static_cast<std::uint8_t>(type->biome_tint_up);
    look.ground = type->opacity == world::Opacity::solid && type->material == world::Material::solid
                  && type->draw_type != world::DrawType::model && is_ground_group(type->group);
    return look;
}

FluidLook Colours::fluid(std::string_view key) const {
    FluidLook look;
    look.fluid = key != chunk::k_empty_key;
    const auto* type = look.fluid ? assets_->fluid(key) : nullptr;
    if (type == nullptr) return look;
    look.water = type->has_effect("Water");
    look.has_particle = type->particle.has_value();
    look.particle = type->particle.value_or(Colour{});
    return look;
}

std::optional<Colour> Colours::water_tint(std::string_view environment) const {
    const auto* type = assets_->environment(environment);
    return type == nullptr ? std::nullopt : type->water_tint;
}

Colour Colours::environment(std::string_view key) const { return environment_colour(key); }

} // namespace orbis::map
