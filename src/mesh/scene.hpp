#pragma once

#include "bytes/progress.hpp"
#include "jobs/select/block_box.hpp"
#include "mesh/materials.hpp"
#include "mesh/quad.hpp"
#include "storage/store.hpp"

#include <vector>

namespace orbis::mesh {

/// A rectangle and where its chunk is: its corner, counted from that of the scene.
struct PlacedQuad {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t z = 0;
    Quad quad;
};

struct Corner {
    float x = 0;
    float y = 0;
    float z = 0;
    friend bool operator==(const Corner&, const Corner&) = default;
};

/// Against the clock, seen from outside. +x is east, +y up, +z south; a block is 1.
std::array<Corner, 4> corners_of(const PlacedQuad& placed);

/// More do not fit into the files, nor into the memory of most programs that open them.
inline constexpr std::size_t k_most_quads = 8'000'000;
/// Chunks of a box, whether they exist or not.
inline constexpr std::uint64_t k_most_scene_chunks = 4'096;

/// All faces of a box of a world. Its corner with the smallest numbers is 0, 0, 0.
struct BoxScene {
    jobs::BlockBox box;
    Materials materials;
    std::vector<PlacedQuad> quads;   ///< by material
    map::Colour tint{91, 158, 40};   ///< of the grass, in the middle of all columns
    std::uint64_t box_chunks = 0;    ///< of the box, whether they exist or not
    std::size_t chunks = 0;          ///< that there are
    std::vector<ChunkPos> missing{}; ///< that the world does not have
    std::vector<Error> problems{};   ///< parts that could not be read: they are air here
};

Result<BoxScene> take_scene(const storage::Store& store, const jobs::BlockBox& box,
                            const world::Assets& assets, Materials::Use use, Progress& progress);

} // namespace orbis::mesh
