#include "http/live/live_tiles.hpp"

#include "bytes/content_hash.hpp"
#include "bytes/file.hpp"

#include <array>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>

namespace orbis::http {

namespace {

using Clock = std::chrono::steady_clock;

/// Of the missing tiles below one that was asked for; a page that still wants more asks again.
constexpr std::size_t k_most_missing = 64;
constexpr int k_most_live_levels = 28;
/// For chunks that are written too often to be read.
constexpr int k_tries = 3;

Response picture(std::uint64_t hash) {
    Response response;
    response.type = "image/png";
    response.keep = Keep::revalidate;
    response.etag = hash_text(hash);
    return response;
}

Response no_pixels() {
    auto response = Response::nothing();
    response.keep = Keep::revalidate;
    return response;
}

std::array<LevelTile, 4> below(const LevelTile& tile) {
    const auto x = tile.pos.x * 2;
    const auto z = tile.pos.z * 2;
    const auto level = tile.level - 1;
    return {{{level, {x, z}}, {level, {x + 1, z}}, {level, {x, z + 1}}, {level, {x + 1, z + 1}}}};
}

} // namespace

LiveTiles::LiveTiles(const watch::WorldWatch& watch, TileCache& cache, TileWorkers& workers,
                     const map::Colours& colours, std::filesystem::path map_folder,
                     std::chrono::milliseconds fill_in)
    : watch_(watch),
      cache_(cache),
      workers_(workers),
      colours_(colours),
      map_folder_(std::move(map_folder)),
      fill_in_(fill_in) {
    measure();
}

void LiveTiles::measure() {
    const auto bounds = watch_.presence().bounds();
    levels_ = bounds ? level_count(TilePos::of(bounds->min), TilePos::of(bounds->max)) : 1;
}

std::shared_ptr<const MapIndex> LiveTiles::index() const {
    const std::lock_guard lock(mutex_);
    return index_;
}

void LiveTiles::set_index(std::shared_ptr<const MapIndex> index) {
    cache_.remove_if([&](const TileKey& key, TileCache::Entry& entry) {
        const auto changed = changes_.last(key.tile);
        if (entry.as_of < changed || (index->covers(key) && index->as_of >= changed)) return true;
        entry.as_of = std::max(entry.as_of, index->as_of); // it shows all changes up to then
        return false;
    });
    // Nothing is left that is older than these changes, and what is still in work is not taken for new.
    changes_.forget(index->as_of);
    const std::lock_guard lock(mutex_);
    index_ = std::move(index);
}

std::vector<LevelTile> LiveTiles::change(std::span<const ChunkPos> chunks) {
    measure();
    const auto tiles = with_parents(map::tiles_around(chunks), levels_ + 1);
    changes_.mark(tiles);
    return tiles;
}

std::map<map::Layer, std::vector<LevelTile>> LiveTiles::take_filled() {
    std::map<map::Layer, std::vector<LevelTile>> news;
    const std::lock_guard lock(mutex_);
    for (const auto& key : news_) news[key.layer].push_back(key.tile);
    news_.clear();
    return news;
}

std::filesystem::path LiveTiles::tile_path(const TileKey& key, std::uint64_t hash) const {
    const auto& [level, pos] = key.tile;
    return map_folder_ / "tiles" / map::id(key.layer) / fmt::format("{}", level)
           / fmt::format("{:n}.{}.png", pos, hash_text(hash));
}

bool LiveTiles::is_valid(const TileKey& key) const {
    const auto& [level, pos] = key.tile;
    if (level < 0 || level >= k_most_live_levels || level > levels_) return false;
    constexpr auto k_end = k_farthest_chunk / k_tile_chunks;
    const auto least = -k_end >> level;
    const auto most = (k_end - 1) >> level;
    return pos.x >= least && pos.x <= most && pos.z >= least && pos.z <= most;
}

/// The answer if nothing must be made for it.
std::optional<Response> LiveTiles::ready(const TileKey& key) {
    const auto changed = changes_.last(key.tile);
    const auto index = this->index();
    if (auto kept = cache_.open_tile(key);
        kept && kept->entry.as_of >= changed
        && (kept->entry.whole || kept->entry.filled >= filled_.last(key.tile))) {
        if (kept->entry.hash == 0) return no_pixels();
        auto response = picture(kept->entry.hash);
        response.file = std::move(kept->file);
        response.file_size = kept->size;
        return response;
    }
    if (!watch_.presence().has(key.tile.level, key.tile.pos)) return no_pixels();
    if (!index || !index->covers(key) || index->as_of < changed) return std::nullopt;
    const auto hash = index->hash(key);
    if (hash == 0) return index->current ? std::optional(no_pixels()) : std::nullopt;
    auto response = picture(hash);
    response.file = Descriptor(open(tile_path(key, hash).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat info{};
    if (!response.file || fstat(response.file.number(), &info) != 0) return std::nullopt;
    response.file_size = static_cast<std::uint64_t>(info.st_size);
    return response;
}

void LiveTiles::answer(const TileKey& key, Responder responder) {
    if (!is_valid(key)) {
        responder.answer(Response::problem(
            404, error(Errc::not_found, "this world has no {} on level {}", key.tile.pos, key.tile.level)));
        return;
    }
    if (auto response = ready(key)) {
        responder.answer(*std::move(response));
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        auto& waiting = waiting_[key];
        waiting.push_back(std::move(responder));
        if (waiting.size() > 1) return; // another request has asked already
    }
    workers_.add_urgent([this, key, owner = owner_.lock()](TileWorker& worker) { work(key, worker); });
}

void LiveTiles::work(const TileKey& key, TileWorker& worker) {
    std::vector<Responder> waiting;
    {
        const std::lock_guard lock(mutex_);
        if (auto found = waiting_.extract(key)) waiting = std::move(found.mapped());
    }
    std::erase_if(waiting, [](const Responder& responder) { return responder.is_abandoned(); });
    if (waiting.empty()) return; // the page shows something else now
    auto made = make(key, worker);
    for (auto& responder : waiting) {
        if (!made) {
            responder.answer(Response::problem(made.error()));
            continue;
        }
        Response copy;
        copy.status = made->status;
        copy.type = made->type;
        copy.keep = made->keep;
        copy.etag = made->etag;
        copy.bytes = made->bytes;
        copy.owner = made->owner;
        responder.answer(std::move(copy));
    }
    if (made && key.tile.level == 0) tell_parents(key);
}

/// Tiles above this one that were put together without it can show more now.
void LiveTiles::tell_parents(const TileKey& key) {
    const auto tiles = with_parents(std::span(&key.tile.pos, 1), levels_ + 1);
    const auto above = std::span(tiles).subspan(1);
    filled_.mark(above);
    for (const auto& tile : above) {
        const auto kept = cache_.find({key.layer, tile});
        if (!kept || kept->whole) continue;
        const std::lock_guard lock(mutex_);
        news_.insert({key.layer, tile});
    }
}

/// Renders or puts together a tile, and keeps it.
Result<Response> LiveTiles::make(const TileKey& key, TileWorker& worker) {
    Call call{key.layer, worker, index(), Clock::now() + fill_in_, false, {}};
    worker.png = nullptr;
    TRY(const auto piece, fill(call, key.tile, worker.of_level(key.tile.level), true));
    schedule(key.layer, call.missing);
    if (!piece.has_pixels) return no_pixels();
    if (!worker.png) // it was there, for another request made it meanwhile
        worker.png = std::make_shared<const Buffer>([&] {
            const auto png = worker.encoder.encode(worker.of_level(key.tile.level));
            return Buffer(png.begin(), png.end());
        }());
    auto response = picture(content_hash(*worker.png));
    response.bytes = *worker.png;
    response.owner = worker.png;
    return response;
}

/// The pixels of a tile from the cache or the map; `any_age`: also old ones.
bool LiveTiles::load_kept(Call& call, const LevelTile& tile, map::TilePixels& out, bool any_age,
                          Piece& piece) {
    const TileKey key{call.layer, tile};
    const auto changed = changes_.last(tile);
    const auto decode = [&](const std::filesystem::path& path) {
        const auto file = open_file(path, FileMode::read);
        if (!file) return false;
        const auto size = (*file)->size();
        const auto view = size ? (*file)->view(0, *size) : Result<FileView>(std::unexpected(size.error()));
        return view && map::decode_tile(view->bytes(), out).has_value();
    };
    if (auto kept = cache_.open_tile(key);
        kept
        && (any_age
            || (kept->entry.as_of >= changed
                && (kept->entry.whole || kept->entry.filled >= filled_.last(tile))))) {
        piece = {kept->entry.hash != 0, kept->entry.whole};
        if (kept->entry.hash == 0) return true;
        Buffer png(kept->size);
        if (pread(kept->file.number(), png.data(), png.size(), 0) == static_cast<ssize_t>(png.size())
            && map::decode_tile(png, out))
            return true;
    }
    if (!call.index || !call.index->covers(key)) return false;
    if (!any_age && call.index->as_of < changed) return false;
    const auto hash = call.index->hash(key);
    if (hash == 0) {
        piece = {};
        return call.index->current;
    }
    piece = {true, true};
    return decode(tile_path(key, hash));
}

Result<LiveTiles::Piece> LiveTiles::fill(Call& call, const LevelTile& tile, map::TilePixels& out,
                                         bool asked) {
    if (!watch_.presence().has(tile.level, tile.pos)) return Piece{};
    Piece piece;
    if (load_kept(call, tile, out, false, piece)) return piece;
    if (tile.level > 0) return fill_from_below(call, tile, out);
    // One at least, however busy the machine is: a page shall see that there is something.
    if (asked || !std::exchange(call.rendered, true) || Clock::now() < call.deadline)
        return render(call, tile.pos, out);
    if (call.missing.size() < k_most_missing) call.missing.push_back(tile.pos);
    piece = {};
    (void)load_kept(call, tile, out, true, piece); // old pixels rather than none
    piece.whole = false;
    return piece;
}

Result<LiveTiles::Piece> LiveTiles::fill_from_below(Call& call, const LevelTile& tile, map::TilePixels& out) {
    TileCache::Entry entry{0, changes_.now(), true, filled_.now()};
    Piece sum;
    out.clear();
    auto& child = call.worker.of_level(tile.level - 1);
    for (const auto& part : below(tile)) {
        TRY(const auto piece, fill(call, part, child, false));
        sum.whole = sum.whole && piece.whole;
        if (!piece.has_pixels) continue;
        sum.has_pixels = true;
        map::shrink_into(child, part.pos, out);
    }
    entry.whole = sum.whole;
    // Nothing to keep if nothing was there.
    if (sum.has_pixels || sum.whole)
        put({call.layer, tile}, entry, sum.has_pixels ? &out : nullptr, call.worker);
    return sum;
}

Result<LiveTiles::Piece> LiveTiles::render(Call& call, TilePos pos, map::TilePixels& out) {
    Piece piece;
    TileCache::Entry entry;
    for (int tries = 0;; ++tries) {
        entry = {0, changes_.now(), true, 0}; // before the store is taken: see Changes
        auto& renderer = call.worker.renderer_for(watch_.store(), colours_);
        TRY(piece.has_pixels, renderer.render(call.layer, pos, out));
        const auto is_busy = [](const Error& problem) { return problem.code == Errc::busy; };
        if (tries == k_tries || std::ranges::none_of(renderer.problems(), is_busy)) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    put({call.layer, {0, pos}}, entry, piece.has_pixels ? &out : nullptr, call.worker);
    return piece;
}

/// Encodes and keeps a tile. That it cannot be kept (the disk is full) costs time later and nothing else.
void LiveTiles::put(const TileKey& key, TileCache::Entry entry, const map::TilePixels* pixels,
                    TileWorker& worker) {
    Bytes png;
    worker.png = nullptr;
    if (pixels != nullptr) {
        png = worker.encoder.encode(*pixels);
        entry.hash = content_hash(png);
        worker.png = std::make_shared<const Buffer>(png.begin(), png.end());
    }
    (void)cache_.put(key, entry, png);
}

/// Renders what was missing, after what requests wait for.
void LiveTiles::schedule(map::Layer layer, std::span<const TilePos> missing) {
    for (const auto pos : missing) {
        const TileKey key{layer, {0, pos}};
        {
            const std::lock_guard lock(mutex_);
            if (!scheduled_.insert(key).second) continue;
        }
        // However the job ends, it is no longer on its way.
        const std::shared_ptr<void> on_its_way(nullptr, [this, key, owner = owner_.lock()](void*) {
            const std::lock_guard lock(mutex_);
            scheduled_.erase(key);
        });
        workers_.add([this, key, on_its_way](TileWorker& worker) {
            if (ready(key) || make(key, worker)) tell_parents(key);
        });
    }
}

} // namespace orbis::http
