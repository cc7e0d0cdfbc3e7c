#include "http/live/tile_cache.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/system_error.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orbis::http {

namespace fs = std::filesystem;

Result<std::unique_ptr<TileCache>> TileCache::open(fs::path folder, std::uint64_t most_bytes) {
    std::error_code code;
    fs::remove_all(folder, code);
    TRY_DO(create_folders(folder));
    return std::unique_ptr<TileCache>(new TileCache(std::move(folder), most_bytes));
}

fs::path TileCache::path_of(std::uint64_t file) const { return folder_ / fmt::format("{}.png", file); }

void TileCache::remove_file(const Kept& kept) const {
    if (kept.entry.hash != 0) unlink(path_of(kept.file).c_str());
}

std::optional<TileCache::Entry> TileCache::find(const TileKey& key) {
    const std::lock_guard lock(mutex_);
    const auto* kept = tiles_.find(key);
    return kept == nullptr ? std::nullopt : std::optional(kept->entry);
}

std::optional<TileCache::Opened> TileCache::open_tile(const TileKey& key) {
    const std::lock_guard lock(mutex_);
    const auto* kept = tiles_.find(key);
    if (kept == nullptr) return std::nullopt;
    Opened opened{kept->entry, {}, kept->size};
    if (kept->entry.hash == 0) return opened;
    opened.file = Descriptor(::open(path_of(kept->file).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (opened.file) return opened;
    tiles_.erase(key); // the file was removed
    return std::nullopt;
}

Result<void> TileCache::put(const TileKey& key, const Entry& entry, Bytes png) {
    std::uint64_t number = 0;
    {
        const std::lock_guard lock(mutex_);
        number = ++next_file_;
    }
    if (entry.hash != 0) {
        const auto path = path_of(number);
        const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        // No sync: nothing of it is used after a crash.
        for (auto left = png; file && !left.empty();) {
            const auto written = ::write(file.number(), left.data(), left.size());
            if (written <= 0) {
                const auto problem = system_error("write a tile").in_file(path.string());
                unlink(path.c_str());
                return std::unexpected(problem);
            }
            left = left.subspan(static_cast<std::size_t>(written));
        }
        if (!file) return fail(system_error("create a tile").in_file(path.string()));
    }
    const std::lock_guard lock(mutex_);
    const auto size = entry.hash == 0 ? 0 : png.size();
    tiles_.put(key, {entry, number, size}, size, [this](const Kept& gone) { remove_file(gone); });
    return {};
}

std::uint64_t TileCache::bytes() const {
    const std::lock_guard lock(mutex_);
    return tiles_.cost();
}

} // namespace orbis::http
