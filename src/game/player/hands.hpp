#pragma once

#include "game/entities/entity_state.hpp"
#include "game/player/interaction_chains.hpp"
#include "game/player/inventory.hpp"

namespace orbis::net {
class ServerSession;
}
namespace orbis::protocol {
struct Frame;
}

namespace orbis::game {

/// What a player has in its hands and does with them: its inventory, and the blocks that it places and
/// breaks.
class Hands final : private ChainHost {
public:
    /// The player whose hands these are.
    class Owner {
    public:
        [[nodiscard]] virtual bool is_creative() const = 0;
        [[nodiscard]] virtual net::Time now() const = 0;
        /// Whether it may do one more thing now; the connection ends where it may not.
        virtual bool may_act() = 0;
        /// Asks for a block at a place, 0 breaks what is there. What is not `allowed` only tells the client
        /// what is there. False if nothing can be there.
        virtual bool edit(BlockPos pos, std::int32_t block, chunk::Rotation rotation, bool allowed,
                          std::uint32_t ticket) = 0;

    protected:
        ~Owner() = default;
    };

    /// All of these must outlive it.
    Hands(net::ServerSession& session, const ItemTable& items, Owner& owner)
        : session_(session),
          items_(items),
          owner_(owner),
          inventory_(items),
          chains_(inventory_, items, *this) {}

    /// Tells the client all of it, when it enters a world.
    Result<void> send_all();
    /// Takes a packet that is about hands; false for all others.
    bool on_packet(const protocol::Frame& frame);
    /// What became of an edit.
    void on_edit(std::uint32_t ticket, const std::optional<WireBlock>& now_there) {
        chains_.on_edit(ticket, now_there);
    }
    /// Answers what has come since the last tick.
    void tick(net::Time now, net::Duration round_trip);
    /// Leaves the world with what it has.
    void leave_world() { chains_.clear(); }

    /// What others see of it.
    [[nodiscard]] Component equipment() const;
    /// Whether that has changed since this was asked.
    bool take_equipment_changed();
    [[nodiscard]] const Inventory& inventory() const { return inventory_; }

private:
    std::optional<std::uint32_t> begin_edit(BlockPos pos, std::int32_t block,
                                            chunk::Rotation rotation) override;
    void on_place(const packets::ClientPlaceBlock& place);
    void on_slot(const packets::SetActiveSlot& slot);
    /// Whether items can be taken from nowhere; the client is told if not.
    bool may_create();
    Result<void> send_slot(Section section, std::int32_t slot);

    net::ServerSession& session_;
    const ItemTable& items_;
    Owner& owner_;
    Inventory inventory_;
    InteractionChains chains_;
    std::uint32_t last_ticket_ = 0;
    std::string shown_; ///< what others see in its hands
};

} // namespace orbis::game
