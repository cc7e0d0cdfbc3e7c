#include "library/world_state.hpp"

#include "storage/walk.hpp"

namespace orbis {
namespace {

/// An area of at most this many chunks is looked up chunk by chunk, without a look at all files of the world.
constexpr std::uint64_t k_most_listed = 1 << 16;

std::uint64_t size_of(const Area& area) {
    if (area.most.x < area.least.x || area.most.z < area.least.z) return 0;
    return static_cast<std::uint64_t>(std::int64_t{area.most.x} - area.least.x + 1)
           * static_cast<std::uint64_t>(std::int64_t{area.most.z} - area.least.z + 1);
}

/// Positions that may have no chunk: who reads them finds out.
class ListedArea final : public storage::Cursor {
public:
    explicit ListedArea(const Area& area) {
        std::vector<ChunkPos> all;
        for (std::int64_t z = area.least.z; z <= area.most.z; ++z)
            for (std::int64_t x = area.least.x; x <= area.most.x; ++x)
                all.push_back({static_cast<std::int32_t>(x), static_cast<std::int32_t>(z)});
        positions_ = storage::in_region_order(all);
    }
    Result<std::optional<ChunkPos>> next() override {
        if (at_ == positions_.size()) return std::nullopt;
        return positions_[at_++];
    }

private:
    std::vector<ChunkPos> positions_;
    std::size_t at_ = 0;
};

class FilteredArea final : public storage::Cursor {
public:
    FilteredArea(std::unique_ptr<storage::Cursor> all, const Area& area)
        : all_(std::move(all)), area_(area) {}
    Result<std::optional<ChunkPos>> next() override {
        while (true) {
            auto found = all_->next();
            if (!found || !*found || area_.contains(**found)) return found;
        }
    }

private:
    std::unique_ptr<storage::Cursor> all_;
    Area area_;
};

} // namespace

std::unique_ptr<storage::Cursor> make_area_cursor(const storage::Store& store,
                                                  const std::optional<Area>& area) {
    if (!area) return store.chunks();
    if (size_of(*area) <= k_most_listed) return std::make_unique<ListedArea>(*area);
    return std::make_unique<FilteredArea>(store.chunks(), *area);
}

Result<World> WorldState::open(const world::World& found) {
    auto state = std::make_shared<WorldState>();
    state->world = found;
    TRY_DO(state->reopen());
    state->path = state->store()->name();
    return World(std::move(state));
}

std::shared_ptr<storage::Store> WorldState::store() const {
    const std::lock_guard lock(store_mutex_);
    return store_;
}

Result<void> WorldState::reopen() {
    TRY(auto opened, world.open({}));
    const std::lock_guard lock(store_mutex_);
    store_ = std::move(opened);
    return {};
}

void WorldState::note(Error problem) {
    const std::lock_guard lock(problem_mutex_);
    if (problems_.size() >= k_most_problems || !texts_.insert(problem.text()).second) return;
    if (told_) told_(problem);
    problems_.push_back(std::move(problem));
}

std::vector<Error> WorldState::problems() const {
    const std::lock_guard lock(problem_mutex_);
    return problems_;
}

void WorldState::tell(std::function<void(const Error& problem)> told) {
    const std::lock_guard lock(problem_mutex_);
    told_ = std::move(told);
}

Error WorldState::no_such_chunk(ChunkPos pos) const {
    return error(Errc::not_found, "this chunk does not exist: it was never generated, or it was removed")
        .in_file(path)
        .at(pos);
}

} // namespace orbis
