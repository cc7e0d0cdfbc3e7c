#include "http/live/file_signature.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>

namespace orbis::http {

namespace {

FileSignature of(const struct stat& info) {
    return {info.st_ino, static_cast<std::uint64_t>(info.st_size),
            info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec};
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

std::map<std::string, FileSignature> signatures_of(const std::filesystem::path& folder) {
    std::map<std::string, FileSignature> found;
    const std::unique_ptr<DIR, int (*)(DIR*)> opened(opendir(folder.c_str()), &closedir);
    if (!opened) return found;
    while (const auto* entry = readdir(opened.get())) {
        struct stat info{};
        if (fstatat(dirfd(opened.get()), entry->d_name, &info, 0) != 0 || !S_ISREG(info.st_mode)) continue;
        found[entry->d_name] = of(info);
    }
    return found;
}

} // namespace orbis::http
