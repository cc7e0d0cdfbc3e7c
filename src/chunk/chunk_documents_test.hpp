#pragma once

#include "bson/writer.hpp"
#include "support/chunk_images.hpp"

#include <array>

/// Chunk documents for tests, put together by hand.
namespace orbis::chunk::test_documents {

/// A chunk of today with these sections from the bottom, fluids in section 1, and something of everything
/// else.
inline Buffer document(const std::vector<test::SectionImage>& sections, bool with_unknown = true) {
    std::vector<std::int32_t> heights(1024, 40);
    std::vector<std::int32_t> tints(1024, -8000000);
    heights[33] = -1;
    Buffer out;
    bson::Writer root(out);
    root.document("Components");
    if (with_unknown) root.document("MadeByAMod").string("Note", "kept as it is").real("Pi", 3.14).end();
    root.document("BlockChunk").int32("Version", 3);
    root.binary("Data", test::block_chunk_image(3, heights, tints, {})).end();
    root.document("ChunkColumn").array("Sections");
    for (std::size_t y = 0; y < sections.size(); ++y) {
        root.document(bson::index_key(y)).document("Components");
        root.document("Block").int32("Version", sections[y].version);
        root.binary("Data", test::section_image(sections[y])).end();
        if (y == 1) {
            std::vector<std::string> fluids(test::k_image_cells, "Empty");
            std::vector<int> levels(test::k_image_cells, 0);
            for (std::size_t i = 100; i < 200; ++i) {
                fluids[i] = "Water_Source";
                levels[i] = 1;
            }
            root.document("Fluid").binary("Data", test::fluid_image(fluids, levels)).end();
            std::vector<int> supports(test::k_image_cells, 0);
            supports[77] = 15;
            root.document("BlockPhysics").binary("Data", test::physics_image(supports)).end();
        }
        if (with_unknown) root.document("SectionMod").int32("Level", 9).end();
        root.document("ChunkSection").end().end().end();
    }
    root.end().end();
    test::EnvironmentColumns environments(1024, {{30, "Env_Caves"}, {0, "Env_Plains"}});
    root.document("EnvironmentChunk").binary("Data", test::environment_image(environments)).end();
    root.document("BlockHealthChunk").binary("Data", std::array<std::uint8_t, 9>{2}).end();
    root.document("BlockComponentChunk").document("BlockComponents");
    root.document("2084")
        .document("Components")
        .document("FarmingBlock")
        .real("SpreadRate", 1)
        .end()
        .end()
        .end();
    root.end().end();
    root.document("EntityChunk").array("Entities");
    root.document("0").document("Components").document("Nameplate").string("Text", "Bob").end().end().end();
    root.end().end();
    root.document("ChunkSpawnedNPCData")
        .document("EnvironmentSpawnCounts")
        .real("Env_Caves", 2.5)
        .end()
        .end();
    root.document("WorldChunk").end();
    root.end().finish();
    return out;
}

/// Ten sections: stone below, a few blocks in section 1, air above.
inline std::vector<test::SectionImage> ten_sections(int version = 6) {
    std::vector<test::SectionImage> sections(10);
    for (auto& section : sections) section.version = version;
    sections[0].blocks.assign(test::k_image_cells, "Rock_Stone");
    sections[1].blocks.assign(test::k_image_cells, "Empty");
    sections[1].blocks[0] = "Soil_Grass";
    sections[1].blocks[36] = "Plant_Crop_Wheat_Block";
    sections[1].ticking = {36};
    sections[1].local_light.emplace(test::k_image_cells, std::uint16_t{0xF000});
    (*sections[1].local_light)[5] = 0xF123;
    return sections;
}

} // namespace orbis::chunk::test_documents
