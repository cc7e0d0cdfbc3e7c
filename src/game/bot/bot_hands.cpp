#include "game/bot/bot_hands.hpp"

#include "game/codec/wire_position.hpp"

#include <algorithm>
#include <utility>

namespace orbis::game {
namespace {

constexpr std::int32_t k_hotbar = -1;
constexpr std::int32_t k_full_hand = 100;
using packets::InteractionState;

packets::InteractionSyncData done_step(Root root, std::int32_t counter, InteractionState state) {
    packets::InteractionSyncData step;
    step.state = state;
    step.operation_counter = counter;
    step.root_interaction = std::to_underlying(root);
    return step;
}

packets::InteractionChainData aimed_at(BlockPos pos) {
    packets::InteractionChainData data;
    data.block_position = wire_position(pos);
    return data;
}

} // namespace

void BotHands::on_inventory(const packets::UpdatePlayerInventory& inventory) {
    // What comes later is older than what the bot has done since.
    if (!std::exchange(is_new_, false)) return;
    hotbar_ = {};
    if (!inventory.hotbar || !inventory.hotbar->items) return;
    for (const auto& [slot, item] : *inventory.hotbar->items)
        if (slot >= 0 && static_cast<std::size_t>(slot) < hotbar_.size())
            hotbar_[static_cast<std::size_t>(slot)] = item.item_id;
}

void BotHands::on_slot(const packets::SetActiveSlot& slot) {
    if (slot.inventory_section_id == k_hotbar && slot.active_slot >= 0
        && static_cast<std::size_t>(slot.active_slot) < hotbar_.size())
        active_ = static_cast<std::size_t>(slot.active_slot);
}

Result<std::int32_t> BotHands::send_chain(net::ClientSession& session, packets::InteractionType type,
                                          Root root, const packets::InteractionChainData& data,
                                          std::span<const Step> steps) {
    const std::array<std::uint8_t, 1> bits{static_cast<std::uint8_t>((1U << steps.size()) - 1)};
    packets::SyncInteractionChain chain;
    chain.active_hotbar_slot = static_cast<std::int32_t>(active_);
    chain.active_utility_slot = -1;
    chain.active_tools_slot = -1;
    chain.initial = true;
    chain.override_root_interaction = std::to_underlying(root);
    chain.interaction_type = type;
    chain.chain_id = ++chains_;
    chain.state = steps.back().state;
    if (!hotbar_[active_].empty()) chain.item_in_hand_id = protocol::Text(hotbar_[active_]);
    chain.data = data;
    chain.interaction_data = protocol::Sparse<Step>{static_cast<std::uint32_t>(steps.size()), Bytes(bits),
                                                    protocol::List<Step>(steps)};
    packets::SyncInteractionChains packet;
    packet.updates = protocol::List<packets::SyncInteractionChain>(&chain, 1);
    TRY_DO(session.send(packet));
    return chain.chain_id;
}

Result<void> BotHands::hold(net::ClientSession& session, std::string_view item) {
    auto slot = std::ranges::find(hotbar_, item);
    if (slot == hotbar_.end()) {
        slot = hotbar_.begin() + static_cast<std::ptrdiff_t>(next_);
        next_ = (next_ + 1) % hotbar_.size();
        packets::SetCreativeItem take;
        take.inventory_section_id = k_hotbar;
        take.slot_id = static_cast<std::int32_t>(slot - hotbar_.begin());
        take.override_ = true;
        take.item.quantity = k_full_hand;
        take.item.item_id = protocol::Text(item);
        TRY_DO(session.send(take));
        *slot = item;
    }
    const auto wanted = static_cast<std::size_t>(slot - hotbar_.begin());
    if (wanted == active_) return {};
    packets::InteractionChainData data;
    data.target_slot = static_cast<std::int32_t>(wanted);
    const std::array steps{done_step(Root::swap, 0, InteractionState::finished)};
    TRY_DO(send_chain(session, packets::InteractionType::swap_from, Root::swap, data, steps));
    active_ = wanted;
    return {};
}

Result<std::int32_t> BotHands::place(net::ClientSession& session, BlockPos pos, std::string_view item,
                                     std::int32_t block, const packets::BlockRotation& rotation) {
    TRY_DO(hold(session, item));
    std::array steps{done_step(Root::placing, 0, InteractionState::failed),
                     done_step(Root::placing, 2, InteractionState::finished)};
    steps[1].block_position = wire_position(pos);
    steps[1].block_rotation = rotation;
    steps[1].placed_block_id = block;
    return send_chain(session, packets::InteractionType::secondary, Root::placing, aimed_at(pos), steps);
}

Result<std::int32_t> BotHands::take_away(net::ClientSession& session, BlockPos pos) {
    const std::array steps{done_step(Root::breaking, 0, InteractionState::failed),
                           done_step(Root::breaking, 2, InteractionState::finished)};
    return send_chain(session, packets::InteractionType::primary, Root::breaking, aimed_at(pos), steps);
}

} // namespace orbis::game
