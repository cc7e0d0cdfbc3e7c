#include "bytes/json_writer.hpp"
#include "care/inspect/describe_block.hpp"

namespace orbis::care {

namespace {

void write_light(JsonWriter& json, std::string_view key, chunk::LightValue light) {
    json.key(key).object().member("red", light.red()).member("green", light.green());
    json.member("blue", light.blue()).member("sky", light.sky()).end();
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

} // namespace orbis::care
