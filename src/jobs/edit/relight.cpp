#include "jobs/edit/relight.hpp"

#include "jobs/light/chunk_light.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace orbis::jobs {
namespace {

/// That are named: a world that was made to do harm has any number.
constexpr std::size_t k_most_unknown_keys = 1000;

using WantedSections = std::array<bool, k_sections>;

/// What the chunks of one run share.
class RelightShared {
public:
    RelightShared(const storage::Store& store, const world::Assets& assets)
        : assets_(assets), around_(store, assets) {}

    Result<RelitSections> relight(ChunkPos pos, chunk::Chunk& chunk, const WantedSections& wanted) {
        auto tool = take_tool();
        auto done = relight_chunk(pos, chunk, wanted, assets_, around_, *tool);
        const std::scoped_lock lock(mutex_);
        tools_.push_back(std::move(tool));
        if (done)
            for (const auto& key : done->unknown_keys)
                if (unknown_keys_.size() < k_most_unknown_keys) unknown_keys_.insert(key);
        return done;
    }

    [[nodiscard]] const std::set<std::string, std::less<>>& unknown_keys() const { return unknown_keys_; }

private:
    std::unique_ptr<LightTool> take_tool() {
        const std::scoped_lock lock(mutex_);
        if (tools_.empty()) return std::make_unique<LightTool>();
        auto tool = std::move(tools_.back());
        tools_.pop_back();
        return tool;
    }

    const world::Assets& assets_;
    LightAround around_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<LightTool>> tools_;
    std::set<std::string, std::less<>> unknown_keys_;
};

class RelightWork final : public ChunkWork {
public:
    RelightWork(ChunkPos pos, const WantedSections& wanted, RelightShared& shared)
        : pos_(pos), wanted_(wanted), shared_(shared) {}

    Result<void> apply(chunk::Chunk& chunk, const CellSet&, EditCounts& counts) override {
        TRY(const auto done, shared_.relight(pos_, chunk, wanted_));
        counts.sections_lit += done.lit;
        counts.sections_unknown += done.unknown;
        counts.sections_waiting += done.waiting;
        return {};
    }

private:
    ChunkPos pos_;
    WantedSections wanted_;
    RelightShared& shared_;
};

class RelightEdit final : public ChunkEdit {
public:
    RelightEdit(const world::Assets& assets, const Area& area) : assets_(assets), area_(area) {}

    void begin(const storage::Store& store) const override {
        shared_ = std::make_unique<RelightShared>(store, assets_);
    }
    [[nodiscard]] std::optional<std::vector<ChunkPos>> chunks() const override { return area_.chunks(); }
    [[nodiscard]] bool touches(ChunkPos pos) const override { return area_.touches(pos); }

    /// No block becomes another one, so no cell is chosen.
    Result<std::unique_ptr<ChunkWork>> look(ChunkPos pos, const chunk::Chunk& chunk,
                                            CellSet&) const override {
        WantedSections wanted{};
        for (int y = 0; y < k_sections; ++y) {
            const auto& section = chunk.section(y);
            wanted[static_cast<std::size_t>(y)] =
                !section.local_light_valid() || !section.global_light_valid();
        }
        const auto is_wanted = [](bool is) { return is; };
        if (std::ranges::none_of(wanted, is_wanted)) return nullptr;
        if (!area_.is_everything()) {
            CellSet chosen;
            area_.choose(pos, chunk, assets_, chosen);
            for (int y = 0; y < k_sections; ++y)
                if (!chosen.any(y)) wanted[static_cast<std::size_t>(y)] = false;
            if (std::ranges::none_of(wanted, is_wanted)) return nullptr;
        }
        return std::make_unique<RelightWork>(pos, wanted, *shared_);
    }

    [[nodiscard]] const std::set<std::string, std::less<>>& unknown_keys() const {
        return shared_->unknown_keys();
    }

private:
    const world::Assets& assets_;
    const Area& area_;
    mutable std::unique_ptr<RelightShared> shared_;
};

} // namespace

Result<RelightReport> relight(const world::World& world, const world::Assets& assets, const Area& area,
                              const EditOptions& options, Progress& progress) {
    TRY_DO(area.check());
    const RelightEdit edit(assets, area);
    TRY(auto done, edit_chunks(world, assets, edit, options, progress));
    return RelightReport{std::move(done), edit.unknown_keys()};
}

} // namespace orbis::jobs
