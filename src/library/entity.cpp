#include "orbis/entity.hpp"

#include "library/chunk_state.hpp"
#include "map/holders.hpp"

namespace orbis {
namespace {

const bson::Document& entity_holder(ChunkState& chunk, std::size_t number) {
    return chunk.model(ChunkState::Group::entities).entities().holders()[number];
}

} // namespace

std::string Entity::type() const { return std::string(map::entity_type(entity_holder(*chunk_, number_))); }

std::string Entity::name() const { return std::string(map::entity_name(entity_holder(*chunk_, number_))); }

std::optional<Point> Entity::position() const {
    const auto found = map::entity_position(entity_holder(*chunk_, number_));
    if (!found) return std::nullopt;
    return Point{(*found)[0], (*found)[1], (*found)[2]};
}

std::vector<std::string> Entity::components() const {
    std::vector<std::string> names;
    for (const auto name : chunk::component_names(entity_holder(*chunk_, number_))) names.emplace_back(name);
    return names;
}

std::optional<std::string> Entity::component(std::string_view name) const {
    const auto found = chunk::component(entity_holder(*chunk_, number_), name);
    if (!found) return std::nullopt;
    return chunk_->json(*found);
}

std::string Entity::json() const {
    const auto& holder = entity_holder(*chunk_, number_);
    return chunk_->json(holder.document("Components").value_or(holder));
}

} // namespace orbis
