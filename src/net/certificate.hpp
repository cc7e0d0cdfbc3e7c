#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"
#include "net/fingerprint.hpp"

#include <chrono>
#include <ctime>
#include <string>
#include <string_view>

namespace orbis::net {

/// A certificate larger than this is refused unread; those of the game have less than 2 KiB.
inline constexpr std::size_t k_largest_certificate = std::size_t{64} * 1024;

/// What a certificate says, for people. Nothing of it is checked when a connection is made: a certificate is
/// known by its fingerprint alone.
struct CertificateFacts {
    std::string subject;                  ///< `CN=localhost`
    std::string issuer;                   ///< the same for a self-signed one
    std::string serial;                   ///< hexadecimal
    std::chrono::sys_seconds valid_from;  ///< the first moment
    std::chrono::sys_seconds valid_until; ///< the last moment
    std::string key;                      ///< `RSA`, `ECDSA secp256r1`, `Ed25519`, …
    unsigned key_bits = 0;
    bool self_signed = false; ///< issuer and subject are the same, and the signature is by its own key
    net::Fingerprint fingerprint;
};

/// Reads a certificate in DER form.
Result<CertificateFacts> read_certificate(Bytes der);

/// The DER form of the first certificate in a PEM text.
Result<Buffer> certificate_from_pem(std::string_view pem);

/// The PEM text of a certificate in DER form.
std::string certificate_to_pem(Bytes der);

} // namespace orbis::net
