#include "jobs/undo/salvage.hpp"

#include "bytes/reader.hpp"
#include "storage/region_files.hpp"

#include <algorithm>

namespace orbis::jobs {

namespace {

/// How much is kept where the lengths of a blob make no sense; the largest real one has 39,477 bytes.
constexpr std::uint64_t k_without_length = 64 << 10;
constexpr std::uint64_t k_most_salvaged = 64 << 20;

} // namespace

Result<SalvagedEntry> salvage_entry(const storage::Store& store, ChunkPos pos) {
    SalvagedEntry found;
    const auto* files = store.region_files();
    if (files == nullptr) return found;
    TRY(const auto region, files->region(pos.region()));
    if (!region) return found;
    TRY(found.entry, region->entry(pos.slot()));
    if (found.entry <= 0) return found;
    found.offset = region->header().position(found.entry);
    TRY(const auto size, region->file().size());
    if (found.offset >= size) return found;
    auto length = std::min(size - found.offset, k_without_length);
    if (const auto lengths = region->file().view(found.offset, 8); lengths) {
        const auto frame = load_be<std::int32_t>(lengths->bytes().data() + 4);
        if (frame > 0)
            length = std::min({size - found.offset, 8 + static_cast<std::uint64_t>(frame), k_most_salvaged});
    }
    TRY(const auto view, region->file().view(found.offset, length));
    found.bytes.assign(view.bytes().begin(), view.bytes().end());
    // A page that the disk does not deliver shows as zeros; what could be read is still worth keeping.
    (void)region->file().check(view);
    return found;
}

} // namespace orbis::jobs
