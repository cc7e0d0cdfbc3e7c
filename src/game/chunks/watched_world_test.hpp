#pragma once

#include "world/location.hpp"
#include "world/made_world_test.hpp"

#include <gtest/gtest.h>

/// Worlds on the disk for tests of what serves them.
namespace orbis::game::made {

/// A world of 5 × 5 chunks around the origin.
class WorldTest : public testing::Test {
protected:
    WorldTest() {
        world::made::MadeWorld world(folder_ / "world");
        for (int x = -2; x <= 2; ++x)
            for (int z = -2; z <= 2; ++z) world.put({x, z}, static_cast<std::uint32_t>(100 + x * 5 + z));
        place_ = world::find_location(folder_ / "world").value();
    }

    [[nodiscard]] const world::World& world() const { return place_.worlds.at(0); }

    [[nodiscard]] std::shared_ptr<storage::Store> open_for_writing() const {
        storage::StoreOptions options;
        options.write = true;
        return world().open(options).value();
    }

    orbis::test::TemporaryFolder folder_;
    world::Location place_;
};

} // namespace orbis::game::made
