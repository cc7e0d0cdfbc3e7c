#include "orbis/world.hpp"

#include "jobs/snapshot/source.hpp"
#include "library/chunk_state.hpp"
#include "storage/region_files.hpp"
#include "storage/walk.hpp"

namespace orbis {
namespace {

std::size_t threads_of(const WalkOptions& options) {
    return options.threads == 0 ? default_threads() : options.threads;
}

Result<std::optional<StoredChunk>> look_at(const storage::Store& store, ChunkPos pos,
                                           storage::ReadContext& context) {
    TRY(const auto blob, store.blob_info(pos));
    if (blob)
        return StoredChunk{blob->raw_size,
                           StoredChunk::Place{storage::region_file_name(pos.region()), blob->frame_size,
                                              blob->offset, blob->segments}};
    TRY(const auto document, store.read(pos, context));
    if (!document) return std::nullopt;
    return StoredChunk{document->size(), std::nullopt};
}

} // namespace

const std::string& World::name() const { return state_->world.name; }
const std::string& World::path() const { return state_->path; }
std::string World::kind() const { return std::string(state_->store()->kind()); }
const std::vector<Error>& World::notes() const { return state_->world.notes; }
bool World::is_unfinished() const { return state_->world.unfinished.has_value(); }
std::vector<Error> World::problems() const { return state_->problems(); }
void World::on_problem(std::function<void(const Error& problem)> told) const {
    state_->tell(std::move(told));
}

ChunkRange World::chunks() const { return {state_, std::nullopt}; }
ChunkRange World::chunks(Area area) const { return {state_, area}; }

Result<Chunk> World::chunk(ChunkPos pos) const {
    const auto store = state_->store();
    TRY(auto found, ChunkSource(state_).read(store, pos));
    if (!found) return fail(state_->no_such_chunk(pos));
    return *std::move(found);
}

Result<bool> World::contains(ChunkPos pos) const { return state_->store()->contains(pos); }

Result<Block> World::block(BlockPos pos) const {
    TRY(const auto found, chunk(pos.chunk()));
    return found.block(pos);
}

std::vector<ChunkPos> World::positions() const {
    std::vector<ChunkPos> found;
    const auto store = state_->store();
    const auto cursor = store->chunks();
    while (true) {
        auto next = cursor->next();
        if (!next) {
            state_->note(std::move(next).error());
            continue;
        }
        if (!*next) return found;
        found.push_back(**next);
    }
}

Result<std::optional<StoredChunk>> World::stored(ChunkPos pos) const {
    storage::ReadContext context;
    return look_at(*state_->store(), pos, context);
}

void World::gather(const std::function<Made(const Chunk& chunk)>& work,
                   const std::function<bool(ChunkPos pos, void* made)>& take,
                   const WalkOptions& options) const {
    const auto store = state_->store();
    storage::walk<Result<Made>, ChunkSource>(
        *make_area_cursor(*store, options.area), threads_of(options),
        {.work = [&](ChunkPos pos, ChunkSource& source) -> Result<Made> {
             TRY(const auto chunk, source.read(store, pos));
             return chunk ? work(*chunk) : nullptr;
         },
         .emit =
             [&](ChunkPos pos, Result<Made>& made) {
                 if (!made) state_->note(std::move(made).error());
                 return !made || !*made || take(pos, made->get());
             },
         .on_error = [&](const Error& problem) { state_->note(problem); },
         .make_tool = [&] { return std::make_unique<ChunkSource>(state_); }});
}

void World::for_each_chunk(const std::function<void(const Chunk& chunk)>& work,
                           const WalkOptions& options) const {
    gather(
        [&work](const Chunk& chunk) -> Made {
            work(chunk);
            return nullptr;
        },
        [](ChunkPos, void*) { return true; }, options);
}

void World::for_each_stored(const std::function<void(ChunkPos pos, const Result<StoredChunk>& stored)>& take,
                            const WalkOptions& options) const {
    using Looked = Result<std::optional<StoredChunk>>;
    const auto store = state_->store();
    storage::walk<Looked>(
        *make_area_cursor(*store, options.area), threads_of(options),
        {.work = [&](ChunkPos pos, storage::ReadContext& context) { return look_at(*store, pos, context); },
         .emit =
             [&](ChunkPos pos, Looked& looked) {
                 if (!looked)
                     take(pos, fail(std::move(looked).error()));
                 else if (*looked)
                     take(pos, **looked);
                 return true;
             },
         .on_error = [&](const Error& problem) { state_->note(problem); }});
}

struct FoundWorld::State {
    world::World world;
    bool is_in_universe = false;
};

const std::string& FoundWorld::name() const { return state_->world.name; }
bool FoundWorld::is_in_universe() const { return state_->is_in_universe; }
const std::vector<Error>& FoundWorld::notes() const { return state_->world.notes; }
bool FoundWorld::is_unfinished() const { return state_->world.unfinished.has_value(); }
Result<World> FoundWorld::open() const { return WorldState::open(state_->world); }

Result<std::vector<FoundWorld>> find_worlds(const std::string& path, std::string_view name) {
    TRY(auto location, jobs::find_source(path));
    TRY(location, world::narrow_to_world(std::move(location), name));
    std::vector<FoundWorld> worlds;
    for (auto& found : location.worlds)
        worlds.emplace_back(std::make_shared<const FoundWorld::State>(
            std::move(found), location.kind == world::Location::Kind::universe));
    return worlds;
}

Result<World> open_world(const std::string& path, std::string_view name) {
    TRY(const auto location, jobs::find_source(path));
    TRY(const auto* found, world::choose_world(location, name));
    return WorldState::open(*found);
}

Result<std::vector<World>> open_universe(const std::string& path) {
    TRY(const auto found, find_worlds(path));
    std::vector<World> worlds;
    for (const auto& world : found) {
        TRY(auto opened, world.open());
        worlds.push_back(std::move(opened));
    }
    return worlds;
}

} // namespace orbis
