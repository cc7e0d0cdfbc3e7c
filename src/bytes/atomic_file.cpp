#include "bytes/atomic_file.hpp"

#include "bytes/file.hpp"
#include "bytes/system_error.hpp"

#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orbis {

namespace fs = std::filesystem;

Result<void> sync_folder(const fs::path& folder) {
    const auto path = folder.empty() ? fs::path(".") : folder;
    const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return fail(system_error("open the folder").in_file(path.string()));
    const bool synced = fsync(descriptor) == 0;
    auto problem = synced ? Error{} : system_error("sync the folder").in_file(path.string());
    close(descriptor);
    if (!synced) return fail(std::move(problem));
    return {};
}

Result<void> create_folders(const fs::path& folder) {
    std::error_code code;
    if (folder.empty() || fs::is_directory(folder, code)) return {};
    TRY_DO(create_folders(folder.parent_path()));
    if (mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST)
        return fail(system_error("create the folder").in_file(folder.string()));
    return sync_folder(folder.parent_path());
}

Result<void> replace_file(const fs::path& from, const fs::path& to) {
    if (std::rename(from.c_str(), to.c_str()) != 0)
        return fail(
            system_error(fmt::format("rename {} to this", from.filename().string())).in_file(to.string()));
    return sync_folder(to.parent_path());
}

Result<void> place_file(const fs::path& from, const fs::path& to) {
    if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0)
        return sync_folder(to.parent_path());
    // Some file systems do not know the flag; there a look before the rename has to do.
    if (errno == EINVAL) {
        std::error_code unknown;
        if (!fs::exists(to, unknown) && !unknown) return replace_file(from, to);
        errno = EEXIST;
    }
    return fail(
        system_error(fmt::format("rename {} to this", from.filename().string())).in_file(to.string()));
}

Result<void> write_file_atomically(const fs::path& path, Bytes content) {
    auto temporary = path;
    temporary += ".orbis-tmp";
    std::error_code ignored;
    fs::remove(temporary, ignored); // left by a run that was killed
    const auto write = [&]() -> Result<void> {
        TRY(auto file, open_file(temporary, FileMode::create));
        TRY_DO(file->write(0, content));
        return file->sync();
    };
    if (auto written = write(); !written) {
        fs::remove(temporary, ignored); // on a full disk it would be in the way
        return written;
    }
    return replace_file(temporary, path);
}

} // namespace orbis
