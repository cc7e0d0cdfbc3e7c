#include "game/edits/chunk_loader.hpp"

#include "jobs/undo/change.hpp"

namespace orbis::game {

Result<EditedChunks::Ptr> load_chunk(const storage::Store& store, ChunkPos pos,
                                     storage::ReadContext& context) {
    // The hash first: if another program writes between the two, it is that of the older content, and the
    // saver finds that the chunk has changed.
    TRY(const auto stored, jobs::stored_hash(store, pos, context));
    if (!stored) return nullptr;
    TRY(const auto document, store.read(pos, context));
    if (!document) return nullptr;
    return EditedChunk::read(pos, Buffer(document->begin(), document->end()), *stored);
}

ChunkLoader::ChunkLoader(CurrentStore store, Loaded loaded)
    : store_(std::move(store)), loaded_(std::move(loaded)), worker_({}) {}

void ChunkLoader::load(ChunkPos pos) {
    worker_.add([this, pos](storage::ReadContext& context) {
        const auto store = store_(pos);
        loaded_(pos, store ? load_chunk(*store, pos, context)
                           : fail(Errc::busy, "the chunks of the world cannot be read now"));
        context.held.reset();
        context.blob = {};
    });
}

} // namespace orbis::game
