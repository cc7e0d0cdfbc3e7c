#pragma once

#include "bytes/recent_map.hpp"
#include "game/download/chunk_collector.hpp"
#include "game/download/usual_frames.hpp"
#include "map/painter.hpp"
#include "map/tile.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

namespace orbis::inspect {

/// The chunks that one player was sent, put together and drawn as `orbis map` draws them. Chunks have no
/// shade at their borders to those that are not there. One thread adds and draws; any may ask for pictures
/// meanwhile.
class ChunkPictures {
public:
    static constexpr std::size_t k_most_pictures = 2'048;         ///< 13 KiB each
    static constexpr std::size_t k_most_documents = 16 << 20;     ///< bytes of chunks that may change again
    static constexpr std::size_t k_most_bytes_in_work = 32 << 20; ///< of chunks that are not whole yet
    static constexpr std::size_t k_most_remembered = 1 << 18;     ///< then it forgets which chunks came

    /// `colours` and `decompressor` must outlive this.
    ChunkPictures(const map::Colours& colours, chunk::IsTransparent is_transparent,
                  Decompressor& decompressor, std::size_t most_bytes_in_work = k_most_bytes_in_work);
    ~ChunkPictures();
    ChunkPictures(const ChunkPictures&) = delete;
    ChunkPictures& operator=(const ChunkPictures&) = delete;

    /// The player has come into another world: all pictures go. The names of blocks stay.
    void begin_world();
    /// A frame that came to the player. What cannot be read is left out.
    void add(const capture::Record& record);
    /// Draws what is whole and has not changed for a moment, or all that is whole.
    void draw(net::Time now, bool everything);

    /// Chunks that came or changed since the last call: tiles of level 0.
    std::set<TilePos> take_changed() { return std::exchange(changed_, {}); }
    /// The bounds of all pictures in chunks, the last not included; nothing while there are none.
    struct Bounds {
        ChunkPos min;
        ChunkPos max;
    };
    [[nodiscard]] std::optional<Bounds> bounds() const;
    [[nodiscard]] std::size_t size() const;

    /// Puts the pictures of a tile where they belong; false if there is none.
    bool paint(TilePos tile, map::TilePixels& out) const;

private:
    class Shelf;
    using Picture = std::shared_ptr<const map::UnshadedChunk>;
    void put(ChunkPos pos, Bytes document);
    void make_room(net::Time now);

    Decompressor& decompressor_;
    protocol::Arena arena_;
    game::UsualFrames frames_{decompressor_};
    map::ChunkPainter painter_;
    std::unique_ptr<Shelf> shelf_;
    chunk::IsTransparent is_transparent_;
    const std::size_t most_bytes_in_work_;
    std::size_t full_at_; ///< bytes of the collector at which room is to be made
    std::optional<game::ChunkCollector> collector_;
    std::set<TilePos> changed_;

    mutable std::mutex mutex_; ///< guards the pictures
    mutable RecentMap<ChunkPos, Picture> pictures_{RecentMap<ChunkPos, Picture>::k_unlimited,
                                                   k_most_pictures};
};

} // namespace orbis::inspect
