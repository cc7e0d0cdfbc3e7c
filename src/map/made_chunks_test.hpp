#pragma once

#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "support/chunk_images.hpp"

#include <random>
#include <string>
#include <vector>

/// Chunks for tests of pixels: plain content that becomes a document of any version.
namespace orbis::map::made {

/// Everything that pixels depend on, cell by cell and column by column; cells are `y << 10 | z << 5 | x`.
struct Content {
    std::vector<std::string> blocks =
        std::vector<std::string>(std::size_t{k_columns} * k_world_height, "Empty");
    std::vector<std::string> fluids =
        std::vector<std::string>(std::size_t{k_columns} * k_world_height, "Empty");
    std::vector<std::uint16_t> light; ///< empty for no light at all
    /// Global light that is stale, beside a local one; empty for none.
    std::vector<std::uint16_t> stale_light;
    std::vector<std::int32_t> heights = std::vector<std::int32_t>(k_columns, 0);
    std::vector<std::int32_t> tints = std::vector<std::int32_t>(k_columns, 0);
    test::EnvironmentColumns environments = test::EnvironmentColumns(k_columns, {{0, "Env_Zone1_Plains"}});
    int version = 6;     ///< of the sections; up to 2 they are in `BlockChunk`
    int migrations = 11; ///< stored with version 6
    bool global_light = true;

    static std::size_t cell(int x, int y, int z) {
        return static_cast<std::size_t>(y << 10 | (z & 31) << 5 | (x & 31));
    }
    std::string& block(int x, int y, int z) { return blocks[cell(x, y, z)]; }
    std::string& fluid(int x, int y, int z) { return fluids[cell(x, y, z)]; }
    std::int32_t& height(int x, int z) { return heights[static_cast<std::size_t>(z * 32 + x)]; }
};

Buffer document(const Content& content);

/// Hills with caves, lakes and trees, with heights that are right, wrong or outside the world here and
/// there.
Content random_content(std::mt19937_64& random, ChunkPos pos);

} // namespace orbis::map::made
