#include "jobs/snapshot/disk.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/system_error.hpp"

#include <cerrno>
#include <unistd.h>

namespace orbis::jobs::snapshot {

namespace fs = std::filesystem;

Result<std::unique_ptr<File>> Disk::create(const fs::path& path) {
    TRY_DO(Disk::remove(path));
    return open_file(path, FileMode::create);
}

Result<void> Disk::rename(const fs::path& from, const fs::path& to) { return replace_file(from, to); }

Result<void> Disk::remove(const fs::path& path) {
    if (unlink(path.c_str()) != 0 && errno != ENOENT)
        return fail(system_error("remove the file").in_file(path.string()));
    return {};
}

Disk& real_disk() {
    static Disk disk;
    return disk;
}

Result<void> write_whole(Disk& disk, const fs::path& path, Bytes content) {
    auto temporary = path;
    temporary += k_unfinished_suffix;
    {
        TRY(const auto file, disk.create(temporary));
        TRY_DO(file->write(0, content));
        TRY_DO(file->sync());
    }
    return disk.rename(temporary, path);
}

} // namespace orbis::jobs::snapshot
