#include "storage/write_lock.hpp"

#include "bytes/system_error.hpp"

#include <charconv>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <utility>

namespace orbis::storage {

namespace fs = std::filesystem;

namespace {

/// One of our own that does not hold the lock only reads, and takes what it reads for what may change.
constexpr std::string_view k_own_name = "orbis";

std::string program_of(const fs::path& process) {
    std::ifstream in(process / "comm");
    std::string name;
    std::getline(in, name);
    return name.empty() ? "unknown" : name;
}

/// A file by what it is and not by a path: a server in a container has another path for the same file.
using FileId = std::pair<dev_t, ino_t>;

/// The file itself, or those that are in a folder (not those below).
std::map<FileId, std::string> files_at(const fs::path& path) {
    std::map<FileId, std::string> files;
    const auto add = [&](const fs::path& file) {
        struct stat status{};
        if (stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode))
            files.emplace(FileId(status.st_dev, status.st_ino), file.string());
    };
    std::error_code code;
    if (!fs::is_directory(path, code)) add(path);
    for (fs::directory_iterator at(path, code), end; !code && at != end; at.increment(code)) add(at->path());
    return files;
}

/// The device and inode of a line of `/proc/<pid>/maps`: `address perms offset major:minor inode path`.
FileId id_of_mapping(const std::string& line) {
    std::istringstream in(line);
    std::string skipped;
    unsigned device_major = 0;
    unsigned device_minor = 0;
    char colon = 0;
    ino_t inode = 0;
    in >> skipped >> skipped >> skipped >> std::hex >> device_major >> colon >> device_minor >> std::dec
        >> inode;
    return {makedev(device_major, device_minor), in ? inode : 0};
}

/// The first of the files that the process has open or mapped.
std::string open_file_of(const fs::path& process, const std::map<FileId, std::string>& files) {
    std::error_code code;
    for (fs::directory_iterator at(process / "fd", code); !code && at != fs::directory_iterator();
         at.increment(code)) {
        struct stat status{};
        if (stat(at->path().c_str(), &status) != 0) continue;
        if (const auto found = files.find({status.st_dev, status.st_ino}); found != files.end())
            return found->second;
    }
    std::ifstream maps(process / "maps");
    for (std::string line; std::getline(maps, line);)
        if (const auto found = files.find(id_of_mapping(line)); found != files.end()) return found->second;
    return {};
}

} // namespace

std::vector<FileUser> users_of(const fs::path& path) {
    std::vector<FileUser> users;
    const auto files = files_at(path);
    if (files.empty()) return users;
    std::error_code code;
    for (fs::directory_iterator at("/proc", code); !code && at != fs::directory_iterator();
         at.increment(code)) {
        const auto name = at->path().filename().string();
        std::int64_t process = 0;
        const auto parsed = std::from_chars(name.data(), name.data() + name.size(), process);
        if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size() || process == getpid())
            continue;
        if (auto file = open_file_of(at->path(), files); !file.empty())
            users.push_back({process, program_of(at->path()), std::move(file)});
    }
    return users;
}

Result<WriteLock> WriteLock::take(const fs::path& folder, bool force, const fs::path& watched) {
    const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return fail(system_error("open the folder").in_file(folder.string()));
    WriteLock lock(descriptor);
    if (faccessat(descriptor, ".", W_OK, AT_EACCESS) != 0)
        return fail(write_error("write into the folder").in_file(folder.string()));
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return fail(system_error("lock the folder").in_file(folder.string()));
        return fail(error(Errc::busy, "another orbis is writing here")
                        .in_file(folder.string())
                        .advise("wait until it has finished; its lock ends with it"));
    }
    if (force) return lock;
    auto users = users_of(watched.empty() ? folder : watched);
    std::erase_if(users, [](const FileUser& user) { return user.program == k_own_name; });
    if (users.empty()) return lock;
    return fail(error(Errc::busy, "process {} ({}) has {} open", users.front().process, users.front().program,
                      users.front().file)
                    .in_file(folder.string())
                    .advise("stop the server first, or add --force if you are sure that it does not write"));
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
