#include "jobs/light/light_rule.hpp"

#include "chunk/palette.hpp"

#include <string>

namespace orbis::jobs {
namespace {

constexpr LightRule k_unknown{.gives = 0xFFF, .is_known = false};

/// The colour in four bits per channel; not known if eight bits say more than that.
LightRule giving(LightRule rule, world::Colour colour) {
    constexpr unsigned k_scale = 17; // from 0…15 to 0…255
    unsigned shift = 0;
    for (const unsigned channel : {colour.red, colour.green, colour.blue}) {
        rule.gives = static_cast<std::uint16_t>(rule.gives | (channel + k_scale - 1) / k_scale << shift);
        rule.is_known = rule.is_known && channel % k_scale == 0;
        shift += 4;
    }
    return rule;
}

LightRule rule_of(const world::BlockType& type) {
    LightRule rule;
    switch (type.opacity) {
    case world::Opacity::solid: rule.leave = LightRule::k_wall; break;
    case world::Opacity::semitransparent: rule.leave = 1; break;
    case world::Opacity::cutout: rule.leave = rule.enter = 1; break;
    case world::Opacity::transparent: break;
    }
    if (!type.light || *type.light == world::Colour{}) return rule;
    // Lamps of these kinds are in no real section whose light is valid, so nobody can tell what they do.
    const bool is_seen =
        type.opacity == world::Opacity::transparent || type.opacity == world::Opacity::semitransparent;
    if (!is_seen || type.light_radius.value_or(0) != 0) rule = {.is_known = false};
    return giving(rule, *type.light);
}

} // namespace

LightRule block_light_rule(std::string_view key, const world::Assets& assets) {
    if (key == chunk::k_empty_key) return {};
    const auto* type = assets.block(key);
    return type == nullptr ? k_unknown : rule_of(*type);
}

LightRule fluid_light_rule(std::string_view key, const world::Assets& assets) {
    if (key == chunk::k_empty_key) return {};
    if (assets.fluid(key) == nullptr) return k_unknown;
    // The table of fluids says nothing about light; that of blocks still has the blocks that fluids were.
    constexpr std::string_view k_source = "_Source";
    auto name = key;
    if (name.ends_with(k_source)) name.remove_suffix(k_source.size());
    const auto* type = assets.block("Fluid_" + std::string(name));
    if (type == nullptr) return k_unknown;
    auto rule = rule_of(*type);
    if (type->opacity != world::Opacity::transparent) rule = {.gives = rule.gives, .is_known = false};
    return rule;
}

} // namespace orbis::jobs
