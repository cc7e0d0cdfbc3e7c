#pragma once

#include "storage/store.hpp"
#include "world/location.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace orbis::jobs {

/// A file of ours in the folder of a world: how many chunks each region had when it was last looked at, so
/// that chunks which are gone are missed (docs/design/verify-and-repair.md). It may be deleted.
inline constexpr std::string_view k_counts_file = "orbis-chunk-counts.txt";

/// Chunks of each region.
using RegionCounts = std::map<RegionPos, std::uint32_t>;

/// What a region had, and when that was seen.
struct RememberedCount {
    std::uint32_t chunks = 0;
    std::int64_t time = 0; ///< seconds since 1970
};
using RememberedCounts = std::map<RegionPos, RememberedCount>;

/// What a world remembers; empty if there is nothing, or nothing that makes sense.
RememberedCounts remembered_counts(const world::World& world);

/// Remembers what a world has now. If there was more, that stays, so that the loss is reported again the next
/// time; with `accept` it is forgotten. Nothing happens in a folder that cannot be written: this is only
/// a convenience.
void remember_counts(const world::World& world, const RegionCounts& now, std::int64_t time, bool accept);

/// What is remembered and not there any more.
struct FewerChunks {
    std::uint64_t chunks = 0;
    std::int64_t time = 0;    ///< when the first of them was last seen
    RememberedCounts regions; ///< those that have fewer than this
};
/// Regions in `unknown` could not be read, which is not the same as gone.
FewerChunks fewer_chunks(const RememberedCounts& before, const RegionCounts& now,
                         const RegionCounts& unknown);

/// Keeps what is remembered true while a verb of ours changes chunks. If nothing is remembered, only what
/// it removes is.
class CountKeeper {
public:
    /// `folder` is the one that has `chunks/` or `db/`.
    CountKeeper(std::filesystem::path folder, const storage::Store* store);
    /// To be called before the first chunk of a region changes.
    void before_change(RegionPos pos);
    /// To be called when everything is written.
    void keep();

private:
    [[nodiscard]] std::optional<std::uint32_t> count(RegionPos pos) const;
    [[nodiscard]] bool is_in_order(RegionPos pos) const;

    std::filesystem::path folder_;
    const storage::Store* store_;
    RememberedCounts remembered_;
    std::map<RegionPos, std::optional<std::uint32_t>> before_;
    std::set<RegionPos> unknown_; ///< of which nothing can be said
};

} // namespace orbis::jobs
