#include "map/world_index.hpp"

#include "bytes/content_hash.hpp"
#include "bytes/json_writer.hpp"
#include "map/map_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace orbis::map {
namespace {

void write_bounds(JsonWriter& json, const MapState& content) {
    json.key("bounds");
    if (content.regions.empty()) {
        json.null();
        return;
    }
    auto least = content.regions.begin()->second.least;
    auto most = content.regions.begin()->second.most;
    for (const auto& [pos, region] : content.regions) {
        least = {std::min(least.x, region.least.x), std::min(least.z, region.least.z)};
        most = {std::max(most.x, region.most.x), std::max(most.z, region.most.z)};
    }
    json.object().key("min").array().number(least.x * k_side).number(least.z * k_side).end();
    json.key("max").array().number((most.x + 1) * k_side).number((most.z + 1) * k_side).end().end();
}

void write_layer(JsonWriter& json, const LayerTiles& layer) {
    json.key(id(layer.layer)).object().member("title", title(layer.layer)).member("kind", "tiles");
    if (layer.layer.has_height()) json.member("height", layer.layer.y);
    json.key("tiles").object();
    for (std::size_t level = 0; level < layer.levels.size(); ++level) {
        json.key(fmt::format("{}", level)).object();
        for (const auto& [pos, hash] : layer.levels[level])
            json.member(fmt::format("{:n}", pos), hash_text(hash));
        json.end();
    }
    json.end().end();
}

std::optional<std::string_view> cut(std::string_view text, std::string_view before, std::string_view after) {
    const auto start = text.find(before);
    if (start == std::string_view::npos) return std::nullopt;
    text.remove_prefix(start + before.size());
    const auto end = text.find(after);
    if (end == std::string_view::npos) return std::nullopt;
    return text.substr(0, end);
}

} // namespace

std::string WorldIndex::text(const MapState& content) const {
    std::uint64_t chunks = 0;
    for (const auto& [pos, region] : content.regions) chunks += region.chunks;
    JsonWriter json;
    // The head comes first and in this order: `read_index_head` relies on it.
    json.object()
        .member("format", 1)
        .member("state", hash_text(state))
        .member("generation", generation)
        .member("name", name);
    write_bounds(json, content);
    json.member("chunks", chunks)
        .member("levels", content.layers.empty() ? std::size_t{0} : content.layers[0].levels.size());
    json.key("spawn");
    if (spawn) {
        json.array();
        for (const auto number : *spawn) json.real(number);
        json.end();
    } else {
        json.null();
    }
    json.key("height").object().member("min", 0).member("max", k_world_height).end();
    json.key("layers").object();
    for (const auto& layer : content.layers) write_layer(json, layer);
    json.end();
    json.key("inspect").object().member("file", hash_text(content.inspect)).end();
    json.key("facts").object().member("file", hash_text(content.facts)).end();
    json.key("legend").raw(content.legend).end();
    return fmt::format("orbis(\"world/{}\",{});\n", folder_of_world(name), json.text());
}

std::optional<IndexHead> read_index_head(std::string_view text) {
    if (!text.starts_with("orbis(\"world/")) return std::nullopt;
    const auto state = cut(text, "\",{\"format\":1,\"state\":\"", "\",\"generation\":");
    const auto generation = cut(text, "\",\"generation\":", ",");
    const auto hash = state ? parse_hash(*state) : std::nullopt;
    if (!hash || !generation) return std::nullopt;
    IndexHead head{*hash, 0};
    const auto* end = generation->data() + generation->size();
    const auto [stop, problem] = std::from_chars(generation->data(), end, head.generation);
    if (problem != std::errc() || stop != end) return std::nullopt;
    return head;
}

std::optional<std::string> with_extent(std::string_view text, std::string_view extent) {
    // Quotes in a name are escaped, so that the first of these is the key itself.
    const auto start = text.find(",\"bounds\":");
    const auto end = start == std::string_view::npos ? start : text.find(",\"spawn\":", start);
    if (end == std::string_view::npos || !read_index_head(text)) return std::nullopt;
    return fmt::format("{}{}{}", text.substr(0, start + 1), extent, text.substr(end));
}

std::string map_script(std::string_view program, std::string_view title, bool live,
                       const std::vector<std::string>& folders) {
    JsonWriter json;
    json.object()
        .member("format", 1)
        .member("program", program)
        .member("live", live)
        .member("title", title)
        .key("worlds")
        .array();
    for (const auto& folder : folders)
        json.object().member("name", world_of_folder(folder)).member("folder", folder).end();
    json.end().end();
    return fmt::format("orbis(\"map\",{});\n", json.text());
}

} // namespace orbis::map
