#pragma once

#include "orbis/world.hpp"
#include "storage/store.hpp"
#include "world/location.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace orbis {

/// What the copies of a `World` share.
struct World::State {
    world::World world;
    std::shared_ptr<storage::Store> store;

    /// Remembers what could not be read.
    void note(Error problem);

    std::mutex mutex;
    std::vector<Error> problems; ///< under the mutex
};

} // namespace orbis
