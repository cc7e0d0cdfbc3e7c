#include "map/find_changes.hpp"

#include "bytes/content_hash.hpp"
#include "bytes/parallel.hpp"
#include "map/map_files.hpp"
#include "map/tile_renderer.hpp"
#include "storage/hashing_reader.hpp"

#include <algorithm>
#include <bitset>

namespace orbis::map {

namespace fs = std::filesystem;

namespace {

using Slots = std::bitset<k_columns>;

/// The chunks of a store by region.
std::map<RegionPos, Slots> list_chunks(const storage::Store& store, Changes& out) {
    std::map<RegionPos, Slots> regions;
    std::uint64_t far = 0;
    const auto cursor = store.chunks();
    while (true) {
        auto next = cursor->next();
        if (!next) {
            out.problems.push_back(std::move(next).error());
            continue;
        }
        if (!*next) break;
        const auto pos = **next;
        if (!is_drawable(pos)) {
            ++far;
            continue;
        }
        regions[pos.region()].set(static_cast<std::size_t>(pos.slot().value));
    }
    if (far > 0)
        out.problems.push_back(
            error(Errc::out_of_range, "{} chunks are too far out to be drawn", far).in_file(store.name()));
    return regions;
}

/// What a region says about the tiles in it and around it.
struct RegionChanges {
    RegionPos pos;
    Slots slots;
    std::vector<ChunkPos> changed;
    RegionProblems problems;
};

void compare(const storage::Store& store, const fs::path& folder, const MapState* old,
             RegionChanges& region) {
    const auto entry =
        old == nullptr ? std::map<RegionPos, RegionEntry>::const_iterator{} : old->regions.find(region.pos);
    const bool known = old != nullptr && entry != old->regions.end();
    auto facts = known ? load_region(folder, region.pos, entry->second.state)
                       : Result<RegionFacts>(RegionFacts(region.pos));
    if (!known || !facts) { // everything in it is new
        for (int slot = 0; slot < k_columns; ++slot)
            if (region.slots.test(static_cast<std::size_t>(slot)) || (known && !facts))
                region.changed.push_back(region.pos.chunk({slot}));
        return;
    }
    region.problems = RegionProblems::of(*facts, store.name());
    storage::HashingReader reader(store);
    for (int slot = 0; slot < k_columns; ++slot) {
        const auto pos = region.pos.chunk({slot});
        const auto before = facts->chunks().find({slot});
        const auto old_hash = before == facts->chunks().end() ? 0 : before->second.hash;
        const auto hash = region.slots.test(static_cast<std::size_t>(slot)) ? reader.hash(pos) : 0;
        if (hash != old_hash) region.changed.push_back(pos);
    }
}

void widen(Changes& out, TilePos pos) {
    if (!out.least) {
        out.least = out.most = pos;
        return;
    }
    out.least = TilePos{std::min(out.least->x, pos.x), std::min(out.least->z, pos.z)};
    out.most = TilePos{std::max(out.most->x, pos.x), std::max(out.most->z, pos.z)};
}

/// The tiles of a region that have chunks.
std::set<TilePos> tiles_of(RegionPos region, const Slots& slots) {
    std::set<TilePos> tiles;
    for (int slot = 0; slot < k_columns; ++slot)
        if (slots.test(static_cast<std::size_t>(slot))) tiles.insert(TilePos::of(region.chunk({slot})));
    return tiles;
}

/// Takes tiles without a file out of the state; those of level 0 are stale, and so is all that is below a
/// tile that is missing further up, because only a stale tile is made again.
void drop_missing(const fs::path& folder, MapState& old, std::set<TilePos>& stale,
                  const std::set<TilePos>& existing) {
    for (auto& layer : old.layers)
        for (std::size_t level = 0; level < layer.levels.size(); ++level)
            for (auto at = layer.levels[level].begin(); at != layer.levels[level].end();) {
                std::error_code code;
                const auto path =
                    MapState::tile_path(layer.layer, static_cast<int>(level), at->first, at->second);
                if (fs::exists(folder / path, code)) {
                    ++at;
                    continue;
                }
                const auto shift = static_cast<int>(level);
                for (const auto tile : existing)
                    if (TilePos{tile.x >> shift, tile.z >> shift} == at->first) stale.insert(tile);
                at = layer.levels[level].erase(at);
            }
}

} // namespace

RegionProblems RegionProblems::of(const RegionFacts& facts, std::string_view store) {
    RegionProblems out;
    for (const auto& [slot, chunk] : facts.chunks()) {
        out.unreadable += chunk.readable ? 0 : 1;
        out.count += chunk.problems.size();
        for (const auto& problem : chunk.problems)
            if (out.first.size() < k_most_problems) out.first.push_back(problem.in_store(store));
    }
    return out;
}

Result<RegionFacts> load_region(const fs::path& folder, RegionPos pos, std::uint64_t hash) {
    const auto path = folder / MapState::region_path(pos, hash);
    TRY(const auto file, read_map_file(path));
    if (content_hash(file) != hash)
        return fail(
            error(Errc::mismatch, "the content of this file does not match its name").in_file(path.string()));
    auto facts = RegionFacts::load(file);
    if (!facts) return fail(std::move(facts).error().in_file(path.string()));
    return facts;
}

Result<Changes> find_changes(const storage::Store& store, const fs::path& folder, MapState* old,
                             std::size_t threads, Progress& progress) {
    Changes out;
    auto regions = list_chunks(store, out);
    if (old != nullptr)
        for (const auto& [pos, entry] : old->regions) regions.try_emplace(pos); // they may have lost all
    std::set<TilePos> existing;
    for (const auto& [pos, slots] : regions) {
        if (slots.none()) continue;
        out.regions[pos] = static_cast<std::uint32_t>(slots.count());
        out.chunks += slots.count();
        for (const auto tile : tiles_of(pos, slots)) {
            existing.insert(tile);
            widen(out, tile);
        }
    }
    progress.begin("Looking for changes", regions.size());
    std::set<TilePos> own; // of the chunks that changed
    std::size_t told = 0;  // problems in all
    std::vector<RegionChanges> ring(in_flight_limit(threads));
    auto next = regions.begin();
    const auto pull = [&](std::size_t ticket) {
        if (next == regions.end()) return false;
        ring[ticket] = {next->first, next->second, {}, {}};
        ++next;
        return true;
    };
    const auto work = [&](std::size_t ticket, std::size_t) { compare(store, folder, old, ring[ticket]); };
    const auto push = [&](std::size_t ticket) {
        const auto& changed = ring[ticket].changed;
        out.changed += changed.size();
        if (auto& problems = ring[ticket].problems; problems.count > 0) {
            const auto room =
                RegionProblems::k_most_problems - std::min(told, RegionProblems::k_most_problems);
            if (problems.first.size() > room) problems.first.resize(room);
            told += problems.first.size();
            out.known_problems[ring[ticket].pos] = std::move(problems);
        }
        for (const auto tile : tiles_around(changed)) out.stale.insert(tile);
        for (const auto pos : changed) own.insert(TilePos::of(pos));
        progress.step();
    };
    run_ordered({.pull = pull, .work = work, .push = push}, threads);
    if (old != nullptr) {
        out.stale.insert(old->redo.begin(), old->redo.end());
        drop_missing(folder, *old, out.stale, existing);
    }
    // A tile without chunks matters only if there was one, or a chunk without pixels.
    std::erase_if(out.stale, [&](TilePos pos) {
        if (existing.contains(pos) || own.contains(pos)) return false;
        if (old == nullptr) return true;
        return std::ranges::none_of(old->layers, [&](const LayerTiles& layer) {
            return !layer.levels.empty() && layer.levels[0].contains(pos);
        });
    });
    return out;
}

} // namespace orbis::map
