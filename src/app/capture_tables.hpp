#pragma once

#include "app/capture_input.hpp"

namespace orbis::app {

/// What a capture is: who wrote it, when, how much, which players.
Result<Outcome> print_capture_info(Console& console, const CaptureInput& input);

/// How often each packet occurs and how large it is, the largest sum first.
Result<Outcome> print_capture_stats(Console& console, const CaptureInput& input);

/// What differs between two captures, player by player and stream by stream; times do not count.
Result<Outcome> print_capture_diff(Console& console, const CaptureInput& a, const CaptureInput& b);

/// Where the page of a capture is, and what it shows.
struct CapturePageOptions {
    std::string address = "127.0.0.1:5522";
    std::vector<std::string> hosts{}; ///< names that it answers to beside its own
    bool keeps_personal = false;
};
/// Shows a capture in the browser until it is stopped.
Result<Outcome> serve_capture(Console& console, const CaptureInput& input, const CapturePageOptions& options);

/// Writes what the players of a capture do as a scenario for bots: where they are, second by second, and what
/// they say.
Result<Outcome> write_capture_scenario(Console& console, const CaptureInput& input,
                                       const std::filesystem::path& out);

} // namespace orbis::app
