#pragma once

#include "bytes/result.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace orbis::watch {

/// What tells that a file is another one or has other content, without reading it.
struct FileSignature {
    std::uint64_t file = 0; ///< its number on the disk
    std::uint64_t size = 0;
    std::int64_t written = 0; ///< nanoseconds since 1970

    /// Written so lately that a further write may leave the same time: to be looked at again.
    [[nodiscard]] bool is_fresh(std::chrono::system_clock::time_point now) const;
    friend bool operator==(const FileSignature&, const FileSignature&) = default;
};

/// Nothing where there is no plain file.
std::optional<FileSignature> signature_of(const std::filesystem::path& path);
/// The plain files of a folder by name; empty where there is no such folder, an error where it is there and
/// cannot be read. `folders`, where it is given, takes the folders in it.
Result<std::map<std::string, FileSignature>>
signatures_of(const std::filesystem::path& folder, std::map<std::string, FileSignature>* folders = nullptr);
/// The folders in a folder by name; empty where that cannot be read. A folder has another signature when
/// something in it comes or goes.
std::map<std::string, FileSignature> folders_of(const std::filesystem::path& folder);

} // namespace orbis::watch
