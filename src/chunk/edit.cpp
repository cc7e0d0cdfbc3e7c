#include "chunk/chunk.hpp"

#include <bit>

namespace orbis::chunk {

namespace {

Result<int> section_in_world(BlockPos pos) {
    if (pos.y < 0 || pos.y >= k_world_height)
        return fail(Errc::out_of_range, "y {} is outside the world, which has 0 to {}", pos.y,
                    k_world_height - 1);
    return pos.y >> 5;
}

} // namespace

Result<void> Chunk::can_edit(std::string_view component, PartState state) const {
    if (state == PartState::broken)
        return fail(Errc::unsupported, "{} is damaged, so it cannot be changed", component);
    if (state == PartState::skipped)
        return fail(Errc::unsupported, "{} was not read, so it cannot be changed", component);
    return {};
}

Result<void> Chunk::can_modernise(const Section& section) const {
    if (const auto key = section.key_to_lose(nullptr))
        return fail(Errc::unsupported,
                    "the old block key '{}' has parts that the current format cannot store, so its section "
                    "cannot be changed",
                    *key);
    return {};
}

/// Sections inside `BlockChunk` move as one: today's place has no room for old versions.
Result<void> Chunk::modernise_all() {
    for (const auto& section : *sections_) {
        TRY_DO(can_edit("Fluid", section.fluid_state));
        TRY_DO(can_edit("BlockPhysics", section.physics_state));
        TRY_DO(can_modernise(section));
    }
    for (auto& section : *sections_) section.modernise(nullptr);
    moves_sections_ = true;
    return {};
}

Result<Section*> Chunk::edit_section(int y) {
    if (y < 0 || y >= k_sections)
        return fail(Errc::out_of_range, "there is no section {}; a chunk has {}", y, k_sections);
    auto& section = (*sections_)[static_cast<std::size_t>(y)];
    if (column_broken_) TRY_DO(can_edit("ChunkColumn", PartState::broken));
    if (sections_inside_) TRY_DO(can_edit("BlockChunk", columns_state_));
    TRY_DO(can_edit("Block", section.partly_read ? PartState::skipped : section.block_state));
    TRY_DO(can_edit("Fluid", section.fluid_state));
    TRY_DO(can_edit("BlockPhysics", section.physics_state));
    if (sections_inside_) {
        TRY_DO(modernise_all());
    } else {
        TRY_DO(can_modernise(section));
        section.modernise(nullptr);
    }
    return &section;
}

Result<void> Chunk::touch_blocks(int y) {
    TRY_DO(edit_section(y));
    touched_.set();
    make_light_stale(y);
    return {};
}

Result<void> Chunk::touch_blocks(int y, std::span<const std::uint32_t, k_side> columns) {
    TRY_DO(edit_section(y));
    for (std::size_t z = 0; z < columns.size(); ++z)
        for (auto bits = columns[z]; bits != 0; bits &= bits - 1)
            touched_.set(z * k_side + static_cast<std::size_t>(std::countr_zero(bits)));
    make_light_stale(y);
    return {};
}

/// Light spreads across borders, so that of the sections above and below is stale too. Where it was never
/// computed nothing becomes wrong; to mark it would have it computed from a local light that is not there.
void Chunk::make_light_stale(int y) {
    (*sections_)[static_cast<std::size_t>(y)].invalidate_light();
    for (const int around : {y - 1, y + 1}) {
        if (around < 0 || around >= k_sections) continue;
        auto& section = (*sections_)[static_cast<std::size_t>(around)];
        if (section.has_current_block() && section.global_light_computed()) section.invalidate_global_light();
    }
}

Result<void> Chunk::set_block(BlockPos pos, const BlockState& block) {
    TRY(const int y, section_in_world(pos));
    if (!block.rotation.valid())
        return fail(Errc::out_of_range, "rotation {} does not exist; they go from 0 to 63",
                    block.rotation.index);
    if (block.key.size() > 0xFFFF)
        return fail(Errc::too_large, "a block key of {} bytes is too long", block.key.size());
    TRY(auto* section, edit_section(y));
    const auto cell = pos.cell();
    const bool other_block = section->blocks.set(cell, block.key);
    bool other = section->fillers.set(cell, block.filler.stored) || other_block;
    other = section->rotations.set(cell, block.rotation.index) || other;
    if (!other) return {};
    if (other_block) section->ticking.set(cell, false);
    touched_.set(static_cast<std::size_t>(pos.column().value));
    make_light_stale(y);
    return {};
}

Result<void> Chunk::set_fluid(BlockPos pos, const FluidState& fluid) {
    TRY(const int y, section_in_world(pos));
    if (fluid.level > 15)
        return fail(Errc::out_of_range, "fluid level {} does not exist; they go from 0 to 15", fluid.level);
    if ((fluid.level == 0) != (fluid.key == k_empty_key))
        return fail(Errc::bad_value, "fluid {} with level {}: only Empty has level 0", fluid.key,
                    fluid.level);
    TRY(auto* section, edit_section(y));
    const bool other_key = section->fluids.set(pos.cell(), fluid.key);
    const bool other_level = section->levels.set(pos.cell(), fluid.level);
    if (other_key || other_level) make_light_stale(y);
    return {};
}

Result<void> Chunk::set_support(BlockPos pos, std::uint8_t support) {
    TRY(const int y, section_in_world(pos));
    if (support > 15)
        return fail(Errc::out_of_range, "support value {} does not exist; they go from 0 to 15", support);
    TRY(auto* section, edit_section(y));
    section->supports.set(pos.cell(), support);
    return {};
}

Result<void> Chunk::set_ticking(BlockPos pos, bool ticks) {
    TRY(const int y, section_in_world(pos));
    TRY(auto* section, edit_section(y));
    if (section->blocks.at(pos.cell()) == k_empty_key && ticks)
        return fail(Errc::bad_value, "an empty cell cannot tick");
    section->ticking.set(pos.cell(), ticks);
    return {};
}

Result<Heights*> Chunk::edit_heights() {
    TRY_DO(can_edit("BlockChunk", columns_state_));
    if (sections_inside_) TRY_DO(modernise_all());
    return &heights_;
}

Result<Tints*> Chunk::edit_tints() {
    TRY_DO(can_edit("BlockChunk", columns_state_));
    if (sections_inside_) TRY_DO(modernise_all());
    return &tints_;
}

Result<Environments*> Chunk::edit_environments() {
    TRY_DO(can_edit("EnvironmentChunk", environments_state_));
    return &environments_;
}

Result<BlockHealth*> Chunk::edit_health() {
    TRY_DO(can_edit("BlockHealthChunk", health_state_));
    return &health_;
}

Result<BlockComponents*> Chunk::edit_block_components() {
    TRY_DO(can_edit("BlockComponentChunk", block_components_state_));
    return &block_components_;
}

Result<Entities*> Chunk::edit_entities() {
    TRY_DO(can_edit("EntityChunk", entities_state_));
    return &entities_;
}

Result<void> Chunk::set_component(std::string_view name, Buffer document) {
    for (const std::string_view own : {"BlockChunk", "ChunkColumn", "EnvironmentChunk", "BlockHealthChunk",
                                       "BlockComponentChunk", "EntityChunk"})
        if (name == own)
            return fail(Errc::bad_value, "{} cannot be set as a document: change its own model", name);
    if (name.find('\0') != std::string_view::npos)
        return fail(Errc::bad_text, "a name cannot contain a zero character");
    TRY_DO(bson::open_validated(document));
    other_components_.insert_or_assign(std::string(name), std::move(document));
    return {};
}

Result<void> Chunk::remove_component(std::string_view name) {
    if (!components_.find(name)) return fail(Errc::not_found, "the chunk has no component {}", name);
    other_components_.insert_or_assign(std::string(name), std::nullopt);
    return {};
}

} // namespace orbis::chunk
