#pragma once

#include "jobs/verify/finding.hpp"
#include "world/location.hpp"

namespace orbis::jobs {

/// A JSON file of a world or a universe, and how the game treats it when it cannot be read.
struct JsonFile {
    enum class Kind : std::uint8_t { config, player, resource, other };
    Kind kind = Kind::other;
    storage::Folder folder;
    std::string name; ///< in the folder
};

/// The JSON files of a universe besides those of its worlds; those of a world.
std::vector<JsonFile> universe_files(const world::Location& location);
std::vector<JsonFile> world_files(const world::World& world);

/// What is wrong with a JSON file.
struct JsonState {
    bool present = false;
    std::optional<Error> problem; ///< of the file itself
    bool backup_good = false;     ///< its `.bak` can be read; only asked when the file cannot
};
JsonState look_at(const JsonFile& file);

/// The JSON files that a folder of a backup has and the same folder of a world has not, not even as a `.bak`;
/// those alone that are good there.
std::vector<std::string> files_only_in(const storage::Folder& backup, const storage::Folder& ours,
                                       JsonFile::Kind kind);

/// Configuration, resources, players, and the other JSON files.
void check_universe_files(const world::Location& location, std::vector<Finding>& out);
void check_world_files(const world::World& world, std::vector<Finding>& out);

} // namespace orbis::jobs
