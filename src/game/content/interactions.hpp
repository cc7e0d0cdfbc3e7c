#pragma once

#include "packets/assets.hpp"

#include <optional>
#include <span>

namespace orbis::game {

class RegistryFrames;

/// What one operation of an interaction does.
enum class Act : std::uint8_t { change_slot, use_block, break_block, place_block, pick_block, jump };

/// One step of what a hand does. Clients make the same list from the registries, and both sides name a step
/// by its place in it (docs/formats/interactions.md).
struct Operation {
    Act act{};
    /// The step after it, where it fails and where it does not; past the end: it was the last.
    std::int32_t if_failed = 0;
    std::int32_t if_done = 0;
    float seconds = 0; ///< it takes
};

/// The roots of this server, by their numbers.
enum class Root : std::int32_t { swap, breaking, placing, using_it, picking };
inline constexpr std::int32_t k_roots = 5;

/// The steps of a root.
std::span<const Operation> program_of(Root root);

/// What a hand that holds a block, or nothing, does on this input; nothing if it does nothing.
std::optional<Root> root_of(packets::InteractionType type, bool holds_block);

/// The same for registries. Valid as long as the program runs.
protocol::Map<packets::InteractionType, std::int32_t> roots_of_hand(bool holds_block);

/// Interactions, their roots, and those without an item.
void add_interactions(RegistryFrames& out);

} // namespace orbis::game
