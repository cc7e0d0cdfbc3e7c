#include "bytes/copy_file.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/descriptor.hpp"
#include "bytes/system_error.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orbis {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t k_copied_at_once = 4 << 20;
constexpr mode_t k_usual_file = 0644;
constexpr mode_t k_private_file = 0600;
constexpr mode_t k_usual_folder = 0755;
constexpr mode_t k_private_folder = 0700;

Result<void> copy_bytes(const File& from, File& to, std::uint64_t size) {
    for (std::uint64_t at = 0; at < size;) {
        TRY(const auto data, from.next_data(at));
        at = data.begin;
        while (at < data.end) {
            const auto length = std::min(k_copied_at_once, data.end - at);
            TRY(const auto view, from.view(at, length));
            TRY_DO(to.write(at, view.bytes()));
            TRY_DO(from.check(view));
            at += length;
        }
        if (data.end <= data.begin) break;
    }
    return {};
}

Result<void> fill(const File& from, const fs::path& path, std::optional<fs::perms> permissions) {
    {
        // Whom the content is not meant for must not open the file before its permissions are set.
        const Descriptor made(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                                   permissions ? k_private_file : k_usual_file));
        if (!made) return fail(system_error("create the file").in_file(path.string()));
    }
    TRY(const auto size, from.size());
    TRY(auto file, open_file(path, FileMode::write));
    TRY_DO(copy_bytes(from, *file, size));
    if (truncate(path.c_str(), static_cast<off_t>(size)) != 0)
        return fail(system_error("set the length of the file").in_file(path.string()));
    if (permissions && chmod(path.c_str(), static_cast<mode_t>(*permissions & fs::perms::all)) != 0)
        return fail(system_error("keep the permissions of the file").in_file(path.string()));
    return file->sync();
}

} // namespace

Result<void> copy_file(const File& from, const fs::path& to, std::optional<fs::perms> permissions) {
    auto temporary = to;
    temporary += ".orbis-tmp";
    std::error_code ignored;
    fs::remove(temporary, ignored); // left by a run that was killed
    auto done = fill(from, temporary, permissions);
    if (done) done = replace_file(temporary, to);
    if (!done) fs::remove(temporary, ignored); // on a full disk it would be in the way
    return done;
}

Result<void> copy_folder(const fs::path& to, std::optional<fs::perms> permissions) {
    if (mkdir(to.c_str(), permissions ? k_private_folder : k_usual_folder) != 0) {
        const int problem = errno;
        std::error_code code;
        if (problem == EEXIST && fs::is_directory(fs::symlink_status(to, code))) return {};
        errno = problem;
        return fail(system_error("create the folder").in_file(to.string()));
    }
    const auto wanted = permissions ? (*permissions & fs::perms::all) | fs::perms::owner_all : fs::perms{};
    if (permissions && chmod(to.c_str(), static_cast<mode_t>(wanted)) != 0)
        return fail(system_error("keep the permissions of the folder").in_file(to.string()));
    return sync_folder(to.parent_path());
}

Result<void> copy_link(const std::string& target, const fs::path& to) {
    if (symlink(target.c_str(), to.c_str()) == 0) return sync_folder(to.parent_path());
    const int problem = errno;
    std::error_code code;
    if (problem == EEXIST && fs::read_symlink(to, code) == target && !code) return {};
    errno = problem;
    return fail(system_error("make the link").in_file(to.string()));
}

} // namespace orbis
