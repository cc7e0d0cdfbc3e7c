#pragma once

#include "bytes/tile_pos.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace orbis::http {

/// A tile of any level.
struct LevelTile {
    int level = 0;
    TilePos pos;
    friend constexpr auto operator<=>(const LevelTile&, const LevelTile&) = default;
};

/// The tiles of level 0 and all above them up to a number of levels, each once.
std::vector<LevelTile> with_parents(std::span<const TilePos> tiles, int levels);

/// When each tile changed last, in numbers that count up with each change. What was read before a tile
/// changed shows old pixels. For any thread.
class Changes {
public:
    /// The number of the last change.
    [[nodiscard]] std::uint64_t now() const;
    /// These have changed.
    void mark(std::span<const LevelTile> tiles);
    /// For a tile that is not known to have changed: up to when changes were forgotten.
    [[nodiscard]] std::uint64_t last(const LevelTile& tile) const;
    /// Forgets what changed up to `time`.
    void forget(std::uint64_t time);

private:
    mutable std::mutex mutex_;
    std::uint64_t now_ = 0;
    std::uint64_t forgotten_ = 0;
    std::map<LevelTile, std::uint64_t> last_;
};

} // namespace orbis::http
