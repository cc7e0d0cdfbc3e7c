#pragma once

#include "orbis/block.hpp"
#include "orbis/export.hpp"
#include "orbis/position.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace orbis {

class Chunk;
struct ChunkState;

/// Some pieces of one thing, in one slot of a container.
struct Item {
    std::string id;            ///< such as "Tool_Pickaxe_Iron"
    std::int32_t quantity = 1; ///< how many pieces
    int slot = 0;              ///< from 0; -1 where the game's name for it is no number
    std::string part;          ///< of the block, such as "ItemContainer", or "FuelContainer" of a furnace
    double durability = 0;     ///< what is left of it
    double max_durability = 0; ///< 0 for what does not wear out
    std::string metadata;      ///< what else the game keeps with it, as JSON; empty for most
    friend bool operator==(const Item&, const Item&) = default; ///< whether both are the same
};

/// A block that holds items: a chest, a furnace; also when it is empty. Reading one does not read the blocks
/// of its chunk until `block()` asks for that. Copies are cheap, and it stays valid by itself.
class ORBIS_API Container {
public:
    /// Where it is in its world.
    [[nodiscard]] BlockPos position() const { return position_; }
    /// The block that it belongs to.
    [[nodiscard]] Block block() const;
    /// What is in it, in stored order.
    [[nodiscard]] std::vector<Item> items() const;
    /// The number of slots, of all its parts together.
    [[nodiscard]] int capacity() const;
    /// The list that the game will fill it from when a player first opens it; empty for none.
    [[nodiscard]] std::string droplist() const;
    /// All components of its block as the game stores them, as a JSON object (docs/formats/bson.md).
    [[nodiscard]] std::string json() const;

private:
    friend class Chunk;
    Container(std::shared_ptr<ChunkState> chunk, BlockPos position, std::size_t entry)
        : chunk_(std::move(chunk)), position_(position), entry_(entry) {}

    std::shared_ptr<ChunkState> chunk_;
    BlockPos position_;
    std::size_t entry_; ///< in the list of the chunk
};

} // namespace orbis
