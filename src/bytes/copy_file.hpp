#pragma once

#include "bytes/file.hpp"

#include <filesystem>
#include <optional>

namespace orbis {

/// Copies a file to `to`, replacing an old file, so that at any moment the old or the new content is there.
/// The copy has its permissions from the start. Holes stay holes; only a piece is in memory at a time.
Result<void> copy_file(const File& from, const std::filesystem::path& to,
                       std::optional<std::filesystem::perms> permissions);

/// Makes a folder with the permissions, of which its owner gets all: files have to be put into it. Fine when
/// it is there.
Result<void> copy_folder(const std::filesystem::path& to, std::optional<std::filesystem::perms> permissions);

/// Makes a link that leads where another one led. Fine when the same link is there.
Result<void> copy_link(const std::string& target, const std::filesystem::path& to);

} // namespace orbis
