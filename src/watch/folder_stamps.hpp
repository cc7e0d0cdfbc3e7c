#pragma once

#include "bytes/file_stamp.hpp"
#include "bytes/result.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace orbis::watch {

/// By name.
using FileStamps = std::map<std::string, FileStamp>;

/// The plain files of a folder by name; empty if there is no such folder, an error if it is there and
/// cannot be read. `folders`, where it is given, takes the folders in it.
Result<FileStamps> stamps_in(const std::filesystem::path& folder, FileStamps* folders = nullptr);
/// The folders in a folder by name; empty if that cannot be read. A folder has another stamp when
/// something in it comes or goes.
FileStamps folders_in(const std::filesystem::path& folder);

} // namespace orbis::watch
