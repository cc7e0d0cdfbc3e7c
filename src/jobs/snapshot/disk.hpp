#pragma once

#include "bytes/file.hpp"

#include <filesystem>

namespace orbis::jobs::snapshot {

/// Everything that changes files of a store goes through here, so that tests can stop a run at every step.
class Disk {
public:
    Disk() = default;
    Disk(const Disk&) = delete;
    Disk& operator=(const Disk&) = delete;
    virtual ~Disk() = default;

    /// A new file; one of that name that a killed run has left is removed before.
    virtual Result<std::unique_ptr<File>> create(const std::filesystem::path& path);
    /// Gives a file its final name, replacing what is there, and makes it last.
    virtual Result<void> rename(const std::filesystem::path& from, const std::filesystem::path& to);
    /// Removes a file, if it is there.
    virtual Result<void> remove(const std::filesystem::path& path);
};

/// The real disk.
Disk& real_disk();

/// What the names of unfinished files end with.
inline constexpr std::string_view k_unfinished_suffix = ".orbis-tmp";

/// Writes a whole file: under another name, synced, renamed.
Result<void> write_whole(Disk& disk, const std::filesystem::path& path, Bytes content);

} // namespace orbis::jobs::snapshot
