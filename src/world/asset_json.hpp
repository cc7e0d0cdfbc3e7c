#pragma once

#include "bytes/result.hpp"
#include "world/assets.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The members of asset files that the tables need. Everything else in a file is ignored.
namespace orbis::world {

/// What one block file says; what it does not say is empty and comes from its parent.
struct BlockFields {
    std::string parent;
    std::optional<DrawType> draw_type;
    std::optional<Material> material;
    std::optional<Opacity> opacity;
    std::optional<std::string> group;
    std::optional<Colour> particle;
    std::optional<std::vector<Colour>> tint_up;
    std::optional<int> biome_tint_up;
    std::optional<Colour> light;
    std::optional<int> light_radius;
    std::optional<std::string> hitbox;
    std::string state;               ///< name of the state, empty for the block itself
    std::vector<BlockFields> states; ///< `State.Definitions`

    [[nodiscard]] BlockType onto(BlockType base) const;
};

struct FluidFields {
    std::string parent;
    std::optional<int> max_level;
    std::optional<std::vector<std::string>> effects;
    std::optional<Colour> particle;

    [[nodiscard]] FluidType onto(FluidType base) const;
};

/// The cells that the boxes of a hitbox reach into.
struct HitboxFields {
    std::string parent;
    std::optional<chunk::BlockExtent> extent;
};

struct EnvironmentFields {
    std::string parent;
    std::optional<Colour> water_tint;

    [[nodiscard]] EnvironmentType onto(EnvironmentType base) const;
};

/// Each of these takes the text of one file. A text that is not a JSON object, is nested deeper than 64
/// levels or has a member of the wrong type is an error.
Result<BlockFields> read_block(std::string_view text);
/// The member `BlockType` of an item; nothing for an item that is not a block.
Result<std::optional<BlockFields>> read_item_block(std::string_view text);
Result<FluidFields> read_fluid(std::string_view text);
/// Boxes that reach farther than a block can are an error.
Result<HitboxFields> read_hitbox(std::string_view text);
Result<EnvironmentFields> read_environment(std::string_view text);
Result<Migration> read_migration(std::string_view text);
/// A file with several migrations, by their numbers: `{"0": {…}, "1": {…}}`.
Result<Migrations> read_migrations(std::string_view text);

} // namespace orbis::world
