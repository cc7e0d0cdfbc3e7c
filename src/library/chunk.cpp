#include "orbis/chunk.hpp"

#include "jobs/inspect/show_chunk.hpp"
#include "library/chunk_state.hpp"
#include "library/holds_items.hpp"

#include <algorithm>

namespace orbis {
namespace {

using PartGroup = ChunkState::Group;

} // namespace

ChunkPos Chunk::position() const { return state_->pos; }

Section Chunk::section(int y) const { return {state_, std::clamp(y, 0, k_sections - 1)}; }

std::vector<Section> Chunk::sections() const {
    std::vector<Section> all;
    for (int y = 0; y < k_sections; ++y) all.push_back(section(y));
    return all;
}

Block Chunk::block(BlockPos pos) const {
    const auto found = state_->model(PartGroup::cells).block(pos);
    return {std::string(found.key), found.rotation, found.filler};
}

Fluid Chunk::fluid(BlockPos pos) const {
    const auto found = state_->model(PartGroup::cells).fluid(pos);
    return {std::string(found.key), found.level};
}

LightValue Chunk::light(BlockPos pos) const {
    if (pos.y < 0 || pos.y >= k_world_height) return {};
    return state_->model(PartGroup::cells).section(pos.y >> 5).global_light.at(pos.cell());
}

std::string Chunk::environment(BlockPos pos) const {
    return std::string(state_->model(PartGroup::environments).environment(pos));
}

int Chunk::height(ColumnIndex column) const {
    return state_->model(PartGroup::columns).heights().at(ColumnIndex(column.x(), column.z()));
}

std::uint32_t Chunk::tint(ColumnIndex column) const {
    const auto& tints = state_->model(PartGroup::columns).tints();
    return static_cast<std::uint32_t>(tints.at(ColumnIndex(column.x(), column.z())));
}

std::vector<std::int16_t> Chunk::heights() const {
    std::vector<std::int16_t> out(k_columns);
    state_->model(PartGroup::columns).heights().expand(std::span<std::int16_t, k_columns>(out));
    return out;
}

std::vector<std::uint32_t> Chunk::tints() const {
    std::array<std::int32_t, k_columns> all;
    state_->model(PartGroup::columns).tints().expand(all);
    std::vector<std::uint32_t> out;
    for (const auto tint : all) out.push_back(static_cast<std::uint32_t>(tint));
    return out;
}

std::vector<Container> Chunk::containers() const {
    std::vector<Container> found;
    const auto entries = state_->model(PartGroup::components).block_components().entries();
    for (std::size_t entry = 0; entry < entries.size(); ++entry)
        if (holds_items(entries[entry].holder))
            found.push_back({state_, entries[entry].index.pos(state_->pos), entry});
    return found;
}

std::vector<Entity> Chunk::entities() const {
    std::vector<Entity> found;
    const auto count = state_->model(PartGroup::entities).entities().holders().size();
    for (std::size_t number = 0; number < count; ++number) found.push_back({state_, number});
    return found;
}

std::vector<Component> Chunk::components(BlockPos pos) const {
    std::vector<Component> found;
    const auto holder = state_->model(PartGroup::components).block_components().find(chunk::BlockIndex(pos));
    const auto components = holder ? holder->document("Components") : std::nullopt;
    if (!components) return found;
    for (bson::Cursor at(*components); at.next();) {
        const auto document = at->document();
        found.push_back({std::string(at->key()), document ? state_->json(*document) : "null"});
    }
    return found;
}

std::vector<BlockPos> Chunk::blocks_with_components() const {
    std::vector<BlockPos> found;
    for (const auto& entry : state_->model(PartGroup::components).block_components().entries())
        found.push_back(entry.index.pos(state_->pos));
    return found;
}

Result<std::string> Chunk::json(const ChunkJsonOptions& options) const {
    auto text = jobs::show_chunk(state_->pos, state_->model(PartGroup::everything),
                                 {options.section, options.component, options.blocks});
    if (!text) return fail(std::move(text).error().in_file(state_->store->name()));
    return text;
}

std::span<const std::uint8_t> Chunk::document() const { return state_->document; }

std::vector<Error> Chunk::problems() const {
    std::vector<Error> found;
    for (const auto& problem : state_->model(PartGroup::everything).problems())
        found.push_back(state_->placed(problem.as_error()));
    return found;
}

} // namespace orbis
