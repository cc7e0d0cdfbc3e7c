#pragma once

#include "http/address.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

namespace orbis::http {

/// A folder for maps that can be made again at any time, held by this process alone.
struct CacheFolder {
    std::filesystem::path path;
    Descriptor lock; ///< held while this lives
};

/// Maps that were not looked at for this long are removed.
inline constexpr std::chrono::days k_keep_cache{90};
/// And when all maps take more than this, those that were not looked at for longest.
inline constexpr std::uint64_t k_most_cache_bytes = std::uint64_t{8} << 30;

/// The folder for a location: below `wanted` where that is given, else below `$XDG_CACHE_HOME/orbis/maps` or
/// `~/.cache/orbis/maps`, named by the location. When another process uses it, one beside it. Never inside
/// the location itself, where it would become a part of backups.
Result<CacheFolder> take_cache_folder(const std::filesystem::path& place,
                                      const std::filesystem::path& wanted);

/// Removes folders beside `own` that `take_cache_folder` has made, by these two rules. Those that another
/// process uses stay. Gives up when `stop` says so.
void thin_caches(const std::filesystem::path& own, const std::atomic<bool>& stop,
                 std::uint64_t most_bytes = k_most_cache_bytes);

/// Does that in the background while it lives.
class CacheThinner {
public:
    explicit CacheThinner(std::filesystem::path own);
    CacheThinner(const CacheThinner&) = delete;
    CacheThinner& operator=(const CacheThinner&) = delete;
    ~CacheThinner() { stop_ = true; }

private:
    std::atomic<bool> stop_ = false;
    std::jthread thread_;
};

} // namespace orbis::http
