#include "library/chunk_state.hpp"

namespace orbis {

struct ChunkRange::Iterator::State {
    std::shared_ptr<WorldState> world;
    std::shared_ptr<storage::Store> store;
    std::unique_ptr<storage::Cursor> cursor;
    ChunkSource source;
    std::optional<Chunk> current;

    void advance() {
        current.reset(); // so that its memory can be used again
        while (true) {
            auto next = cursor->next();
            if (!next) {
                world->note(std::move(next).error());
                continue;
            }
            if (!*next) return;
            auto read = source.read(store, **next);
            if (read && *read) {
                current = std::move(**read);
                return;
            }
            if (!read) world->note(std::move(read).error());
        }
    }
};

ChunkRange::Iterator ChunkRange::begin() const {
    auto store = world_->store();
    auto cursor = make_area_cursor(*store, area_);
    auto state = std::make_shared<Iterator::State>(world_, std::move(store), std::move(cursor),
                                                   ChunkSource(world_), std::nullopt);
    state->advance();
    return Iterator(std::move(state));
}

const Chunk& ChunkRange::Iterator::operator*() const { return *state_->current; }

ChunkRange::Iterator& ChunkRange::Iterator::operator++() {
    state_->advance();
    return *this;
}

bool ChunkRange::Iterator::at_end() const { return !state_->current; }

} // namespace orbis
