#pragma once

#include "net/fingerprint.hpp"
#include "net/token.hpp"
#include "protocol/types.hpp"

#include <chrono>
#include <optional>

namespace orbis::net {

/// Clocks of two machines may differ by this much.
inline constexpr std::chrono::seconds k_clock_tolerance{300};

/// What a token must allow: that of a player's client, and that of the editor.
inline constexpr const char* k_client_scope = "hytale:client";
inline constexpr const char* k_editor_scope = "hytale:editor";

/// What every token is checked against.
struct TokenRules {
    const KeySet& keys;
    std::string_view issuer;      ///< the address of the session service, exactly as it writes it
    std::chrono::sys_seconds now; ///< wall-clock time
};

/// What an identity token must say besides; what is left empty is not asked.
struct IdentityWanted {
    std::string scope;                     ///< one word of its `scope`
    std::optional<protocol::Uuid> subject; ///< `sub`: the player that the token is about
};

/// What an access token must say besides; what is left empty is not asked.
struct AccessWanted {
    Fingerprint certificate;               ///< of the connection that the token came over, always asked
    std::optional<std::string> audience;   ///< the first `aud`
    std::optional<protocol::Uuid> subject; ///< `sub`
    std::optional<std::string> username;   ///< `username`
};

/// What a checked token says.
struct TokenFacts {
    std::optional<protocol::Uuid> subject; ///< `sub` where that is a UUID, which it is for every player
    std::string username;                  ///< empty if it has none
    std::chrono::sys_seconds expires;
};

/// The token in a player's `Connect`: who it is. Refusals are sentences about "identity token".
Result<TokenFacts> check_identity_token(std::string_view text, const TokenRules& rules,
                                        const IdentityWanted& wanted);

/// The token that lets its bearer in, bound to the certificate of the connection. The server asks for all of
/// `wanted`; a client that checks the server's token knows the certificate only.
Result<TokenFacts> check_access_token(std::string_view text, const TokenRules& rules,
                                      const AccessWanted& wanted);

} // namespace orbis::net
