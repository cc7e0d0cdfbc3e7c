#include "jobs/repair/fix_cells.hpp"

#include <algorithm>

namespace orbis::jobs {

namespace {

using chunk::Chunk;
using chunk::PartState;
using chunk::Section;

class CellFixer {
public:
    CellFixer(Chunk& chunk, ChunkPos pos, const world::Assets& assets, const NeighbourLookup& neighbour)
        : chunk_(chunk), pos_(pos), assets_(assets), neighbour_(neighbour) {}

    Result<std::vector<ChunkFix>> run() {
        for (int y = 0; y < k_sections; ++y)
            if (chunk_.section(y).editable()) TRY_DO(section(y));
        TRY_DO(fillers());
        TRY_DO(column_keys());
        TRY_DO(heights());
        for (int y = 0; y < k_sections; ++y) // last, as changed blocks make light stale
            if (chunk_.section(y).editable()) TRY_DO(light(y, fmt::format("section {}, light", y)));
        return std::move(steps_);
    }

private:
    void note(std::string part, std::string what) {
        steps_.push_back({std::move(part), std::move(what), false});
    }

    template <typename Palette>
    static bool is_wrong(const Palette& palette) {
        return !palette.check();
    }

    Result<void> section(int y) {
        const auto& before = chunk_.section(y);
        const auto part = [y](std::string_view name) { return fmt::format("section {}, {}", y, name); };
        const auto recount = [&](auto member, std::string_view name) -> Result<void> {
            if (!is_wrong(before.*member)) return {};
            TRY(auto* section, chunk_.edit_section(y));
            (section->*member).recount();
            note(part(name), "recounted cells");
            return {};
        };
        TRY_DO(recount(&Section::blocks, "blocks"));
        TRY_DO(recount(&Section::fillers, "fillers"));
        TRY_DO(recount(&Section::rotations, "rotations"));
        TRY_DO(recount(&Section::fluids, "fluids"));
        TRY_DO(rotations(y, part("rotations")));
        TRY_DO(fluids(y, part("Fluid")));
        if (before.block_state == PartState::decoded && !before.ticking.changed()
            && before.ticking.count() != before.ticking.stored_count()) {
            TRY(auto* section, chunk_.edit_section(y));
            const auto cell = CellIndex(0);
            const bool ticks = section->ticking.contains(cell);
            section->ticking.set(cell, !ticks); // any change counts again
            section->ticking.set(cell, ticks);
            note(part("ticking"), "recounted cells");
        }
        return {};
    }

    Result<void> rotations(int y, std::string part) {
        const auto entries = chunk_.section(y).rotations.entries();
        const bool any = std::ranges::any_of(entries, [](const auto& entry) { return entry.value > 63; });
        if (!any) return {};
        TRY(auto* section, chunk_.edit_section(y));
        section->rotations.rename(
            [](const auto& entry) { return static_cast<std::uint8_t>(entry.value > 63 ? 0 : entry.value); });
        note(std::move(part), "set rotations above 63 to 0");
        return {};
    }

    Result<void> fluids(int y, std::string part) {
        const auto& section = chunk_.section(y);
        if (section.fluids.kind() == chunk::PaletteKind::empty && !section.levels.present()) return {};
        std::size_t with_level = 0;
        std::size_t without = 0;
        Section* edited = nullptr;
        for (int i = 0; i < k_cells; ++i) {
            const CellIndex cell(i);
            const bool is_empty = section.fluids.at(cell) == chunk::k_empty_key;
            if (is_empty == (section.levels.at(cell) == 0)) continue;
            if (edited == nullptr) {
                TRY(edited, chunk_.edit_section(y));
            }
            if (is_empty) {
                edited->levels.set(cell, 0);
                ++without;
            } else {
                const auto* type = assets_.fluid(section.fluids.at(cell));
                const bool is_source = section.fluids.at(cell).ends_with("_Source");
                const int most = type != nullptr ? type->max_level : is_source ? 1 : 8;
                edited->levels.set(cell, static_cast<std::uint8_t>(std::clamp(most, 1, 15)));
                ++with_level;
            }
        }
        if (with_level > 0)
            note(part, fmt::format("set {} fluid cells without a level to the full level", with_level));
        if (without > 0) note(part, fmt::format("removed {} levels without a fluid", without));
        return {};
    }

    Result<void> light(int y, std::string part) {
        const auto& section = chunk_.section(y);
        if (!section.has_current_block()) return {};
        const bool local = !section.local_light_valid() && section.local_light.present();
        const bool global = !section.global_light_valid() && section.global_light.present();
        if (!local && !global) return {};
        TRY(auto* edited, chunk_.edit_section(y));
        if (local) edited->local_light.clear(edited->local_light.change_id());
        if (global) edited->global_light.clear(edited->global_light.change_id());
        note(std::move(part), "removed outdated light; the game recalculates it");
        return {};
    }

    Result<void> fillers() {
        const auto faults = find_filler_faults(chunk_, pos_, neighbour_);
        std::size_t fixed = 0;
        for (const auto cell : faults.dangling) {
            if (!chunk_.section(cell.y >> 5).editable()) continue;
            TRY_DO(chunk_.set_block(cell, {}));
            ++fixed;
        }
        if (fixed > 0)
            note("fillers",
                 fmt::format("set {} cells of bigger blocks whose base is missing to Empty", fixed));
        return {};
    }

    Result<void> column_keys() {
        if (chunk_.columns_state() != PartState::decoded || chunk_.tints().check()) return {};
        TRY(auto* tints, chunk_.edit_tints());
        std::array<std::int32_t, k_columns> values{};
        tints->expand(values);
        tints->assign(values);
        note("BlockChunk", "set columns without a tint to 0");
        return {};
    }

    Result<void> heights() {
        if (chunk_.columns_state() != PartState::decoded) return {};
        const bool bad_keys = !chunk_.heights().check();
        const auto truth = heights_by_blocks(chunk_, assets_);
        std::array<std::int16_t, k_columns> stored{};
        chunk_.heights().expand(stored);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < k_columns; ++i) {
            const ColumnIndex column(static_cast<int>(i));
            if (!truth.known[i] || !is_wrong_height(chunk_, column, stored[i], truth.height[i])) continue;
            stored[i] = truth.height[i];
            ++wrong;
        }
        if (wrong == 0 && !bad_keys) return {};
        TRY(auto* heights, chunk_.edit_heights());
        heights->assign(stored);
        note("BlockChunk", fmt::format("recalculated {} heights", wrong));
        return {};
    }

    Chunk& chunk_;
    ChunkPos pos_;
    const world::Assets& assets_;
    const NeighbourLookup& neighbour_;
    std::vector<ChunkFix> steps_;
};

} // namespace

Result<std::vector<ChunkFix>> fix_cells(Chunk& chunk, ChunkPos pos, const world::Assets& assets,
                                        const NeighbourLookup& neighbour) {
    return CellFixer(chunk, pos, assets, neighbour).run();
}

} // namespace orbis::jobs
