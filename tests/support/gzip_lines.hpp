#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace orbis::test {

/// The lines of a gzip file.
std::vector<std::string> gzip_lines(const std::filesystem::path& file);

} // namespace orbis::test
