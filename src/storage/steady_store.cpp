#include "storage/steady_store.hpp"

#include "storage/region_files.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace orbis::storage {

namespace {

constexpr int k_steady_tries = 8;
constexpr std::chrono::microseconds k_first_pause{250};
constexpr int k_agreeing_tries = 4;

using MaybeChunk = std::optional<SteadyChunk>;

bool is_same_place(const BlobInfo& a, const BlobInfo& b) {
    return a.first_segment == b.first_segment && a.frame_size == b.frame_size && a.raw_size == b.raw_size;
}

Result<MaybeChunk> copy_once(const Store& store, ChunkPos pos, ReadContext& context) {
    TRY(const auto frame, store.read_compressed(pos, context));
    if (!frame) return std::nullopt;
    return SteadyChunk{Buffer(frame->bytes.begin(), frame->bytes.end()), frame->raw_size};
}

/// One copy, and whether the chunk was where it is before and after: nothing if it was not.
Result<MaybeChunk> copy_between_looks(const Store& store, const Region& region, ChunkPos pos,
                                      const BlobInfo& before, ReadContext& context) {
    TRY(auto chunk, copy_once(store, pos, context));
    if (!chunk) return std::nullopt;
    TRY_DO(region.file().check(context.blob.view));
    TRY(const auto after, region.info(pos.slot()));
    const bool stayed = after && is_same_place(before, *after) && chunk->frame.size() == after->frame_size;
    return stayed ? std::move(chunk) : std::nullopt;
}

/// Two copies that are equal, with the chunk in its place before, between and after them.
Result<MaybeChunk> copy_twice(const Store& store, const Region& region, ChunkPos pos, const BlobInfo& before,
                              ReadContext& context) {
    TRY(auto first, copy_between_looks(store, region, pos, before, context));
    if (!first) return std::nullopt;
    TRY(const auto second, copy_between_looks(store, region, pos, before, context));
    if (!second || second->raw_size != first->raw_size || second->frame != first->frame) return std::nullopt;
    return first;
}

class SteadyStore final : public Store {
public:
    explicit SteadyStore(std::shared_ptr<const Store> store) : store_(std::move(store)) {}

    std::string_view kind() const override { return store_->kind(); }
    const std::string& name() const override { return store_->name(); }
    bool keeps_compressed() const override { return true; }
    std::unique_ptr<Cursor> chunks() const override { return store_->chunks(); }
    Result<bool> contains(ChunkPos pos) const override { return store_->contains(pos); }

    Result<std::optional<Bytes>> read(ChunkPos pos, ReadContext& context) const override {
        TRY(const auto frame, read_compressed(pos, context));
        if (!frame) return std::nullopt;
        auto document = context.decompressor.decompress(frame->bytes, frame->raw_size, k_largest_document);
        if (!document) return fail(std::move(document).error().in_file(name()).at(pos));
        return *document;
    }

    Result<std::optional<CompressedChunk>> read_compressed(ChunkPos pos,
                                                           ReadContext& context) const override {
        TRY(auto chunk, read_steady(*store_, pos, context));
        if (!chunk) return std::nullopt;
        context.blob = {};
        context.gathered = std::move(chunk->frame);
        return CompressedChunk{context.gathered, chunk->raw_size};
    }

    Result<void> write(ChunkPos, Bytes) override { return fail(refusal()); }
    Result<void> write_compressed(ChunkPos, const CompressedChunk&) override { return fail(refusal()); }
    Result<bool> remove(ChunkPos) override { return fail(refusal()); }
    Result<void> sync() override { return {}; }

    std::string file_of(ChunkPos pos) const override { return store_->file_of(pos); }
    Result<std::optional<BlobInfo>> blob_info(ChunkPos pos) const override { return store_->blob_info(pos); }
    const RegionFiles* region_files() const override { return store_->region_files(); }

private:
    [[nodiscard]] Error refusal() const {
        return error(Errc::read_only, "the store was opened for reading only").in_file(name());
    }

    std::shared_ptr<const Store> store_;
};

} // namespace

Result<std::optional<SteadyChunk>> read_steady(const Store& store, ChunkPos pos, ReadContext& context) {
    const auto* files = store.region_files();
    if (files == nullptr) return copy_once(store, pos, context);
    TRY(const auto region, files->region(pos.region()));
    if (!region) return std::nullopt;
    bool failed = false;
    auto pause = k_first_pause;
    for (int tries = 0; tries < k_steady_tries; ++tries) {
        if (tries > 0) {
            std::this_thread::sleep_for(pause); // so that the writer can finish on a busy machine
            pause *= 2;
        }
        const auto before = region->info(pos.slot());
        if (before && !*before) return std::nullopt;
        auto chunk = before ? copy_twice(store, *region, pos, **before, context)
                            : Result<MaybeChunk>(std::unexpected(before.error()));
        if (chunk && *chunk) return chunk;
        // Damage stays; an error that comes of segments that are being written does not.
        if (!chunk && failed) return chunk;
        failed = !chunk;
    }
    return fail(error(Errc::busy, "this chunk was written {} times while it was being read", k_steady_tries)
                    .in_file(region->name())
                    .at(pos));
}

Result<std::optional<Bytes>> read_agreeing(const Store& store, ChunkPos pos, ReadContext& context) {
    auto document = store.read(pos, context);
    for (int tries = 0; tries < k_agreeing_tries && document && *document; ++tries) {
        const Buffer before((*document)->begin(), (*document)->end());
        document = store.read(pos, context);
        if (document && *document && std::ranges::equal(before, **document)) break;
    }
    return document;
}

std::shared_ptr<Store> make_steady(std::shared_ptr<Store> store) {
    if (store->region_files() == nullptr) return store;
    return std::make_shared<SteadyStore>(std::move(store));
}

} // namespace orbis::storage
