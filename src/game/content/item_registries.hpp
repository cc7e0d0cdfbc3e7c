#pragma once

#include "bytes/result.hpp"
#include "game/codec/wire_ids.hpp"
#include "net/outgoing_frame.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace orbis::game {

class BlockEntries;
class ContentPack;
class RegistryFrames;

/// What can be held: an item for every block of the tables, so that a creative inventory has them all, with
/// categories by their groups, sets of blocks, and the names of it in English. The texts of other languages
/// are what it returns.
Result<std::map<std::string, net::OutgoingFrame, std::less<>>>
add_items(const world::Assets& assets, const WireIds& ids, const BlockEntries& blocks,
          const ContentPack* pack, RegistryFrames& out);

/// `Rock_Stone_Mossy` as `Rock Stone Mossy`.
std::string spoken(std::string_view key);

} // namespace orbis::game
