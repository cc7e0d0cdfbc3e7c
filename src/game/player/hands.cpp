#include "game/player/hands.hpp"

#include "game/content/item_table.hpp"
#include "game/player/block_rotation.hpp"
#include "net/server_session.hpp"
#include "packets/entities.hpp"
#include "packets/interface.hpp"
#include "packets/player.hpp"

#include <array>

namespace orbis::game {
namespace {

constexpr std::string_view k_empty_hand = "Empty";

std::string_view shown_item(const ItemStack* stack) {
    return stack == nullptr ? k_empty_hand : std::string_view(stack->item);
}

} // namespace

Result<void> Hands::send_slot(Section section, std::int32_t slot) {
    packets::SetActiveSlot packet;
    packet.inventory_section_id = std::to_underlying(section);
    packet.active_slot = slot;
    return session_.send(packet);
}

Result<void> Hands::send_all() {
    TRY_DO(inventory_.pack([&](const auto& packet) { return session_.send(packet); }));
    TRY_DO(send_slot(Section::hotbar, inventory_.hotbar_slot()));
    TRY_DO(send_slot(Section::utility, inventory_.utility_slot()));
    return send_slot(Section::tools, inventory_.tools_slot());
}

Component Hands::equipment() const {
    constexpr std::array<protocol::Text, 4> bare{"", "", "", ""};
    packets::EquipmentUpdate update;
    update.armor_ids = protocol::List<protocol::Text>(bare);
    update.right_hand_item_id = protocol::Text(shown_item(inventory_.in_hand()));
    update.left_hand_item_id = protocol::Text(shown_item(inventory_.in_utility()));
    return make_component(update).value_or(Component{});
}

bool Hands::take_equipment_changed() {
    std::string shows(shown_item(inventory_.in_hand()));
    (shows += '\0') += shown_item(inventory_.in_utility());
    return std::exchange(shown_, shows) != shows;
}

bool Hands::may_create() {
    if (owner_.is_creative()) return true;
    packets::FormattedMessage message;
    message.message_id = protocol::Text("server.general.setCreativeItem.notInCreativeMode");
    packets::Notification packet;
    packet.message = message;
    (void)session_.send(packet);
    return false;
}

bool Hands::on_packet(const protocol::Frame& frame) {
    const auto read = [&]<typename P>(P /*kind*/, auto&& act) {
        if (const auto* packet = session_.read<P>(frame); packet != nullptr && owner_.may_act()) act(*packet);
        return true;
    };
    switch (frame.id) {
    case packets::SyncInteractionChains::k_info.id:
        if (const auto* packet = session_.read<packets::SyncInteractionChains>(frame))
            for (const auto& chain : packet->updates) {
                if (!owner_.may_act()) break;
                chains_.take(chain, owner_.now());
            }
        return true;
    case packets::ClientPlaceBlock::k_info.id:
        return read(packets::ClientPlaceBlock{}, [&](const auto& packet) { on_place(packet); });
    case packets::SetActiveSlot::k_info.id:
        return read(packets::SetActiveSlot{}, [&](const auto& packet) { on_slot(packet); });
    case packets::SetCreativeItem::k_info.id:
        return read(packets::SetCreativeItem{}, [&](const auto& packet) {
            if (may_create()) inventory_.set_creative(packet);
        });
    case packets::SmartGiveCreativeItem::k_info.id:
        return read(packets::SmartGiveCreativeItem{}, [&](const auto& packet) {
            if (may_create()) inventory_.give_creative(packet);
        });
    case packets::DropItemStack::k_info.id:
        return read(packets::DropItemStack{}, [&](const auto& packet) { inventory_.drop(packet); });
    case packets::MoveItemStack::k_info.id:
        return read(packets::MoveItemStack{}, [&](const auto& packet) { inventory_.move(packet); });
    case packets::SmartMoveItemStack::k_info.id:
        return read(packets::SmartMoveItemStack{},
                    [&](const auto& packet) { inventory_.smart_move(packet); });
    default: return false;
    }
}

/// A block placed outside of a chain, as a client does while it draws a line of them.
void Hands::on_place(const packets::ClientPlaceBlock& place) {
    if (!place.position) return;
    const BlockPos pos{place.position->x, place.position->y, place.position->z};
    const auto rotation = place.rotation ? from_wire(*place.rotation) : chunk::Rotation{};
    const auto* held = inventory_.in_hand();
    if (held == nullptr) {
        (void)owner_.edit(pos, 0, {}, false, 0);
        return;
    }
    const auto block = items_.is_variant(place.placed_block_id, held->item)
                           ? place.placed_block_id
                           : items_.block_of(held->item).value_or(0);
    (void)owner_.edit(pos, block, rotation, true, 0);
}

void Hands::on_slot(const packets::SetActiveSlot& slot) {
    const auto section = static_cast<Section>(slot.inventory_section_id);
    if (section == Section::hotbar)
        return session_.disconnect("Attempted to change the hotbar slot without an interaction");
    if (!inventory_.choose_slot(section, slot.active_slot))
        session_.disconnect("Attempted to choose a slot that cannot be chosen");
}

std::optional<std::uint32_t> Hands::begin_edit(BlockPos pos, std::int32_t block, chunk::Rotation rotation) {
    if (++last_ticket_ == 0) ++last_ticket_; // 0 is none
    if (!owner_.edit(pos, block, rotation, true, last_ticket_)) return std::nullopt;
    return last_ticket_;
}

void Hands::tick(net::Time now, net::Duration round_trip) {
    if (inventory_.take_changed())
        (void)inventory_.pack([&](const auto& packet) { return session_.send(packet); });
    const auto& answers = chains_.tick(now, round_trip);
    if (answers.tells_hotbar_slot) (void)send_slot(Section::hotbar, inventory_.hotbar_slot());
    if (answers.tells_utility_slot) (void)send_slot(Section::utility, inventory_.utility_slot());
    for (const auto chain : answers.cancelled) {
        packets::CancelInteractionChain packet;
        packet.chain_id = chain;
        (void)session_.send(packet);
    }
    if (answers.updates.empty()) return;
    packets::SyncInteractionChains packet;
    packet.updates = protocol::List<packets::SyncInteractionChain>(answers.updates);
    (void)session_.send(packet);
}

} // namespace orbis::game
