#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"

#include <filesystem>
#include <string_view>

namespace orbis {

/// Makes the names in a folder (a new file, a rename) survive a power cut.
Result<void> sync_folder(const std::filesystem::path& folder);

/// Makes a folder and those above it that are missing, and makes them survive a power cut.
Result<void> create_folders(const std::filesystem::path& folder);

/// Renames `from` to `to`, replacing an old file, and makes it last. Readers see the old or the new file.
/// Keeps owner and permissions of the old file, and if `to` is a link, replaces the file it leads to.
Result<void> replace_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Renames `from` to `to` unless `to` is there; then `exists`.
Result<void> place_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// What the name of a file ends with until it is complete and gets its own. One that is there although no
/// program is writing was left by a run that was killed.
inline constexpr std::string_view k_temporary_suffix = ".orbis-tmp";

/// Writes a whole file so that at any moment the old or the new content is there: a temporary file beside
/// it, a sync, a rename.
Result<void> write_file_atomically(const std::filesystem::path& path, Bytes content);

} // namespace orbis
