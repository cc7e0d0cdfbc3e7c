#pragma once

#include "net/address.hpp"
#include "net/loop.hpp"

namespace orbis::net {

/// What an address did when it was called.
struct Reached {
    enum class Answer : std::uint8_t {
        silent,      ///< nothing came
        versions,    ///< a QUIC server said which versions it has
        noise,       ///< something came that is not QUIC
        open,        ///< a TCP connection was established
        refused,     ///< the host is there, and nothing listens at this port
        unreachable, ///< the system knows no way; `reason` says why
    };
    Address address;
    Answer answer = Answer::silent;
    std::optional<Duration> time{}; ///< until the answer
    std::vector<std::uint32_t> versions{};
    std::string reason{}; ///< in the system's words

    [[nodiscard]] bool is_hopeless() const {
        return answer == Answer::refused || answer == Answer::unreachable;
    }
    /// `192.0.2.1:5520 is silent`
    [[nodiscard]] std::string text() const;
};

/// The word for it: `silent`.
std::string_view name(Reached::Answer answer);

/// What a failure of a socket says about the address.
void note_failure(Reached& reached, int failure);

/// Asks all addresses at once for the versions of QUIC that they have. Ends when all are known, a moment
/// after the first good answer, or with the time. The results have the order of the addresses.
std::vector<Reached> reach_over_udp(Loop& loop, const std::vector<Address>& addresses, Duration limit);

} // namespace orbis::net
