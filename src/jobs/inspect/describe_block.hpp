#pragma once

#include "bytes/result.hpp"
#include "chunk/chunk.hpp"
#include "storage/store.hpp"
#include "world/assets.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orbis::jobs {

/// Everything that is stored about one block.
struct BlockDescription {
    BlockPos pos;
    std::string key;
    const world::BlockType* type = nullptr; ///< null if no table knows the key
    chunk::Rotation rotation;
    chunk::Filler filler;
    BlockPos base;                       ///< where the block begins; `pos` for most
    std::optional<std::string> base_key; ///< of the base, when it is elsewhere; nothing if it is not stored
    std::string fluid;                   ///< `Empty` for none
    int fluid_level = 0;
    int support = 0;
    bool ticks = false;
    chunk::LightValue light; ///< global
    chunk::LightValue local_light;
    bool light_valid = false;
    std::string environment;
    std::uint32_t tint = 0;
    int height = 0; ///< of the column
    struct Component {
        std::string name;
        std::string json; ///< its document
    };
    std::vector<Component> components; ///< of the base
    std::vector<std::string> problems; ///< parts of the chunk that could not be read
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
