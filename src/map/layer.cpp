#include "map/layer.hpp"

#include "bytes/position.hpp"

#include <algorithm>
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
            return fail(
                error(Errc::usage, "the layer '{}' has no height, so '{}' is not possible", name, text)
                    .advise(fmt::format("write just '{}'", name)));
        }
        const auto number = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
        const auto* end = number.data() + number.size();
        const auto [stopped, code] = std::from_chars(number.data(), end, layer.y);
        if (number.empty() || code != std::errc{} || stopped != end || layer.y < 0
            || layer.y >= k_world_height)
            return fail(error(Errc::usage, "a height after '{1}@' is a number from 0 to {0}, not '{2}'",
                              k_world_height - 1, name, number)
                            .advise(fmt::format("write for example '{}@64'", name)));
        return layer;
    }
    return fail(error(Errc::usage, "there is no layer '{}'", text).advise(k_advice));
}

namespace {

/// `slice@32..128/16`: the layers from one height to another.
Result<std::vector<Layer>> parse_range(std::string_view text) {
    const auto dots = text.find("..");
    const auto slash = text.find('/', dots);
    const auto rest = text.substr(dots + 2);
    TRY(auto layer, parse_layer(text.substr(0, dots)));
    const auto kind = text.substr(0, text.find('@'));
    TRY(const auto last, parse_layer(fmt::format("{}@{}", kind, rest.substr(0, rest.find('/')))));
    int step = 0;
    const auto number = slash == std::string_view::npos ? std::string_view() : text.substr(slash + 1);
    const auto* end = number.data() + number.size();
    const auto [stopped, code] = std::from_chars(number.data(), end, step);
    if (code != std::errc{} || stopped != end || step < 1 || last.y < layer.y)
        return fail(error(Errc::usage, "not heights as FROM..TO/STEP: '{}'", text)
                        .advise(fmt::format("write for example '{}@32..128/16'", kind)));
    std::vector<Layer> layers;
    for (; layer.y <= last.y; layer.y += step) layers.push_back(layer);
    return layers;
}

} // namespace

Result<std::vector<Layer>> parse_layers(std::string_view list) {
    std::vector<Layer> layers;
    while (!list.empty()) {
        const auto comma = std::min(list.find(','), list.size());
        const auto text = list.substr(0, comma);
        std::vector<Layer> some;
        if (text.find("..") != std::string_view::npos) {
            TRY(some, parse_range(text));
        } else {
            TRY(const auto layer, parse_layer(text));
            some.push_back(layer);
        }
        for (const auto layer : some)
            if (std::ranges::find(layers, layer) == layers.end()) layers.push_back(layer);
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return layers;
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
