#pragma once

#include "jobs/edit/fill_cells.hpp"

#include <span>
#include <string>
#include <vector>

namespace orbis::jobs {

/// `FROM=TO`: blocks whose key is like `FROM` become `TO`.
struct Replacement {
    std::string from; ///< with `*` for any text
    Filling::Block to;
    bool turns = false; ///< `to` says a rotation, else that of the block is kept

    static Result<Replacement> parse(std::string_view text);
};

/// What a block becomes.
struct ReplacedKey {
    std::string to;
    const Replacement* by = nullptr;
    bool keeps_parts = false; ///< fillers, components, supports: both are the same kind of block
    bool same_light = false;  ///< light falls through and comes from both alike
    bool same_height = false; ///< both count for the height of a column, or both do not
    friend bool operator==(const ReplacedKey&, const ReplacedKey&) = default;
};

/// What a block with this key becomes; nothing if no rule is about it. The first rule that matches counts. A
/// state of a block becomes the same state of the other where the table knows it, else the plain block.
std::optional<ReplacedKey> replaced_key(std::span<const Replacement> rules, std::string_view key,
                                        const world::Assets& assets);

/// Replaces blocks by others in one pass. Rotations stay, and what belongs to a block stays where both are of
/// the same kind; a block of several cells belongs to the area if its base does.
Result<FillReport> replace_blocks(const world::World& world, const world::Assets& assets, const Area& area,
                                  const CellMask& mask, std::span<const Replacement> rules,
                                  const EditOptions& options, Progress& progress);

} // namespace orbis::jobs
