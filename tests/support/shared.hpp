#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace orbis::test {

/// The folder with real worlds and protocol vectors beside the checkout, where there is one.
std::optional<std::filesystem::path> shared_folder();

/// Every real region file; empty where the folder is not there.
std::vector<std::filesystem::path> real_region_files();

/// A new, empty folder that is removed with everything in it at the end of the test.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path operator/(const std::filesystem::path& name) const {
        return path_ / name;
    }

private:
    std::filesystem::path path_;
};

} // namespace orbis::test
