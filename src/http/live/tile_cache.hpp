#pragma once

#include "bytes/bytes.hpp"
#include "bytes/descriptor.hpp"
#include "bytes/recent_map.hpp"
#include "bytes/result.hpp"
#include "http/address.hpp"
#include "http/live/changes.hpp"
#include "map/layer.hpp"

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

namespace orbis::http {

struct TileKey {
    map::Layer layer;
    LevelTile tile;
    friend constexpr auto operator<=>(const TileKey&, const TileKey&) = default;
};

/// Tiles that were rendered on request, as files of a folder. Bounded: those that nobody has
/// asked for longest go first. For any thread.
class TileCache {
public:
    static constexpr std::uint64_t k_most_bytes = 512 << 20;
    static constexpr std::size_t k_most_tiles = 65'536;

    struct Entry {
        std::uint64_t hash = 0;   ///< of the file; 0 for a tile without any pixel, which has none
        std::uint64_t as_of = 0;  ///< the last change when its rendering began
        bool whole = true;        ///< false if tiles below it were missing
        std::uint64_t filled = 0; ///< then: the last one below it that was there when it was made
    };

    /// Empties the folder: what an earlier run has left may be old.
    static Result<std::unique_ptr<TileCache>> open(std::filesystem::path folder,
                                                   std::uint64_t most_bytes = k_most_bytes);

    [[nodiscard]] std::optional<Entry> find(const TileKey& key);
    struct Opened {
        Entry entry;
        Descriptor file; ///< none for a tile without any pixel
        std::uint64_t size = 0;
    };
    /// The same with its file.
    [[nodiscard]] std::optional<Opened> open_tile(const TileKey& key);
    Result<void> put(const TileKey& key, const Entry& entry, Bytes png);
    /// Removes tiles for which this says so; it may change the entries of the others.
    template <typename Condition>
    void remove_if(Condition&& condition) {
        const std::lock_guard lock(mutex_);
        tiles_.erase_if([&](const TileKey& key, Kept& kept) {
            if (!condition(key, kept.entry)) return false;
            remove_file(kept);
            return true;
        });
    }
    [[nodiscard]] std::uint64_t bytes() const;

private:
    struct Kept {
        Entry entry;
        std::uint64_t file = 0;
        std::uint64_t size = 0;
    };

    TileCache(std::filesystem::path folder, std::uint64_t most)
        : folder_(std::move(folder)), tiles_(most, k_most_tiles) {}

    [[nodiscard]] std::filesystem::path path_of(std::uint64_t file) const;
    void remove_file(const Kept& kept) const;

    std::filesystem::path folder_;
    mutable std::mutex mutex_;
    RecentMap<TileKey, Kept, std::map> tiles_;
    std::uint64_t next_file_ = 0;
};

} // namespace orbis::http
