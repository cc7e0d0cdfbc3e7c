#pragma once

#include "net/session_service.hpp"
#include "net/token_checks.hpp"

namespace orbis::net {

// The questions of the authenticated flow. A token that is not a token is refused before the function
// returns; all other answers come as the service gives them.

/// Now, on both clocks: one that never goes back, and the time of day for what tokens say.
struct Moment {
    Time now;
    std::chrono::sys_seconds wall;
};

/// The server's first question about a player: whether the identity token of `Connect` is good. Gets the keys
/// and checks it.
void check_identity(SessionService& service, std::string token, IdentityWanted wanted, Moment moment,
                    Answered<TokenFacts> answered);

/// The server's second question: whether the access token of `AuthToken` is good. A client asks the same
/// about the token of `ServerAuthToken`, with the certificate that it saw of the server.
void check_access(SessionService& service, std::string token, AccessWanted wanted, Moment moment,
                  Answered<TokenFacts> answered);

/// What a client got with `AuthGrant`, and who it is.
struct GrantReceived {
    std::string authorization_grant;
    std::string server_identity_token;
    Fingerprint certificate; ///< of the client
    std::string audience;    ///< of the client: for whom the server's access token is
};

/// What a client answers with `AuthToken`.
struct GrantAnswer {
    std::string access_token;
    std::string server_authorization_grant;
};

/// The client's part: changes the grant into an access token for its own certificate, and gets a grant for
/// the server.
void answer_grant(SessionService& service, GrantReceived received, Answered<GrantAnswer> answered);

} // namespace orbis::net
