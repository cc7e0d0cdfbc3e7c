#pragma once

#include "map/edge_cache.hpp"
#include "map/painter.hpp"
#include "map/tile.hpp"
#include "storage/hashing_reader.hpp"

#include <array>
#include <set>
#include <span>

namespace orbis::map {

/// Told of what is rendered.
class AreaVisitor {
public:
    virtual ~AreaVisitor() = default;
    /// Asked before a chunk is read: where the answer is no, there is none.
    [[nodiscard]] virtual bool may_have_chunks(RegionPos region) const;
    /// A chunk of one of the tiles; the painter holds it until the call returns. Not called for one that
    /// cannot be read.
    virtual void on_chunk(ChunkPos pos, const storage::StoredChunk& stored, ChunkPainter& painter);
    /// A chunk of one of the tiles that cannot be read and has no pixels.
    virtual void on_unreadable(ChunkPos pos, const storage::StoredChunk& stored, const Error& problem);
    /// The edges of a chunk beside the tiles were used; its hash, 0 if there is none.
    virtual void on_neighbour(ChunkPos pos, std::uint64_t hash);
    /// A tile is finished; it may be without any pixel.
    virtual Result<void> on_tile(std::size_t layer, TilePos pos, const TilePixels& pixels) = 0;
};

/// Renders tiles of level 0 from a store: each chunk is read once, row by row, and of the chunks around the
/// tiles only the heights along their sides are used. One per thread: it keeps its memory.
class AreaRenderer {
public:
    /// `store`, `colours` and `cache` must outlive this; `extra` are parts of chunks that the visitor wants.
    AreaRenderer(const storage::Store& store, const Colours& colours, std::vector<Layer> layers,
                 EdgeCache* cache, chunk::Parts extra = {});

    /// The tiles must be near each other, as those of a region are: what they take of memory depends on the
    /// width of the rectangle around them.
    Result<void> render(std::span<const TilePos> tiles, AreaVisitor& visitor);

    [[nodiscard]] std::uint64_t chunks_read() const { return chunks_read_; }

private:
    /// What is known of a chunk: the edges of each layer stand in `edges_`.
    enum class ChunkKnowledge : std::uint8_t { absent, edges, unshaded };
    /// What is on the tiles of a column: nothing, chunks of the row in work, or a row that was handed over.
    enum class Paper : std::uint8_t { blank, drawn, used };

    [[nodiscard]] bool wanted(ChunkPos pos) const;
    [[nodiscard]] bool is_beside_wanted(ChunkPos pos) const;
    /// Also finishes the chunks of the row above, each as soon as all around it are known.
    void load_row(std::int32_t z, AreaVisitor& visitor);
    void load(ChunkPos pos, std::size_t column, AreaVisitor& visitor);
    void load_edges(ChunkPos pos, std::size_t column, AreaVisitor& visitor);
    void shade_chunk(std::int32_t z, std::size_t column);
    Result<void> hand_over_tiles(std::int32_t tile_z, AreaVisitor& visitor);
    [[nodiscard]] const Edges* edges_of(std::int32_t z, std::size_t column, std::size_t layer) const;
    [[nodiscard]] std::size_t place(std::int32_t z, std::size_t column) const;
    UnshadedChunk& unshaded(std::int32_t z, std::size_t column, std::size_t layer);
    [[nodiscard]] std::size_t tile_column(std::int32_t tile_x) const;
    TilePixels& tile(std::int32_t tile_x, std::size_t layer);
    /// Makes the tiles of a column blank where they are used.
    void clear_used(std::int32_t tile_x);

    storage::HashingReader reader_;
    ChunkPainter painter_;
    std::vector<Layer> layers_;
    EdgeCache* cache_;
    chunk::Parts parts_;
    std::uint64_t chunks_read_ = 0;

    std::set<TilePos> tiles_;
    ChunkPos first_;                       ///< of the rectangle around the tiles, with the ring
    std::size_t width_ = 0;                ///< with the ring
    std::vector<ChunkKnowledge> known_;    ///< three rows
    std::vector<Edges> edges_;             ///< three rows, by layer
    std::vector<UnshadedChunk> unshaded_;  ///< a row and two more in turn, by layer
    std::vector<TilePixels> row_of_tiles_; ///< by layer
    std::vector<Paper> papers_;            ///< of the columns of tiles
};

} // namespace orbis::map
