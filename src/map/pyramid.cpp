#include "map/pyramid.hpp"

#include "bytes/content_hash.hpp"

namespace orbis::map {

Pyramid::Pyramid(MapFiles& files, std::filesystem::path folder, std::vector<Layer> layers,
                 const StaleTiles& stale, const MapState* old)
    : files_(files), folder_(std::move(folder)), layers_(std::move(layers)), stale_(stale), old_(old) {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        auto& layer = tiles_.emplace_back();
        layer.layer = layers_[i];
        layer.levels.resize(static_cast<std::size_t>(stale_.levels()));
        if (old_ == nullptr) continue;
        for (int level = 0; level < stale_.levels(); ++level) {
            if (static_cast<std::size_t>(level) >= old_->layers[i].levels.size()) break;
            for (const auto& [pos, hash] : old_->layers[i].levels[static_cast<std::size_t>(level)])
                if (!stale_.contains(level, pos)) layer.levels[static_cast<std::size_t>(level)][pos] = hash;
        }
    }
}

std::uint64_t Pyramid::old_hash(std::size_t layer, int level, TilePos pos) const {
    if (old_ == nullptr) return 0;
    const auto& levels = old_->layers[layer].levels;
    if (static_cast<std::size_t>(level) >= levels.size()) return 0;
    const auto found = levels[static_cast<std::size_t>(level)].find(pos);
    return found == levels[static_cast<std::size_t>(level)].end() ? 0 : found->second;
}

Result<void> Pyramid::start(TileEncoder& encoder) {
    for (int level = 1; level < stale_.levels(); ++level)
        for (const auto pos : stale_.level(level)) {
            if (stale_.stale_children(level, pos) != 0) continue;
            for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
                TilePixels pixels;
                TRY_DO(finish(layer, level, pos, pixels, encoder));
            }
        }
    return {};
}

Result<void> Pyramid::keep(std::size_t layer, int level, TilePos pos, const TilePixels& pixels,
                           TileEncoder& encoder) {
    if (pixels.empty()) return {};
    const auto png = encoder.encode(pixels);
    const auto hash = content_hash(png);
    const bool is_new = old_hash(layer, level, pos) != hash;
    if (is_new) TRY_DO(files_.write(folder_ / MapState::tile_path(layers_[layer], level, pos, hash), png));
    const std::lock_guard lock(mutex_);
    tiles_[layer].levels[static_cast<std::size_t>(level)][pos] = hash;
    ++(is_new ? counts_.written : counts_.kept);
    if (is_new) counts_.bytes += png.size();
    return {};
}

Result<void> Pyramid::deliver(std::size_t layer, int level, TilePos pos, const TilePixels& pixels,
                              TileEncoder& encoder) {
    TRY_DO(keep(layer, level, pos, pixels, encoder));
    if (level + 1 >= stale_.levels()) return {};
    const auto parent = pos.parent();
    std::shared_ptr<Pending> pending;
    {
        const std::lock_guard lock(mutex_);
        auto& place = pending_[{layer, level + 1, parent}];
        if (!place) {
            place = std::make_shared<Pending>();
            place->missing = stale_.stale_children(level + 1, parent);
        }
        pending = place;
    }
    // Without the lock: the children of a tile draw into different quarters of it.
    shrink_into(pixels, pos, *pending->pixels);
    {
        const std::lock_guard lock(mutex_);
        if (--pending->missing > 0) return {};
        pending_.erase({layer, level + 1, parent});
    }
    return finish(layer, level + 1, parent, *pending->pixels, encoder);
}

Result<void> Pyramid::finish(std::size_t layer, int level, TilePos pos, TilePixels& pixels,
                             TileEncoder& encoder) {
    for (const auto child : children_of(pos)) {
        const auto hash = stale_.contains(level - 1, child) ? 0 : old_hash(layer, level - 1, child);
        if (hash == 0) continue;
        const auto path = folder_ / MapState::tile_path(layers_[layer], level - 1, child, hash);
        TRY(const auto png, read_map_file(path));
        TilePixels old;
        auto read = content_hash(png) == hash
                        ? decode_tile(png, old)
                        : fail(Errc::mismatch, "the content of this tile does not match its name");
        if (!read)
            return fail(std::move(read)
                            .error()
                            .in_file(path.string())
                            .advise("run again with --full, which renders everything again"));
        shrink_into(old, child, pixels);
    }
    return deliver(layer, level, pos, pixels, encoder);
}

std::vector<LayerTiles> Pyramid::take_tiles() { return std::move(tiles_); }

TileCounts Pyramid::counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
}

} // namespace orbis::map
