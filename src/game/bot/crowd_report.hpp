#pragma once

#include "bytes/json_writer.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace orbis::game {

/// Measurements in milliseconds, and what most of them were.
struct Summary {
    std::vector<double> sorted{};

    void add(double milliseconds) { sorted.push_back(milliseconds); }
    void sort();
    [[nodiscard]] bool empty() const { return sorted.empty(); }
    /// The value that `percent` of all do not exceed; 0 if there are none.
    [[nodiscard]] double percentile(double percent) const;
};

/// An expectation of a scenario that was not met.
struct Unmet {
    std::string place; ///< `FILE:LINE`
    std::string text;  ///< what was expected and what was found
};

/// What a crowd measured.
struct CrowdReport {
    std::size_t bots = 0;
    std::size_t joined = 0; ///< that were in the world at some time
    double seconds = 0;
    Summary join{};
    Summary first_chunk{};
    Summary last_chunk{};
    Summary ping{};
    Summary edit{}; ///< until an own edit was seen
    std::uint64_t bytes = 0;
    std::uint64_t packets = 0;
    std::uint64_t chunks = 0;
    std::uint64_t unloaded = 0;
    std::uint64_t moves = 0;
    std::uint64_t chats = 0;
    std::uint64_t edits = 0;
    std::uint64_t edits_confirmed = 0;
    std::uint64_t edits_refused = 0;
    std::uint64_t referrals = 0;
    std::uint64_t teleports = 0;
    std::uint64_t bad_packets = 0;
    double best_chunks_per_second = 0; ///< in the best second
    double best_bytes_per_second = 0;
    std::map<std::string, std::uint64_t> errors{}; ///< by what was said
    std::vector<Unmet> unmet{};
    std::size_t expectations = 0; ///< of the scenario, those that were met included

    [[nodiscard]] bool is_fine() const { return errors.empty() && unmet.empty() && joined == bots; }
    /// Lines for people.
    [[nodiscard]] std::vector<std::string> lines() const;
    void write(JsonWriter& json) const;
};

} // namespace orbis::game
