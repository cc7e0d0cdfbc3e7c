#include "orbis/describe.hpp"

#include "jobs/inspect/describe_block.hpp"
#include "library/world_state.hpp"

namespace orbis {

Result<BlockDetails> describe_block(const World& world, BlockPos pos) {
    TRY(auto found, jobs::describe_block(*world.state()->store(), world::Assets::built_in(), pos));
    if (!found) return fail(world.state()->no_such_chunk(pos.chunk()));
    return *std::move(found);
}

} // namespace orbis
