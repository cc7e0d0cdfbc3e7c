#pragma once

#include "http/address.hpp"

#include <filesystem>

namespace orbis::http {

/// A folder for maps that can be made again at any time, held by this process alone.
struct CacheFolder {
    std::filesystem::path path;
    Descriptor lock; ///< held while this lives
};

/// The folder for a place: below `wanted` where that is given, else below `$XDG_CACHE_HOME/orbis/maps` or
/// `~/.cache/orbis/maps`, named by the place. When another process uses it, one beside it. Never inside of
/// the place itself, where it would become a part of somebody's backups.
Result<CacheFolder> take_cache_folder(const std::filesystem::path& place,
                                      const std::filesystem::path& wanted);

} // namespace orbis::http
