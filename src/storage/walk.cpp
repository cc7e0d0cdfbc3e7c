#include "storage/walk.hpp"

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

} // namespace orbis::storage
