#include "storage/walk.hpp"

#include <algorithm>

namespace orbis::storage {

std::uint64_t count_chunks(const Store& store, const std::function<void(Error&&)>& on_error) {
    std::uint64_t count = 0;
    const auto cursor = store.chunks();
    while (true) {
        auto next = cursor->next();
        if (next && !*next) return count;
        if (next)
            ++count;
        else if (on_error)
            on_error(std::move(next).error());
    }
}

namespace {

class ListCursor final : public Cursor {
public:
    explicit ListCursor(std::span<const ChunkPos> rest) : rest_(rest) {}

    Result<std::optional<ChunkPos>> next() override {
        if (rest_.empty()) return std::nullopt;
        const auto pos = rest_.front();
        rest_ = rest_.subspan(1);
        return pos;
    }

private:
    std::span<const ChunkPos> rest_;
};

} // namespace

std::unique_ptr<Cursor> make_list_cursor(std::span<const ChunkPos> positions) {
    return std::make_unique<ListCursor>(positions);
}

std::vector<ChunkPos> in_region_order(std::span<const ChunkPos> positions) {
    std::vector<ChunkPos> sorted(positions.begin(), positions.end());
    std::ranges::sort(sorted, {}, [](ChunkPos pos) { return std::pair(pos.region(), pos.slot()); });
    return sorted;
}

} // namespace orbis::storage
