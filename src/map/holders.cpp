#include "map/holders.hpp"

#include "chunk/components.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orbis::map {
namespace {

std::string_view text_at(const bson::Document& holder, std::initializer_list<std::string_view> path) {
    const auto found = holder.find_path(path);
    const auto text = found ? found->string() : std::nullopt;
    return text.value_or(std::string_view());
}

} // namespace

std::string_view entity_type(const bson::Document& holder) {
    auto type = text_at(holder, {"Components", "Model", "Model", "Id"});
    if (type.empty()) type = text_at(holder, {"Components", "Item", "Item", "Id"});
    if (type.empty()) type = text_at(holder, {"Components", "BlockEntity", "BlockTypeKey"});
    if (type.empty()) type = text_at(holder, {"Components", "SpawnMarkerComponent", "SpawnMarker"});
    if (!type.empty()) return type;
    for (const auto marker : {"PatrolPathMarker", "SpawnMarkerComponent", "TriggerVolume", "AmbientEmitter"})
        if (chunk::component(holder, marker)) return marker;
    return "Entity";
}

std::string_view entity_name(const bson::Document& holder) {
    const auto name = text_at(holder, {"Components", "Nameplate", "Text"});
    return name.empty() ? text_at(holder, {"Components", "DisplayName", "DisplayName", "RawText"}) : name;
}

std::optional<std::array<double, 3>> entity_position(const bson::Document& holder) {
    const auto found = holder.find_path({"Components", "Transform", "Position"});
    const auto position = found ? found->document() : std::nullopt;
    if (!position) return std::nullopt;
    std::array<double, 3> out{};
    for (std::size_t i = 0; i < 3; ++i) {
        const auto axis = position->find(std::array{"X", "Y", "Z"}[i]);
        const auto number = axis ? axis->number() : std::nullopt;
        if (!number || !std::isfinite(*number)) return std::nullopt;
        out[i] = *number;
    }
    return out;
}

std::int32_t item_count(const bson::Document& item) {
    const auto quantity = item.find("Quantity");
    const auto number = quantity ? quantity->integer() : std::nullopt;
    constexpr std::int64_t k_most = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(number.value_or(1), 0, k_most));
}

} // namespace orbis::map
