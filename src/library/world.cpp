#include "jobs/snapshot/source.hpp"
#include "library/world_state.hpp"

namespace orbis {
namespace {

Result<World> open_found(const world::World& found) {
    TRY(auto store, found.open({}));
    auto state = std::make_shared<World::State>();
    state->world = found;
    state->store = std::move(store);
    state->problems = found.notes;
    return World(std::move(state));
}

} // namespace

void World::State::note(Error problem) {
    const std::lock_guard lock(mutex);
    problems.push_back(std::move(problem));
}

const std::string& World::name() const { return state_->world.name; }
const std::string& World::path() const { return state_->store->name(); }

std::vector<ChunkPos> World::positions() const {
    std::vector<ChunkPos> found;
    for (const auto cursor = state_->store->chunks();;) {
        auto next = cursor->next();
        if (!next) {
            state_->note(std::move(next).error());
            continue;
        }
        if (!*next) return found;
        found.push_back(**next);
    }
}

std::vector<Error> World::problems() const {
    const std::lock_guard lock(state_->mutex);
    return state_->problems;
}

Result<World> open_world(const std::string& path, std::string_view name) {
    TRY(const auto place, jobs::find_source(path));
    TRY(const auto* found, world::choose_world(place, name));
    return open_found(*found);
}

Result<std::vector<World>> open_universe(const std::string& path) {
    TRY(const auto place, jobs::find_source(path));
    std::vector<World> worlds;
    for (const auto& found : place.worlds) {
        TRY(auto opened, open_found(found));
        worlds.push_back(std::move(opened));
    }
    return worlds;
}

} // namespace orbis
