#include "bytes/json_writer.hpp"
#include "jobs/inspect/describe_block.hpp"

#include <fmt/format.h>

namespace orbis::jobs {

namespace {

void write_light(JsonWriter& json, std::string_view key, LightValue light) {
    json.key(key).object().member("red", light.red()).member("green", light.green());
    json.member("blue", light.blue()).member("sky", light.sky()).end();
}

std::string light_text(LightValue light) {
    return fmt::format("red {}, green {}, blue {}, sky {}", light.red(), light.green(), light.blue(),
                       light.sky());
}

} // namespace

std::string to_json(const BlockDescription& block) {
    JsonWriter json;
    json.object().member("x", block.pos.x).member("y", block.pos.y).member("z", block.pos.z);
    json.member("block", block.key).member("known", block.type != nullptr || block.key == "Empty");
    if (block.type != nullptr) {
        json.member("draw_type", world::name(block.type->draw_type));
        json.member("material", world::name(block.type->material));
        json.member("opacity", world::name(block.type->opacity));
    }
    json.key("rotation").object().member("index", block.rotation.index).member("yaw", block.rotation.yaw());
    json.member("pitch", block.rotation.pitch()).member("roll", block.rotation.roll()).end();
    if (block.filler) {
        json.key("base")
            .object()
            .member("x", block.base.x)
            .member("y", block.base.y)
            .member("z", block.base.z);
        if (block.base_key) json.member("block", *block.base_key);
        json.end();
    }
    json.member("fluid", block.fluid).member("fluid_level", block.fluid_level);
    json.member("support", block.support).member("ticks", block.ticks);
    write_light(json, "light", block.light);
    write_light(json, "local_light", block.local_light);
    json.member("light_valid", block.light_valid).member("environment", block.environment);
    json.member("tint", fmt::format("#{:06x}", block.tint & 0xFFFFFF)).member("height", block.height);
    json.key("components").object();
    for (const auto& component : block.components) json.key(component.name).raw(component.json);
    json.end().end();
    return json.take();
}

std::vector<std::string> to_lines(const BlockDescription& block) {
    std::vector<std::string> lines;
    const auto line = [&](std::string_view name, std::string_view value) {
        lines.push_back(fmt::format("{:<12} {}", name, value));
    };
    line("block", block.key);
    if (block.type != nullptr)
        line("kind", fmt::format("{}, {}, opacity {}", world::name(block.type->draw_type),
                                 block.type->material == world::Material::solid ? "solid" : "not solid",
                                 world::name(block.type->opacity)));
    else if (block.key != "Empty")
        line("kind", "unknown");
    if (block.rotation.index != 0)
        line("rotation", fmt::format("{}: yaw {}, pitch {}, roll {}", block.rotation.index,
                                     block.rotation.yaw(), block.rotation.pitch(), block.rotation.roll()));
    if (block.filler)
        line("part of", fmt::format("{} at {} {} {}", block.base_key.value_or("a block that is not stored"),
                                    block.base.x, block.base.y, block.base.z));
    if (block.fluid_level != 0) line("fluid", fmt::format("{}, level {}", block.fluid, block.fluid_level));
    if (block.support != 0)
        line("support", block.support == 15 ? "15: decoration" : fmt::format("{}", block.support));
    if (block.ticks) line("ticks", "yes");
    line("light", fmt::format("{}{}", light_text(block.light), block.light_valid ? "" : " (stale)"));
    line("local light", light_text(block.local_light));
    line("environment", block.environment);
    line("tint", fmt::format("#{:06x}", block.tint & 0xFFFFFF));
    line("height", fmt::format("{} in this column", block.height));
    for (const auto& component : block.components) line("component", component.name + " " + component.json);
    line("chunk", fmt::format("{:n} section {}", block.pos.chunk(), block.pos.y >> 5));
    return lines;
}

} // namespace orbis::jobs
