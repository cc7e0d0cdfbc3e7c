#pragma once

#include "bytes/file_stamp.hpp"
#include "bytes/result.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace orbis::watch {

/// By name.
using FileStamps = std::map<std::string, FileStamp>;

/// The plain files of a folder by name; empty where there is no such folder, an error where it is there and
/// cannot be read. `folders`, where it is given, takes the folders in it.
Result<FileStamps> stamps_in(const std::filesystem::path& folder, FileStamps* folders = nullptr);
/// The folders in a folder by name; empty where that cannot be read. A folder has another stamp when
/// something in it comes or goes.
FileStamps folders_in(const std::filesystem::path& folder);

} // namespace orbis::watch
