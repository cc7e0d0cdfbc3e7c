#include "game/serve/spawn.hpp"

#include "chunk/chunk_reader.hpp"
#include "packets/shared.hpp"
#include "world/spots.hpp"

#include <cmath>

namespace orbis::game {
namespace {

constexpr double k_somewhere_high = 128;

packets::Position position_of(double x, double y, double z) {
    packets::Position position;
    position.x = x;
    position.y = y;
    position.z = z;
    return position;
}

/// The height on which a player stands in the middle of a block; nothing if the chunk does not say.
std::optional<double> ground_at(const storage::Store& store, BlockPos pos) {
    chunk::ChunkReader reader;
    const auto chunk = reader.read(store, pos.chunk(), chunk::k_column_maps);
    if (!chunk || *chunk == nullptr || (*chunk)->columns_state() != chunk::PartState::decoded) return {};
    return (*chunk)->heights().at(pos.column()) + 1.0;
}

/// The chunk that is nearest to the middle of all; nothing if there is none.
std::optional<ChunkPos> middle_chunk(const storage::Store& store, std::vector<Error>& problems) {
    std::vector<ChunkPos> all;
    const auto cursor = store.chunks();
    for (;;) {
        const auto next = cursor->next();
        if (!next) { // a region that cannot be read
            problems.push_back(next.error());
            continue;
        }
        if (!*next) break;
        all.push_back(**next);
    }
    if (all.empty()) return {};
    double x = 0;
    double z = 0;
    for (const auto pos : all) {
        x += pos.x;
        z += pos.z;
    }
    x /= static_cast<double>(all.size());
    z /= static_cast<double>(all.size());
    return *std::ranges::min_element(all, {}, [&](ChunkPos pos) { return std::hypot(pos.x - x, pos.z - z); });
}

/// The game would make the land; here a player would never see anything.
bool is_on_land(const world::Spot& spot, const storage::Store& store) {
    if (!std::isfinite(spot.x) || !std::isfinite(spot.y) || !std::isfinite(spot.z)) return false;
    return store.contains(spot.block().chunk()).value_or(false);
}

packets::Position newcomers_place(const world::World& world, const storage::Store& store,
                                  SpawnPoints& places) {
    for (const auto& spot : world::spawn_points(world).spots) {
        if (!is_on_land(spot, store)) continue;
        if (spot.y > 0) return position_of(spot.x, spot.y, spot.z);
        // Left to the height of the ground.
        return position_of(spot.x, ground_at(store, spot.block()).value_or(k_somewhere_high), spot.z);
    }
    const auto found = middle_chunk(store, places.problems);
    places.has_land = found.has_value();
    const auto middle = found.value_or(ChunkPos{});
    const BlockPos block{middle.x * k_side + k_side / 2, 0, middle.z * k_side + k_side / 2};
    return position_of(block.x + 0.5, ground_at(store, block).value_or(k_somewhere_high), block.z + 0.5);
}

} // namespace

SpawnPoints find_spawn(const world::World& world, const storage::Store& store) {
    SpawnPoints places;
    places.newcomers = newcomers_place(world, store, places);
    for (const auto& spot : world::player_positions(world).spots)
        if (!spot.name.empty() && is_on_land(spot, store))
            places.players.insert_or_assign(spot.name, position_of(spot.x, spot.y, spot.z));
    return places;
}

} // namespace orbis::game
