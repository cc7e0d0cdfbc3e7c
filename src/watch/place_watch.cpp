#include "watch/place_watch.hpp"

namespace orbis::watch {

PlaceWatch::PlaceWatch(const world::Place& place) : place_(place) {
    if (place.kind == world::Place::Kind::universe && !place.is_zip) folder_ = place.root.on_disk("worlds");
    if (folder_) worlds_ = folders_in(*folder_);
}

std::optional<world::Place> PlaceWatch::poll() {
    if (!folder_) return std::nullopt;
    auto now = folders_in(*folder_);
    if (now == worlds_) return std::nullopt;
    auto place = world::find_place(place_.path);
    // Where it is away for a moment, nothing is known of its worlds.
    if (!place || place->kind != world::Place::Kind::universe) return std::nullopt;
    worlds_ = std::move(now);
    return *std::move(place);
}

} // namespace orbis::watch
