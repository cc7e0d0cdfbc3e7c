#pragma once

#include "bytes/result.hpp"
#include "world/assets.hpp"

#include <cstddef>
#include <filesystem>
#include <vector>

namespace orbis::world {

/// What `load_assets` found.
struct AssetPack {
    std::size_t files = 0; ///< files that were looked into
    std::size_t blocks = 0;
    std::size_t fluids = 0;
    std::size_t environments = 0;
    std::size_t migrations = 0;
    std::vector<Error> problems; ///< files and fields that were left out, at most 1000 of them
};

/// Lays the assets of a folder or zip over those in `assets` (docs/formats/tables.md):
///
///     Server/Item/Items/**/<Key>.json             blocks, in the member `BlockType`
///     Server/Item/Block/Blocks/**/<Key>.json      blocks, the whole document
///     Server/Item/Block/Hitboxes/**/<Key>.json    how many cells blocks take
///     Server/Item/Block/Fluids/**/<Key>.json      fluids
///     Server/Item/Block/Migrations/<n>.json       block migrations
///     Server/Environments/**/<Key>.json           environments
///
/// A file replaces the type of its key; what it leaves out comes from its `Parent`, else from the defaults.
/// Unknown members are ignored. A broken file is reported and the others are used. Fails, without having
/// changed anything, only when `path` is not an assets tree at all.
Result<AssetPack> load_assets(const std::filesystem::path& path, Assets& assets);

} // namespace orbis::world
