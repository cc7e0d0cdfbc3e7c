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
    if (mkdir(folder.c_str(), 0755) != 0) {
        const int problem = errno;
        // Somebody else may have made it meanwhile. A file or a link that leads nowhere is not a folder.
        if (problem != EEXIST || !fs::is_directory(folder, code)) {
            errno = problem;
            return fail(write_error("create the folder").in_file(folder.string()));
        }
    }
    return sync_folder(folder.parent_path());
}

namespace {

/// Gives a new file the owner and the permissions of another one. As root it must not become a file that the
/// server's own user cannot write.
Result<void> take_after(const fs::path& file, const struct stat& model) {
    struct stat own{};
    if (stat(file.c_str(), &own) != 0)
        return fail(system_error("read the file's properties").in_file(file.string()));
    const bool same_owner = own.st_uid == model.st_uid && own.st_gid == model.st_gid;
    if (!same_owner && chown(file.c_str(), model.st_uid, model.st_gid) != 0)
        return fail(system_error("keep the owner of the file").in_file(file.string()));
    if (chmod(file.c_str(), model.st_mode & 07777) != 0)
        return fail(system_error("keep the permissions of the file").in_file(file.string()));
    return {};
}

} // namespace

Result<void> replace_file(const fs::path& from, const fs::path& name) {
    // Through a link to the file itself: the link must stay one.
    std::error_code code;
    const auto to = fs::is_symlink(name, code) ? fs::canonical(name, code) : name;
    struct stat old{};
    if (stat(to.c_str(), &old) == 0) {
        // As root a rename would put a file in place of /dev/null.
        if (!S_ISREG(old.st_mode))
            return fail(error(Errc::exists, "cannot replace this: it is not a file")
                            .in_file(to.string())
                            .advise("choose another name"));
        TRY_DO(take_after(from, old));
    }
    if (std::rename(from.c_str(), to.c_str()) != 0)
        return fail(
            system_error(fmt::format("rename {} to this", from.filename().string())).in_file(to.string()));
    return sync_folder(to.parent_path());
}

Result<void> place_file(const fs::path& from, const fs::path& to) {
    // What root makes in a user's folder belongs to that user.
    struct stat folder{};
    const auto parent = to.has_parent_path() ? to.parent_path() : fs::path(".");
    if (geteuid() == 0 && stat(parent.c_str(), &folder) == 0 && folder.st_uid != 0
        && chown(from.c_str(), folder.st_uid, folder.st_gid) != 0)
        return fail(system_error("give the file to the owner of its folder").in_file(from.string()));
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
    temporary += k_temporary_suffix;
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
    auto replaced = replace_file(temporary, path);
    if (!replaced) fs::remove(temporary, ignored);
    return replaced;
}

} // namespace orbis
