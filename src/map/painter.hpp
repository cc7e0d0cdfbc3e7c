#pragma once

#include "chunk/chunk.hpp"
#include "map/colours.hpp"
#include "map/layer.hpp"
#include "map/unshaded_chunk.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

namespace orbis::map {

/// Turns chunk documents into pixels. One per thread: it keeps its memory and what it has looked up, and is
/// not for use by several threads at once.
class ChunkPainter {
public:
    /// `colours` must outlive this.
    explicit ChunkPainter(const Colours& colours);
    ~ChunkPainter();
    ChunkPainter(const ChunkPainter&) = delete;
    ChunkPainter& operator=(const ChunkPainter&) = delete;

    /// Takes the next chunk; `document` must outlive the painting. `parts` are those of all layers that will
    /// be painted (`parts_of`), and what else the caller wants of `chunk()`. An error only where the
    /// document is not a chunk at all: else what cannot be read is painted as if it were empty, and heights
    /// that cannot be read are worked out from the blocks.
    Result<void> read(Bytes document, chunk::Parts parts);

    /// The chunk with the parts that were asked for.
    [[nodiscard]] const chunk::Chunk& chunk() const;

    /// The layer but for its shade, so that the chunk can be let go before its neighbours are known.
    void draw(Layer layer, UnshadedChunk& out);

    /// Pixels at once, where the neighbours are known: 32 rows of 32, `stride` pixels apart.
    void paint(Layer layer, const Neighbours& around, Rgba* out, std::size_t stride);
    /// What the neighbours of this chunk need to know of it.
    Edges edges(Layer layer);

    /// Calls `visit` for each fluid that the surface layer shows, for a legend: the colour is that of step 5
    /// (docs/formats/map.md) before it is mixed with the ground. The fluids must have been read.
    using VisitFluid = std::function<void(std::string_view key, Rgba colour, int columns)>;
    void for_each_surface_fluid(const VisitFluid& visit);

private:
    struct Memory;
    std::unique_ptr<Memory> memory_;
};

} // namespace orbis::map
