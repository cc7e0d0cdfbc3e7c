#pragma once

#include "world/config.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orbis::world {

/// Chunks that can be opened: one world of a location.
struct World {
    /// How the chunks are kept at this location.
    enum class Source : std::uint8_t { provider, chunks_folder, region_file, rocksdb, other };

    std::string name;
    storage::Folder folder; ///< of the world, of the region files, of the database
    Source source = Source::provider;
    std::filesystem::path region_file; ///< of `Source::region_file`
    /// Of `Source::other`: chunks that are in none of these, such as those of a snapshot.
    std::function<Result<std::shared_ptr<storage::Store>>(const storage::StoreOptions& options)> open_other;
    WorldConfig config;
    storage::Provider provider; ///< what is really used: `config` or what is in the folder
    std::vector<Error> notes;   ///< what was odd about it
    /// Among the notes: the configuration names another storage than the one that is there.
    std::optional<Error> storage_mismatch;
    /// Among the notes: making this world was interrupted (`k_unfinished_note`).
    std::optional<Error> unfinished;
    std::string finishing_command; ///< the command that continues, if known
    /// The `players/` of its universe; nothing if the world is in none.
    std::optional<storage::Folder> players;
    /// The universe itself; nothing if the world is in none.
    std::optional<storage::Folder> universe;
    /// Of a snapshot: the folder of the world that it was taken of, as `jobs::home_of` writes it.
    std::string origin;

    [[nodiscard]] Result<std::shared_ptr<storage::Store>> open(const storage::StoreOptions& options) const;
    /// Folders in place of region files: a store passes over them.
    [[nodiscard]] std::vector<storage::MisplacedFolder> misplaced_folders() const;
};

/// What is at a user's path.
struct Location {
    enum class Kind : std::uint8_t { universe, world, chunks_folder, region_file, rocksdb };

    Kind kind = Kind::world;
    bool is_zip = false;
    std::string path;        ///< as it was given
    storage::Folder root;    ///< of the universe or the world
    std::string zip_comment; ///< names the server build in backups that the game makes
    std::vector<World> worlds;
    std::size_t players = 0; ///< files in `players/`
};

/// The name of the file that a conversion or a download keeps in its target until that is complete.
/// Its third line, if there is one, is the command that goes on.
inline constexpr std::string_view k_unfinished_note = "orbis-convert.unfinished";

/// The kind as it is printed: `universe`, `world` …
std::string_view name(Location::Kind kind);

/// Finds out what is at `path`: a universe (also as `universe/` of a server folder), a world, a folder of
/// region files, a region file, a RocksDB folder, or a zip of a universe or a world. Chunks are not opened
/// yet.
Result<Location> find_location(const std::filesystem::path& path);

/// The location with only the world of that name; without a name the location as it is.
Result<Location> narrow_to_world(Location location, std::string_view name);

/// The world of that name; without a name the only one there is.
Result<const World*> choose_world(const Location& location, std::string_view name);

/// The world of a backup that belongs to `world`: the one that `wanted` names, else the only one, else the
/// one of the same UUID, else the one of the same name.
Result<const World*> choose_counterpart(const Location& backup, std::string_view wanted, const World& world);

} // namespace orbis::world
