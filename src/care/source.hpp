#pragma once

#include "world/place.hpp"

#include <string>

namespace orbis::care {

/// What a user names to read from: a path as `world::find_place` takes it, or `STORE@SNAPSHOT`, a folder of
/// snapshots and the id (or the start of it), the name, or `latest`. A path that exists is taken as a path.
/// The worlds of a snapshot open as read-only stores.
Result<world::Place> find_source(const std::string& text);

} // namespace orbis::care
