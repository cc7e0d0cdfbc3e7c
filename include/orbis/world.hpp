#pragma once

#include "orbis/error.hpp"
#include "orbis/export.hpp"
#include "orbis/position.hpp"
#include "orbis/report.hpp"
#include "orbis/version.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orbis {

/// One world, open for reading. Copies are cheap and are the same world. It may be used by several threads at
/// once.
class World {
public:
    /// As its universe calls it, such as "default".
    [[nodiscard]] ORBIS_API const std::string& name() const;
    /// The file or folder with its chunks, as messages name it.
    [[nodiscard]] ORBIS_API const std::string& path() const;

    /// The positions of all chunks, in the order in which they are stored. No chunk is read for this.
    [[nodiscard]] ORBIS_API std::vector<ChunkPos> positions() const;

    /// What could not be read so far, by any copy of this world, in the order in which it was met: notes on
    /// its configuration, regions and chunks that are damaged. Reading goes on after each of them.
    [[nodiscard]] ORBIS_API std::vector<Error> problems() const;

    struct State; ///< hidden
    /// For the library itself.
    explicit World(std::shared_ptr<State> state) : state_(std::move(state)) {}
    [[nodiscard]] const std::shared_ptr<State>& state() const { return state_; }

private:
    std::shared_ptr<State> state_;
};

/// Opens a world: a world folder, a folder of region files, a single region file, a RocksDB folder, a backup
/// zip, `STORE@SNAPSHOT`, or the world `name` of a universe. Without a name a universe must have one world
/// only.
[[nodiscard]] ORBIS_API Result<World> open_world(const std::string& path, std::string_view name = {});

/// Opens all worlds of a universe; a single world is one too. An error where one of them cannot be opened.
[[nodiscard]] ORBIS_API Result<std::vector<World>> open_universe(const std::string& path);

} // namespace orbis
