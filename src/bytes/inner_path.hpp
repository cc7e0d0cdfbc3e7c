#pragma once

#include "bytes/result.hpp"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace orbis {

/// Whether a path that was read somewhere leads into the folder that it counts from and nowhere else, as far
/// as its text tells: relative, without `.`, `..` and empty parts.
[[nodiscard]] bool is_inner_path(std::string_view path);

/// What is at a path.
enum class InnerKind : std::uint8_t {
    nothing,
    file,
    folder,
    link,    ///< it is not followed, so its target is unknown
    special, ///< a device, a pipe or a socket: even opening one can do harm
};

/// What is at such a path below `folder`. Links are not followed, so there is nothing behind one.
/// `folder` itself may be a link: the user named it, and the empty path means it.
[[nodiscard]] InnerKind inner_kind(const std::filesystem::path& folder, std::string_view path);

/// Where such a path leads below `folder`: a file, or nothing yet. An error if it leads anywhere else: by
/// its text, by a link on the way or at its end, or to something that is not a file.
Result<std::filesystem::path> inner_file(const std::filesystem::path& folder, std::string_view path);

/// The same for a folder, which may be `folder` itself.
Result<std::filesystem::path> inner_folder(const std::filesystem::path& folder, std::string_view path);

} // namespace orbis
