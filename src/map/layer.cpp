#include "map/layer.hpp"

#include "storage/position.hpp"

#include <array>
#include <charconv>

namespace orbis::map {

namespace {

struct Kind {
    LayerKind kind;
    std::string_view id;
    std::string_view title;
};

constexpr std::array<Kind, 6> k_kinds{{
    {LayerKind::surface, "surface", "Surface"},
    {LayerKind::slice, "slice", "Slice"},
    {LayerKind::cave, "cave", "Caves"},
    {LayerKind::height, "height", "Height"},
    {LayerKind::light, "light", "Light"},
    {LayerKind::environment, "environment", "Environments"},
}};

const Kind& kind_of(Layer layer) { return k_kinds[static_cast<std::size_t>(layer.kind)]; }

constexpr std::string_view k_advice =
    "choose surface, height, light, environment, slice@Y or cave@Y with a height Y";

} // namespace

std::string id(Layer layer) {
    const std::string text(kind_of(layer).id);
    return layer.has_height() ? fmt::format("{}@{}", text, layer.y) : text;
}

std::string title(Layer layer) {
    const std::string text(kind_of(layer).title);
    if (layer.kind == LayerKind::cave) return fmt::format("{} below {}", text, layer.y);
    return layer.has_height() ? fmt::format("{} at {}", text, layer.y) : text;
}

Result<Layer> parse_layer(std::string_view text) {
    const auto at = text.find('@');
    const auto name = text.substr(0, at);
    for (const auto& kind : k_kinds) {
        if (name != kind.id) continue;
        Layer layer{kind.kind, 0};
        if (!layer.has_height()) {
            if (at == std::string_view::npos) return layer;
            return fail(error(Errc::usage, "the layer '{}' has no height, found '{}'", name, text)
                            .advise(fmt::format("write only '{}'", name)));
        }
        const auto number = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
        const auto* end = number.data() + number.size();
        const auto [stopped, code] = std::from_chars(number.data(), end, layer.y);
        if (number.empty() || code != std::errc{} || stopped != end || layer.y < 0
            || layer.y >= k_world_height)
            return fail(error(Errc::usage, "expected a height from 0 to {} after '{}@', found '{}'",
                              k_world_height - 1, name, number)
                            .advise(fmt::format("write for example '{}@64'", name)));
        return layer;
    }
    return fail(error(Errc::usage, "there is no layer '{}'", text).advise(k_advice));
}

chunk::Parts parts_of(Layer layer) {
    using namespace chunk;
    switch (layer.kind) {
    case LayerKind::surface:
    case LayerKind::slice:
    case LayerKind::cave: return k_map_parts | k_fluids;
    case LayerKind::light: return k_map_parts | k_fluids | k_light;
    case LayerKind::height: return k_map_parts;
    case LayerKind::environment: return k_map_parts | k_environments;
    }
    return k_map_parts;
}

} // namespace orbis::map
