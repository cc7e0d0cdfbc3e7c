#pragma once

#include "mesh/scene.hpp"

#include <filesystem>
#include <string_view>

namespace orbis::mesh {

enum class SceneFormat : std::uint8_t {
    glb, ///< glTF 2.0 in one file; a block is a metre
    obj, ///< with a file of materials beside it; y is up
    stl, ///< binary, for printers; z is up, and a block a millimetre
};

/// By the end of the name.
Result<SceneFormat> scene_format_of(const std::filesystem::path& file);
/// Whether a file may be written there: its kind is known, and it does not exist or may be replaced.
Result<void> check_scene_file(const std::filesystem::path& file, bool overwrite);

struct WrittenScene {
    std::uint64_t bytes = 0;
    std::filesystem::path materials{}; ///< the file of them, where there is one
};

/// `scale` is how long a block is in the file.
Result<WrittenScene> write_scene(const BoxScene& scene, const std::filesystem::path& file, float scale);

} // namespace orbis::mesh
