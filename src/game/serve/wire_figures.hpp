#pragma once

#include <cstddef>
#include <cstdint>

namespace orbis::game {

/// What the network below a game has done so far.
struct WireFigures {
    std::size_t connections = 0; ///< now, including those that are not players yet or no longer
    std::uint64_t sent_bytes = 0;
    std::uint64_t sent_datagrams = 0;
    std::uint64_t received_bytes = 0;
    std::uint64_t received_datagrams = 0;
};

} // namespace orbis::game
