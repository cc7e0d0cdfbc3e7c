#pragma once

#include "world/sample/canvas.hpp"
#include "world/sample/landscape.hpp"

#include <string>
#include <vector>

namespace orbis::world::sample {

/// The name of the only world in the sample universe.
inline constexpr std::string_view k_world_name = "default";

/// A file of the universe besides the chunks: its path in the universe, with `/`, and its content.
struct UniverseFile {
    std::string path;
    std::string text;
};

/// Configuration, resources, the player, warps and memories (docs/formats/world-folder.md).
[[nodiscard]] std::vector<UniverseFile> universe_files(const Landscape& landscape);

} // namespace orbis::world::sample
