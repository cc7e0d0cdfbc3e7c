#pragma once

#include "chunk/chunk.hpp"
#include "mesh/chunk_cells.hpp"
#include "mesh/materials.hpp"
#include "mesh/quad.hpp"

#include <memory>
#include <vector>

namespace orbis::mesh {

/// The chunks beside one; null where there is none, or none is wanted: then its sides are open.
struct Neighbours {
    const chunk::Chunk* north = nullptr;
    const chunk::Chunk* south = nullptr;
    const chunk::Chunk* west = nullptr;
    const chunk::Chunk* east = nullptr;
    // Those at the corners count only for what is near the sky.
    const chunk::Chunk* north_west = nullptr;
    const chunk::Chunk* north_east = nullptr;
    const chunk::Chunk* south_west = nullptr;
    const chunk::Chunk* south_east = nullptr;
};

/// Which faces are made, and what they say.
struct FaceChoice {
    Part part{};
    bool surface = false; ///< only those that look at cells below the open sky or near it (`OpenSky`)
    bool lamps = false;   ///< with the light of lamps; then only faces of equal light are one rectangle
};

/// Makes the faces of chunks. Keep one per thread: its memory is what takes time to get.
class ChunkMesher {
public:
    explicit ChunkMesher(Materials& materials);
    ~ChunkMesher();
    ChunkMesher(const ChunkMesher&) = delete;
    ChunkMesher& operator=(const ChunkMesher&) = delete;

    /// Appends the faces that can be seen from anywhere, or those of them that are chosen. Needs the sections
    /// of the chunks, for lamps with their light.
    void make(const chunk::Chunk& chunk, const Neighbours& around, const FaceChoice& choice,
              std::vector<Quad>& out);

private:
    struct Work;
    std::unique_ptr<Work> work_;
};

} // namespace orbis::mesh
