#pragma once

#include "bytes/recent_map.hpp"
#include "capture/record_decoder.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

namespace orbis::inspect {

/// How long ways take. Not for several threads at once.
class Latency {
public:
    /// The answers to a ping that the game tells apart, and the two connections of a player.
    enum class Kind : std::uint8_t { raw, direct, tick, client, server };
    static std::string_view name(Kind kind);

    struct Sample {
        std::int64_t time = 0; ///< when it was known, nanoseconds since 1970
        Kind kind = Kind::raw;
        std::int64_t nanoseconds = 0;
    };

    static constexpr std::size_t k_most_samples = 2'000; ///< of each player
    static constexpr std::size_t k_most_players = 256;
    static constexpr std::size_t k_most_waiting = 64; ///< pings of a player without an answer

    /// Pairs pings with their answers.
    void add(const capture::Record& record, capture::RecordDecoder& decoder);
    /// What the transport says of a connection.
    void add(std::uint64_t player, const Sample& sample);

    struct Player {
        std::uint64_t player = 0;
        std::vector<Sample> samples{}; ///< oldest first
    };
    /// By the number of the player.
    [[nodiscard]] std::vector<Player> players() const;

private:
    struct Waiting {
        std::int64_t id;
        std::int64_t time;
        std::uint8_t answered = 0; ///< a bit for each kind
    };
    struct State {
        std::deque<Sample> samples;
        std::deque<Waiting> waiting;
    };
    State& state_of(std::uint64_t player);
    static void keep(State& state, const Sample& sample);

    RecentMap<std::uint64_t, State> states_{RecentMap<std::uint64_t, State>::k_unlimited, k_most_players};
};

} // namespace orbis::inspect
