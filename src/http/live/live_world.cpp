#include "http/live/live_world.hpp"

#include "bytes/json_writer.hpp"
#include "bytes/printable.hpp"
#include "http/live/background.hpp"
#include "jobs/inspect/describe_block.hpp"
#include "map/markers.hpp"
#include "map/painter.hpp"
#include "map/world_index.hpp"
#include "storage/steady_store.hpp"

#include <array>

namespace orbis::http {

namespace {

using namespace std::chrono_literals;

/// Waits for a change to be over before the map is updated: a server saves many chunks one after another.
constexpr auto k_rest = 1500ms;
/// Between two updates at least.
constexpr auto k_pause = 2s;
/// Tiles in one event: a client's queue takes many of that size.
constexpr auto k_progress_pause = 200ms;
/// After an update that failed, because the disk is full for example.
constexpr auto k_retry = 60s;
/// Of more changed chunks than this pages are told that any may have changed: a list would not fit into what
/// waits for a page that reads slowly.
constexpr std::size_t k_most_listed_chunks = 4'000;

constexpr std::string_view k_unreadable_advice =
    "run orbis verify for details; restore the chunk from a backup";

std::string progress_json(std::string_view world, std::string_view step, std::uint64_t done,
                          std::uint64_t total) {
    JsonWriter json;
    json.object().member("world", world).member("step", step).member("done", done).member("total", total);
    return json.end().take();
}

Error no_chunk(std::int32_t x, std::int32_t z) {
    return error(Errc::not_found, "there is no {} in this world", ChunkPos{x, z})
        .advise("the game has not generated it yet");
}

/// The y of the block that a layer shows in a column; nothing if it shows none.
Result<std::optional<int>> shown_height(Bytes document, ColumnIndex column, map::Layer layer,
                                        const map::Colours& colours) {
    if (!layer.has_height()) {
        TRY(const auto decoded, chunk::Chunk::decode(document, chunk::k_column_maps));
        const int stored = decoded.heights().at(column);
        return stored >= 0 && stored < k_world_height ? std::optional(stored) : std::nullopt;
    }
    map::ChunkPainter painter(colours);
    TRY_DO(painter.read(document, map::parts_of(layer)));
    const auto unshaded = std::make_unique<map::UnshadedChunk>();
    painter.draw(layer, *unshaded);
    const auto at = static_cast<std::size_t>(column.value);
    if (unshaded->colour[at].a == 0) return std::nullopt;
    return unshaded->height[at];
}

} // namespace

std::vector<map::Layer> live_layers() {
    return {{map::LayerKind::surface, 0},
            {map::LayerKind::height, 0},
            {map::LayerKind::light, 0},
            {map::LayerKind::environment, 0}};
}

LiveWorld::LiveWorld(const world::Location& location, const world::World& world, LiveShared shared)
    // As if this world had been named: what belongs to the universe around it is not its own.
    : location_(world::narrow_to_world(location, world.name).value_or(location)),
      world_(world),
      folder_(map::folder_of_world(world.name)),
      shared_(shared) {}

Result<std::shared_ptr<LiveWorld>> LiveWorld::open(const world::Location& location, const world::World& world,
                                                   const std::filesystem::path& cache, LiveShared shared) {
    std::shared_ptr<LiveWorld> live(new LiveWorld(location, world, shared));
    live->map_folder_ = cache / "worlds" / live->folder_;
    TRY(live->watch_, watch::WorldWatch::open(live->world_, cache));
    TRY(live->cache_, TileCache::open(cache / "live" / live->folder_));
    live->tiles_ = std::make_unique<LiveTiles>(*live->watch_, *live->cache_, shared.workers, shared.colours,
                                               live->map_folder_, shared.fill_in);
    live->meshes_ = std::make_unique<LiveMeshes>(*live->watch_, shared.workers, shared.assets);
    live->findings_ = std::make_unique<Findings>(live->location_, shared.assets);
    live->tiles_->keep_while_working(live->weak_from_this());
    live->meshes_->keep_while_working(live->weak_from_this());
    if (auto index = load_map_index(live->map_folder_))
        live->set_index(std::move(index));
    else
        live->progress_ = progress_json(live->folder_, "Waiting to be drawn", 0, live->watch_->regions());
    live->told_ = live->extent();
    return live;
}

WorldStatus LiveWorld::status() const {
    WorldStatus status{world_.name, folder_, WorldStatus::State::ready, watch_->problems(), 0};
    // A world with nothing but files that cannot be read must not pass for one that has no chunks yet.
    if (!status.problems.empty() && (!status.problems.front().region || watch_->presence().chunks() == 0))
        status.state = WorldStatus::State::failed;
    if (status.problems.size() > WorldStatus::k_most_problems) {
        status.left_out = status.problems.size() - WorldStatus::k_most_problems;
        status.problems.resize(WorldStatus::k_most_problems);
    }
    return status;
}

LiveWorld::Extent LiveWorld::extent() const { return {watch_->presence().bounds(), tiles_->levels()}; }

void LiveWorld::set_index(std::shared_ptr<MapIndex> index) {
    Extent extent;
    for (const auto& [pos, region] : index->state.regions) {
        if (!extent.bounds) extent.bounds = {region.least, region.most};
        auto& [min, max] = *extent.bounds;
        min = {std::min(min.x, region.least.x), std::min(min.z, region.least.z)};
        max = {std::max(max.x, region.most.x), std::max(max.z, region.most.z)};
    }
    const auto& layers = index->state.layers;
    extent.levels = layers.empty() ? 0 : static_cast<int>(layers[0].levels.size());
    if (!extent.bounds) extent.levels = tiles_->levels();
    tiles_->set_index(std::move(index));
    const std::lock_guard lock(mutex_);
    in_index_ = extent;
}

bool LiveWorld::has_current_index() const {
    const auto now = extent();
    const std::lock_guard lock(mutex_);
    return in_index_ == now;
}

/// `"bounds":…,"chunks":…,"levels":…`
std::string LiveWorld::extent_json() const {
    const auto [bounds, levels] = extent();
    JsonWriter json;
    json.object().key("bounds");
    if (bounds) {
        json.object().key("min").array().number(bounds->min.x * k_side).number(bounds->min.z * k_side).end();
        json.key("max").array().number((bounds->max.x + 1) * k_side).number((bounds->max.z + 1) * k_side);
        json.end().end();
    } else {
        json.null();
    }
    json.member("chunks", watch_->presence().chunks()).member("levels", levels).end();
    const auto text = json.take();
    return text.substr(1, text.size() - 2);
}

/// Before there is an index: all that is known without reading a chunk.
std::string LiveWorld::provisional_index() const {
    JsonWriter json;
    json.object()
        .key("height")
        .object()
        .member("min", 0)
        .member("max", k_world_height)
        .end()
        .key("layers")
        .object();
    for (const auto layer : live_layers())
        json.key(map::id(layer))
            .object()
            .member("title", map::title(layer))
            .member("kind", "tiles")
            .key("tiles")
            .object()
            .end()
            .end();
    json.end().key("inspect").null().key("facts").null().key("legend").object();
    for (const char* name : {"blocks", "environments", "height"}) json.key(name).array().end();
    json.end().end();
    JsonWriter name;
    name.string(world_.name);
    return fmt::format(
        "orbis(\"world/{}\",{{\"format\":1,\"name\":{},\"generation\":0,{},\"spawn\":null,{});\n", folder_,
        name.text(), extent_json(), json.text().substr(1));
}

void LiveWorld::answer_index(Responder responder) {
    shared_.workers.add_urgent([self = shared_from_this(), answer = std::move(responder)](auto&) mutable {
        if (answer.is_abandoned()) return;
        const auto file = map::read_map_file(self->map_folder_ / "world.js");
        auto text = file ? map::with_extent(as_text(*file), self->extent_json()) : std::nullopt;
        auto response = Response::text(200, "text/javascript; charset=utf-8",
                                       text ? *std::move(text) : self->provisional_index());
        response.keep = Keep::revalidate;
        answer.answer(std::move(response));
    });
}

void LiveWorld::answer_block(BlockPos pos, Responder responder) {
    shared_.workers.add_urgent(
        [self = shared_from_this(), pos, answer = std::move(responder)](auto&) mutable {
            if (answer.is_abandoned()) return;
            const auto block = jobs::describe_block(*self->watch_->store(), self->shared_.assets, pos);
            const auto chunk = pos.chunk();
            if (!block)
                answer.answer(Response::problem(block.error()));
            else if (!*block)
                answer.answer(Response::problem(no_chunk(chunk.x, chunk.z)));
            else
                answer.answer(Response::json(jobs::to_json(**block)));
        });
}

void LiveWorld::answer_column(std::int32_t x, std::int32_t z, map::Layer layer, Responder responder) {
    shared_.workers.add_urgent(
        [self = shared_from_this(), x, z, layer, answer = std::move(responder)](auto&) mutable {
            if (answer.is_abandoned()) return;
            const BlockPos pos{x, 0, z};
            const auto chunk = pos.chunk();
            storage::ReadContext context;
            const auto document = self->watch_->store()->read(chunk, context);
            std::optional<int> height;
            std::optional<Error> problem;
            if (!document) {
                problem = document.error();
            } else if (*document) {
                const auto shown = shown_height(**document, pos.column(), layer, self->shared_.colours);
                if (shown)
                    height = *shown;
                else
                    problem = shown.error();
            }
            if (problem && problem->code == Errc::busy) return answer.answer(Response::problem(*problem));
            JsonWriter json;
            json.object().member("x", x).member("z", z).key("chunk").array();
            json.number(chunk.x).number(chunk.z).end().key("height");
            height ? json.number(*height) : json.null();
            json.member("exists", !document || document->has_value()).key("unreadable");
            if (problem)
                json.raw(to_json(std::move(*problem).advise(k_unreadable_advice)));
            else
                json.null();
            answer.answer(Response::json(json.end().take()));
        });
}

void LiveWorld::answer_search(const SearchQuestion& question, Responder responder) {
    const auto index = tiles_->index();
    if (!index) {
        responder.answer(Response::problem(
            503, error(Errc::busy, "the chunks of this world are still being read for the search")
                     .advise("try again when the map is complete")));
        return;
    }
    shared_.workers.add_urgent(
        [self = shared_from_this(), question, index, answer = std::move(responder)](auto&) mutable {
            if (answer.is_abandoned()) return;
            std::vector<Error> ignored; // a player's file that cannot be read: verify names it
            const auto markers = map::read_markers(self->world_, ignored);
            const auto store = self->watch_->store();
            const SearchWorld world{self->world_, *store};
            const auto found =
                search_facts(*index, self->map_folder_, markers, &world, question, self->shared_.stopping);
            answer.answer(found ? Response::json(*found) : Response::problem(found.error()));
        });
}

void LiveWorld::answer_findings(Responder responder) {
    responder.answer(Response::json(findings_->json(tiles_->now(), watch_->presence().chunks())));
}

void LiveWorld::publish(std::string_view event, std::string_view json) {
    if (!retired_) shared_.events.publish(event, json);
}

void LiveWorld::publish_index() {
    const auto index = tiles_->index();
    JsonWriter json;
    json.object().member("world", folder_).member("generation", index ? index->generation : 0).end();
    publish("world", json.text());
}

void LiveWorld::publish_tiles(std::span<const map::Layer> layers, std::span<const LevelTile> tiles) {
    while (!tiles.empty()) {
        const auto told = tiles.first(std::min(tiles.size(), shared_.tiles_per_event));
        tiles = tiles.subspan(told.size());
        JsonWriter json;
        json.object().member("world", folder_).key("layers").array();
        for (const auto layer : layers) json.string(map::id(layer));
        json.end().key("tiles").object();
        int level = -1; // they are sorted
        for (const auto& tile : told) {
            if (tile.level != level) {
                if (level >= 0) json.end();
                level = tile.level;
                json.key(fmt::format("{}", level)).array();
            }
            json.string(fmt::format("{:n}", tile.pos));
        }
        if (level >= 0) json.end();
        json.end().end();
        publish("tiles", json.text());
    }
}

void LiveWorld::publish_chunks(std::span<const ChunkPos> chunks) {
    if (chunks.size() > k_most_listed_chunks) {
        JsonWriter json;
        json.object().member("world", folder_).key("chunks").null();
        return publish("chunks", json.end().text());
    }
    while (!chunks.empty()) {
        const auto told = chunks.first(std::min(chunks.size(), shared_.tiles_per_event));
        chunks = chunks.subspan(told.size());
        JsonWriter json;
        json.object().member("world", folder_).key("chunks").array();
        for (const auto chunk : told) json.array().number(chunk.x).number(chunk.z).end();
        publish("chunks", json.end().end().text());
    }
}

void LiveWorld::poll() {
    if (const auto changed = watch_->poll(); !changed.empty()) {
        meshes_->change(changed);
        publish_tiles(live_layers(), tiles_->change(changed));
        publish_chunks(changed);
        const auto now = extent();
        // Pages must know that there is more to see before the map is brought up to date.
        if (now != std::exchange(told_, now)) publish_index();
        const std::lock_guard lock(mutex_);
        stale_ = true;
        due_ = std::max(due_, shared_.clock.now() + k_rest);
    }
    for (const auto& [layer, tiles] : tiles_->take_filled()) publish_tiles(std::span(&layer, 1), tiles);
}

bool LiveWorld::wants_update() const {
    const std::lock_guard lock(mutex_);
    return stale_ && shared_.clock.now() >= due_;
}

void LiveWorld::retry_later() {
    const std::lock_guard lock(mutex_);
    stale_ = true; // tiles are still rendered when they are asked for
    progress_.clear();
    due_ = shared_.clock.now() + k_retry;
}

std::string LiveWorld::progress() const {
    const std::lock_guard lock(mutex_);
    return progress_;
}

/// Tells the clients how far it is, and ends the job with the server. Called by one thread at a time.
class LiveWorld::Progress final : public orbis::Progress {
public:
    /// With `at_once` clients are told before it has taken a while: they see nothing of the world yet.
    Progress(LiveWorld& world, bool at_once) : world_(world), told_anything_(at_once) {}

    void begin(std::string_view part, std::uint64_t total) override {
        step_ = part;
        total_ = total;
        done_ = 0;
        if (told_anything_) tell(0);
    }
    void step() override {
        if (world_.shared_.stopping || world_.retired_) throw Stopped();
        ++done_;
        if (world_.shared_.clock.now() - told_ > k_progress_pause) tell(done_);
    }
    void finish() {
        if (told_anything_) tell(total_);
        const std::lock_guard lock(world_.mutex_);
        world_.progress_.clear();
    }

private:
    void tell(std::uint64_t done) {
        told_ = world_.shared_.clock.now();
        told_anything_ = true;
        auto json = progress_json(world_.folder_, step_, done, total_);
        world_.publish("progress", json);
        const std::lock_guard lock(world_.mutex_);
        world_.progress_ = std::move(json);
    }

    LiveWorld& world_;
    std::string step_;
    std::uint64_t total_ = 0;
    std::uint64_t done_ = 0;
    LiveClock::Time told_ = world_.shared_.clock.now();
    bool told_anything_;
};

void LiveWorld::update() {
    {
        const std::lock_guard lock(mutex_);
        stale_ = false;
    }
    const auto begin = shared_.clock.now();
    const auto as_of = tiles_->now();
    auto steady = world_;
    steady.source = world::World::Source::other;
    steady.open_other =
        [this](const storage::StoreOptions& options) -> Result<std::shared_ptr<storage::Store>> {
        TRY(auto store, world_.open(options));
        return storage::make_steady(std::move(store));
    };
    map::UpdateOptions options;
    options.layers = live_layers();
    map::MapFiles files;
    Progress progress(*this, !tiles_->index());
    progress.begin("Reading region files", watch_->regions());
    const auto done = map::update_world(steady, shared_.assets, files, map_folder_, options, progress);
    progress.finish();
    auto index = done ? load_map_index(map_folder_) : nullptr;
    if (index) {
        index->as_of = as_of;
        index->current = true;
        const auto before = tiles_->index();
        const auto generation = index->generation;
        std::vector<LevelTile> different;
        // What an earlier run has left was shown as it was; what changed since then shows only now.
        if (before && !before->current) different = different_tiles(*before, *index);
        set_index(std::move(index));
        publish_tiles(live_layers(), different);
        if (!before || before->generation != generation) publish_index();
    } else if (!done) {
        fmt::print(stderr, "orbis: {}\n", printable(done.error().text(), true));
        return retry_later();
    }
    const auto now = shared_.clock.now();
    const std::lock_guard lock(mutex_);
    due_ = std::max(due_, now + std::max<LiveClock::Time::duration>(k_pause, (now - begin) * 2));
}

} // namespace orbis::http
