#pragma once

#include "jobs/test_worlds/world_jobs_test.hpp"
#include "orbis/world.hpp"
#include "world/made_world_test.hpp"
#include "world/sample/holders.hpp"

#include <array>

/// Worlds for tests of the public classes.
namespace orbis::library_tests {

using namespace jobs::test_worlds;

/// A plain chunk with a chest of two stacks at 1, 33, 2, a furnace at 4, 40, 4 and a pig.
inline Buffer furnished() {
    static constexpr std::array<world::sample::Item, 2> k_items{
        {{"Tool_Axe_Iron", 1, 50}, {"Ingredient_Stick", 12}}};
    return edited(plain(), [](chunk::Chunk& chunk) {
        EXPECT_TRUE(chunk.set_block({1, 33, 2}, {"Furniture_Chest", {}, {}}));
        auto* components = chunk.edit_block_components().value();
        EXPECT_TRUE(
            components->set(chunk::BlockIndex(BlockPos{1, 33, 2}), world::sample::chest(18, k_items)));
        EXPECT_TRUE(components->set(chunk::BlockIndex(BlockPos{4, 40, 4}),
                                    world::sample::processing_bench(std::span(k_items).subspan(1), {})));
        EXPECT_TRUE(components->set(chunk::BlockIndex(BlockPos{5, 40, 4}), world::sample::bench()));
        EXPECT_TRUE(chunk.edit_entities().value()->add(world::made::entity("Pig", "Berta", 3.5, 34, 7.25)));
    });
}

/// A world with these documents in the chunks 0,0 and 1,0 …, opened through the public function.
inline World opened(const std::filesystem::path& folder, const std::vector<Buffer>& chunks) {
    make_world(folder, chunks);
    auto world = open_world(folder.string());
    EXPECT_TRUE(world) << world.error().text();
    return *std::move(world);
}

} // namespace orbis::library_tests
