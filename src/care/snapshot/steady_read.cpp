#include "care/snapshot/steady_read.hpp"

#include <algorithm>

namespace orbis::care::snapshot {

namespace {

constexpr int k_steady_tries = 8;

bool same(const storage::BlobInfo& a, const storage::BlobInfo& b) {
    return a.first_segment == b.first_segment && a.frame_size == b.frame_size && a.raw_size == b.raw_size;
}

/// One copy, and whether the chunk was where it is before and after: nothing where it was not.
Result<std::optional<SteadyChunk>> copy_between_looks(const storage::RegionStore& store,
                                                      const storage::Region& region, ChunkPos pos,
                                                      const storage::BlobInfo& before,
                                                      storage::ReadContext& context) {
    TRY(const auto frame, store.read_frame(pos, context));
    if (!frame) return std::nullopt;
    SteadyChunk chunk{Buffer(frame->bytes.begin(), frame->bytes.end()), frame->raw_size};
    TRY_DO(region.file().check(context.blob.view));
    TRY(const auto after, region.info(pos.slot()));
    const bool stayed = after && same(before, *after) && chunk.frame.size() == after->frame_size;
    return stayed ? std::optional(std::move(chunk)) : std::nullopt;
}

/// Two copies that are equal, with the chunk in its place before, between and after them.
Result<std::optional<SteadyChunk>> copy_twice(const storage::RegionStore& store,
                                              const storage::Region& region, ChunkPos pos,
                                              const storage::BlobInfo& before,
                                              storage::ReadContext& context) {
    TRY(auto first, copy_between_looks(store, region, pos, before, context));
    if (!first) return std::nullopt;
    TRY(const auto second, copy_between_looks(store, region, pos, before, context));
    if (!second || second->raw_size != first->raw_size || second->frame != first->frame) return std::nullopt;
    return first;
}

} // namespace

Result<std::optional<SteadyChunk>> read_steady(const storage::RegionStore& store, ChunkPos pos,
                                               storage::ReadContext& context) {
    TRY(const auto region, store.region(pos.region()));
    if (!region) return std::nullopt;
    bool failed = false;
    for (int tries = 0; tries < k_steady_tries; ++tries) {
        const auto before = region->info(pos.slot());
        if (before && !*before) return std::nullopt;
        auto chunk = before ? copy_twice(store, *region, pos, **before, context)
                            : Result<std::optional<SteadyChunk>>(std::unexpected(before.error()));
        if (chunk && *chunk) return chunk;
        // Damage stays; an error that comes of segments which somebody is writing to does not.
        if (!chunk && failed) return chunk;
        failed = !chunk;
    }
    return fail(error(Errc::busy, "this chunk was written {} times while it was being read", k_steady_tries)
                    .in_file(region->name())
                    .at(pos)
                    .advise("take the snapshot again"));
}

} // namespace orbis::care::snapshot
