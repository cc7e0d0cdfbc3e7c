#pragma once

#include "jobs/convert/convert.hpp"
#include "storage/tree.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::jobs {

/// Copies the files of a folder and those below it to `path` below `target`, but for the names in `except` at
/// the top. Permissions are kept and links stay links, wherever they lead; devices, pipes and sockets are
/// reported and left out. Nothing is written through a link that is in the target already.
Result<void> copy_tree(const storage::Folder& from, const std::filesystem::path& target,
                       const std::string& path, const std::vector<std::string_view>& except,
                       ConvertReport& report);

/// The same for one file.
Result<void> copy_file_of(const storage::Folder& from, const std::string& name,
                          const std::filesystem::path& target, const std::string& path);

} // namespace orbis::jobs
