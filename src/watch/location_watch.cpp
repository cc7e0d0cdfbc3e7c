#include "watch/location_watch.hpp"

namespace orbis::watch {

LocationWatch::LocationWatch(const world::Location& location) : location_(location) {
    if (location.kind == world::Location::Kind::universe && !location.is_zip)
        folder_ = location.root.on_disk("worlds");
    if (folder_) worlds_ = folders_in(*folder_);
}

std::optional<world::Location> LocationWatch::poll() {
    if (!folder_) return std::nullopt;
    auto now = folders_in(*folder_);
    if (now == worlds_) return std::nullopt;
    auto location = world::find_location(location_.path);
    // Where it is away for a moment, nothing is known of its worlds.
    if (!location || location->kind != world::Location::Kind::universe) return std::nullopt;
    worlds_ = std::move(now);
    return *std::move(location);
}

} // namespace orbis::watch
