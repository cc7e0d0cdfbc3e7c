#pragma once

#include "jobs/snapshot/world_identity.hpp"
#include "world/location.hpp"

#include <optional>
#include <span>
#include <string>

namespace orbis::jobs {

/// What a user names to read from: a path as `world::find_location` takes it, or `STORE@SNAPSHOT`, a folder
/// of snapshots and the id (or the start of it), the name, or `latest`. A path that exists is taken as a
/// path. The worlds of a snapshot open as read-only stores.
Result<world::Location> find_source(const std::string& text);

/// The same for a verb that has a world already: `STORE@latest` and `STORE` are the newest snapshot of one of
/// `worlds`, never that of another world.
Result<world::Location> find_source(const std::string& text, std::span<const WorldIdentity> worlds);

/// The folder of snapshots, where a text leaves open which of them is meant: `STORE` and `STORE@latest`.
std::optional<std::string> store_of_latest(const std::string& text);

} // namespace orbis::jobs
