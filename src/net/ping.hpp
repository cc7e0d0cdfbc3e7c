#pragma once

#include "net/certificate.hpp"
#include "net/game_build.hpp"
#include "net/quic_connection.hpp"
#include "net/reach.hpp"

namespace orbis::net {

/// The steps of a client on its way to a server, in their order.
enum class PingStep : std::uint8_t {
    name,        ///< the name has addresses
    reach,       ///< something answers there
    quic,        ///< it is QUIC of the version that the game uses
    tls,         ///< both agree on a cipher
    protocol,    ///< ALPN
    certificate, ///< the server shows one and accepts ours
    round_trip,  ///< how long packets take; never fails
    identity,    ///< both are of the same build
    account,     ///< whether an account is asked for
    password,    ///< whether a password is asked for
};
inline constexpr std::size_t k_ping_steps = 10;

/// `round-trip`
std::string_view name(PingStep step);

/// Which server to call, and as which player.
struct PingRules {
    HostPort place{};
    bool is_tcp = false;
    GameBuild build = GameBuild::current();
    std::string name = "orbis";
    /// A random one if none is given, so that no player of the server is disturbed.
    std::optional<protocol::Uuid> uuid{};
    std::string password{};                     ///< empty: none is known
    int count = 5;                              ///< measurements of the round trip
    Duration timeout = std::chrono::seconds(5); ///< for each step
};

/// One step as it was found.
struct PingEntry {
    PingStep step = PingStep::name;
    /// That it took; none if it came together with the step before. Of the round trip: the median.
    std::optional<Duration> time{};
    std::string text{};             ///< what was seen; words of the server are quoted
    std::optional<Error> failure{}; ///< what that means and what to do; the last step then
};

/// What a client met on its way to a server.
struct PingReport {
    enum class Password : std::uint8_t { unknown, not_asked, asked, accepted, refused };

    std::vector<PingEntry> entries{};
    std::vector<Reached> addresses{};
    std::optional<Address> address{}; ///< that was talked to
    std::string cipher{};
    std::string protocol{}; ///< ALPN; also one that is not ours
    std::optional<CertificateFacts> certificate{};
    std::vector<Duration> round_trips{};         ///< measured after the handshake, shortest first
    std::optional<std::string> server_version{}; ///< that a server of another build has told
    std::optional<std::string> refusal{};        ///< in the server's words
    Password password = Password::unknown;

    [[nodiscard]] std::optional<PingStep> stopped_at() const {
        if (entries.empty() || !entries.back().failure) return {};
        return entries.back().step;
    }
};

std::string_view name(PingReport::Password password);

/// Takes the steps of a client up to the point where the server would let it in, and leaves. It never joins.
/// Blocks; `tell` is called for each step as it is done. What is wrong with the server or the way to it is in
/// the report; it fails only where the rules make no sense or this machine cannot do its part.
Result<PingReport> ping(const PingRules& rules, const std::function<void(const PingEntry&)>& tell = {});
/// The same in a loop that is there already.
Result<PingReport> ping(Loop& loop, const PingRules& rules,
                        const std::function<void(const PingEntry&)>& tell = {});

} // namespace orbis::net
