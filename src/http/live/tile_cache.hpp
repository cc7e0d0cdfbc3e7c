#pragma once

#include "http/address.hpp"
#include "http/live/changes.hpp"
#include "map/layer.hpp"

#include <filesystem>
#include <list>
#include <optional>

namespace orbis::http {

struct TileKey {
    map::Layer layer;
    LevelTile tile;
    friend constexpr auto operator<=>(const TileKey&, const TileKey&) = default;
};

/// Tiles that were rendered because somebody asked, as files of a folder. Bounded: those that nobody has
/// asked for longest go first. For any thread.
class TileCache {
public:
    static constexpr std::uint64_t k_most_bytes = 512 << 20;
    static constexpr std::size_t k_most_tiles = 65'536;

    struct Entry {
        std::uint64_t hash = 0;   ///< of the file; 0 for a tile without any pixel, which has none
        std::uint64_t as_of = 0;  ///< the last change when its rendering began
        bool whole = true;        ///< false where tiles below it were missing
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
        for (auto at = order_.begin(); at != order_.end();) {
            const auto next = std::next(at);
            if (condition(at->key, at->entry)) remove(at);
            at = next;
        }
    }
    [[nodiscard]] std::uint64_t bytes() const;

private:
    struct Kept {
        TileKey key;
        Entry entry;
        std::uint64_t file = 0;
        std::uint64_t size = 0;
    };
    using Order = std::list<Kept>;

    TileCache(std::filesystem::path folder, std::uint64_t most)
        : folder_(std::move(folder)), most_bytes_(most) {}

    [[nodiscard]] std::filesystem::path path_of(std::uint64_t file) const;
    void remove(Order::iterator kept);
    Order::iterator touch(const TileKey& key);

    std::filesystem::path folder_;
    std::uint64_t most_bytes_;
    mutable std::mutex mutex_;
    Order order_; ///< asked for last at the end
    std::map<TileKey, Order::iterator> places_;
    std::uint64_t bytes_ = 0;
    std::uint64_t next_file_ = 0;
};

} // namespace orbis::http
