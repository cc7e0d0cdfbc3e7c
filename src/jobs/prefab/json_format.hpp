#pragma once

#include "jobs/prefab/prefab.hpp"

#include <functional>

/// `.prefab.json`, versions 1 to 8 (docs/formats/prefab.md).
namespace orbis::jobs::prefab {

inline constexpr int k_json_version = 8;

/// Reads a prefab of any version; names of old ones are taken apart. A copy of the text is kept
/// for `write_json` if it is of today's version.
Result<Prefab> read_json(std::string_view text);

/// Takes the next piece of a file.
using Sink = std::function<Result<void>(Bytes piece)>;

/// Writes today's version as the game does, in pieces of some megabytes: to the letter what was read where
/// that was of this version. `Prefab::source` must be empty where something was changed since.
Result<void> write_json(const Prefab& prefab, const Sink& sink);

/// Old versions have some of what blocks have in their names: `Name|Yaw=90|Support=2`. Brings a prefab with
/// such names to what version 8 has, and notes what has no place there.
void take_names_apart(Prefab& prefab, int version);

} // namespace orbis::jobs::prefab
