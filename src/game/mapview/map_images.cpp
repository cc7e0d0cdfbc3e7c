#include "game/mapview/map_images.hpp"

#include "packets/worldmap.hpp"

#include <algorithm>
#include <cstdlib>

namespace orbis::game {

namespace {

constexpr map::Layer k_layer{map::LayerKind::surface, 0};
/// Changes that are remembered; a player who has not asked for longer is told that anything may have changed.
constexpr std::size_t k_most_changes = 4096;
/// What a tile costs beside its frame.
constexpr std::size_t k_tile_cost = 256;

/// Places wrap around at the ends of all numbers: players can be told to be anywhere.
ChunkPos beside(ChunkPos pos, int x, int z) {
    const auto add = [](std::int32_t a, int b) {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
    };
    return {add(pos.x, x), add(pos.z, z)};
}

} // namespace

void enlarge(std::span<const map::Rgba, k_columns> from, MapPixels& out) {
    auto* at = out.data();
    for (std::size_t z = 0; z < k_side; ++z) {
        auto* const row = at;
        for (std::size_t x = 0; x < k_side; ++x) {
            const auto pixel = from[z * k_side + x];
            const auto value = std::uint32_t{pixel.r} << 24 | std::uint32_t{pixel.g} << 16
                               | std::uint32_t{pixel.b} << 8 | pixel.a;
            at = std::fill_n(at, k_map_scale, static_cast<std::int32_t>(value));
        }
        for (int copy = 1; copy < k_map_scale; ++copy) at = std::copy_n(row, k_map_side, at);
    }
}

/// What a drawing thread keeps.
struct MapImages::Worker {
    explicit Worker(const map::Colours& colours) : painter(colours) {}

    map::ChunkPainter painter;
    storage::ReadContext context;
    protocol::FrameWriter<protocol::Side::server> writer;
    std::array<map::Rgba, k_columns> pixels{};
    MapPixels enlarged{};
    bool is_too_early = false; ///< a chunk cannot be read at this moment: what is drawn is not to be kept
};

MapImages::MapImages(const map::Colours& colours, Read read, Options options)
    : read_(std::move(read)),
      tiles_(options.most_bytes),
      unshaded_(options.most_unshaded),
      workers_({.threads = options.threads}, [&colours] { return std::make_unique<Worker>(colours); }) {}

MapImages::~MapImages() = default;

std::shared_ptr<const MapTile> MapImages::get(ChunkPos pos) {
    const std::lock_guard lock(mutex_);
    if (const auto* tile = tiles_.find(pos)) return *tile;
    if (pending_.insert(pos).second) workers_.add([this, pos](Worker& worker) { work(pos, worker); });
    return nullptr;
}

void MapImages::invalidate(ChunkPos pos) {
    const std::lock_guard lock(mutex_);
    changes_.push_back(pos);
    if (changes_.size() > k_most_changes) changes_.pop_front();
    ++now_;
    unshaded_.erase(pos);
    for (int z = -1; z <= 1; ++z)
        for (int x = -1; x <= 1; ++x) tiles_.erase(beside(pos, x, z));
}

MapImages::Changes MapImages::changes_since(std::uint64_t moment) const {
    const std::lock_guard lock(mutex_);
    Changes found{.now = now_, .everything = now_ - moment > changes_.size(), .chunks = {}};
    if (!found.everything)
        found.chunks.assign(changes_.end() - static_cast<std::ptrdiff_t>(now_ - moment), changes_.end());
    return found;
}

std::size_t MapImages::unreadable() const {
    const std::lock_guard lock(mutex_);
    return unreadable_;
}

std::size_t MapImages::drawn() const {
    const std::lock_guard lock(mutex_);
    return drawn_;
}

bool MapImages::is_idle() const {
    const std::lock_guard lock(mutex_);
    return pending_.empty();
}

void MapImages::work(ChunkPos pos, Worker& worker) {
    std::unique_lock lock(mutex_);
    const auto begin = now_;
    lock.unlock();
    worker.is_too_early = false;
    auto tile = std::make_shared<const MapTile>(draw(pos, worker));
    lock.lock();
    ++drawn_;
    pending_.erase(pos);
    if (worker.is_too_early || changed_near(pos, 1, begin))
        return; // it may show what was there before; players who need it ask again
    const auto bytes = tile->frame ? tile->frame->frame().bytes().size() : 0;
    tiles_.put(pos, std::move(tile), bytes + k_tile_cost);
}

MapTile MapImages::draw(ChunkPos pos, Worker& worker) {
    const auto own = unshaded(pos, worker);
    if (own == nullptr) return {};
    std::array<map::Edges, 8> edges;
    std::size_t used = 0;
    const auto edges_at = [&](int x, int z) -> const map::Edges* {
        const auto neighbour = unshaded(beside(pos, x, z), worker);
        if (neighbour == nullptr) return nullptr;
        edges[used] = neighbour->edges();
        return &edges[used++];
    };
    const map::Neighbours around{
        .north = edges_at(0, -1),
        .north_east = edges_at(1, -1),
        .east = edges_at(1, 0),
        .south_east = edges_at(1, 1),
        .south = edges_at(0, 1),
        .south_west = edges_at(-1, 1),
        .west = edges_at(-1, 0),
        .north_west = edges_at(-1, -1),
    };
    map::shade(*own, around, worker.pixels.data(), k_side);
    enlarge(worker.pixels, worker.enlarged);

    packets::MapImage image;
    image.width = k_map_side;
    image.height = k_map_side;
    image.data = protocol::List<std::int32_t>(worker.enlarged);
    packets::MapChunk chunk{pos.x, pos.z, image};
    packets::UpdateWorldMap packet;
    packet.chunks = protocol::List<packets::MapChunk>(&chunk, 1);
    auto frame = net::OutgoingFrame::make(worker.writer, packet);
    return frame ? MapTile{*std::move(frame)} : MapTile{};
}

MapImages::UnshadedRef MapImages::unshaded(ChunkPos pos, Worker& worker) {
    std::unique_lock lock(mutex_);
    if (const auto* found = unshaded_.find(pos)) return *found;
    const auto begin = now_;
    lock.unlock();
    auto made = read_unshaded(pos, worker);
    lock.lock();
    if (!worker.is_too_early && !changed_near(pos, 0, begin)) unshaded_.put(pos, made, 1);
    return made;
}

MapImages::UnshadedRef MapImages::read_unshaded(ChunkPos pos, Worker& worker) {
    const auto document = read_(pos, worker.context);
    const auto can_paint = document && *document && worker.painter.read(**document, map::parts_of(k_layer));
    if (!document && document.error().code == Errc::busy) {
        worker.is_too_early = true; // the saver opens the world again
        return nullptr;
    }
    if (!can_paint) {
        const std::lock_guard lock(mutex_);
        if (!document || *document) ++unreadable_;
        return nullptr;
    }
    auto unshaded = std::make_shared<map::UnshadedChunk>();
    worker.painter.draw(k_layer, *unshaded);
    return unshaded;
}

bool MapImages::changed_near(ChunkPos pos, int reach, std::uint64_t moment) const {
    const auto count = now_ - moment;
    if (count > changes_.size()) return true;
    return std::any_of(changes_.end() - static_cast<std::ptrdiff_t>(count), changes_.end(),
                       [&](ChunkPos changed) {
                           return std::abs(std::int64_t{changed.x} - pos.x) <= reach
                                  && std::abs(std::int64_t{changed.z} - pos.z) <= reach;
                       });
}

} // namespace orbis::game
