#pragma once

#include "bytes/bytes.hpp"
#include "bytes/sha256.hpp"

#include <string>

namespace orbis::net {

/// By what a certificate is known: SHA-256 over its DER form. It is no secret.
struct Fingerprint {
    Sha256 sha256{};

    /// 43 characters of base64url, the form of tokens.
    [[nodiscard]] std::string text() const;
    friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// The fingerprint of a certificate in DER form. It is not looked at: any bytes have one.
Fingerprint fingerprint(Bytes der);

} // namespace orbis::net
