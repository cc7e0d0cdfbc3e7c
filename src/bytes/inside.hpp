#pragma once

#include <filesystem>

namespace orbis {

/// A path without links and dots, as far as it exists.
[[nodiscard]] std::filesystem::path resolved_path(const std::filesystem::path& path);

/// Whether `path` is `folder` or is below it, whichever way the two are written. Neither need exist.
[[nodiscard]] bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder);

} // namespace orbis
