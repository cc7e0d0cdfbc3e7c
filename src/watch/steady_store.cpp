#include "watch/steady_store.hpp"

#include "care/snapshot/steady_read.hpp"

namespace orbis::watch {

namespace {

class SteadyStore final : public storage::Store {
public:
    explicit SteadyStore(std::shared_ptr<const storage::RegionStore> store) : store_(std::move(store)) {}

    std::string_view kind() const override { return store_->kind(); }
    const std::string& name() const override { return store_->name(); }
    bool keeps_frames() const override { return true; }
    std::unique_ptr<storage::Cursor> chunks() const override { return store_->chunks(); }
    Result<bool> contains(ChunkPos pos) const override { return store_->contains(pos); }

    Result<std::optional<Bytes>> read(ChunkPos pos, storage::ReadContext& context) const override {
        TRY(const auto frame, read_frame(pos, context));
        if (!frame) return std::nullopt;
        auto document =
            context.decompressor.decompress(frame->bytes, frame->raw_size, storage::k_largest_document);
        if (!document) return fail(std::move(document).error().in_file(name()).at(pos));
        return *document;
    }

    Result<std::optional<storage::Frame>> read_frame(ChunkPos pos,
                                                     storage::ReadContext& context) const override {
        TRY(auto chunk, care::snapshot::read_steady(*store_, pos, context));
        if (!chunk) return std::nullopt;
        context.blob = {};
        context.gathered = std::move(chunk->frame);
        return storage::Frame{context.gathered, chunk->raw_size};
    }

    Result<void> write(ChunkPos, Bytes) override { return fail(refusal()); }
    Result<void> write_frame(ChunkPos, const storage::Frame&) override { return fail(refusal()); }
    Result<bool> remove(ChunkPos) override { return fail(refusal()); }
    Result<void> sync() override { return {}; }

private:
    [[nodiscard]] Error refusal() const {
        return error(Errc::read_only, "the store was opened for reading only").in_file(name());
    }

    std::shared_ptr<const storage::RegionStore> store_;
};

} // namespace

std::shared_ptr<storage::Store> make_steady(std::shared_ptr<storage::Store> store) {
    if (auto files = std::dynamic_pointer_cast<storage::RegionStore>(store))
        return std::make_shared<SteadyStore>(std::move(files));
    return store;
}

} // namespace orbis::watch
