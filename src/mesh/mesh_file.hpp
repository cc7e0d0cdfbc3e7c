#pragma once

#include "bytes/bytes.hpp"
#include "mesh/chunk_mesher.hpp"

#include <memory>
#include <vector>

namespace orbis::mesh {

/// Makes what a page gets of a chunk (docs/formats/mesh.md). Keep one per thread.
///
///     offset 0    4 bytes  "OMSH"
///     offset 4    u8       version, 1
///     offset 5    u8       1: all faces; 2: parts of the chunk could not be read
///     offset 6    u16 le   materials
///     offset 8    u32 le   opaque records: rectangles, and blocks that stand free as a whole
///     offset 12   u32 le   records that are seen through, after the others
///     offset 16   zlib     materials, tints, records
class MeshFileMaker {
public:
    /// What must be read of the chunks.
    static constexpr chunk::Parts k_parts =
        chunk::k_blocks | chunk::k_fluids | chunk::k_light | chunk::k_column_maps;

    /// `assets` must outlive this.
    explicit MeshFileMaker(const world::Assets& assets);
    ~MeshFileMaker();
    MeshFileMaker(const MeshFileMaker&) = delete;
    MeshFileMaker& operator=(const MeshFileMaker&) = delete;

    enum class Faces : std::uint8_t {
        surface, ///< those near the open sky
        all,
    };
    /// Reads the environments of the chunk where it has water to colour. Outside of `part` is air.
    Buffer make(chunk::Chunk& chunk, const Neighbours& around, Faces faces, const Part& part = {});
    /// How many rectangles the last one stands for.
    [[nodiscard]] std::size_t quads() const { return made_; }
    /// How many kinds of blocks and fluids are known.
    [[nodiscard]] std::size_t materials() const { return materials_ ? materials_->size() : 0; }

private:
    struct Compressor;
    void forget_old();
    void join_pieces();
    void number_materials(chunk::Chunk& chunk, Buffer& table);
    [[nodiscard]] bool is_clear(const Quad& quad) const { return (*materials_)[quad.material()].alpha < 1; }
    [[nodiscard]] map::Colour fluid_colour(chunk::Chunk& chunk, const Material& fluid,
                                           const Quad& first) const;

    const world::Assets& assets_;
    map::Colours colours_;
    std::unique_ptr<Materials> materials_;
    std::unique_ptr<ChunkMesher> mesher_;
    std::unique_ptr<Compressor> compressor_;
    std::vector<Quad> quads_; ///< one for each record
    std::size_t made_ = 0;
    std::vector<std::uint16_t> numbers_; ///< by material: its place in the table and 1 more; 0 for none yet
    Buffer body_;
};

} // namespace orbis::mesh
