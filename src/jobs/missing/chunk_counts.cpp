#include "jobs/missing/chunk_counts.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/file.hpp"
#include "bytes/utc_text.hpp"
#include "jobs/missing/lost_entries.hpp"
#include "storage/region_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace orbis::jobs {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view k_first_line =
    "Chunks of each region when orbis last looked: x z chunks time. May be deleted.";
constexpr std::uint64_t k_largest_counts = 16 << 20;
constexpr std::int64_t k_seconds_of_day = 86400;

/// Lines that make no sense are passed over: anybody can write this file.
RememberedCounts parse_counts(const std::string& text) {
    RememberedCounts counts;
    std::istringstream lines(text);
    std::string line;
    if (!std::getline(lines, line) || line != k_first_line) return counts;
    while (std::getline(lines, line)) {
        std::istringstream fields(line);
        RegionPos pos;
        std::uint32_t chunks = 0;
        std::int64_t time = 0;
        if (fields >> pos.x >> pos.z >> chunks >> time && chunks <= k_columns && time >= 0)
            counts[pos] = {chunks, time};
    }
    return counts;
}

RememberedCounts read_counts(const fs::path& path) {
    std::error_code code;
    if (!fs::is_regular_file(fs::symlink_status(path, code))) return {};
    const auto file = open_file(path, FileMode::read);
    const auto text = file ? read_text(**file, k_largest_counts) : Result<std::string>();
    return text ? parse_counts(*text) : RememberedCounts();
}

/// A link is not followed: it may lead to any file.
void write_counts(const fs::path& path, const RememberedCounts& counts) {
    std::error_code code;
    const auto status = fs::symlink_status(path, code);
    if (fs::exists(status) && !fs::is_regular_file(status)) return;
    std::string text(k_first_line);
    text += '\n';
    for (const auto& [pos, seen] : counts)
        text += fmt::format("{} {} {} {}\n", pos.x, pos.z, seen.chunks, seen.time);
    (void)write_file_atomically(path, as_bytes(text)); // where that fails, nothing is remembered
}

bool is_news(const RememberedCounts& before, const RememberedCounts& now) {
    return !std::ranges::equal(before, now, [](const auto& a, const auto& b) {
        return a.first == b.first && a.second.chunks == b.second.chunks
               && a.second.time / k_seconds_of_day == b.second.time / k_seconds_of_day;
    });
}

} // namespace

RememberedCounts remembered_counts(const world::World& world) {
    if (world.source != world::World::Source::provider) return {};
    if (const auto path = world.folder.on_disk(std::string(k_counts_file))) return read_counts(*path);
    const auto file = world.folder.open(std::string(k_counts_file)); // in a zip
    const auto text = file ? read_text(**file, k_largest_counts) : Result<std::string>();
    return text ? parse_counts(*text) : RememberedCounts();
}

void remember_counts(const world::World& world, const RegionCounts& now, std::int64_t time, bool accept) {
    if (world.source != world::World::Source::provider) return;
    const auto path = world.folder.on_disk(std::string(k_counts_file));
    if (!path) return;
    const auto before = read_counts(*path);
    auto counts = accept ? RememberedCounts() : before;
    for (const auto& [pos, chunks] : now)
        if (auto& seen = counts[pos]; chunks >= seen.chunks) seen = {chunks, time};
    if (!accept)
        std::erase_if(counts, [&](const auto& entry) {
            return entry.second.chunks == 0 && !before.contains(entry.first);
        });
    if (is_news(before, counts)) write_counts(*path, counts);
}

FewerChunks fewer_chunks(const RememberedCounts& before, const RegionCounts& now,
                         const RegionCounts& unknown) {
    FewerChunks fewer;
    for (const auto& [pos, seen] : before) {
        const auto found = now.find(pos);
        const auto chunks = found == now.end() ? 0 : found->second;
        if (chunks >= seen.chunks || unknown.contains(pos)) continue;
        fewer.time = fewer.regions.empty() ? seen.time : std::min(fewer.time, seen.time);
        fewer.chunks += seen.chunks - chunks;
        fewer.regions[pos] = seen;
    }
    return fewer;
}

CountKeeper::CountKeeper(fs::path folder, const storage::Store* store)
    : folder_(std::move(folder)), store_(store), remembered_(read_counts(folder_ / k_counts_file)) {}

std::optional<std::uint32_t> CountKeeper::count(RegionPos pos) const {
    if (const auto* files = store_->region_files()) {
        const auto slots = files->slots(pos);
        return slots ? std::optional(static_cast<std::uint32_t>(slots->size())) : std::nullopt;
    }
    std::uint32_t chunks = 0;
    for (int slot = 0; slot < k_columns; ++slot)
        if (store_->contains(pos.chunk({slot})).value_or(false)) ++chunks;
    return chunks;
}

void CountKeeper::before_change(RegionPos pos) {
    if (store_ == nullptr || before_.contains(pos) || unknown_.contains(pos)) return;
    if (!remembered_.contains(pos) && !is_in_order(pos))
        unknown_.insert(pos);
    else
        before_[pos] = count(pos);
}

/// Whether what a region has may be remembered: not where entries of its index were lost before.
bool CountKeeper::is_in_order(RegionPos pos) const {
    std::error_code code;
    const auto* files = store_->region_files();
    if (files == nullptr || !fs::is_directory(folder_ / "chunks", code)) return !remembered_.empty();
    const auto region = files->region(pos);
    return region && (!*region || refuse_lost_entries(**region));
}

void CountKeeper::keep() {
    if (before_.empty()) return;
    const auto time = utc_now().time_since_epoch().count();
    auto counts = remembered_;
    for (const auto& [pos, before] : before_) {
        const auto after = count(pos);
        if (!after) continue;
        // A world that remembers nothing begins with what was removed on purpose, so that it is not taken for
        // lost.
        const bool is_removal = before && *before > *after;
        if (remembered_.empty() && !is_removal) continue;
        auto& seen = counts[pos];
        if (remembered_.empty() || !remembered_.contains(pos)) seen = {before.value_or(0), time};
        // What was lost before stays lost: only what this change removed is taken away.
        const auto removed = before && *before > *after ? *before - *after : 0;
        const auto remembered = before ? seen.chunks - std::min(seen.chunks, removed) : 0;
        seen = remembered > *after ? RememberedCount{remembered, seen.time} : RememberedCount{*after, time};
        if (seen.chunks == 0 && !is_removal && !remembered_.contains(pos)) counts.erase(pos);
    }
    if (is_news(remembered_, counts)) write_counts(folder_ / k_counts_file, counts);
    remembered_ = std::move(counts);
    before_.clear();
}

} // namespace orbis::jobs
