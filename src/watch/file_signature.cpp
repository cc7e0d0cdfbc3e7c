#include "watch/file_signature.hpp"

#include "bytes/system_error.hpp"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>

namespace orbis::watch {

namespace {

FileSignature of(const struct stat& info) {
    return {info.st_ino, static_cast<std::uint64_t>(info.st_size),
            info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec};
}

using Signatures = std::map<std::string, FileSignature>;

/// Entries by name, of the kinds that are asked for. Gives the number of the error, 0 for none.
int list(const std::filesystem::path& folder, Signatures* files, Signatures* folders) {
    const std::unique_ptr<DIR, int (*)(DIR*)> opened(opendir(folder.c_str()), &closedir);
    if (!opened) return errno;
    while (const auto* entry = readdir(opened.get())) {
        const std::string_view name = entry->d_name;
        struct stat info{};
        if (name == "." || name == ".." || fstatat(dirfd(opened.get()), entry->d_name, &info, 0) != 0)
            continue;
        auto* found = S_ISREG(info.st_mode) ? files : S_ISDIR(info.st_mode) ? folders : nullptr;
        if (found != nullptr) (*found)[entry->d_name] = of(info);
    }
    return 0;
}

} // namespace

bool FileSignature::is_fresh(std::chrono::system_clock::time_point now) const {
    // Clocks of file systems tick each 10 ms or less; those of network drives each second or two.
    const auto age = now.time_since_epoch() - std::chrono::nanoseconds(written);
    return age < std::chrono::seconds(2);
}

std::optional<FileSignature> signature_of(const std::filesystem::path& path) {
    struct stat info{};
    if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    return of(info);
}

Result<std::map<std::string, FileSignature>> signatures_of(const std::filesystem::path& folder,
                                                           std::map<std::string, FileSignature>* folders) {
    std::map<std::string, FileSignature> found;
    const int problem = list(folder, &found, folders);
    if (problem == 0 || problem == ENOENT) return found;
    errno = problem;
    auto failure = system_error("read the folder").in_file(folder.string());
    if (problem == EACCES)
        failure.advice = "let the user who runs this program read it, or run it as the user of the server";
    else if (problem == ENOTDIR)
        failure.advice = "expected a folder here: move what is in its place away, or restore a backup";
    return fail(std::move(failure));
}

std::map<std::string, FileSignature> folders_of(const std::filesystem::path& folder) {
    std::map<std::string, FileSignature> found;
    list(folder, nullptr, &found);
    return found;
}

} // namespace orbis::watch
