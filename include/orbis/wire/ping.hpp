#pragma once

#include "orbis/error.hpp"
#include "orbis/export.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orbis::wire {

/// How a server is asked.
struct PingOptions {
    std::string password; ///< for a server that asks; empty: none is known
    int count = 5;        ///< measurements of the round trip
    std::chrono::milliseconds timeout = std::chrono::seconds(5); ///< for each step
};

/// One step of a client on its way to a server.
struct PingStep {
    std::string name;             ///< `name`, `reach`, `quic`, `tls`, `protocol`, `certificate` and so on
    std::string text;             ///< what was seen; words of the server are quoted
    std::optional<Error> failure; ///< what is wrong and what to do next; only the last step can have one
};

/// How far a client came.
struct PingReport {
    std::vector<PingStep> steps; ///< in their order, up to the first that failed
    std::string address;         ///< that answered; empty if none did
    std::string certificate;     ///< the fingerprint of the server's; empty if it showed none
    std::vector<std::chrono::microseconds> round_trips; ///< shortest first
    bool asks_for_password = false;                     ///< whether the server wants one

    /// Whether the server would let the client in.
    [[nodiscard]] bool is_open() const { return !steps.empty() && !steps.back().failure; }
};

/// Goes the way of a client to `HOST`, `HOST:PORT` or `[IPV6]:PORT` up to the point where the server would
/// let it in, and leaves. It never joins. What is wrong with the server or the way to it is in the report; it
/// fails only where the address or the options make no sense.
ORBIS_API Result<PingReport> ping(std::string_view address, const PingOptions& options = {});

} // namespace orbis::wire
