#pragma once

#include "storage/store.hpp"

namespace orbis::game {

/// A chunk as it was found.
struct LoadedChunk {
    Bytes document;            ///< good until the next load with the same context
    std::uint64_t version = 0; ///< grows with every change that the source knows of
};

/// Where the chunks of a world come from. Several threads call it at once, each with its own context.
class ChunkSource {
public:
    virtual ~ChunkSource() = default;
    /// Nothing if there is no such chunk.
    virtual Result<std::optional<LoadedChunk>> load(ChunkPos pos, storage::ReadContext& context) = 0;
};

/// The chunks of a store as they are.
class StoreSource final : public ChunkSource {
public:
    explicit StoreSource(std::shared_ptr<storage::Store> store) : store_(std::move(store)) {}
    Result<std::optional<LoadedChunk>> load(ChunkPos pos, storage::ReadContext& context) override {
        TRY(const auto document, store_->read(pos, context));
        if (!document) return std::nullopt;
        return LoadedChunk{*document};
    }

private:
    std::shared_ptr<storage::Store> store_;
};

} // namespace orbis::game
