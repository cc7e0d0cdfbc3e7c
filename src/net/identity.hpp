#pragma once

#include "net/certificate.hpp"

#include <filesystem>

namespace orbis::net {

/// The kinds of key that both ends of the game's TLS understand.
enum class KeyKind : std::uint8_t { rsa2048, ecdsa_p256, ed25519 };

/// What an endpoint shows to its peer, and what it proves to own: a certificate and its private key.
struct Identity {
    Buffer certificate;          ///< DER
    std::string certificate_pem; ///< the same as text
    std::string key_pem;         ///< PKCS #8, not encrypted

    [[nodiscard]] net::Fingerprint fingerprint() const { return net::fingerprint(certificate); }
};

/// A certificate for a new key, signed by that key: valid from 365 days before `now` to the end of 9999, with
/// a random serial number. An RSA key takes a tenth of a second, the others next to nothing.
Result<Identity> make_self_signed(KeyKind kind, std::chrono::sys_seconds now,
                                  std::string_view common_name = "localhost");

/// Puts a certificate and a key together, both as PEM text; `mismatch` where they do not belong together.
Result<Identity> make_identity(std::string_view certificate_pem, std::string_view key_pem);

/// Whether the key (PEM text) is that of the certificate. Fails only where the key cannot be read.
Result<bool> key_matches(Bytes certificate, std::string_view key_pem);

/// Reads a file with a certificate, PEM or DER, and gives it as DER.
Result<Buffer> load_certificate(const std::filesystem::path& path);

/// Reads a file with a key as text; whether it is one shows when it is used.
Result<std::string> load_key(const std::filesystem::path& path);

/// Reads both files and checks that they belong together.
Result<Identity> load_identity(const std::filesystem::path& certificate, const std::filesystem::path& key);

/// Writes both files, the key readable by its owner alone. Each is there as a whole or not at all, and
/// neither replaces a file that is there: then `exists`.
Result<void> save_identity(const Identity& identity, const std::filesystem::path& certificate,
                           const std::filesystem::path& key);

} // namespace orbis::net
