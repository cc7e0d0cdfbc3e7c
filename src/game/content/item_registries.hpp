#pragma once

#include "game/codec/wire_ids.hpp"

#include <string>
#include <string_view>

namespace orbis::game {

class BlockEntries;
class ContentPack;
class RegistryFrames;

/// What can be held: an item for every block of the tables, so that a creative inventory has them all, with
/// categories by their groups, sets of blocks, and the names of it in English.
void add_items(const world::Assets& assets, const WireIds& ids, const BlockEntries& blocks,
               const ContentPack* pack, RegistryFrames& out);

/// `Rock_Stone_Mossy` as `Rock Stone Mossy`.
std::string spoken(std::string_view key);

} // namespace orbis::game
