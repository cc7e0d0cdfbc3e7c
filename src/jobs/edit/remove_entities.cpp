#include "jobs/edit/remove_entities.hpp"

#include "jobs/clip/place_holder.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace orbis::jobs {
namespace {

/// Whether one of the names of an entity is meant.
bool is_called(const bson::Document& holder, const KeyPatterns& kinds) {
    if (kinds.empty()) return true;
    const auto text = [&](std::initializer_list<std::string_view> path) -> std::string_view {
        const auto found = holder.find_path(path);
        const auto value = found ? found->string() : std::nullopt;
        return value.value_or(std::string_view());
    };
    bool any = false;
    bool named = false;
    for (const auto name :
         {text({"Components", "Model", "Model", "Id"}), text({"Components", "Item", "Item", "Id"}),
          text({"Components", "NPC", "RoleName"}), text({"Components", "Nameplate", "Text"}),
          text({"Components", "BlockEntity", "BlockTypeKey"}),
          text({"Components", "SpawnMarkerComponent", "SpawnMarker"})}) {
        if (name.empty()) continue;
        named = true;
        any = any || kinds.match(name);
    }
    return named && any;
}

class RemoveEntitiesWork final : public ChunkWork {
public:
    explicit RemoveEntitiesWork(std::vector<std::size_t> gone) : gone_(std::move(gone)) {}
    Result<void> apply(chunk::Chunk& chunk, const CellSet&, EditCounts& counts) override {
        TRY(auto* entities, chunk.edit_entities());
        for (auto i = gone_.rbegin(); i != gone_.rend(); ++i) entities->remove(*i);
        counts.entities_removed += gone_.size();
        return {};
    }

private:
    std::vector<std::size_t> gone_; ///< ascending
};

class RemoveEntities final : public ChunkEdit {
public:
    RemoveEntities(const Area& area, const KeyPatterns& kinds) : area_(area), kinds_(kinds) {}

    [[nodiscard]] std::optional<std::vector<ChunkPos>> chunks() const override { return area_.chunks(); }
    [[nodiscard]] bool touches(ChunkPos pos) const override { return area_.touches(pos); }
    Result<std::unique_ptr<ChunkWork>> look(ChunkPos, const chunk::Chunk& chunk, CellSet&) const override {
        if (chunk.entities_state() == chunk::PartState::broken)
            return fail(Errc::unsupported, "EntityChunk is damaged, so it cannot be changed");
        std::vector<std::size_t> gone;
        const auto holders = chunk.entities().holders();
        for (std::size_t i = 0; i < holders.size(); ++i)
            if (is_called(holders[i], kinds_) && is_inside(holders[i])) gone.push_back(i);
        if (gone.empty()) return nullptr;
        return std::make_unique<RemoveEntitiesWork>(std::move(gone));
    }

private:
    [[nodiscard]] bool is_inside(const bson::Document& holder) const {
        if (area_.is_everything()) return true;
        const auto point = entity_point(holder);
        constexpr double k_far = 1 << 30;
        if (!point || !(std::abs(point->x) < k_far) || !(std::abs(point->y) < k_far)
            || !(std::abs(point->z) < k_far))
            return false;
        return area_.contains({static_cast<std::int32_t>(std::floor(point->x)),
                               static_cast<std::int32_t>(std::floor(point->y)),
                               static_cast<std::int32_t>(std::floor(point->z))});
    }

    const Area& area_;
    const KeyPatterns& kinds_;
};

} // namespace

Result<EditReport> remove_entities(const world::World& world, const world::Assets& assets, const Area& area,
                                   const KeyPatterns& kinds, const EditOptions& options, Progress& progress) {
    TRY_DO(area.check());
    return edit_chunks(world, assets, RemoveEntities(area, kinds), options, progress);
}

} // namespace orbis::jobs
