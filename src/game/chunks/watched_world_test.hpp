#pragma once

#include "game/chunks/chunk_source.hpp"
#include "support/wait_for.hpp"
#include "world/location.hpp"
#include "world/made_world_test.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <mutex>

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

    /// Whether clients get the chunk that is made of this seed.
    static bool is_loaded(const std::shared_ptr<ChunkSource>& source, ChunkPos pos, std::uint32_t seed) {
        storage::ReadContext context;
        const auto found = source->load(pos, context);
        return found && *found && std::ranges::equal((*found)->document, world::made::document(pos, seed));
    }

    /// What threads post for that of the game; it waits until it is run.
    void post(std::move_only_function<void()> task) {
        const std::lock_guard lock(posting_);
        posted_.push_back(std::move(task));
    }
    /// Runs what was posted until it is so.
    bool wait_until(const std::function<bool()>& condition) {
        return orbis::test::wait_for([&] {
            std::vector<std::move_only_function<void()>> tasks;
            {
                const std::lock_guard lock(posting_);
                tasks.swap(posted_);
            }
            for (auto& task : tasks) task();
            return condition();
        });
    }

    orbis::test::TemporaryFolder folder_;
    world::Location place_;

private:
    std::mutex posting_;
    std::vector<std::move_only_function<void()>> posted_;
};

} // namespace orbis::game::made
