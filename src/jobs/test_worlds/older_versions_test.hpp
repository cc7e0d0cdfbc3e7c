#pragma once

#include "bson/writer.hpp"
#include "bytes/writer.hpp"
#include "support/chunk_images.hpp"
#include "support/region_images.hpp"

#include <optional>
#include <string>

/// Chunks of which several versions are written, for tests of what is left of the older ones.
namespace orbis::jobs::test_worlds {

struct Version {
    int seed = 0;            ///< the same for all versions of a chunk; 0: flat, as many others
    int edits = 0;           ///< blocks that differ from the first version
    std::string game_time{}; ///< empty: none
    std::optional<std::pair<double, double>> entity{};  ///< world position x, z
    std::optional<std::pair<int, int>> damaged_block{}; ///< world position x, z
    int chests = 0;
    int padding = 0; ///< bytes that do not compress, to make the blob larger
};

inline std::uint32_t noise(int seed, std::size_t i) {
    auto mixed = (static_cast<std::uint64_t>(seed) << 32 | i) * 0x9E3779B97F4A7C15ULL;
    mixed = (mixed ^ mixed >> 31) * 0xBF58476D1CE4E5B9ULL;
    return static_cast<std::uint32_t>(mixed >> 33);
}

inline Buffer version_document(const Version& version) {
    std::vector<std::int32_t> heights(1024, 40);
    std::vector<std::int32_t> tints(1024, 0x5B9E28);
    test::SectionImage ground;
    ground.blocks.assign(test::k_image_cells, "Empty");
    std::fill_n(ground.blocks.begin(), 8 * 1024, "Soil_Dirt");
    if (version.seed != 0)
        for (std::size_t i = 0; i < 1024; ++i) {
            heights[i] = 33 + static_cast<std::int32_t>(noise(version.seed, i) % 8);
            tints[i] = static_cast<std::int32_t>(noise(version.seed, i / 64) & 0xFFFFFF);
            ground.blocks[1024 * (9 + noise(version.seed, i) % 20) + i] = "Soil_Grass";
        }
    for (int i = 0; i < version.edits; ++i)
        ground.blocks[1024 * 30 + static_cast<std::size_t>(i)] = "Rock_Stone";

    Buffer out;
    bson::Writer root(out);
    root.document("Components").document("BlockChunk").int32("Version", 3);
    root.binary("Data", test::block_chunk_image(3, heights, tints, {})).end();
    root.document("ChunkColumn").array("Sections");
    for (std::size_t y = 0; y < 10; ++y) {
        root.document(bson::index_key(y)).document("Components").document("Block").int32("Version", 6);
        root.binary("Data", test::section_image(y == 1 ? ground : test::SectionImage{})).end();
        root.end().end();
    }
    root.end().end();
    Buffer health;
    Writer bytes(health);
    bytes.u8(2);
    bytes.be(version.damaged_block ? 1 : 0);
    if (version.damaged_block) {
        bytes.be(version.damaged_block->first);
        bytes.be(40);
        bytes.be(version.damaged_block->second);
        bytes.be(std::uint32_t{0x3F000000}); // 0.5
        bytes.be(std::int64_t{1000});
    }
    bytes.be(0);
    root.document("BlockHealthChunk").binary("Data", health);
    if (!version.game_time.empty()) root.string("LastRepairGameTime", version.game_time);
    root.end().document("BlockComponentChunk").document("BlockComponents");
    for (int i = 0; i < version.chests; ++i)
        root.document(bson::index_key(static_cast<std::size_t>(40 * 1024 + i)))
            .document("Components")
            .document("container")
            .boolean("AllowViewing", true)
            .end()
            .end()
            .end();
    root.end().end().document("EntityChunk").array("Entities");
    if (version.entity)
        root.document("0")
            .document("Components")
            .document("Transform")
            .document("Position")
            .real("X", version.entity->first)
            .real("Y", 40.5)
            .real("Z", version.entity->second)
            .end()
            .end()
            .end()
            .end();
    root.end().end();
    if (version.padding > 0) {
        Buffer padding(static_cast<std::size_t>(version.padding));
        for (std::size_t i = 0; i < padding.size(); ++i)
            padding[i] = static_cast<std::uint8_t>(noise(77, i) >> 3);
        root.document("MadeByAMod").binary("Noise", padding).end();
    }
    root.document("WorldChunk").end().end().finish();
    return out;
}

inline test::BlobImage version_blob(const Version& version) {
    return test::compressed_blob(version_document(version));
}

} // namespace orbis::jobs::test_worlds
