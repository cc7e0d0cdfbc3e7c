#pragma once

#include "bytes/result.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::world {

/// One file of an assets tree: its path from the folder that holds `Server`, with `/` between the parts.
struct AssetFile {
    std::string_view path;
    std::string_view text;
};

/// How many problems with an assets tree are listed.
inline constexpr std::size_t k_most_asset_problems = 1000;

/// Walks the files of an assets folder or zip that `wanted` accepts, in the order of their paths. The tree
/// may stand in the folder or zip itself or deeper (`Assets/Server/…`); the path may also be the folder
/// `Server`.
///
/// Files above 4 MiB, entries that do not decompress and paths that cannot be read go to `problems`; the rest
/// is still walked. Fails only when there is no such folder or zip at all, or nothing named `Server` in it.
Result<void> walk_assets(const std::filesystem::path& root,
                         const std::function<bool(std::string_view path)>& wanted,
                         const std::function<void(const AssetFile&)>& visit, std::vector<Error>& problems);

} // namespace orbis::world
