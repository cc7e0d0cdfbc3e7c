#include "jobs/cells/edit_chunks.hpp"

#include <algorithm>

/// What cells have besides their block.
namespace orbis::jobs {

Result<chunk::Migrations> agree_on_keys(chunk::Chunk& chunk, int y, std::int32_t count,
                                        const world::Assets& assets) {
    TRY(auto* section, chunk.edit_section(y));
    chunk::Migrations same{count, [](std::string_view key, int) { return key; }};
    if (section->migration_count == count) return same;
    const auto entries = section->blocks.entries();
    if (std::ranges::all_of(entries, [](const auto& e) { return e.value == chunk::k_empty_key; })) {
        section->migration_count = count;
        return same;
    }
    auto table = assets.migrations.for_chunks();
    if (std::max(count, section->migration_count) > table.count)
        return fail(error(Errc::unsupported,
                          "section {} has block keys after {} migrations, the new blocks have {}, but only "
                          "{} are known",
                          y, section->migration_count, count, table.count)
                        .advise("open both worlds with the same version of the game first"));
    section->modernise(&table);
    return table;
}

Result<void> remove_belongings(chunk::Chunk& chunk, const CellSet& cells, EditCounts& counts) {
    std::vector<chunk::BlockIndex> gone;
    for (const auto& entry : chunk.block_components().entries())
        if (cells.contains({entry.index.x(), entry.index.y(), entry.index.z()})) gone.push_back(entry.index);
    if (!gone.empty() || chunk.block_components_state() == chunk::PartState::broken) {
        TRY(auto* components, chunk.edit_block_components()); // refuses what cannot be read
        for (const auto index : gone) components->remove(index);
        counts.components += gone.size();
    }
    const auto is_kept = [&](const auto& entry) { return !cells.contains(entry.pos); };
    const auto& health = chunk.health();
    if (!std::ranges::all_of(health.damaged(), is_kept) || !std::ranges::all_of(health.fragile(), is_kept)) {
        TRY(auto* edited, chunk.edit_health());
        auto damaged = health.damaged();
        auto fragile = health.fragile();
        std::erase_if(damaged, [&](const auto& entry) { return !is_kept(entry); });
        std::erase_if(fragile, [&](const auto& entry) { return !is_kept(entry); });
        edited->set(std::move(damaged), std::move(fragile));
    }
    for (int y = 0; y < k_sections; ++y) {
        if (!cells.any(y)) continue;
        const auto& before = chunk.section(y);
        if (!before.supports.present() && before.ticking.count() == 0) continue;
        TRY(auto* section, chunk.edit_section(y));
        cells.for_each(y, [&](CellIndex cell) {
            section->supports.set(cell, 0);
            section->ticking.set(cell, false);
        });
    }
    return {};
}

Result<void> put_block(chunk::Chunk& chunk, const CellSet& cells, const chunk::BlockState& block,
                       EditCounts& counts) {
    TRY_DO(remove_belongings(chunk, cells, counts));
    for (int y = 0; y < k_sections; ++y) {
        if (!cells.any(y)) continue;
        TRY(auto* section, chunk.edit_section(y));
        const auto words = cells.words(y);
        counts.blocks += cells.count(y);
        section->blocks.fill(words, block.key);
        section->fillers.fill(words, block.filler.stored);
        section->rotations.fill(words, block.rotation.index);
        if (section->blocks.kind() == chunk::PaletteKind::empty) section->ticking.clear();
        TRY_DO(chunk.touch_blocks(y, cells.columns(y)));
    }
    return {};
}

EditCounts& EditCounts::operator+=(const EditCounts& other) {
    area += other.area;
    cells += other.cells;
    blocks += other.blocks;
    fluids += other.fluids;
    components += other.components;
    entities_added += other.entities_added;
    entities_removed += other.entities_removed;
    cut_cells += other.cut_cells;
    sections_lit += other.sections_lit;
    sections_unknown += other.sections_unknown;
    sections_waiting += other.sections_waiting;
    return *this;
}

} // namespace orbis::jobs
