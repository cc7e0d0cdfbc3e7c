#include "storage/layered_store.hpp"

#include <algorithm>

namespace orbis::storage {

namespace {

class EmptyCursor final : public Cursor {
    Result<std::optional<ChunkPos>> next() override { return std::nullopt; }
};

class EmptyStore final : public Store {
public:
    explicit EmptyStore(std::string name) : name_(std::move(name)) {}
    std::string_view kind() const override { return "empty storage"; }
    const std::string& name() const override { return name_; }
    bool keeps_compressed() const override { return false; }
    std::unique_ptr<Cursor> chunks() const override { return std::make_unique<EmptyCursor>(); }
    Result<bool> contains(ChunkPos) const override { return false; }
    Result<std::optional<Bytes>> read(ChunkPos, ReadContext&) const override { return std::nullopt; }
    Result<std::optional<CompressedChunk>> read_compressed(ChunkPos, ReadContext&) const override {
        return std::nullopt;
    }
    Result<void> write(ChunkPos, Bytes) override { return {}; }
    Result<void> write_compressed(ChunkPos, const CompressedChunk&) override { return {}; }
    Result<bool> remove(ChunkPos) override { return false; }
    Result<void> sync() override { return {}; }

private:
    std::string name_;
};

class MigrationStore final : public Store {
public:
    MigrationStore(std::vector<std::shared_ptr<Store>> loaders, std::shared_ptr<Store> saver,
                   std::string name)
        : loaders_(std::move(loaders)), saver_(std::move(saver)), name_(std::move(name)) {}

    std::string_view kind() const override { return "migration storage"; }
    const std::string& name() const override { return name_; }
    bool keeps_compressed() const override { return false; }

    std::unique_ptr<Cursor> chunks() const override;

    Result<bool> contains(ChunkPos pos) const override {
        TRY(const auto found, first_that([&](const Store& store) -> Result<std::optional<bool>> {
                TRY(const bool has, store.contains(pos));
                return has ? std::optional(true) : std::nullopt;
            }));
        return found.has_value();
    }

    Result<std::optional<Bytes>> read(ChunkPos pos, ReadContext& context) const override {
        return first_that([&](const Store& store) { return store.read(pos, context); });
    }

    /// Compressed again from what `read` gives: a frame that a loader hands out may be damaged, and then the
    /// next loader has to be asked.
    Result<std::optional<CompressedChunk>> read_compressed(ChunkPos pos,
                                                           ReadContext& context) const override {
        TRY(const auto document, read(pos, context));
        if (!document) return std::nullopt;
        TRY(const auto frame, context.compressor.compress(*document));
        return CompressedChunk{frame, static_cast<std::uint32_t>(document->size())};
    }

    Result<void> write(ChunkPos pos, Bytes document) override { return saver_->write(pos, document); }
    Result<void> write_compressed(ChunkPos pos, const CompressedChunk& frame) override {
        return saver_->write_compressed(pos, frame);
    }

    Result<bool> remove(ChunkPos pos) override {
        bool removed = false;
        for (const auto& store : loaders_) {
            TRY(const bool here, store->remove(pos));
            removed = removed || here;
        }
        if (std::find(loaders_.begin(), loaders_.end(), saver_) != loaders_.end()) return removed;
        TRY(const bool here, saver_->remove(pos));
        return removed || here;
    }

    /// The loaders too: a chunk may have been removed from them.
    Result<void> sync() override {
        for (const auto& store : loaders_) TRY_DO(store->sync());
        return saver_->sync();
    }

    std::string file_of(ChunkPos pos) const override {
        const auto* loader = loader_of(pos);
        return loader == nullptr ? name_ : loader->file_of(pos);
    }

    Result<std::optional<BlobInfo>> blob_info(ChunkPos pos) const override {
        const auto* loader = loader_of(pos);
        if (loader == nullptr) return std::nullopt;
        return loader->blob_info(pos);
    }

private:
    friend class MigrationCursor;

    /// Asks the loaders in order. If none has an answer, the first failure is: it may hide a chunk.
    template <typename Ask>
    std::invoke_result_t<Ask, const Store&> first_that(const Ask& ask) const {
        std::optional<Error> failure;
        for (const auto& store : loaders_) {
            auto answer = ask(*store);
            if (answer && *answer) return answer;
            if (!answer && !failure) failure = std::move(answer).error();
        }
        if (failure) return std::unexpected(*std::move(failure));
        return std::nullopt;
    }

    /// The loader that a chunk comes from: one in which it is damaged counts only where no other has it.
    [[nodiscard]] const Store* loader_of(ChunkPos pos) const {
        const Store* damaged = nullptr;
        for (const auto& store : loaders_) {
            if (!store->contains(pos).value_or(false)) continue;
            if (store->blob_info(pos)) return store.get();
            if (damaged == nullptr) damaged = store.get();
        }
        return damaged;
    }

    std::vector<std::shared_ptr<Store>> loaders_;
    std::shared_ptr<Store> saver_;
    std::string name_;
};

/// The chunks of each loader, without those that an earlier one has.
class MigrationCursor final : public Cursor {
public:
    explicit MigrationCursor(const MigrationStore& store) : store_(store) {}

    Result<std::optional<ChunkPos>> next() override {
        while (loader_ < store_.loaders_.size()) {
            if (!cursor_) cursor_ = store_.loaders_[loader_]->chunks();
            TRY(const auto pos, cursor_->next());
            if (!pos) {
                cursor_.reset();
                ++loader_;
            } else if (!is_shadowed(*pos)) {
                return pos;
            }
        }
        return std::nullopt;
    }

private:
    [[nodiscard]] bool is_shadowed(ChunkPos pos) const {
        return std::any_of(store_.loaders_.begin(),
                           store_.loaders_.begin() + static_cast<std::ptrdiff_t>(loader_),
                           [&](const auto& earlier) { return earlier->contains(pos).value_or(false); });
    }

    const MigrationStore& store_;
    std::size_t loader_ = 0;
    std::unique_ptr<Cursor> cursor_;
};

std::unique_ptr<Cursor> MigrationStore::chunks() const { return std::make_unique<MigrationCursor>(*this); }

} // namespace

std::unique_ptr<Store> make_empty_store(std::string name) {
    return std::make_unique<EmptyStore>(std::move(name));
}

std::unique_ptr<Store> make_migration_store(std::vector<std::shared_ptr<Store>> loaders,
                                            std::shared_ptr<Store> saver, std::string name) {
    return std::make_unique<MigrationStore>(std::move(loaders), std::move(saver), std::move(name));
}

} // namespace orbis::storage
