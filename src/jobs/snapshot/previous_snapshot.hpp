#pragma once

#include "jobs/snapshot/last_seen.hpp"
#include "jobs/snapshot/manifest.hpp"

#include <algorithm>
#include <optional>

namespace orbis::jobs::snapshot {

/// What the last snapshot of the same source can spare this one.
struct PreviousSnapshot {
    std::optional<Manifest> manifest; ///< of a snapshot that is still there, so everything below it is too
    LastSeen known;                   ///< empty without that manifest

    [[nodiscard]] const WorldRecord* world(std::string_view name) const {
        if (!manifest) return nullptr;
        const auto found = std::ranges::find(manifest->worlds, name, &WorldRecord::name);
        return found != manifest->worlds.end() ? &*found : nullptr;
    }
    [[nodiscard]] const FileRecord* file(std::string_view path) const {
        if (!manifest) return nullptr;
        const auto found = std::ranges::lower_bound(
            manifest->files, path, {}, [](const FileRecord& file) { return std::string_view(file.path); });
        return found != manifest->files.end() && found->path == path ? &*found : nullptr;
    }
    [[nodiscard]] const SeenFile* seen(std::string_view path) const {
        const auto found = known.files.find(path);
        return found != known.files.end() ? &found->second : nullptr;
    }
    /// Whether the file with this stamp was read by the last snapshot and cannot have changed since.
    [[nodiscard]] bool is_unchanged(std::string_view path, const FileStamp& stamp) const {
        const auto* file = seen(path);
        return file != nullptr && !stamp.empty() && file->stamp == stamp;
    }
};

/// The record of a region; nothing when the world had no chunks there.
inline const RegionRecord* find_region(const WorldRecord* world, RegionPos pos) {
    if (world == nullptr) return nullptr;
    const auto found = std::ranges::lower_bound(world->regions, pos, {}, &RegionRecord::pos);
    return found != world->regions.end() && found->pos == pos ? &*found : nullptr;
}

} // namespace orbis::jobs::snapshot
