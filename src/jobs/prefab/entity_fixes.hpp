#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"

/// What has to change in an entity that goes from a prefab into a world, or back.
namespace orbis::jobs::prefab {

/// The entity with its angles times `factor`: those of its body and of its head.
Result<Buffer> with_angles_times(Bytes entity, double factor);

/// Files keep the place that an NPC returns to as it was in the world that they come from. Afterwards it is
/// where the NPC stands.
Result<Buffer> with_leash_at_its_place(Bytes entity);

} // namespace orbis::jobs::prefab
