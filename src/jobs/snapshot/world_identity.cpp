#include "jobs/snapshot/world_identity.hpp"

#include <fmt/format.h>

namespace orbis::jobs {

namespace fs = std::filesystem;

namespace {

/// `/srv/universe/worlds/default` and `/srv/worlds/default` are one: a server's folder is named as often as
/// the universe in it.
fs::path without_universe(const fs::path& world) {
    const auto worlds = world.parent_path();
    const auto universe = worlds.parent_path();
    if (worlds.filename() != "worlds" || universe.filename() != "universe") return world;
    return universe.parent_path() / "worlds" / world.filename();
}

fs::path whole_path(const fs::path& path) {
    std::error_code code;
    auto whole = fs::weakly_canonical(path, code);
    if (code) whole = path;
    return whole.has_filename() ? whole : whole.parent_path();
}

bool is_zero(const std::string& uuid) { return uuid.find_first_not_of("0-") == uuid.npos; }

} // namespace

std::string home_of(world::Location::Kind kind, const fs::path& path, const std::string& world) {
    using Kind = world::Location::Kind;
    auto home = path;
    if (kind == Kind::universe) home = path / "worlds" / world;
    if (kind == Kind::region_file) home = path.parent_path();
    if ((kind == Kind::chunks_folder || kind == Kind::region_file) && home.filename() == "chunks")
        home = home.parent_path();
    if (kind == Kind::rocksdb && home.filename() == "db") home = home.parent_path();
    return without_universe(home).string();
}

WorldIdentity identity_of(const world::World& world) {
    using Kind = world::Location::Kind;
    using Source = world::World::Source;
    WorldIdentity identity;
    identity.name = world.name;
    if (!is_zero(world.config.uuid)) identity.uuid = world.config.uuid;
    identity.has_config = world.source == Source::provider || !identity.uuid.empty();
    identity.is_snapshot = !world.origin.empty();
    if (identity.is_snapshot) {
        identity.home = world.origin;
        return identity;
    }
    const auto folder = world.folder.on_disk();
    const auto path = whole_path(world.source == Source::region_file ? world.region_file
                                 : folder                            ? *folder
                                                                     : fs::path(world.folder.shown()));
    const auto kind = world.source == Source::region_file     ? Kind::region_file
                      : world.source == Source::chunks_folder ? Kind::chunks_folder
                      : world.source == Source::rocksdb       ? Kind::rocksdb
                                                              : Kind::world;
    identity.home = home_of(kind, path, world.name);
    return identity;
}

std::vector<WorldIdentity> identities_of(const world::Location& location) {
    std::vector<WorldIdentity> found;
    for (const auto& world : location.worlds) found.push_back(identity_of(world));
    return found;
}

Kinship kinship(const WorldIdentity& a, const WorldIdentity& b) {
    if (!a.uuid.empty() && !b.uuid.empty()) return a.uuid == b.uuid ? Kinship::same : Kinship::other;
    if (a.home == b.home) return Kinship::same;
    const bool should_tell = a.has_config && b.has_config && a.is_snapshot != b.is_snapshot;
    return should_tell ? Kinship::other : Kinship::unknown;
}

std::string shown(const WorldIdentity& identity) {
    return fmt::format("{} ({})", identity.home,
                       identity.uuid.empty() ? "without a UUID that can be read"
                                             : fmt::format("UUID {}", identity.uuid));
}

} // namespace orbis::jobs
