#include "care/snapshot/steady_read.hpp"

namespace orbis::care::snapshot {

namespace {

constexpr int k_steady_tries = 8;

bool same(const storage::BlobInfo& a, const storage::BlobInfo& b) {
    return a.first_segment == b.first_segment && a.frame_size == b.frame_size && a.raw_size == b.raw_size;
}

} // namespace

Result<std::optional<SteadyChunk>> read_steady(const storage::RegionStore& store, ChunkPos pos,
                                               storage::ReadContext& context) {
    TRY(const auto region, store.region(pos.region()));
    if (!region) return std::nullopt;
    for (int tries = 0; tries < k_steady_tries; ++tries) {
        TRY(const auto before, region->info(pos.slot()));
        if (!before) return std::nullopt;
        TRY(const auto frame, store.read_frame(pos, context));
        if (!frame) continue;
        SteadyChunk chunk{Buffer(frame->bytes.begin(), frame->bytes.end()), frame->raw_size};
        TRY_DO(region->file().check(context.blob.view));
        TRY(const auto after, region->info(pos.slot()));
        if (after && same(*before, *after) && chunk.frame.size() == after->frame_size) return chunk;
    }
    return fail(error(Errc::busy, "expected a chunk that stays while it is read, found it written {} times",
                      k_steady_tries)
                    .in_file(region->name())
                    .about(fmt::format("chunk {},{}", pos.x, pos.z))
                    .advise("take the snapshot again"));
}

} // namespace orbis::care::snapshot
