#include "game/serve/column_entities.hpp"

#include <gtest/gtest.h>

#include <random>

namespace orbis::game {
namespace {

EntityState figure(double x) {
    EntityState state{.transform = {.position = {x, 64, 0}}};
    add_model(state.components, "Kweebec_Seedling", 1);
    return state;
}

TEST(ColumnEntities, AreThereWhileTheirColumnIsInView) {
    EntityTable table;
    ColumnEntities columns(table);
    columns.set({0, 0}, std::vector{figure(1), figure(2)});
    columns.set({1, 0}, std::vector{figure(1)});
    columns.set({2, 0}, {});
    EXPECT_EQ(table.size(), 3U);
    columns.set({0, 0}, {});
    columns.set({0, 0}, {});
    EXPECT_EQ(table.size(), 1U);
    EXPECT_EQ(columns.size(), 1U);
}

TEST(ColumnEntities, KeepTheirNumbersWhenOthersComeOrGo) {
    EntityTable table;
    ColumnEntities columns(table);
    columns.set({0, 0}, std::vector{figure(1), figure(2), figure(3)}); // numbers 1, 2, 3
    columns.set({0, 0}, std::vector{figure(1), figure(3)});
    EXPECT_EQ(table.size(), 2U);
    EXPECT_TRUE(table.has(NetworkId{1}));
    EXPECT_TRUE(table.has(NetworkId{3}));
    columns.set({0, 0}, std::vector{figure(1), figure(8), figure(3), figure(9)});
    EXPECT_EQ(table.size(), 4U);
    EXPECT_TRUE(table.has(NetworkId{1}));
    EXPECT_EQ(columns.size(), 4U);
}

TEST(ColumnEntities, EndUpAsStoredAfterAnyChanges) {
    std::mt19937 random(3);
    EntityTable table;
    ColumnEntities columns(table);
    for (int i = 0; i < 500; ++i) {
        std::vector<EntityState> stored;
        for (auto left = random() % 6; left > 0; --left)
            stored.push_back(figure(static_cast<double>(random() % 3)));
        columns.set({0, 0}, stored);
        ASSERT_EQ(table.size(), stored.size());
        ASSERT_EQ(columns.size(), stored.size());
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
