#pragma once

#include "jobs/prefab/prefab.hpp"

#include <filesystem>

namespace orbis::jobs::prefab {

/// Larger files are refused: they are no part of a world that people handle.
inline constexpr std::uint64_t k_most_file_bytes = std::uint64_t{1} << 30;

/// Reads a prefab; its content tells which format it has.
Result<Prefab> read_prefab(const std::filesystem::path& path);

/// The format that a new file of that name gets: `.lpf`, or `.json` of any kind.
Result<Prefab::Format> format_of_name(const std::filesystem::path& path);

/// Whether a prefab can be written there, so that it is known before the work: the name says a format, and
/// nothing is there that may not be replaced.
Result<void> check_target(const std::filesystem::path& path, bool overwrite);

/// Writes a prefab in the format that the name says. The file appears when it is whole. What the format
/// cannot hold is an error, or a note where it is a detail.
Result<std::uint64_t> save_prefab(const Prefab& prefab, const std::filesystem::path& path, bool overwrite,
                                  std::vector<std::string>& notes);

} // namespace orbis::jobs::prefab
