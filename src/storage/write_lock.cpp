#include "storage/write_lock.hpp"

#include "bytes/system_error.hpp"

#include <algorithm>
#include <charconv>
#include <fcntl.h>
#include <fstream>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace orbis::storage {

namespace fs = std::filesystem;

namespace {

std::string program_of(const fs::path& process) {
    std::ifstream in(process / "comm");
    std::string name;
    std::getline(in, name);
    return name.empty() ? "unknown" : name;
}

/// The first file below `folder` that the process has open or mapped.
std::string open_file_of(const fs::path& process, const std::string& folder) {
    std::error_code code;
    for (fs::directory_iterator at(process / "fd", code); !code && at != fs::directory_iterator();
         at.increment(code)) {
        std::error_code gone;
        const auto target = fs::read_symlink(at->path(), gone).string();
        if (!gone && target.starts_with(folder)) return target;
    }
    std::ifstream maps(process / "maps");
    for (std::string line; std::getline(maps, line);)
        if (const auto path = line.find('/');
            path != std::string::npos && line.compare(path, folder.size(), folder) == 0)
            return line.substr(path);
    return {};
}

} // namespace

std::vector<FileUser> users_of(const fs::path& folder) {
    std::vector<FileUser> users;
    std::error_code code;
    const auto real = fs::canonical(folder, code).string() + "/";
    if (code) return users;
    for (fs::directory_iterator at("/proc", code); !code && at != fs::directory_iterator();
         at.increment(code)) {
        const auto name = at->path().filename().string();
        std::int64_t process = 0;
        const auto parsed = std::from_chars(name.data(), name.data() + name.size(), process);
        if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size() || process == getpid())
            continue;
        if (auto file = open_file_of(at->path(), real); !file.empty())
            users.push_back({process, program_of(at->path()), std::move(file)});
    }
    return users;
}

Result<WriteLock> WriteLock::take(const fs::path& folder, bool force) {
    const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return fail(system_error("open the folder").in_file(folder.string()));
    WriteLock lock(descriptor);
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return fail(system_error("lock the folder").in_file(folder.string()));
        return fail(error(Errc::busy, "another orbis is writing here")
                        .in_file(folder.string())
                        .advise("wait until it is done; the lock ends with its process"));
    }
    if (force) return lock;
    const auto users = users_of(folder);
    if (users.empty()) return lock;
    return fail(error(Errc::busy, "process {} ({}) has {} open", users.front().process, users.front().program,
                      users.front().file)
                    .in_file(folder.string())
                    .advise("stop the server first, or give --force if you are sure that it does not write"));
}

WriteLock::WriteLock(WriteLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

WriteLock& WriteLock::operator=(WriteLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

WriteLock::~WriteLock() {
    if (descriptor_ >= 0) close(descriptor_);
}

} // namespace orbis::storage
