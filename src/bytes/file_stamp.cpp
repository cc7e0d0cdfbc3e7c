#include "bytes/file_stamp.hpp"

#include <fmt/format.h>

#include <sys/stat.h>

namespace orbis {

namespace {

/// Clocks of file systems tick each 10 ms or less; those of network drives and of FAT each second or two.
constexpr auto k_longest_tick = std::chrono::seconds(2);

std::uint64_t nanoseconds(const timespec& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

bool is_recent(std::uint64_t time, FileStamp::Time now) {
    return FileStamp::Time(std::chrono::nanoseconds(time)) >= now - k_longest_tick;
}

} // namespace

FileStamp FileStamp::of(const struct ::stat& status) {
    return {static_cast<std::uint64_t>(status.st_size), nanoseconds(status.st_mtim),
            nanoseconds(status.st_ctim), static_cast<std::uint64_t>(status.st_ino),
            static_cast<std::uint64_t>(status.st_dev)};
}

bool FileStamp::is_fresh(Time now) const { return is_recent(modified, now) || is_recent(changed, now); }
bool FileStamp::is_being_written(Time now) const { return is_recent(modified, now); }

std::string FileStamp::text() const {
    return fmt::format("{:x}-{:x}-{:x}-{:x}-{:x}", size, modified, changed, inode, device);
}

std::optional<FileStamp> stamp_of(const std::filesystem::path& path) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return FileStamp::of(status);
}

} // namespace orbis
