#pragma once

namespace orbis::game {

class RegistryFrames;

// Registries that are the same for every server, parted by what they are about.

/// Hitboxes of blocks, effects in fluids, sets of sounds and particles that blocks name.
void add_block_basics(RegistryFrames& out);
/// Stats, what is drawn above entities, how they push each other, effects.
void add_entity_basics(RegistryFrames& out);
/// Sound events, categories, rooms.
void add_sounds(RegistryFrames& out);
/// Cameras, particles, trails and the like, of which nothing is needed.
void add_effects(RegistryFrames& out);

} // namespace orbis::game
