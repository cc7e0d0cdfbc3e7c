#pragma once

#include "net/fingerprint.hpp"
#include "net/http_client.hpp"
#include "net/key_set.hpp"

namespace orbis::net {

/// Where the session service is and who we are to it.
struct SessionServiceSettings {
    std::string url;           ///< https, or http on this machine
    std::string issuer;        ///< what its tokens say as `iss`; empty for `url` as it is written
    std::string session_token; ///< authorises grants and exchanges
    std::string keys_path = "/.well-known/jwks.json";
    std::string grant_path = "/server-join/auth-grant";
    std::string exchange_path = "/server-join/auth-token";
    HttpOptions http;
};

/// Asks the session service and waits. For one thread at a time; `stop` ends a request early. What is asked
/// and answered is on the page docs/design/session-service.md.
class SessionServiceClient {
public:
    static Result<SessionServiceClient> make(SessionServiceSettings settings);

    Result<KeySet> keys(const std::stop_token& stop = {});
    Result<std::string> grant(std::string_view identity_token, std::string_view audience,
                              const std::stop_token& stop = {});
    Result<std::string> exchange(std::string_view grant, const Fingerprint& certificate,
                                 const std::stop_token& stop = {});

private:
    SessionServiceClient(SessionServiceSettings settings, std::string base);
    /// Posts and takes one text out of the answer.
    Result<std::string> post(const std::string& path, std::string json, std::string_view member,
                             std::size_t limit, const std::stop_token& stop);

    SessionServiceSettings settings_;
    std::string base_;
    HttpClient http_;
};

} // namespace orbis::net
