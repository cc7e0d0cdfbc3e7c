#pragma once

#include "net/fingerprint.hpp"
#include "net/key_set.hpp"
#include "net/time.hpp"

#include <functional>
#include <memory>
#include <string>

namespace orbis::net {

/// The receiver of an answer. Called once, or never where the service goes before it has answered.
template <typename T>
using Answered = std::move_only_function<void(Result<T>)>;

/// The service that knows players and servers and signs their tokens. Answers come later, in the caller's
/// loop.
class SessionService {
public:
    SessionService() = default;
    SessionService(const SessionService&) = delete;
    SessionService& operator=(const SessionService&) = delete;
    virtual ~SessionService() = default;

    /// What its tokens say as `iss`.
    [[nodiscard]] virtual const std::string& issuer() const = 0;

    /// The keys to check a token with that names `key_id`. The key may still be missing: then the service
    /// does not have it, or was asked a moment ago.
    virtual void keys(std::string key_id, Time now, Answered<std::shared_ptr<const KeySet>> answered) = 0;

    /// An authorization grant for the owner of the identity token, at most 4096 bytes. `audience` is who will
    /// get the access token in the end.
    virtual void grant(std::string identity_token, std::string audience, Answered<std::string> answered) = 0;

    /// The access token for a grant, at most 8192 bytes, bound to the certificate of the caller.
    virtual void exchange(std::string grant, Fingerprint certificate, Answered<std::string> answered) = 0;
};

} // namespace orbis::net
