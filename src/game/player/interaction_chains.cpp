#include "game/player/interaction_chains.hpp"

#include "game/content/item_table.hpp"
#include "game/content/registry_numbers.hpp"
#include "game/player/block_rotation.hpp"
#include "game/player/inventory.hpp"

#include <algorithm>
#include <utility>

namespace orbis::game {
namespace {

using packets::InteractionState;

/// No program is longer; what a client says of further operations is not kept.
constexpr std::uint32_t k_longest_program = 8;
/// Texts of clients that are echoed; longer ones are not.
constexpr std::size_t k_longest_detail = 256;

bool is_same_item(const protocol::Opt<protocol::Text>& said, const ItemStack* has) {
    if (has == nullptr) return !said || said->empty() || *said == "Empty";
    return said && *said == has->item;
}

/// What the client says of a block counts, so it has to be waited for.
bool waits_for_client(Act act) { return act != Act::change_slot && act != Act::jump; }

} // namespace

void InteractionChains::take(const packets::SyncInteractionChain& update, net::Time now) {
    if (update.forked_id) return cancel(update.chain_id); // nothing here begins forks
    auto running = running_.find(update.chain_id);
    if (update.initial) {
        if (running != running_.end() || !begin(update)) return cancel(update.chain_id);
        running = running_.find(update.chain_id);
        running->second.begun = now;
    }
    if (running == running_.end()) return cancel(update.chain_id);
    running->second.heard = now;
    note_steps(running->second, update);
    run(running->second, now);
}

bool InteractionChains::begin(const packets::SyncInteractionChain& update) {
    if (update.chain_id <= last_id_ || running_.size() >= k_most_running) return false;
    const auto* held = inventory_.in_hand();
    const auto root = root_of(update.interaction_type, held != nullptr);
    if (!root) return false;
    if (update.active_hotbar_slot != inventory_.hotbar_slot()) {
        next_.tells_hotbar_slot = true;
        return false;
    }
    if (update.active_utility_slot != inventory_.utility_slot()) {
        next_.tells_utility_slot = true;
        return false;
    }
    if (!is_same_item(update.item_in_hand_id, held)
        || !is_same_item(update.utility_item_id, inventory_.in_utility()))
        return false;
    last_id_ = update.chain_id;
    auto& chain = running_[update.chain_id];
    chain.id = update.chain_id;
    chain.type = update.interaction_type;
    chain.root = *root;
    chain.slot = inventory_.hotbar_slot();
    if (update.data) {
        chain.data = *update.data;
        chain.hit_detail = update.data->hit_detail.value_or({}).substr(0, k_longest_detail);
        chain.data.hit_detail.reset(); // belongs to the packet
    }
    return true;
}

void InteractionChains::note_steps(Chain& chain, const packets::SyncInteractionChain& update) {
    chain.client_state = update.state;
    if (!update.interaction_data || update.operation_base_index < 0) return;
    const auto& said = *update.interaction_data;
    for (std::uint32_t i = 0; i < std::min(said.count, k_longest_program); ++i) {
        const auto* data = said.find(i);
        if (data == nullptr) continue;
        const auto index = std::int64_t{update.operation_base_index} + i;
        if (index >= k_longest_program) break;
        auto& step = chain.steps[static_cast<std::int32_t>(index)];
        step.state = data->state;
        step.counter = data->operation_counter;
        step.root = data->root_interaction;
        step.block = data->placed_block_id;
        if (data->block_position) {
            const auto& at = *data->block_position;
            step.pos = BlockPos{at.x, at.y, at.z};
        }
        if (data->block_rotation) step.rotation = from_wire(*data->block_rotation);
    }
}

void InteractionChains::run(Chain& chain, net::Time now) {
    const auto program = program_of(chain.root);
    while (chain.state == InteractionState::not_finished) {
        const auto& operation = program[static_cast<std::size_t>(chain.counter)];
        const auto said = chain.steps.find(chain.index);
        const auto* step = said == chain.steps.end() ? nullptr : &said->second;
        if (step != nullptr
            && (step->counter != chain.counter || step->root != std::to_underlying(chain.root))) {
            // It is elsewhere: told where the server is, it begins again from here.
            chain.steps.erase(said, chain.steps.end());
            return tell(chain, InteractionState::not_finished, now);
        }
        if (step == nullptr && waits_for_client(operation.act)) return;
        const auto state = run_step(chain, operation, step, now);
        if (!state) return;
        tell(chain, *state, now);
        chain.counter = *state == InteractionState::failed ? operation.if_failed : operation.if_done;
        ++chain.index;
        chain.begun = now;
        if (static_cast<std::size_t>(chain.counter) >= program.size()) chain.state = *state;
    }
}

std::optional<InteractionState> InteractionChains::run_step(Chain& chain, const Operation& operation,
                                                            const ClientStep* step, net::Time now) {
    switch (operation.act) {
    case Act::change_slot:
        return inventory_.choose_hotbar_slot(chain.data.target_slot) ? InteractionState::finished
                                                                     : InteractionState::failed;
    case Act::use_block: return InteractionState::failed; // no block of this server does anything
    case Act::break_block:
    case Act::place_block: return run_edit(chain, operation, *step, now);
    case Act::pick_block:
    case Act::jump: return InteractionState::finished;
    }
    return InteractionState::failed;
}

std::optional<InteractionState> InteractionChains::run_edit(Chain& chain, const Operation& operation,
                                                            const ClientStep& step, net::Time now) {
    if (!chain.ticket) {
        chain.begun = now;
        chain.ticket = begin_edit(chain, operation, step);
        if (!chain.ticket) return InteractionState::failed;
        edits_.emplace(*chain.ticket, chain.id);
    }
    if (!chain.has_result) return std::nullopt;
    if (!chain.result) return InteractionState::failed;
    const auto takes =
        std::chrono::duration_cast<net::Duration>(std::chrono::duration<float>(operation.seconds));
    if (now - chain.begun >= takes && step.state != InteractionState::not_finished) return step.state;
    if (!std::exchange(chain.has_told_result, true)) tell(chain, InteractionState::not_finished, now);
    return std::nullopt;
}

std::optional<std::uint32_t> InteractionChains::begin_edit(Chain& chain, const Operation& operation,
                                                           const ClientStep& step) {
    if (operation.act == Act::break_block) {
        if (!chain.data.block_position) return std::nullopt;
        const auto& at = *chain.data.block_position;
        chain.target = {at.x, at.y, at.z};
        return host_.begin_edit(chain.target, 0, {});
    }
    const auto* held = inventory_.in_hand();
    if (held == nullptr || !step.pos) return std::nullopt;
    const auto block =
        items_.is_variant(step.block, held->item) ? step.block : items_.block_of(held->item).value_or(0);
    chain.target = *step.pos;
    return host_.begin_edit(chain.target, block, step.rotation);
}

void InteractionChains::on_edit(std::uint32_t ticket, const std::optional<WireBlock>& now_there) {
    const auto edit = edits_.extract(ticket);
    const auto chain = edit.empty() ? running_.end() : running_.find(edit.mapped());
    if (chain == running_.end()) return;
    chain->second.has_result = true;
    chain->second.result = now_there;
}

void InteractionChains::tell(Chain& chain, InteractionState state, net::Time now) {
    if (std::exchange(chain.is_told, false)) chain.told.clear();
    if (chain.told.empty()) chain.first_told = chain.index;
    packets::InteractionSyncData data;
    data.state = state;
    data.progress = std::chrono::duration<float>(now - chain.begun).count();
    data.operation_counter = chain.counter;
    data.root_interaction = std::to_underlying(chain.root);
    if (chain.result) {
        data.block_position = packets::BlockPosition{chain.target.x, chain.target.y, chain.target.z};
        data.placed_block_id = chain.result->id;
        data.block_rotation = to_wire(chain.result->rotation);
    }
    // Each operation once: a later word replaces an earlier one.
    const auto at = static_cast<std::size_t>(chain.index - chain.first_told);
    chain.told.resize(std::max(chain.told.size(), at + 1));
    chain.told[at] = data;
}

void InteractionChains::answer(Chain& chain) {
    packets::SyncInteractionChain update;
    update.initial = !std::exchange(chain.is_answered, true);
    update.override_root_interaction = update.initial ? std::to_underlying(chain.root) : k_no_entry;
    update.interaction_type = chain.type;
    update.equip_slot = chain.slot;
    update.chain_id = chain.id;
    update.state = chain.state;
    update.operation_base_index = chain.told.empty() ? chain.index : chain.first_told;
    chain.is_told = true;
    if (!chain.hit_detail.empty()) chain.data.hit_detail = protocol::Text(chain.hit_detail);
    update.data = chain.data;
    chain.told_bits.assign((chain.told.size() + 7) / 8, 0);
    for (std::size_t i = 0; i < chain.told.size(); ++i)
        chain.told_bits[i / 8] = static_cast<std::uint8_t>(chain.told_bits[i / 8] | 1U << (i % 8));
    update.interaction_data = protocol::Sparse<packets::InteractionSyncData>{
        static_cast<std::uint32_t>(chain.told.size()), chain.told_bits,
        protocol::List<packets::InteractionSyncData>(chain.told)};
    answers_.updates.push_back(update);
}

const InteractionChains::Answers& InteractionChains::tick(net::Time now, net::Duration round_trip) {
    over_.clear();
    answers_ = std::exchange(next_, {});
    if (running_.empty()) return answers_;
    std::vector<std::int32_t> done;
    for (auto& [id, chain] : running_) {
        run(chain, now);
        const bool is_done = chain.state != InteractionState::not_finished;
        const bool is_client_done = chain.client_state != InteractionState::not_finished;
        if (is_done == is_client_done) chain.alone_since.reset();
        if (is_done != is_client_done && !chain.alone_since) chain.alone_since = now;
        const bool is_left_alone =
            chain.alone_since && now - *chain.alone_since > k_patience + 2 * round_trip;
        if (is_done && is_client_done) {
            done.push_back(id);
        } else if (is_left_alone || now - chain.heard > k_longest_silence) {
            answers_.cancelled.push_back(id);
            done.push_back(id);
            chain.is_told = chain.is_answered = true; // nothing but that it is cancelled
        }
    }
    // Chains that are over are kept until their answer has been sent.
    over_.reserve(done.size());
    for (const auto id : done) over_.push_back(std::move(running_.extract(id).mapped()));
    const auto has_news = [](const Chain& chain) {
        return !chain.is_answered || (!chain.told.empty() && !chain.is_told);
    };
    for (auto& chain : over_)
        if (has_news(chain)) answer(chain);
    for (auto& [id, chain] : running_)
        if (has_news(chain)) answer(chain);
    return answers_;
}

} // namespace orbis::game
