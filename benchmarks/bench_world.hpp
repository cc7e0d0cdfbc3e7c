#pragma once

#include "bytes/bytes.hpp"
#include "bytes/tile_pos.hpp"
#include "bytes/zstd.hpp"
#include "storage/region_store.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orbis::bench {

/// A world to measure with: its store, and every frame of it in memory for the bare loop that it is measured
/// against.
struct BenchWorld {
    std::string name; ///< for the names of rows
    std::filesystem::path chunks;
    std::unique_ptr<storage::RegionStore> store;
    std::vector<ChunkPos> positions;
    std::vector<Buffer> frames;
    std::vector<std::uint32_t> raw_sizes;

    /// Decompresses every frame with libzstd alone: the baseline.
    void decompress_all() const;
    /// The tile of a map with the most chunks: the one that takes longest.
    [[nodiscard]] TilePos fullest_tile() const;
};

/// What a row needs of its world.
enum class Terrain {
    dense, ///< natural terrain, 20 KB of frame and 400 KB of document per chunk
    sparse ///< little in each chunk, so that what is done once per chunk counts most
};

/// A real world where the real worlds are beside the checkout, else one that is made: `made dense`, or
/// `sample`, the sample universe. Made once, into build/bench-worlds; loaded once.
const BenchWorld& world_for(Terrain terrain);

/// A folder with the chunks of a world eight times beside each other, for jobs with several threads: with a
/// single region of a few milliseconds they would spend their time on starting and ending. Made when it is
/// first asked for; goes away at the end.
std::filesystem::path eight_times(const BenchWorld& world);

/// Makes a world of 100 full regions in `folder`/chunks, which is 102,400 chunks: many names for the same
/// file.
void make_large_world(const BenchWorld& world, const std::filesystem::path& folder);

/// One more real world; null where there is none.
const BenchWorld* real_world(const std::string& name);

/// Says in one line on which worlds rows were measured; empty where none was asked for.
std::string about_worlds();

} // namespace orbis::bench
