#include "support/shared.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace orbis::test {

namespace fs = std::filesystem;

namespace {

/// Where folders of tests stand: in memory, where there is a file system for that with room enough. Nothing
/// in them outlives a test, and no test should wait for a disk.
fs::path temporary_root() {
    const fs::path memory = "/dev/shm";
    std::error_code code;
    const auto room = fs::space(memory, code);
    const bool chosen =
        std::getenv("TMPDIR") != nullptr; // NOLINT(concurrency-mt-unsafe): nobody sets it while tests run
    if (!chosen && !code && room.available > std::uintmax_t{4} << 30 && access(memory.c_str(), W_OK) == 0)
        return memory;
    return fs::temp_directory_path();
}

} // namespace

std::optional<fs::path> shared_folder() {
    const char* set = std::getenv("ORBIS_SHARED"); // NOLINT(concurrency-mt-unsafe): as above
    if (set == nullptr || !fs::is_directory(set)) return std::nullopt;
    return fs::path(set);
}

std::vector<fs::path> real_region_files() {
    std::vector<fs::path> found;
    const auto shared = shared_folder();
    if (!shared || !fs::is_directory(*shared / "worlds")) return found;
    for (const auto& entry : fs::recursive_directory_iterator(*shared / "worlds"))
        if (entry.path().string().ends_with(".region.bin")) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
}

TemporaryFolder::TemporaryFolder() {
    std::string name = (temporary_root() / "orbis-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
        throw std::runtime_error("no temporary folder can be made at " + name);
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

} // namespace orbis::test
