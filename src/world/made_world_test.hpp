#pragma once

#include "bson/writer.hpp"
#include "chunk/chunk.hpp"
#include "storage/region_store.hpp"
#include "support/shared.hpp"
#include "world/assets.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <random>

/// Worlds for tests of maps: small chunks of hills, lakes and unknown blocks, the same for the same seed.
namespace orbis::world::made {

inline Buffer entity(std::string_view model, std::string_view name, double x, double y, double z) {
    Buffer out;
    bson::Writer to(out);
    to.document("Components");
    to.document("Transform").document("Position").real("X", x).real("Y", y).real("Z", z).end().end();
    to.document("Model").document("Model").string("Id", model).end().end();
    if (!name.empty()) to.document("Nameplate").string("Text", name).end();
    to.end();
    to.finish();
    return out;
}

inline Buffer chest(std::string_view item, int count) {
    Buffer out;
    bson::Writer to(out);
    to.document("Components").document("ItemContainerBlock").document("ItemContainer").document("Items");
    if (count > 0) to.document("0").string("Id", item).int32("Quantity", count).end();
    to.end().end().end().end();
    to.finish();
    return out;
}

/// The document of a chunk of hills, made from its seed.
inline Buffer document(ChunkPos pos, std::uint32_t seed) {
    static constexpr std::array k_keys{"Rock_Stone", "Soil_Grass", "Soil_Dirt", "Soil_Sand",
                                       "Mod_Unheard_Of"};
    std::mt19937 random(seed);
    auto chunk = chunk::Chunk::create();
    const int base = static_cast<int>(random() % 20) + 2;
    const auto key = k_keys[random() % k_keys.size()];
    auto* section = chunk.edit_section(0).value();
    for (int z = 0; z < k_side; ++z)
        for (int x = 0; x < k_side; ++x) {
            const int top = std::clamp(base + static_cast<int>(random() % 4), 1, 31);
            for (int y = 0; y <= top; ++y) section->blocks.set(CellIndex(x, y, z), k_keys[random() % 3]);
            section->blocks.set(CellIndex(x, top, z), key);
        }
    EXPECT_TRUE(chunk.touch_blocks(0));
    EXPECT_TRUE(chunk.recompute_heights(
        [](std::string_view block) { return world::Assets::built_in().is_transparent(block); }));
    const int wet = random() % 3 == 0 ? 40 : 0;
    for (int i = 0; i < wet; ++i) EXPECT_TRUE(chunk.set_fluid({i % 8, base + 4, i / 8}, {"Water_Source", 1}));
    if (random() % 2 == 0) {
        EXPECT_TRUE(chunk.set_block({3, 40, 4}, {"Furniture_Crude_Chest_Small", {}, {}}));
        EXPECT_TRUE(chunk.edit_block_components().value()->set(
            chunk::BlockIndex(BlockPos{3, 40, 4}), chest("Food_Bread", static_cast<int>(random() % 9))));
    }
    if (random() % 2 == 0) {
        const auto* name = random() % 2 == 0 ? "Bob" : "";
        EXPECT_TRUE(chunk.edit_entities().value()->add(
            entity("Goblin_Scrapper", name, pos.x * 32 + 1.5, base + 1.0, pos.z * 32 + 2.5)));
    }
    Buffer out;
    const auto encoded = chunk.encode(out).value();
    return {encoded.begin(), encoded.end()};
}

/// A world folder with region files.
class MadeWorld {
public:
    explicit MadeWorld(std::filesystem::path folder) : folder_(std::move(folder)) {
        std::filesystem::create_directories(folder_ / "chunks");
        std::ofstream(folder_ / "config.json")
            << R"({"Version": 4, "ChunkStorage": {"Type": "Hytale"}, "SpawnProvider": {"Id": "Global", "SpawnPoint": {"X": 1.5, "Y": 70.0, "Z": -3.5}}})";
        storage::StoreOptions options;
        options.write = true;
        options.create = true;
        options.sync = storage::SyncPolicy::none;
        store_ =
            storage::open_region_store(storage::Folder(storage::open_disk_tree(folder_), "chunks"), options)
                .value();
    }

    void put(ChunkPos pos, std::uint32_t seed) { EXPECT_TRUE(store_->write(pos, document(pos, seed))); }
    void put(ChunkPos pos, Bytes bytes) { EXPECT_TRUE(store_->write(pos, bytes)); }
    void remove(ChunkPos pos) { EXPECT_TRUE(store_->remove(pos)); }
    [[nodiscard]] storage::RegionStore& store() { return *store_; }
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

private:
    std::filesystem::path folder_;
    std::unique_ptr<storage::RegionStore> store_;
};

} // namespace orbis::world::made
