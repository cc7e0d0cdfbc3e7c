#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"

#include <filesystem>

namespace orbis::app {

/// Writes bytes into a new file; one that could not be written in full is not left behind.
Result<void> save_new_file(const std::filesystem::path& path, Bytes bytes);

} // namespace orbis::app
