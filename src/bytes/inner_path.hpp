#pragma once

#include "bytes/result.hpp"

#include <filesystem>
#include <string_view>

namespace orbis {

/// Whether a path that was read somewhere leads into the folder that it counts from and nowhere else, as far
/// as its text tells: relative, without `.`, `..` and empty parts.
[[nodiscard]] bool is_inner_path(std::string_view path);

/// Where such a path leads below `folder`: a file, or nothing yet. An error where it leads anywhere else: by
/// its text, by a link on the way or at its end, or to something that is no file. `folder` itself may be a
/// link: the user named it.
Result<std::filesystem::path> inner_file(const std::filesystem::path& folder, std::string_view path);

} // namespace orbis
