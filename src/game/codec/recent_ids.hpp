#pragma once

#include "game/codec/wire_ids.hpp"

#include <array>
#include <vector>

namespace orbis::game {

/// Stands before a table of names and remembers the ids that it gave lately, without locks and with one
/// place in memory for a name: chunks ask for the same few hundred names all the time. For one thread.
class RecentIds {
public:
    RecentIds() : slots_(k_slots) {}

    std::int32_t id_of(IdTable& table, std::string_view name);

private:
    static constexpr std::size_t k_slots = 1024;
    static constexpr std::size_t k_longest = 55; ///< longer names are asked for each time

    struct alignas(64) Slot {
        std::uint32_t edition = 0; ///< of the table; none has 0
        std::int32_t id = 0;
        std::uint8_t size = 0;
        std::array<char, k_longest> name{};
    };
    static_assert(sizeof(Slot) == 64);

    std::vector<Slot> slots_;
};

} // namespace orbis::game
