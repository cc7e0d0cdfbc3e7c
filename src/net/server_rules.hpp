#pragma once

#include "net/fingerprint.hpp"
#include "net/game_build.hpp"
#include "net/rate_limit.hpp"
#include "protocol/types.hpp"

#include <optional>
#include <string>

namespace orbis::net {

/// Who is let in.
enum class AuthMode : std::uint8_t {
    authenticated, ///< players whom the session service vouches for
    offline,       ///< the owner of a singleplayer server
    insecure,      ///< everybody, under any name
};

/// How long each stage of a session may take, or may be silent.
struct StageTimes {
    Duration initial;
    Duration grant;
    Duration token;
    Duration exchange;
    Duration password;
    Duration world_settings;
    Duration assets_request;
    Duration send_assets;
    Duration add_to_universe;
    Duration play;
    Duration ready = std::chrono::seconds(30); ///< from JoinWorld to ClientReady

    static StageTimes multiplayer();
};

/// How a server treats its clients.
struct ServerRules {
    std::vector<const protocol::BuildInfo*> builds = spoken_builds(); ///< whose clients are let in
    AuthMode auth = AuthMode::insecure;
    bool is_singleplayer = false;
    std::optional<protocol::Uuid> owner{}; ///< of a singleplayer server
    bool lets_editors_in = false;
    std::string password{}; ///< empty: none
    StageTimes times = StageTimes::multiplayer();
    RateLimit rate_limit{};
    Duration ping_every = std::chrono::seconds(1);
    /// The largest payload that is read before a client is let in, and afterwards.
    std::uint32_t largest_before = 64 << 10;
    std::uint32_t largest_after = 4 << 20;

    /// For `AuthMode::authenticated`; the `ServerHandler` has the session service.
    struct Authentication {
        std::string audience;       ///< the server's own id
        std::string identity_token; ///< the server's own
        Fingerprint certificate;    ///< of the server
    };
    std::optional<Authentication> authentication{};
};

} // namespace orbis::net
