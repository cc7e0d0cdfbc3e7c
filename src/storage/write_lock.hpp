#pragma once

#include "bytes/result.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace orbis::storage {

/// A process that has a file open.
struct FileUser {
    std::int64_t process = 0;
    std::string program;
    std::string file;
};

/// The processes other than this one that have a file, or a file of a folder, open or mapped, as far as this
/// user may see them (`/proc`).
std::vector<FileUser> users_of(const std::filesystem::path& path);

/// The right to write into a folder of chunks, held until it is destroyed. It is a lock on the folder itself,
/// so nothing is left behind when the process dies.
class WriteLock {
public:
    /// `busy` when another orbis holds it, or when any other program has a file of the folder open. The game
    /// takes no lock, so the second can only be seen; `force` skips that look, never the lock. Where only one
    /// file of the folder is to be written, `watched` names it, and the others may be open. An orbis that
    /// only reads, such as the server of a map, is no hindrance.
    static Result<WriteLock> take(const std::filesystem::path& folder, bool force,
                                  const std::filesystem::path& watched = {});

    WriteLock(WriteLock&& other) noexcept;
    WriteLock& operator=(WriteLock&& other) noexcept;
    WriteLock(const WriteLock&) = delete;
    WriteLock& operator=(const WriteLock&) = delete;
    ~WriteLock();

private:
    explicit WriteLock(int descriptor) : descriptor_(descriptor) {}
    int descriptor_ = -1;
};

} // namespace orbis::storage
