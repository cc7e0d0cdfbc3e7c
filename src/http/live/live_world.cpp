#include "http/live/live_world.hpp"

#include "bytes/json_writer.hpp"
#include "care/describe_block.hpp"
#include "http/live/background.hpp"
#include "http/live/steady_store.hpp"
#include "map/markers.hpp"
#include "map/painter.hpp"

#include <array>

namespace orbis::http {

namespace {

using namespace std::chrono_literals;

/// Waits for a change to be over before the map is updated: a server saves many chunks one after another.
constexpr auto k_rest = 1500ms;
/// Tiles in one event: a client's queue takes many of that size.
constexpr std::size_t k_tiles_per_event = 1000;
constexpr auto k_progress_pause = 200ms;
/// After an update that failed, because the disk is full for example.
constexpr auto k_retry = 60s;

Error no_chunk(std::int32_t x, std::int32_t z) {
    return error(Errc::not_found, "there is no chunk {},{} in this world", x, z)
        .advise("the game has not generated it yet");
}

/// The y of the block that a layer shows in a column; nothing where it shows none.
Result<std::optional<int>> shown_height(Bytes document, ColumnIndex column, map::Layer layer,
                                        const map::Colours& colours) {
    if (!layer.has_height()) {
        TRY(const auto decoded, chunk::Chunk::decode(document, chunk::k_column_maps));
        const int stored = decoded.heights().at(column);
        return stored >= 0 && stored < k_world_height ? std::optional(stored) : std::nullopt;
    }
    map::ChunkPainter painter(colours);
    TRY_DO(painter.read(document, map::parts_of(layer)));
    const auto sheet = std::make_unique<map::Sheet>();
    painter.draw(layer, *sheet);
    const auto at = static_cast<std::size_t>(column.value);
    if (sheet->colour[at].a == 0) return std::nullopt;
    return sheet->height[at];
}

} // namespace

std::vector<map::Layer> live_layers() {
    return {{map::LayerKind::surface, 0},
            {map::LayerKind::height, 0},
            {map::LayerKind::light, 0},
            {map::LayerKind::environment, 0}};
}

LiveWorld::LiveWorld(const world::Place& place, const world::World& world, LiveShared shared)
    : place_(place), world_(world), folder_(map::folder_of_world(world.name)), shared_(shared) {
    place_.worlds = {world};
}

Result<std::unique_ptr<LiveWorld>> LiveWorld::open(const world::Place& place, const world::World& world,
                                                   const std::filesystem::path& cache, LiveShared shared) {
    std::unique_ptr<LiveWorld> live(new LiveWorld(place, world, shared));
    live->map_folder_ = cache / "worlds" / live->folder_;
    TRY(live->watch_, WorldWatch::open(live->world_, cache));
    TRY(live->cache_, TileCache::open(cache / "live" / live->folder_));
    live->tiles_ = std::make_unique<LiveTiles>(*live->watch_, *live->cache_, shared.queue, shared.colours,
                                               live->map_folder_);
    live->findings_ = std::make_unique<Findings>(live->place_, shared.assets);
    if (auto index = load_map_index(live->map_folder_)) live->tiles_->set_index(std::move(index));
    return live;
}

/// Before there is an index: all that is known without reading a chunk.
std::string LiveWorld::provisional_index() const {
    JsonWriter json;
    json.object().member("format", 1).member("name", world_.name).member("generation", 0).key("bounds");
    if (const auto bounds = watch_->presence().bounds()) {
        json.object().key("min").array().number(bounds->min.x * k_side).number(bounds->min.z * k_side).end();
        json.key("max").array().number((bounds->max.x + 1) * k_side).number((bounds->max.z + 1) * k_side);
        json.end().end();
    } else {
        json.null();
    }
    json.member("chunks", watch_->presence().chunks()).member("levels", tiles_->levels()).key("spawn").null();
    json.key("height").object().member("min", 0).member("max", k_world_height).end().key("layers").object();
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
    return fmt::format("orbis(\"world/{}\",{});\n", folder_, json.text());
}

void LiveWorld::answer_index(Responder responder) {
    auto response = Response::text(200, "text/javascript; charset=utf-8", provisional_index());
    response.keep = Keep::revalidate;
    responder.answer(std::move(response));
}

void LiveWorld::answer_block(BlockPos pos, Responder responder) {
    shared_.queue.ask([this, pos, answer = std::move(responder)](std::unique_ptr<WorkerMemory>&) mutable {
        if (answer.is_abandoned()) return;
        const auto block = care::describe_block(*watch_->store(), shared_.assets, pos);
        const auto chunk = pos.chunk();
        if (!block)
            answer.answer(Response::problem(block.error()));
        else if (!*block)
            answer.answer(Response::problem(no_chunk(chunk.x, chunk.z)));
        else
            answer.answer(Response::json(care::to_json(**block)));
    });
}

void LiveWorld::answer_column(std::int32_t x, std::int32_t z, map::Layer layer, Responder responder) {
    shared_.queue.ask(
        [this, x, z, layer, answer = std::move(responder)](std::unique_ptr<WorkerMemory>&) mutable {
            if (answer.is_abandoned()) return;
            const BlockPos pos{x, 0, z};
            const auto chunk = pos.chunk();
            storage::ReadContext context;
            const auto document = watch_->store()->read(chunk, context);
            if (!document) return answer.answer(Response::problem(document.error()));
            std::optional<int> height;
            if (*document) {
                const auto shown = shown_height(**document, pos.column(), layer, shared_.colours);
                if (!shown) return answer.answer(Response::problem(shown.error()));
                height = *shown;
            }
            JsonWriter json;
            json.object().member("x", x).member("z", z).key("chunk").array();
            json.number(chunk.x).number(chunk.z).end().key("height");
            height ? json.number(*height) : json.null();
            json.member("exists", document->has_value()).end();
            answer.answer(Response::json(json.take()));
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
    shared_.queue.ask([this, question, index, answer = std::move(responder)](auto&) mutable {
        if (answer.is_abandoned()) return;
        std::vector<Error> ignored; // a player's file that cannot be read: verify names it
        const auto markers = map::read_markers(world_, ignored);
        const auto found = search_facts(*index, map_folder_, markers, question, shared_.stopping);
        answer.answer(found ? Response::json(*found) : Response::problem(found.error()));
    });
}

void LiveWorld::answer_findings(Responder responder) {
    responder.answer(Response::json(findings_->json(tiles_->now(), watch_->presence().chunks())));
}

void LiveWorld::publish_tiles(std::span<const map::Layer> layers, std::span<const LevelTile> tiles) {
    for (; !tiles.empty(); tiles = tiles.subspan(std::min(tiles.size(), k_tiles_per_event))) {
        JsonWriter json;
        json.object().member("world", folder_).key("layers").array();
        for (const auto layer : layers) json.string(map::id(layer));
        json.end().key("tiles").object();
        int level = -1; // they are sorted
        for (const auto& tile : tiles.first(std::min(tiles.size(), k_tiles_per_event))) {
            if (tile.level != level) {
                if (level >= 0) json.end();
                level = tile.level;
                json.key(fmt::format("{}", level)).array();
            }
            json.string(fmt::format("{}.{}", tile.pos.x, tile.pos.z));
        }
        if (level >= 0) json.end();
        json.end().end();
        shared_.events.publish("tiles", json.text());
    }
}

void LiveWorld::poll() {
    if (const auto changed = watch_->poll(); !changed.empty()) {
        publish_tiles(live_layers(), tiles_->change(changed));
        const std::lock_guard lock(mutex_);
        stale_ = true;
        due_ = std::max(due_, Clock::now() + k_rest);
    }
    for (const auto& [layer, tiles] : tiles_->take_filled()) publish_tiles(std::span(&layer, 1), tiles);
}

bool LiveWorld::wants_update() const {
    const std::lock_guard lock(mutex_);
    return stale_ && Clock::now() >= due_;
}

void LiveWorld::retry_later() {
    const std::lock_guard lock(mutex_);
    stale_ = true; // tiles are still rendered when they are asked for
    progress_.clear();
    due_ = Clock::now() + k_retry;
}

std::string LiveWorld::progress() const {
    const std::lock_guard lock(mutex_);
    return progress_;
}

/// Tells the clients how far it is, and ends the job with the server. Called by one thread at a time.
class LiveWorld::Progress final : public care::Progress {
public:
    explicit Progress(LiveWorld& world) : world_(world) {}

    void begin(std::string_view, std::uint64_t total) override {
        total_ = total;
        done_ = 0;
    }
    void step() override {
        if (world_.shared_.stopping) throw Stopped();
        ++done_;
        if (const auto now = Clock::now(); now - told_ > k_progress_pause) {
            told_ = now;
            tell(done_, total_);
        }
    }
    void finish() {
        if (told_ != Clock::time_point()) tell(total_, total_);
        const std::lock_guard lock(world_.mutex_);
        world_.progress_.clear();
    }

private:
    void tell(std::uint64_t done, std::uint64_t total) {
        JsonWriter json;
        json.object().member("world", world_.folder_).member("done", done).member("total", total).end();
        {
            const std::lock_guard lock(world_.mutex_);
            world_.progress_ = json.text();
        }
        world_.shared_.events.publish("progress", json.text());
    }

    LiveWorld& world_;
    std::uint64_t total_ = 0;
    std::uint64_t done_ = 0;
    Clock::time_point told_ = Clock::now();
};

void LiveWorld::update() {
    {
        const std::lock_guard lock(mutex_);
        stale_ = false;
    }
    const auto begin = Clock::now();
    const auto as_of = tiles_->now();
    auto steady = world_;
    steady.source = world::World::Source::other;
    steady.open_other =
        [this](const storage::StoreOptions& options) -> Result<std::shared_ptr<storage::Store>> {
        TRY(auto store, world_.open(options));
        return make_steady(std::move(store));
    };
    map::UpdateOptions options;
    options.layers = live_layers();
    map::MapFiles files;
    Progress progress(*this);
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
        tiles_->set_index(std::move(index));
        publish_tiles(live_layers(), different);
        if (!before || before->generation != generation) {
            JsonWriter json;
            json.object().member("world", folder_).member("generation", generation).end();
            shared_.events.publish("world", json.text());
        }
    } else if (!done) {
        fmt::print(stderr, "orbis: {}\n", done.error().text());
        return retry_later();
    }
    const std::lock_guard lock(mutex_);
    due_ = std::max(due_, Clock::now() + std::max<Clock::duration>(2s, (Clock::now() - begin) * 2));
}

} // namespace orbis::http
