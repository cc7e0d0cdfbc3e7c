#pragma once

#include "bson/view.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

/// What the holders of entities and items say about themselves (docs/formats/chunk.md).
namespace orbis::map {

/// What an entity is, by the first of its components that says so.
std::string_view entity_type(const bson::Document& holder);
/// The name that players see; empty for most.
std::string_view entity_name(const bson::Document& holder);
/// Where an entity is; nothing where it does not say.
std::optional<std::array<double, 3>> entity_position(const bson::Document& holder);
/// How many pieces an item of a container stands for, never less than none.
std::int32_t item_count(const bson::Document& item);

} // namespace orbis::map
