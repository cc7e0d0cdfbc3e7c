#pragma once

#include "bytes/result.hpp"

#include <filesystem>
#include <string_view>
#include <utility>

namespace orbis {

/// A folder of one's own in the system's place for such, which goes away with this.
class TemporaryFolder {
public:
    /// `purpose` becomes part of its name.
    static Result<TemporaryFolder> make(std::string_view purpose);

    TemporaryFolder() = default;
    TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    TemporaryFolder& operator=(TemporaryFolder&& other) noexcept {
        std::swap(path_, other.path_);
        return *this;
    }
    ~TemporaryFolder();

    /// Empty if none was made.
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}

    std::filesystem::path path_;
};

} // namespace orbis
