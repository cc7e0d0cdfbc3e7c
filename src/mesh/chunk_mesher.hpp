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
};

/// Makes the faces of chunks. Keep one per thread: its memory is what takes time to get.
class ChunkMesher {
public:
    explicit ChunkMesher(Materials& materials);
    ~ChunkMesher();
    ChunkMesher(const ChunkMesher&) = delete;
    ChunkMesher& operator=(const ChunkMesher&) = delete;

    /// Appends all faces that can be seen from anywhere. Needs the sections of the chunks.
    void make(const chunk::Chunk& chunk, const Neighbours& around, const Part& part, std::vector<Quad>& out);

private:
    struct Work;
    std::unique_ptr<Work> work_;
};

} // namespace orbis::mesh
