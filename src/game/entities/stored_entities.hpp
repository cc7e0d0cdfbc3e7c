#pragma once

#include "chunk/chunk.hpp"
#include "game/codec/wire_ids.hpp"
#include "game/entities/entity_models.hpp"
#include "game/entities/entity_state.hpp"

namespace orbis::game {

/// The entities that a chunk has stored (`chunk::k_entities` must have been read), as far as they can be
/// seen: those with a place, and a model, an item, a block or a name. What is not understood is left out.
/// Blocks that have no id yet get one.
///
///     Transform, HeadRotation     transform: the body looks as the head does if there is no head
///     Model, EntityScale          model
///     Item                        item, without its metadata
///     BlockEntity                 block
///     Nameplate, DisplayName      nameplate
///     Intangible, Invulnerable, Prop
///     NPC                         movement states: it stands
///     HiddenFromAdventurePlayer   seen by players in creative mode only
///
/// `models` are those of a pack; null: there are none.
std::vector<EntityState> stored_entities(const chunk::Chunk& chunk, WireIds& ids,
                                         EntityModels* models = nullptr);

} // namespace orbis::game
