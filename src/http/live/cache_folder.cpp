#include "http/live/cache_folder.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/inside.hpp"
#include "bytes/system_error.hpp"
#include "care/sha256.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <sys/file.h>

namespace orbis::http {

namespace fs = std::filesystem;

namespace {

constexpr int k_most_beside = 16;

Result<fs::path> default_folder() {
    // Relative paths in the variable are to be ignored, says the XDG base directory specification.
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && fs::path(cache).is_absolute())
        return fs::path(cache) / "orbis" / "maps";
    if (const char* home = std::getenv("HOME"); home != nullptr && fs::path(home).is_absolute())
        return fs::path(home) / ".cache" / "orbis" / "maps";
    return fail(error(Errc::not_found, "expected HOME or XDG_CACHE_HOME to name a folder, found neither")
                    .advise("name a folder for the map's pictures with --cache"));
}

} // namespace

Result<CacheFolder> take_cache_folder(const fs::path& place, const fs::path& wanted) {
    fs::path base = wanted;
    if (base.empty()) {
        TRY(base, default_folder());
    }
    const auto root = resolved_path(place);
    base = resolved_path(base);
    if (is_inside(base, root))
        return fail(
            error(Errc::usage, "expected a folder outside of the universe for the cache, found one in it")
                .in_file(base.string())
                .advise("name another folder with --cache"));
    const auto name = care::sha256_hex(root.string()).substr(0, 16);
    for (int number = 1; number <= k_most_beside; ++number) {
        CacheFolder folder;
        folder.path = base / (number == 1 ? name : fmt::format("{}-{}", name, number));
        if (auto made = create_folders(folder.path); !made)
            return fail(std::move(made).error().advise("name another folder with --cache"));
        const auto lock = folder.path / "lock";
        folder.lock = Descriptor(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!folder.lock)
            return fail(
                system_error("open").in_file(lock.string()).advise("name another folder with --cache"));
        if (flock(folder.lock.number(), LOCK_EX | LOCK_NB) == 0) return folder;
    }
    return fail(error(Errc::busy, "{} other processes show this universe already", k_most_beside)
                    .in_file(base.string())
                    .advise("end one of them"));
}

} // namespace orbis::http
