#pragma once

#include "app/console.hpp"
#include "care/convert/convert.hpp"
#include "care/inspect/summary.hpp"

namespace orbis::app {

/// `universe in a zip`, `world` …
std::string kind_text(const world::Place& place);

/// `3 worlds`, `1 chunk`.
std::string counted(std::uint64_t count, std::string_view thing);

/// A place as a command line names it: `'my universe' --world default`.
std::string place_argument(const std::filesystem::path& path, std::string_view world = {});

/// That a place, named as by `place_argument`, does not have a chunk.
Error no_such_chunk(const storage::Store& store, ChunkPos pos, std::string_view place);

/// The members of an object about a conversion.
void describe(JsonWriter& json, const care::ConvertReport& report);

/// The notes of a world (a broken configuration, for example) as messages; whether one of them says that the
/// world is unfinished. The others are remarks: no verb that did its work fails for them.
bool print_notes(Console& console, const world::World& world);

/// A note where a backup is not of this world but of another.
void note_other_world(Console& console, const world::World& world, const world::World& backup);

} // namespace orbis::app
