#include "mesh/materials.hpp"

#include "chunk/palette.hpp"
#include "map/guess.hpp"

#include <limits>

namespace orbis::mesh {

namespace {

bool is_built_of(std::string_view group) { return group == "Roof" || group == "Stone" || group == "Wood"; }

} // namespace

std::uint16_t Materials::add(Material material) {
    // More kinds of blocks than any world has: what comes after them looks like the first.
    if (all_.size() > std::numeric_limits<std::uint16_t>::max()) return 1;
    all_.push_back(std::move(material));
    return static_cast<std::uint16_t>(all_.size() - 1);
}

Material Materials::make_block(std::string_view key, std::size_t migrations) const {
    Material made;
    made.key = key;
    made.block = colours_.block(key, migrations);
    const auto* type = assets_->block(key);
    if (type == nullptr) type = assets_->block(assets_->migrations.apply(key, migrations));
    if (type == nullptr) {
        const bool is_plant = map::names_a_plant(key);
        made.kind = is_plant ? Material::Kind::piece : Material::Kind::solid;
        made.shape = is_plant ? Shape::plant : Shape::cube;
        return made;
    }
    using world::DrawType;
    if (type->draw_type == DrawType::empty) return made;
    if (type->draw_type == DrawType::model) {
        made.kind = Material::Kind::piece;
        if (type->group == "Leaves" || is_built_of(type->group))
            made.kind = Material::Kind::clear; // stairs, roofs and the like fill most of their cells
        else
            made.shape = type->material == world::Material::empty ? Shape::plant : Shape::box;
        if (key.ends_with("_Half")) {
            made.kind = Material::Kind::piece;
            made.shape = Shape::half;
        }
        return made;
    }
    made.kind = type->opacity == world::Opacity::solid ? Material::Kind::solid : Material::Kind::clear;
    if (type->opacity == world::Opacity::semitransparent) made.alpha = 0.5F;
    return made;
}

std::uint16_t Materials::of_block(std::string_view key, std::size_t migrations) {
    if (key == chunk::k_empty_key) return 0;
    if (const auto known = blocks_.find(key); known != blocks_.end()) return known->second;
    auto made = make_block(key, migrations);
    if (use_ == Use::print) {
        if (made.kind == Material::Kind::clear) made.kind = Material::Kind::solid;
        if (made.shape == Shape::plant) made.kind = Material::Kind::nothing;
    }
    const auto number = made.kind != Material::Kind::nothing ? add(std::move(made)) : std::uint16_t{0};
    key_bytes_ += key.size();
    return blocks_.emplace(key, number).first->second;
}

std::uint16_t Materials::of_fluid(std::string_view key) {
    // Where it comes from and where it flows to is one body.
    constexpr std::string_view k_source = "_Source";
    const auto look = colours_.fluid(key);
    if (key.ends_with(k_source)) key.remove_suffix(k_source.size());
    if (!look.fluid || use_ == Use::print) return 0;
    if (const auto known = fluids_.find(key); known != fluids_.end()) return known->second;
    Material made;
    made.kind = Material::Kind::fluid;
    made.shape = Shape::liquid;
    made.key = key;
    made.block.has_particle = true;
    made.block.particle = look.has_particle ? look.particle : map::Colour{64, 96, 192};
    made.alpha = 0.6F;
    made.is_water = look.water;
    key_bytes_ += key.size();
    return fluids_.emplace(key, add(std::move(made))).first->second;
}

} // namespace orbis::mesh
