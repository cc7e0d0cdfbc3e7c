#include "net/identity.hpp"

#include "bytes/atomic_file.hpp"
#include "bytes/file.hpp"
#include "bytes/json_writer.hpp"
#include "bytes/system_error.hpp"
#include "bytes/utf8.hpp"
#include "net/gnutls_x509.hpp"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <unistd.h>

namespace orbis::net {

namespace fs = std::filesystem;
using std::chrono::sys_seconds;

namespace {

constexpr std::size_t k_largest_common_name = 64; // X.520

/// 23:59:59 on the last day that a certificate can name.
constexpr sys_seconds k_end_of_time =
    std::chrono::sys_days(std::chrono::year(9999) / 12 / 31) + std::chrono::seconds(86399);

struct Algorithm {
    gnutls_pk_algorithm_t key;
    unsigned bits;
    gnutls_digest_algorithm_t digest;
};

Algorithm algorithm_of(KeyKind kind) {
    switch (kind) {
    case KeyKind::rsa2048: return {GNUTLS_PK_RSA, 2048, GNUTLS_DIG_SHA256};
    case KeyKind::ecdsa_p256:
        return {GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), GNUTLS_DIG_SHA256};
    case KeyKind::ed25519: break;
    }
    return {GNUTLS_PK_EDDSA_ED25519, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_ED25519), GNUTLS_DIG_SHA512};
}

Result<void> check_common_name(std::string_view name) {
    const bool plain = std::ranges::none_of(name, [](unsigned char c) { return c < 32 || c == 127; });
    if (name.empty() || name.size() > k_largest_common_name || !plain || !is_utf8(name))
        return fail(error(Errc::usage, "a common name has 1 to {} bytes of text, not {}",
                          k_largest_common_name, json_quoted(name.substr(0, 2 * k_largest_common_name)))
                        .advise("use a host name such as localhost"));
    return {};
}

/// Positive, and of a fixed length: 16 bytes of which the first is neither zero nor has its top bit set.
Result<std::array<std::uint8_t, 16>> random_serial() {
    std::array<std::uint8_t, 16> serial{};
    TRY_DO(gnutls_done(gnutls_rnd(GNUTLS_RND_NONCE, serial.data(), serial.size()), "create a serial number"));
    serial[0] = (serial[0] & 0x7f) | 0x40;
    return serial;
}

Result<KeyHandle> parse_key(std::string_view pem) {
    if (pem.size() > k_largest_certificate)
        return fail(Errc::too_large, "a key has at most {} bytes of PEM text; this one has {}",
                    k_largest_certificate, pem.size());
    auto key = new_key();
    const auto view = gnutls_view(as_bytes(pem));
    if (const int code = gnutls_x509_privkey_import2(key.get(), &view, GNUTLS_X509_FMT_PEM, nullptr, 0);
        code < 0) {
        auto problem = error(Errc::bad_text, "not a private key in PEM text: {}", gnutls_reason(code));
        if (code == GNUTLS_E_DECRYPTION_FAILED)
            return fail(std::move(problem).advise("an encrypted key cannot be used: remove its password"));
        return fail(std::move(problem).advise("such a text starts with -----BEGIN PRIVATE KEY-----"));
    }
    return key;
}

using KeyId = std::array<std::uint8_t, 32>;

Result<KeyId> id_of(gnutls_x509_privkey_t key) {
    KeyId id{};
    auto size = id.size();
    TRY_DO(gnutls_done(gnutls_x509_privkey_get_key_id(key, GNUTLS_KEYID_USE_SHA256, id.data(), &size),
                       "identify the private key"));
    return id;
}

Result<KeyId> id_of(Bytes der) {
    const auto certificate = new_certificate();
    const auto view = gnutls_view(der);
    TRY_DO(gnutls_done(gnutls_x509_crt_import(certificate.get(), &view, GNUTLS_X509_FMT_DER),
                       "read the certificate"));
    KeyId id{};
    auto size = id.size();
    TRY_DO(
        gnutls_done(gnutls_x509_crt_get_key_id(certificate.get(), GNUTLS_KEYID_USE_SHA256, id.data(), &size),
                    "identify the key of the certificate"));
    return id;
}

Result<std::string> read_small_file(const fs::path& path) {
    TRY(auto file, open_file(path, FileMode::read));
    auto text = read_text(*file, 2 * k_largest_certificate);
    if (!text) return fail(std::move(text.error()).in_file(path.string()));
    return text;
}

/// A certificate in either form, as DER that can be read.
Result<Buffer> certificate_in(std::string_view content) {
    const auto der = as_bytes(content);
    if (read_certificate(der)) return Buffer(der.begin(), der.end());
    return certificate_from_pem(content);
}

/// Writes a file that is not there yet: first beside its name, then under it.
Result<void> write_new_file(const fs::path& path, std::string_view content, mode_t mode) {
    std::error_code code;
    if (fs::exists(fs::symlink_status(path, code)))
        return fail(error(Errc::exists, "this file already exists")
                        .in_file(path.string())
                        .advise("choose another name, or move the file away"));
    auto temporary = path;
    temporary += ".orbis-tmp";
    fs::remove(temporary, code); // left by a run that was killed
    const int made = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (made < 0) return fail(system_error("create the file").in_file(path.string()));
    ::close(made);
    const auto write = [&]() -> Result<void> {
        TRY(auto file, open_file(temporary, FileMode::write));
        TRY_DO(file->write(0, as_bytes(content)));
        TRY_DO(file->sync());
        return place_file(temporary, path);
    };
    auto written = write();
    if (!written) fs::remove(temporary, code);
    return written;
}

} // namespace

Result<Identity> make_self_signed(KeyKind kind, sys_seconds now, std::string_view common_name) {
    TRY_DO(check_common_name(common_name));
    const auto algorithm = algorithm_of(kind);
    const auto key = new_key();
    TRY_DO(gnutls_done(gnutls_x509_privkey_generate(key.get(), algorithm.key, algorithm.bits, 0),
                       "create a private key"));
    const auto certificate = new_certificate();
    auto* const raw = certificate.get();
    TRY(const auto serial, random_serial());
    const auto from = now - std::chrono::days(365);
    TRY_DO(gnutls_done(gnutls_x509_crt_set_version(raw, 3), "set the version"));
    TRY_DO(
        gnutls_done(gnutls_x509_crt_set_serial(raw, serial.data(), serial.size()), "set the serial number"));
    TRY_DO(gnutls_done(gnutls_x509_crt_set_activation_time(raw, from.time_since_epoch().count()),
                       "set the start time"));
    TRY_DO(gnutls_done(gnutls_x509_crt_set_expiration_time(raw, k_end_of_time.time_since_epoch().count()),
                       "set the end time"));
    TRY_DO(gnutls_done(gnutls_x509_crt_set_dn_by_oid(raw, GNUTLS_OID_X520_COMMON_NAME, 0, common_name.data(),
                                                     static_cast<unsigned>(common_name.size())),
                       "set the subject"));
    // Some TLS libraries do not look at the subject. A name with other letters has no form here.
    if (std::ranges::all_of(common_name, [](unsigned char c) { return c > 32 && c < 127; }))
        TRY_DO(gnutls_done(gnutls_x509_crt_set_subject_alt_name(raw, GNUTLS_SAN_DNSNAME, common_name.data(),
                                                                static_cast<unsigned>(common_name.size()),
                                                                GNUTLS_FSAN_SET),
                           "set the name of the host"));
    TRY_DO(gnutls_done(gnutls_x509_crt_set_key(raw, key.get()), "set the key"));
    TRY_DO(gnutls_done(gnutls_x509_crt_sign2(raw, raw, key.get(), algorithm.digest, 0), "sign"));

    Identity made;
    gnutls_datum_t out{};
    TRY_DO(gnutls_done(gnutls_x509_crt_export2(raw, GNUTLS_X509_FMT_DER, &out), "write the certificate"));
    made.certificate = gnutls_take(out);
    made.certificate_pem = certificate_to_pem(made.certificate);
    TRY_DO(gnutls_done(
        gnutls_x509_privkey_export2_pkcs8(key.get(), GNUTLS_X509_FMT_PEM, nullptr, GNUTLS_PKCS_PLAIN, &out),
        "write the private key"));
    made.key_pem = as_text(gnutls_take(out));
    return made;
}

Result<bool> key_matches(Bytes certificate, std::string_view key_pem) {
    TRY(const auto key, parse_key(key_pem));
    TRY(const auto own, id_of(key.get()));
    TRY(const auto named, id_of(certificate));
    return own == named;
}

Result<Identity> make_identity(std::string_view certificate_pem, std::string_view key_pem) {
    Identity identity;
    TRY(identity.certificate, certificate_from_pem(certificate_pem));
    TRY(const bool matches, key_matches(identity.certificate, key_pem));
    if (!matches)
        return fail(error(Errc::mismatch, "the private key does not belong to this certificate")
                        .advise("give the key that was created with the certificate, or create a new pair"));
    identity.certificate_pem = certificate_to_pem(identity.certificate);
    identity.key_pem = key_pem;
    return identity;
}

Result<Buffer> load_certificate(const fs::path& path) {
    TRY(const auto content, read_small_file(path));
    auto der = certificate_in(content);
    if (!der) return fail(std::move(der.error()).in_file(path.string()));
    return der;
}

Result<std::string> load_key(const fs::path& path) { return read_small_file(path); }

Result<Identity> load_identity(const fs::path& certificate, const fs::path& key) {
    TRY(const auto der, load_certificate(certificate));
    TRY(const auto key_pem, load_key(key));
    auto made = make_identity(certificate_to_pem(der), key_pem);
    if (!made) return fail(std::move(made.error()).in_file(key.string()));
    return made;
}

Result<void> save_identity(const Identity& identity, const fs::path& certificate, const fs::path& key) {
    std::error_code code;
    if (fs::exists(fs::symlink_status(certificate, code)))
        return fail(error(Errc::exists, "this file already exists")
                        .in_file(certificate.string())
                        .advise("choose another name, or move the file away"));
    TRY_DO(write_new_file(key, identity.key_pem, 0600));
    auto written = write_new_file(certificate, identity.certificate_pem, 0644);
    if (!written) fs::remove(key, code); // a key without its certificate is in the way of the next attempt
    return written;
}

} // namespace orbis::net
