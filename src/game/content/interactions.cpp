#include "game/content/interactions.hpp"

#include "game/content/registry_frames.hpp"
#include "game/content/registry_numbers.hpp"

#include <array>
#include <utility>

namespace orbis::game {
namespace {

using protocol::Entry;
using protocol::List;
using protocol::Map;
using protocol::Text;
using Type = packets::InteractionType;

/// The interactions that roots are made of, by their numbers.
enum class Step : std::int32_t {
    change_slot,
    use_or_break,
    break_block,
    use_or_place,
    place_block,
    use_block,
    pick_block
};
constexpr std::size_t k_steps = 7;
constexpr std::int32_t number(Step step) { return std::to_underlying(step); }
constexpr std::int32_t number(Root root) { return std::to_underlying(root); }

/// How long a hand takes to place a block, and how long it waits before it does the next thing.
constexpr float k_placing_seconds = 0.125F;
constexpr float k_block_cooldown = 0.278F;

// An operation that can fail is followed by a jump past what is done then.
constexpr std::array<Operation, 1> k_swap{{{Act::change_slot, 1, 1}}};
constexpr std::array<Operation, 3> k_breaking{
    {{Act::use_block, 2, 1}, {Act::jump, 3, 3}, {Act::break_block, 3, 3}}};
constexpr std::array<Operation, 3> k_placing{
    {{Act::use_block, 2, 1}, {Act::jump, 3, 3}, {Act::place_block, 3, 3, k_placing_seconds}}};
constexpr std::array<Operation, 1> k_using{{{Act::use_block, 1, 1}}};
constexpr std::array<Operation, 1> k_picking{{{Act::pick_block, 1, 1}}};

constexpr std::array k_with_block{Entry<Type, std::int32_t>{Type::primary, number(Root::breaking)},
                                  Entry<Type, std::int32_t>{Type::secondary, number(Root::placing)},
                                  Entry<Type, std::int32_t>{Type::use, number(Root::using_it)},
                                  Entry<Type, std::int32_t>{Type::pick, number(Root::picking)},
                                  Entry<Type, std::int32_t>{Type::swap_from, number(Root::swap)}};
constexpr std::array k_bare{Entry<Type, std::int32_t>{Type::primary, number(Root::breaking)},
                            Entry<Type, std::int32_t>{Type::use, number(Root::using_it)},
                            Entry<Type, std::int32_t>{Type::pick, number(Root::picking)},
                            Entry<Type, std::int32_t>{Type::swap_from, number(Root::swap)}};

packets::InteractionRules no_rules() {
    packets::InteractionRules rules;
    rules.blocked_by_bypass_index = k_no_entry;
    rules.blocking_bypass_index = k_no_entry;
    rules.interrupted_by_bypass_index = k_no_entry;
    rules.interrupting_bypass_index = k_no_entry;
    return rules;
}

/// What every interaction has. Those that are about a block wait for what the client says of it.
template <typename Interaction>
Interaction plain_interaction(packets::WaitForDataFrom waits_for) {
    packets::InteractionEffects effects;
    effects.wait_for_animation_to_finish = false;
    Interaction made;
    made.wait_for_data_from = waits_for;
    made.horizontal_speed_multiplier = 1;
    made.cancel_on_item_change = true;
    made.effects = effects;
    made.settings = Map<packets::GameMode, packets::InteractionSettings>();
    made.rules = no_rules();
    made.tags = List<std::int32_t>();
    if constexpr (requires { made.next; }) {
        made.next = k_no_entry;
        made.failed = k_no_entry;
    }
    return made;
}

packets::InteractionCooldown cooldown_of(Text id, bool click_bypass) {
    packets::InteractionCooldown cooldown;
    cooldown.cooldown_id = id;
    cooldown.cooldown = k_block_cooldown;
    cooldown.click_bypass = click_bypass;
    return cooldown;
}

packets::RootInteraction root(Text id, const std::int32_t& first) {
    packets::RootInteraction made;
    made.id = id;
    made.interactions = List<std::int32_t>(&first, 1);
    made.rules = no_rules();
    made.settings = Map<packets::GameMode, packets::RootInteractionSettings>();
    made.tags = List<std::int32_t>();
    return made;
}

void add_steps(RegistryFrames& out) {
    using enum packets::WaitForDataFrom;
    auto change = plain_interaction<packets::ChangeActiveSlotInteraction>(none);
    change.cancel_on_item_change = false;
    change.target_slot = k_no_entry; // the one that the client names
    change.tags.reset();
    auto use = plain_interaction<packets::UseBlockInteraction>(client);
    auto use_or_break = use;
    use_or_break.failed = number(Step::break_block);
    auto use_or_place = use;
    use_or_place.failed = number(Step::place_block);
    auto place = plain_interaction<packets::PlaceBlockInteraction>(client);
    place.run_time = k_placing_seconds;
    place.block_id = -1; // that of the item in the hand
    place.remove_item_in_hand = true;
    place.allow_drag_placement = true;
    place.effects->item_animation_id = Text("Build");
    const std::array steps{
        Entry<std::int32_t, packets::Interaction>{number(Step::change_slot), change},
        Entry<std::int32_t, packets::Interaction>{number(Step::use_or_break), use_or_break},
        Entry<std::int32_t, packets::Interaction>{number(Step::break_block),
                                                  plain_interaction<packets::BreakBlockInteraction>(client)},
        Entry<std::int32_t, packets::Interaction>{number(Step::use_or_place), use_or_place},
        Entry<std::int32_t, packets::Interaction>{number(Step::place_block), place},
        Entry<std::int32_t, packets::Interaction>{number(Step::use_block), use},
        Entry<std::int32_t, packets::Interaction>{number(Step::pick_block),
                                                  plain_interaction<packets::PickBlockInteraction>(client)}};
    static_assert(steps.size() == k_steps);
    out.add_all(&packets::UpdateInteractions::interactions, steps);
}

void add_roots(RegistryFrames& out) {
    using enum packets::GameMode;
    using Settings = Entry<packets::GameMode, packets::RootInteractionSettings>;
    constexpr std::array first{number(Step::change_slot), number(Step::use_or_break),
                               number(Step::use_or_place), number(Step::use_block), number(Step::pick_block)};
    constexpr std::array<float, 1> at_once{0};
    auto swap = root("*Default_Swap", first[0]);
    swap.tags.reset();
    packets::InteractionCooldown swapping;
    swapping.cooldown_id = Text("ChangeActiveSlot");
    swapping.charge_times = List<float>(at_once);
    swapping.skip_cooldown_reset = true;
    swap.cooldown = swapping;

    auto breaking = root("Block_Primary", first[1]);
    const std::array break_settings{
        Settings{adventure,
                 {.allow_skip_chain_on_click = false, .cooldown = cooldown_of("BlockInteraction", false)}},
        Settings{
            creative,
            {.allow_skip_chain_on_click = true, .cooldown = cooldown_of("BlockInteraction_Creative", true)}}};
    breaking.settings = Map<packets::GameMode, packets::RootInteractionSettings>(break_settings);
    auto placing = root("Block_Secondary", first[2]);
    placing.cooldown = cooldown_of("BlockInteraction", true);
    const std::array place_settings{Settings{creative, {.allow_skip_chain_on_click = true, .cooldown = {}}}};
    placing.settings = Map<packets::GameMode, packets::RootInteractionSettings>(place_settings);
    const std::array roots{
        Entry<std::int32_t, packets::RootInteraction>{number(Root::swap), swap},
        Entry<std::int32_t, packets::RootInteraction>{number(Root::breaking), breaking},
        Entry<std::int32_t, packets::RootInteraction>{number(Root::placing), placing},
        Entry<std::int32_t, packets::RootInteraction>{number(Root::using_it), root("Block_Use", first[3])},
        Entry<std::int32_t, packets::RootInteraction>{number(Root::picking), root("Block_Pick", first[4])}};
    static_assert(roots.size() == k_roots);
    out.add_all(&packets::UpdateRootInteractions::interactions, roots);
}

} // namespace

std::span<const Operation> program_of(Root root) {
    switch (root) {
    case Root::swap: return k_swap;
    case Root::breaking: return k_breaking;
    case Root::placing: return k_placing;
    case Root::using_it: return k_using;
    case Root::picking: return k_picking;
    }
    return {};
}

Map<Type, std::int32_t> roots_of_hand(bool holds_block) {
    return holds_block ? Map<Type, std::int32_t>(k_with_block) : Map<Type, std::int32_t>(k_bare);
}

std::optional<Root> root_of(Type type, bool holds_block) {
    for (const auto& [input, root] : roots_of_hand(holds_block))
        if (input == type) return static_cast<Root>(root);
    return std::nullopt;
}

void add_interactions(RegistryFrames& out) {
    add_steps(out);
    add_roots(out);
    packets::UpdateUnarmedInteractions hands;
    hands.interactions = roots_of_hand(false);
    out.add(hands);
}

} // namespace orbis::game
