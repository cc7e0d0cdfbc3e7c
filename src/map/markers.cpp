#include "map/markers.hpp"

#include "world/spots.hpp"

namespace orbis::map {
namespace {

void add(std::string_view kind, world::Spots spots, std::vector<Marker>& out, std::vector<Error>& problems) {
    for (auto& spot : spots.spots)
        out.push_back({std::string(kind), std::move(spot.name), spot.x, spot.y, spot.z});
    for (auto& problem : spots.problems)
        if (problem.code != Errc::not_found) problems.push_back(std::move(problem));
}

} // namespace

std::vector<Marker> read_markers(const world::World& world, std::vector<Error>& problems) {
    std::vector<Marker> out;
    // Chunks without a world folder around them have none of these files.
    if (world.source != world::World::Source::provider && world.source != world::World::Source::other)
        return out;
    add("spawn", world::spawn_points(world), out, problems);
    add("player", world::player_positions(world), out, problems);
    add("warp", world::warps(world), out, problems);
    add("marker", world::map_markers(world), out, problems);
    return out;
}

} // namespace orbis::map
