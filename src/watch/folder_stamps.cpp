#include "watch/folder_stamps.hpp"

#include "bytes/system_error.hpp"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>

namespace orbis::watch {

namespace {

/// Entries by name, of the kinds that are asked for. Gives the number of the error, 0 for none.
int list(const std::filesystem::path& folder, FileStamps* files, FileStamps* folders) {
    const std::unique_ptr<DIR, int (*)(DIR*)> opened(opendir(folder.c_str()), &closedir);
    if (!opened) return errno;
    while (const auto* entry = readdir(opened.get())) {
        const std::string_view name = entry->d_name;
        struct stat info{};
        if (name == "." || name == ".." || fstatat(dirfd(opened.get()), entry->d_name, &info, 0) != 0)
            continue;
        auto* found = S_ISREG(info.st_mode) ? files : S_ISDIR(info.st_mode) ? folders : nullptr;
        if (found != nullptr) (*found)[entry->d_name] = FileStamp::of(info);
    }
    return 0;
}

} // namespace

Result<FileStamps> stamps_in(const std::filesystem::path& folder, FileStamps* folders) {
    FileStamps found;
    const int problem = list(folder, &found, folders);
    if (problem == 0 || problem == ENOENT) return found;
    errno = problem;
    auto failure = system_error("read the folder").in_file(folder.string());
    if (problem == EACCES)
        failure.advice = "allow the user who runs orbis to read it, or run orbis as the server's user";
    else if (problem == ENOTDIR)
        failure.advice = "this is not a folder: move it away, or restore a backup";
    return fail(std::move(failure));
}

FileStamps folders_in(const std::filesystem::path& folder) {
    FileStamps found;
    list(folder, nullptr, &found);
    return found;
}

} // namespace orbis::watch
