#pragma once

#include "bytes/position.hpp"
#include "game/content/interactions.hpp"
#include "net/client_session.hpp"
#include "packets/interaction.hpp"
#include "packets/inventory.hpp"

#include <array>
#include <string>
#include <string_view>

namespace orbis::game {

/// The hotbar of a bot and what it does with it, by the packets that a client of the game uses
/// (docs/formats/interactions.md).
class BotHands {
public:
    /// The server tells it what it has, when it enters a world.
    void enter_world() { is_new_ = true; }
    void on_inventory(const packets::UpdatePlayerInventory& inventory);
    void on_slot(const packets::SetActiveSlot& slot);

    /// Takes the item into the hand and places its block. The number of the chain is the answer's.
    Result<std::int32_t> place(net::ClientSession& session, BlockPos pos, std::string_view item,
                               std::int32_t block, const packets::BlockRotation& rotation = {});
    Result<std::int32_t> take_away(net::ClientSession& session, BlockPos pos);

private:
    using Step = packets::InteractionSyncData;

    /// Has the item in the active slot then.
    Result<void> hold(net::ClientSession& session, std::string_view item);
    /// Says what it did: all steps at once, since a bot takes no time.
    Result<std::int32_t> send_chain(net::ClientSession& session, packets::InteractionType type, Root root,
                                    const packets::InteractionChainData& data, std::span<const Step> steps);

    std::array<std::string, 9> hotbar_;
    std::size_t active_ = 0;
    std::size_t next_ = 0; ///< the slot that gets the next new item
    bool is_new_ = true;
    std::int32_t chains_ = 0; ///< begun
};

} // namespace orbis::game
