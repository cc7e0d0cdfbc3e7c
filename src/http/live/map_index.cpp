#include "http/live/map_index.hpp"

#include "map/map_files.hpp"
#include "map/world_index.hpp"

#include <algorithm>
#include <set>

namespace orbis::http {

namespace {

const map::LayerTiles* find_layer(const map::MapState& state, map::Layer layer) {
    const auto found = std::ranges::find(state.layers, layer, &map::LayerTiles::layer);
    return found == state.layers.end() ? nullptr : &*found;
}

void add_differences(const map::MapState& a, const map::MapState& b, std::set<LevelTile>& out) {
    for (const auto& layer : a.layers) {
        const auto* other = find_layer(b, layer.layer);
        for (std::size_t level = 0; level < layer.levels.size(); ++level)
            for (const auto& [pos, hash] : layer.levels[level]) {
                const bool same = other != nullptr && level < other->levels.size()
                                  && other->levels[level].contains(pos)
                                  && other->levels[level].at(pos) == hash;
                if (!same) out.insert({static_cast<int>(level), pos});
            }
    }
}

} // namespace

bool MapIndex::has(map::Layer layer) const { return find_layer(state, layer) != nullptr; }

bool MapIndex::covers(const TileKey& key) const {
    const auto* layer = find_layer(state, key.layer);
    return layer != nullptr && static_cast<std::size_t>(key.tile.level) < layer->levels.size();
}

std::uint64_t MapIndex::hash(const TileKey& key) const {
    const auto* layer = find_layer(state, key.layer);
    const auto level = static_cast<std::size_t>(key.tile.level);
    if (layer == nullptr || level >= layer->levels.size()) return 0;
    const auto found = layer->levels[level].find(key.tile.pos);
    return found == layer->levels[level].end() ? 0 : found->second;
}

std::shared_ptr<MapIndex> load_map_index(const std::filesystem::path& folder) {
    const auto text = map::read_map_file(folder / "world.js");
    const auto head = text ? map::read_index_head(as_text(*text)) : std::nullopt;
    if (!head) return nullptr;
    const auto file = map::read_map_file(folder / map::MapState::state_path(head->state));
    if (!file) return nullptr;
    auto state = map::MapState::load(*file);
    if (!state) return nullptr;
    auto index = std::make_shared<MapIndex>();
    index->state = *std::move(state);
    index->generation = head->generation;
    return index;
}

std::vector<LevelTile> different_tiles(const MapIndex& a, const MapIndex& b) {
    std::set<LevelTile> different;
    add_differences(a.state, b.state, different);
    add_differences(b.state, a.state, different);
    return {different.begin(), different.end()};
}

} // namespace orbis::http
