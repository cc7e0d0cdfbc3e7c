#pragma once

#include "world/location.hpp"

#include <string>
#include <vector>

namespace orbis::jobs {

/// What tells one world from another.
struct WorldIdentity {
    std::string name;
    /// Of its configuration; empty if that has none, or cannot be read.
    std::string uuid;
    /// Where the world is, or was when a snapshot was taken of it: one path, whether the universe, the
    /// world or its chunks were named.
    std::string home;
    bool has_config = false; ///< it is no bare folder of chunks, so a UUID could be there
    bool is_snapshot = false;
};

WorldIdentity identity_of(const world::World& world);
std::vector<WorldIdentity> identities_of(const world::Location& location);

/// The home of a world of a location of this kind at `path`.
std::string home_of(world::Location::Kind kind, const std::filesystem::path& path, const std::string& world);

enum class Kinship : std::uint8_t { same, other, unknown };

/// Whether two are the same world. A UUID decides where both have one; then the path. A world whose
/// configuration is lost and a snapshot of another path count as two worlds.
Kinship kinship(const WorldIdentity& a, const WorldIdentity& b);

/// How a message names it: `/srv/universe/worlds/default (UUID 92929308…)`.
std::string shown(const WorldIdentity& identity);

} // namespace orbis::jobs
