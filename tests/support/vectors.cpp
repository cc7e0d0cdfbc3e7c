#include "support/vectors.hpp"

#include "support/gzip_lines.hpp"
#include "support/shared.hpp"

#include <algorithm>

namespace orbis::test {

std::vector<std::string> vector_lines(std::string_view folder, std::string_view kind) {
    std::vector<std::string> lines;
    const auto shared = shared_folder();
    if (!shared || !std::filesystem::is_directory(*shared / "protocol" / folder)) return lines;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(*shared / "protocol" / folder)) {
        const auto name = entry.path().filename().string();
        const bool packets = !name.starts_with("negative-") && !name.starts_with("frames");
        if (kind.empty() ? packets : name.starts_with(kind)) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files)
        for (auto& line : gzip_lines(file)) lines.push_back(std::move(line));
    return lines;
}

} // namespace orbis::test
