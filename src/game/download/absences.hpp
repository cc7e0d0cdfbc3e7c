#pragma once

#include "bytes/position.hpp"

#include <unordered_set>
#include <vector>

namespace orbis::game {

/// The chunks of which a server has said that there are none: with `UnloadChunk` of one that it never sent
/// (docs/formats/column-packets.md). The servers of Orbis do so; the protocol does not ask for it.
///
/// Another server could cancel what it was about to send when the player was elsewhere. So this counts
/// only for chunks in view, and only once it has come for one that cannot have left the view.
class Absences {
public:
    /// The player goes to the middle of a circle of this radius, in chunks.
    void go_to(ChunkPos middle, int radius);
    /// `UnloadChunk` of a chunk of which nothing had come.
    void told(ChunkPos pos);
    /// Something of a chunk has come.
    void came(ChunkPos pos) { absent_.erase(pos); }

    /// Whether the server is one that says so.
    [[nodiscard]] bool are_told() const { return are_told_; }
    [[nodiscard]] bool contains(ChunkPos pos) const { return are_told_ && absent_.contains(pos); }

private:
    struct Circle {
        ChunkPos middle;
        int radius;
        [[nodiscard]] bool contains(ChunkPos pos) const;
        bool operator==(const Circle&) const = default;
    };

    std::vector<Circle> circles_; ///< the last is that of now; before the first one the player has not moved
    std::unordered_set<ChunkPos> absent_;
    bool are_told_ = false;
};

} // namespace orbis::game
