#include "map/made_chunks_test.hpp"

#include "bson/writer.hpp"

#include <algorithm>
#include <array>

namespace orbis::map::made {

namespace {

template <typename T>
std::vector<T> part(const std::vector<T>& all, std::size_t section) {
    if (all.empty()) return {};
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(section * k_cells);
    return {first, first + k_cells};
}

/// Blocks of every sort: with and without particle colour, tints and biome tints, see-through, unknown, old.
constexpr std::array<const char*, 16> k_blocks{"Rock_Stone",
                                               "Soil_Grass",
                                               "Soil_Dirt",
                                               "Rock_Crystal_White_Small",
                                               "Wood_Oak_Trunk",
                                               "Plant_Leaves_Oak",
                                               "Plant_Leaves_Autumn_Floor",
                                               "Soil_Sand",
                                               "Filter_Rock",
                                               "Mod_Marble_Pillar",
                                               "Mod_Xyzzy",
                                               "*Mod_Lamp_State_Definitions_On",
                                               "Plant_Grass_Lush_Short",
                                               "Rock_Ice",
                                               "Ore_Cobalt_Slate",
                                               "Empty"};
constexpr std::array<const char*, 8> k_fluids{"Water",      "Water_Source", "Lava",         "Lava_Source",
                                              "Tar_Source", "Mod_Honey",    "Water_Finite", "Empty"};
constexpr std::array<const char*, 5> k_environments{"Env_Zone1_Plains", "Env_Portals_Hedera", "Default",
                                                    "Mod_Sky", "Env_Zone3_Caves_Glacial"};

template <typename List>
std::string any_of(std::mt19937_64& random, const List& list) {
    return list[random() % list.size()];
}

} // namespace

Buffer document(const Content& content) {
    std::vector<test::SectionImage> sections(k_sections);
    for (std::size_t y = 0; y < k_sections; ++y) {
        auto& section = sections[y];
        section.version = content.version;
        section.migrations = content.migrations;
        section.blocks = part(content.blocks, y);
        if (content.light.empty()) continue;
        (content.global_light ? section.global_light : section.local_light) = part(content.light, y);
        if (content.stale_light.empty()) continue;
        section.global_light = part(content.stale_light, y);
        section.global_counter = 1;
    }
    const bool inside = content.version <= 2;
    Buffer out;
    bson::Writer root(out);
    root.document("Components");
    root.document("BlockChunk").int32("Version", inside ? content.version : 3);
    root.binary("Data", test::block_chunk_image(inside ? content.version : 3, content.heights, content.tints,
                                                inside ? sections : std::vector<test::SectionImage>{}))
        .end();
    root.document("ChunkColumn").array("Sections");
    for (std::size_t y = 0; y < k_sections; ++y) {
        root.document(bson::index_key(y)).document("Components");
        if (!inside)
            root.document("Block")
                .int32("Version", content.version)
                .binary("Data", test::section_image(sections[y]))
                .end();
        const auto fluids = part(content.fluids, y);
        std::vector<int> levels;
        for (const auto& key : fluids) levels.push_back(key == "Empty" ? 0 : 1);
        root.document("Fluid").binary("Data", test::fluid_image(fluids, levels)).end();
        root.end().end();
    }
    root.end().end();
    root.document("EnvironmentChunk").binary("Data", test::environment_image(content.environments)).end();
    root.document("WorldChunk").end();
    root.end().finish();
    return out;
}

Content random_content(std::mt19937_64& random, ChunkPos pos) {
    Content out;
    const int base = 20 + static_cast<int>(random() % 200);
    for (int z = 0; z < k_side; ++z)
        for (int x = 0; x < k_side; ++x) {
            const auto column = static_cast<std::size_t>(z * 32 + x);
            const int ground =
                std::clamp(base + (x + pos.x * 3 + z) % 23 + static_cast<int>(random() % 4), 1, 300);
            const int hole = static_cast<int>(random() % 3) * static_cast<int>(random() % 20);
            const auto top = any_of(random, k_blocks);
            for (int y = 0; y <= ground; ++y)
                out.block(x, y, z) = y == ground               ? top
                                     : ground - y < 3          ? "Soil_Dirt"
                                     : y > 10 && y < 10 + hole ? "Empty"
                                     : random() % 40 == 0      ? any_of(random, k_blocks)
                                                               : "Rock_Stone";
            if (random() % 3 == 0) {
                const int depth = 1 + static_cast<int>(random() % 9);
                for (int y = ground; y < std::min(ground + depth, 320); ++y)
                    out.fluid(x, y, z) = random() % 5 == 0 ? any_of(random, k_fluids) : "Water_Source";
            }
            if (hole > 4)
                for (int y = 10; y < 14; ++y) out.fluid(x, y, z) = "Lava_Source";
            out.heights[column] = ground;
            if (random() % 30 == 0) out.heights[column] = static_cast<int>(random() % 700) - 200;
            if (random() % 60 == 0) out.heights[column] = random() % 2 == 0 ? -1 : 32767;
            out.tints[column] = static_cast<std::int32_t>(random());
            const int border = static_cast<int>(random() % 320);
            out.environments[column] = {{border, any_of(random, k_environments)},
                                        {0, any_of(random, k_environments)}};
        }
    if (random() % 4 != 0) {
        out.light.resize(out.blocks.size());
        for (auto& value : out.light)
            value = random() % 50 == 0 ? static_cast<std::uint16_t>(random()) : 0xF000;
        out.global_light = random() % 2 == 0;
        if (!out.global_light && random() % 2 == 0) {
            out.stale_light = out.light;
            for (auto& value : out.stale_light)
                if (random() % 8 == 0) value = static_cast<std::uint16_t>(random());
        }
    }
    return out;
}

} // namespace orbis::map::made
