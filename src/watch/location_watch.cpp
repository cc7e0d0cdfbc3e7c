#include "watch/location_watch.hpp"

namespace orbis::watch {

LocationWatch::LocationWatch(const world::Location& place) : place_(place) {
    if (place.kind == world::Location::Kind::universe && !place.is_zip)
        folder_ = place.root.on_disk("worlds");
    if (folder_) worlds_ = folders_in(*folder_);
}

std::optional<world::Location> LocationWatch::poll() {
    if (!folder_) return std::nullopt;
    auto now = folders_in(*folder_);
    if (now == worlds_) return std::nullopt;
    auto place = world::find_location(place_.path);
    // Where it is away for a moment, nothing is known of its worlds.
    if (!place || place->kind != world::Location::Kind::universe) return std::nullopt;
    worlds_ = std::move(now);
    return *std::move(place);
}

} // namespace orbis::watch
