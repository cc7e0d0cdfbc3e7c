#include "http/live/cache_folder.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/inside.hpp"
#include "bytes/sha256.hpp"
#include "bytes/system_error.hpp"
#include "http/live/background.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orbis::http {

namespace fs = std::filesystem;

namespace {

constexpr int k_most_beside = 16;
/// For a folder that others remove again and again.
constexpr int k_most_tries = 20;

Result<fs::path> default_folder() {
    // Relative paths in the variable are to be ignored, says the XDG base directory specification.
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && fs::path(cache).is_absolute())
        return fs::path(cache) / "orbis" / "maps";
    if (const char* home = std::getenv("HOME"); home != nullptr && fs::path(home).is_absolute())
        return fs::path(home) / ".cache" / "orbis" / "maps";
    return fail(error(Errc::not_found, "no folder for the cache: neither HOME nor XDG_CACHE_HOME is set")
                    .advise("choose a folder for the map's pictures with --cache"));
}

/// Whatever is wrong, another folder helps.
template <typename T>
Result<T> with_advice(Result<T> result) {
    if (!result) result.error().advice = "choose another folder with --cache";
    return result;
}

Result<Descriptor> open_lock(const fs::path& folder) {
    const auto path = folder / "lock";
    Descriptor lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock) return fail(system_error("open").in_file(path.string()));
    return lock;
}

bool take(const Descriptor& lock) { return flock(lock.number(), LOCK_EX | LOCK_NB) == 0; }

bool is_still_there(const CacheFolder& folder) {
    struct stat held{};
    struct stat there{};
    return fstat(folder.lock.number(), &held) == 0 && stat((folder.path / "lock").c_str(), &there) == 0
           && held.st_ino == there.st_ino;
}

constexpr std::size_t k_digits = 16;

/// `0123456789abcdef` or `0123456789abcdef-2`: nothing else is touched.
bool is_cache_name(std::string_view name) {
    if (name.size() < k_digits) return false;
    const auto number = name.substr(k_digits);
    return name.substr(0, k_digits).find_first_not_of("0123456789abcdef") == name.npos
           && (number.empty()
               || (number.size() > 1 && number[0] == '-'
                   && number.find_first_not_of("0123456789", 1) == number.npos));
}

struct Cache {
    fs::path path;
    fs::file_time_type used;
    std::uint64_t bytes = 0;
};

std::uint64_t bytes_in(const fs::path& folder, const std::atomic<bool>& stop) {
    std::uint64_t sum = 0;
    std::error_code code;
    fs::recursive_directory_iterator at(folder, code);
    for (; !code && at != fs::recursive_directory_iterator() && !stop; at.increment(code)) {
        std::error_code unknown;
        if (at->is_symlink(unknown) || !at->is_regular_file(unknown)) continue;
        if (const auto size = at->file_size(unknown); !unknown) sum += size;
    }
    return sum;
}

/// Nothing where another process has it.
Result<std::optional<CacheFolder>> try_to_take(const fs::path& path) {
    for (int tries = 1;; ++tries) {
        const auto made = create_folders(path);
        auto lock = made ? open_lock(path) : std::unexpected(made.error());
        if (lock && !take(*lock)) return std::nullopt;
        // Somebody who makes room may have removed the folder meanwhile.
        if (CacheFolder folder{path, lock ? *std::move(lock) : Descriptor()};
            folder.lock && is_still_there(folder))
            return folder;
        if (tries < k_most_tries) continue;
        if (!lock) return std::unexpected(std::move(lock).error());
        return fail(error(Errc::busy, "another process removes this folder").in_file(path.string()));
    }
}

/// Unless another process uses it. First it gets another name: who wants it meanwhile makes a new one, of
/// which nothing is removed. The name is one of a cache, so that what a kill leaves goes with the next
/// removal.
bool remove_cache(const fs::path& folder) {
    CacheFolder held{folder, {}};
    auto lock = open_lock(folder);
    if (!lock || !take(*lock)) return false;
    held.lock = *std::move(lock);
    if (!is_still_there(held)) return false;
    const auto name = folder.filename().string().substr(0, k_digits);
    const auto aside = folder.parent_path() / fmt::format("{}-{}", name, k_most_beside + 1 + getpid());
    std::error_code code;
    fs::rename(folder, aside, code);
    fs::remove_all(code ? folder : aside, code);
    return !code;
}

} // namespace

void thin_caches(const fs::path& own, const std::atomic<bool>& stop, std::uint64_t most_bytes) {
    std::vector<Cache> caches;
    auto sum = bytes_in(own, stop);
    std::error_code code;
    fs::directory_iterator at(own.parent_path(), code);
    for (; !code && at != fs::directory_iterator(); at.increment(code)) {
        std::error_code unknown;
        if (at->is_symlink(unknown) || !at->is_directory(unknown) || at->path() == own
            || !is_cache_name(at->path().filename().string()))
            continue;
        const auto used = fs::last_write_time(at->path() / "lock", unknown);
        if (unknown) continue;
        caches.push_back({at->path(), used, bytes_in(at->path(), stop)});
        sum += caches.back().bytes;
    }
    std::ranges::sort(caches, {}, &Cache::used);
    const auto too_old = fs::file_time_type::clock::now() - k_keep_cache;
    for (const auto& cache : caches) {
        if (stop || (cache.used > too_old && sum <= most_bytes)) return;
        if (remove_cache(cache.path)) sum -= cache.bytes;
    }
}

CacheThinner::CacheThinner(fs::path own)
    : thread_([this, own = std::move(own)] {
          lower_thread_priority();
          thin_caches(own, stop_);
      }) {}

Result<CacheFolder> take_cache_folder(const fs::path& place, const fs::path& wanted) {
    fs::path base = wanted;
    if (base.empty()) {
        TRY(base, default_folder());
    }
    const auto root = resolved_path(place);
    base = resolved_path(base);
    if (is_inside(base, root))
        return fail(error(Errc::usage, "the cache folder must be outside the universe")
                        .in_file(base.string())
                        .advise("choose another folder with --cache"));
    const auto name = sha256_hex(root.string()).substr(0, k_digits);
    for (int number = 1; number <= k_most_beside; ++number) {
        const auto path = base / (number == 1 ? name : fmt::format("{}-{}", name, number));
        TRY(auto folder, with_advice(try_to_take(path)));
        if (!folder) continue;
        futimens(folder->lock.number(), nullptr); // it was looked at
        return *std::move(folder);
    }
    return fail(error(Errc::busy, "{} other processes already show this universe", k_most_beside)
                    .in_file(base.string())
                    .advise("stop one of them"));
}

} // namespace orbis::http
