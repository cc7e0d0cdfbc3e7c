#include "chunk/chunk.hpp"

/// The check of what was encoded, before it replaces anything.
namespace orbis::chunk {

namespace {

/// Whether two palettes are alike in all that tells where the next part begins.
template <typename Values>
bool is_alike(const Values& written, const Values& read) {
    return written.kind() == read.kind() && written.entries().size() == read.entries().size();
}

bool is_read(bool changed, PartState state) { return !changed || state == PartState::decoded; }

Result<void> check_section(const Section& written, const Section& read, int y) {
    const bool block_changed = written.block_changed();
    if (!is_read(block_changed, read.block_state) || !is_read(written.fluid_changed(), read.fluid_state)
        || !is_read(written.physics_changed(), read.physics_state))
        return fail(Errc::mismatch, "section {} of the changed chunk would not be readable", y);
    const auto shapes_differ = [&] {
        return !is_alike(written.fillers, read.fillers) || !is_alike(written.rotations, read.rotations);
    };
    if (block_changed
        && (!is_alike(written.blocks, read.blocks) || (!read.has_checked_rest && shapes_differ())
            || written.local_counter != read.local_counter || written.global_counter != read.global_counter
            || written.migration_count != read.migration_count))
        return fail(Errc::mismatch, "section {} of the changed chunk would be read as another one", y);
    if (written.fluid_changed() && !is_alike(written.fluids, read.fluids))
        return fail(Errc::mismatch, "the fluids of section {} would be read as others", y);
    return {};
}

} // namespace

Result<void> Chunk::read_back(Bytes encoded, Chunk& room) const {
    Parts parts;
    SectionBits changed_sections = 0;
    const auto note = [&](bool is_changed, Parts part) {
        if (is_changed) parts = parts | part;
        return is_changed;
    };
    for (int y = 0; y < k_sections; ++y) {
        const auto& here = section(y);
        const bool block = note(here.block_changed(), k_blocks | k_shapes | k_light);
        const bool fluid = note(here.fluid_changed() || here.modernised, k_fluids);
        const bool physics = note(here.physics_changed() || here.modernised, k_physics);
        if (block || fluid || physics) changed_sections |= 1U << y;
    }
    const bool columns = note(heights_.changed() || tints_.changed() || moves_sections_, k_column_maps);
    note(environments_.changed(), k_environments);
    note(health_.changed(), k_health);
    note(block_components_.changed(), k_block_components);
    note(entities_.changed(), k_entities);
    if (moves_sections_) changed_sections = k_all_sections;
    TRY_DO(room.read(encoded, parts, changed_sections, this));
    if (room.problems().size() > problems().size())
        return fail(Errc::mismatch, "the changed chunk would not be readable: {}",
                    room.problems().back().text());
    for (int y = 0; y < k_sections; ++y)
        if ((changed_sections >> y & 1) != 0) TRY_DO(check_section(section(y), room.section(y), y));
    if (!is_read(columns, room.columns_state_) || !is_read(environments_.changed(), room.environments_state_)
        || !is_read(health_.changed(), room.health_state_)
        || !is_read(block_components_.changed(), room.block_components_state_)
        || !is_read(entities_.changed(), room.entities_state_))
        return fail(Errc::mismatch, "the changed chunk would not be readable");
    return {};
}

} // namespace orbis::chunk
