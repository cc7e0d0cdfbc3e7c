#include "orbis/edit.hpp"

#include "bson/extended_json.hpp"
#include "bson/writer.hpp"
#include "jobs/undo/change.hpp"
#include "library/edited_world.hpp"

#include <algorithm>

namespace orbis {
namespace {

/// The holder of an object of components.
Result<Buffer> holder_of_json(std::string_view json) {
    TRY(const auto components, bson::from_extended_json(json));
    TRY(const auto document, bson::Document::open(components));
    Buffer out;
    bson::Writer writer(out);
    writer.document("Components", document.bytes());
    writer.finish();
    return out;
}

Error over() { return error(Errc::usage, "this edit was saved already; begin another one"); }

} // namespace

struct Edit::State : EditedWorld {
    using EditedWorld::EditedWorld;
};

Result<Edit> Edit::begin(const World& world, const EditOptions& options) {
    TRY(auto change, jobs::Change::begin(world.state()->world, {.verb = "edit",
                                                                .command = options.title,
                                                                .force = options.force,
                                                                .keeps_undo = options.keeps_undo}));
    return Edit(std::make_shared<State>(world.state(), std::move(change)));
}

Result<Block> Edit::block(BlockPos pos) {
    if (state_->is_over()) return fail(over());
    TRY(const auto* chunk, state_->chunk(pos.chunk()));
    const auto found = chunk->block(pos);
    return Block{std::string(found.key), found.rotation, found.filler};
}

Result<Fluid> Edit::fluid(BlockPos pos) {
    if (state_->is_over()) return fail(over());
    TRY(const auto* chunk, state_->chunk(pos.chunk()));
    const auto found = chunk->fluid(pos);
    return Fluid{std::string(found.key), found.level};
}

Result<void> Edit::set_block(BlockPos pos, const Block& block) {
    if (state_->is_over()) return fail(over());
    return state_->set_block(pos, {block.key, block.rotation, block.filler});
}

Result<std::uint64_t> Edit::fill(BlockPos a, BlockPos b, const Block& block) {
    if (state_->is_over()) return fail(over());
    const BlockPos least{std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
    const BlockPos most{std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
    if (least.y < 0 || most.y >= k_world_height)
        return fail(Errc::out_of_range, "y must be from 0 to {}", k_world_height - 1);
    const auto area = Area::of(least, most);
    for (std::int64_t z = area.least.z; z <= area.most.z; ++z)
        for (std::int64_t x = area.least.x; x <= area.most.x; ++x)
            TRY_DO(state_->chunk({static_cast<std::int32_t>(x), static_cast<std::int32_t>(z)}));
    const chunk::BlockState wanted{block.key, block.rotation, block.filler};
    std::uint64_t changed = 0;
    for (std::int64_t y = least.y; y <= most.y; ++y)
        for (std::int64_t z = least.z; z <= most.z; ++z)
            for (std::int64_t x = least.x; x <= most.x; ++x) {
                const BlockPos pos{static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
                                   static_cast<std::int32_t>(z)};
                TRY(const auto* chunk, state_->chunk(pos.chunk()));
                if (chunk->block(pos) == wanted) continue;
                TRY_DO(state_->set_block(pos, wanted));
                ++changed;
            }
    return changed;
}

Result<void> Edit::set_fluid(BlockPos pos, const Fluid& fluid) {
    if (state_->is_over()) return fail(over());
    TRY(auto* chunk, state_->chunk(pos.chunk()));
    return state_->placed(pos.chunk(), chunk->set_fluid(pos, {fluid.key, fluid.level}));
}

Result<void> Edit::set_tint(BlockPos column, std::uint32_t tint) {
    if (state_->is_over()) return fail(over());
    TRY(auto* chunk, state_->chunk(column.chunk()));
    TRY(auto* tints, chunk->edit_tints());
    tints->set(column.column(), static_cast<std::int32_t>(tint));
    return {};
}

Result<void> Edit::set_environment(BlockPos column, std::string_view environment) {
    if (state_->is_over()) return fail(over());
    if (environment.empty()) return fail(Errc::usage, "an environment needs a name");
    TRY(auto* chunk, state_->chunk(column.chunk()));
    TRY(auto* environments, chunk->edit_environments());
    const chunk::EnvironmentRun all{chunk::EnvironmentRun::k_no_end, environment};
    environments->set_runs(column.column(), {&all, 1});
    return {};
}

Result<void> Edit::set_components(BlockPos pos, std::string_view json) {
    if (state_->is_over()) return fail(over());
    if (pos.y < 0 || pos.y >= k_world_height)
        return fail(Errc::out_of_range, "y {} is outside the world", pos.y);
    TRY(auto* chunk, state_->chunk(pos.chunk()));
    TRY(auto* components, chunk->edit_block_components());
    if (json.empty()) {
        components->remove(chunk::BlockIndex(pos));
        return {};
    }
    TRY(auto holder, holder_of_json(json));
    return components->set(chunk::BlockIndex(pos), std::move(holder));
}

Result<void> Edit::add_entity(ChunkPos chunk, std::string_view json) {
    if (state_->is_over()) return fail(over());
    TRY(auto* found, state_->chunk(chunk));
    TRY(auto* entities, found->edit_entities());
    TRY(auto holder, holder_of_json(json));
    return entities->add(std::move(holder));
}

Result<void> Edit::remove_entity(ChunkPos chunk, std::size_t number) {
    if (state_->is_over()) return fail(over());
    TRY(auto* found, state_->chunk(chunk));
    TRY(auto* entities, found->edit_entities());
    if (!entities->remove(number))
        return fail(error(Errc::out_of_range, "there is no entity {}; the chunk has {}", number,
                          entities->holders().size())
                        .at(chunk));
    return {};
}

Result<void> Edit::remove_chunk(ChunkPos chunk) {
    if (state_->is_over()) return fail(over());
    return state_->remove(chunk);
}

std::size_t Edit::changed_chunks() const { return state_->changed_chunks(); }

Result<SavedEdit> Edit::save() {
    if (state_->is_over()) return fail(over());
    return state_->save();
}

} // namespace orbis
