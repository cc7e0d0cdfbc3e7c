#include "game/entities/chunk_entities.hpp"

#include <gtest/gtest.h>

#include <random>

namespace orbis::game {
namespace {

EntityState figure(double x) {
    EntityState state{.transform = {.position = {x, 64, 0}}};
    add_model(state.components, "Kweebec_Seedling", 1);
    return state;
}

TEST(ChunkEntities, AreThereWhileTheirColumnIsInView) {
    EntityTable table;
    ChunkEntities chunks(table);
    chunks.set({0, 0}, std::vector{figure(1), figure(2)});
    chunks.set({1, 0}, std::vector{figure(1)});
    chunks.set({2, 0}, {});
    EXPECT_EQ(table.size(), 3U);
    chunks.set({0, 0}, {});
    chunks.set({0, 0}, {});
    EXPECT_EQ(table.size(), 1U);
    EXPECT_EQ(chunks.size(), 1U);
}

TEST(ChunkEntities, KeepTheirNumbersWhenOthersComeOrGo) {
    EntityTable table;
    ChunkEntities chunks(table);
    chunks.set({0, 0}, std::vector{figure(1), figure(2), figure(3)}); // numbers 1, 2, 3
    chunks.set({0, 0}, std::vector{figure(1), figure(3)});
    EXPECT_EQ(table.size(), 2U);
    EXPECT_TRUE(table.has(NetworkId{1}));
    EXPECT_TRUE(table.has(NetworkId{3}));
    chunks.set({0, 0}, std::vector{figure(1), figure(8), figure(3), figure(9)});
    EXPECT_EQ(table.size(), 4U);
    EXPECT_TRUE(table.has(NetworkId{1}));
    EXPECT_EQ(chunks.size(), 4U);
}

TEST(ChunkEntities, EndUpAsStoredAfterAnyChanges) {
    std::mt19937 random(3);
    EntityTable table;
    ChunkEntities chunks(table);
    for (int i = 0; i < 500; ++i) {
        std::vector<EntityState> stored;
        for (auto left = random() % 6; left > 0; --left)
            stored.push_back(figure(static_cast<double>(random() % 3)));
        chunks.set({0, 0}, stored);
        ASSERT_EQ(table.size(), stored.size());
        ASSERT_EQ(chunks.size(), stored.size());
        std::vector<double> expected;
        for (const auto& state : stored) expected.push_back(state.transform.position.x);
        std::vector<double> found;
        for (std::int32_t id = 1; id < 5'000; ++id)
            if (const auto* transform = table.transform(NetworkId{id}))
                found.push_back(transform->position.x);
        std::ranges::sort(expected);
        std::ranges::sort(found);
        ASSERT_EQ(found, expected);
    }
}

} // namespace
} // namespace orbis::game
