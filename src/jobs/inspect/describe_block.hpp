#pragma once

#include "bytes/result.hpp"
#include "orbis/block_details.hpp"
#include "storage/store.hpp"
#include "world/assets.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orbis::jobs {

/// Everything that is stored about one block, and what the tables know of it.
struct BlockDescription : BlockDetails {
    const world::BlockType* type = nullptr; ///< null if no table knows the key
};

/// Reads the chunk of a block, and the one of its base where that is another. Nothing when the chunk is not
/// there.
Result<std::optional<BlockDescription>> describe_block(const storage::Store& store,
                                                       const world::Assets& assets, BlockPos pos);

/// One object, without a line end.
std::string to_json(const BlockDescription& block);
/// The same for people.
std::vector<std::string> to_lines(const BlockDescription& block);

} // namespace orbis::jobs
