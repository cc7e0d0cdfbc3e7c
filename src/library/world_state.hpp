#pragma once

#include "orbis/world.hpp"
#include "storage/store.hpp"
#include "world/location.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace orbis {

/// What the copies of a `World` share.
struct WorldState {
    world::World world;
    std::string path; ///< the name of the store

    [[nodiscard]] std::shared_ptr<storage::Store> store() const;
    /// Opens the files again, so that what was written meanwhile is seen. Chunks that were handed out stay.
    Result<void> reopen();
    /// Remembers what could not be read, each once.
    void note(Error problem);
    [[nodiscard]] std::vector<Error> problems() const;
    void tell(std::function<void(const Error& problem)> told);

    /// That the world does not have a chunk.
    [[nodiscard]] Error no_such_chunk(ChunkPos pos) const;

    static Result<World> open(const world::World& found);

private:
    static constexpr std::size_t k_most_problems = 10'000;

    mutable std::mutex store_mutex_;
    std::shared_ptr<storage::Store> store_;
    mutable std::mutex problem_mutex_;
    std::vector<Error> problems_;
    std::set<std::string> texts_; ///< of the problems
    std::function<void(const Error& problem)> told_;
};

/// The chunks of a store, or those of an area, which lives as long.
std::unique_ptr<storage::Cursor> make_area_cursor(const storage::Store& store,
                                                  const std::optional<Area>& area);

} // namespace orbis
