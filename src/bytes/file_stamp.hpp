#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

struct stat;

namespace orbis {

/// What the system says of a file without reading it: where it differs, the file is another one or may have
/// other content. All zeros stand for a file that must be read.
struct FileStamp {
    using Time = std::chrono::sys_time<std::chrono::nanoseconds>;

    std::uint64_t size = 0;
    std::uint64_t modified = 0; ///< when its content was written, nanoseconds since 1970; anybody can set it
    std::uint64_t changed = 0;  ///< when content, name or rights were changed; only the system sets it
    std::uint64_t inode = 0;
    std::uint64_t device = 0;

    static FileStamp of(const struct ::stat& status);

    [[nodiscard]] bool empty() const { return *this == FileStamp{}; }
    /// Whether it was changed so shortly before `now` that a later write could leave the same stamp.
    [[nodiscard]] bool is_fresh(Time now) const;
    /// Whether its content was written so lately that its writer may not be done.
    [[nodiscard]] bool is_being_written(Time now) const;
    /// The same text for the same stamp only.
    [[nodiscard]] std::string text() const;
    friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// Nothing if there is no plain file.
std::optional<FileStamp> stamp_of(const std::filesystem::path& path);

} // namespace orbis
