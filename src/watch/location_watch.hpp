#pragma once

#include "watch/folder_stamps.hpp"
#include "world/location.hpp"

namespace orbis::watch {

/// Notices worlds that come into a universe on the disk, or go.
class LocationWatch {
public:
    /// `location` must outlive this.
    explicit LocationWatch(const world::Location& location);

    /// The location as it is now, if something in the folder of its worlds has changed since the last call.
    /// Costs one look at each of them.
    std::optional<world::Location> poll();

private:
    const world::Location& location_;
    std::optional<std::filesystem::path> folder_; ///< of the worlds; nothing if none can come
    FileStamps worlds_;
};

} // namespace orbis::watch
