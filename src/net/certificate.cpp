#include "net/certificate.hpp"

#include "bytes/hex.hpp"
#include "net/gnutls_x509.hpp"

#include <array>

namespace orbis::net {
namespace {

constexpr std::string_view k_pem_begin = "-----BEGIN CERTIFICATE-----";
constexpr std::string_view k_pem_end = "-----END CERTIFICATE-----";

/// A name as RFC 4514 writes it; the library escapes what would be in the way of a line.
template <typename Get>
Result<std::string> distinguished_name(gnutls_x509_crt_t certificate, Get get) {
    gnutls_datum_t text{};
    const int code = get(certificate, &text, 0U);
    if (code == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE) return std::string();
    TRY_DO(gnutls_done(code, "read a name in the certificate"));
    return std::string(as_text(gnutls_take(text)));
}

std::string key_name(gnutls_x509_crt_t certificate, int algorithm) {
    switch (algorithm) {
    case GNUTLS_PK_RSA: return "RSA";
    case GNUTLS_PK_RSA_PSS: return "RSA-PSS";
    case GNUTLS_PK_EDDSA_ED25519: return "Ed25519";
    case GNUTLS_PK_EDDSA_ED448: return "Ed448";
    case GNUTLS_PK_ECDSA: {
        gnutls_ecc_curve_t curve{};
        gnutls_datum_t x{};
        gnutls_datum_t y{};
        if (gnutls_x509_crt_get_pk_ecc_raw(certificate, &curve, &x, &y) < 0) return "ECDSA";
        gnutls_free(x.data);
        gnutls_free(y.data);
        switch (curve) {
        case GNUTLS_ECC_CURVE_SECP256R1: return "ECDSA secp256r1";
        case GNUTLS_ECC_CURVE_SECP384R1: return "ECDSA secp384r1";
        case GNUTLS_ECC_CURVE_SECP521R1: return "ECDSA secp521r1";
        default: return "ECDSA";
        }
    }
    default: break;
    }
    const char* name = gnutls_pk_algorithm_get_name(static_cast<gnutls_pk_algorithm_t>(algorithm));
    return name != nullptr ? name : "unknown";
}

std::string serial_number(gnutls_x509_crt_t certificate) {
    std::array<std::uint8_t, 64> serial{};
    auto size = serial.size();
    if (gnutls_x509_crt_get_serial(certificate, serial.data(), &size) < 0) return {};
    return to_hex(Bytes(serial).first(size));
}

bool is_self_signed(gnutls_x509_crt_t certificate) {
    if (gnutls_x509_crt_check_issuer(certificate, certificate) != 1) return false;
    // Without the first flag a certificate that stands in the list of the trusted ones is not checked at all.
    // The time is not the question here, and one's own certificate need not be allowed to sign others.
    unsigned findings = 0;
    const auto flags = GNUTLS_VERIFY_DO_NOT_ALLOW_SAME | GNUTLS_VERIFY_DISABLE_CA_SIGN
                       | GNUTLS_VERIFY_DISABLE_TIME_CHECKS | GNUTLS_VERIFY_ALLOW_BROKEN;
    if (gnutls_x509_crt_verify(certificate, &certificate, 1, flags, &findings) < 0) return false;
    return findings == 0;
}

Result<std::chrono::sys_seconds> moment(std::time_t time, std::string_view what) {
    if (time == static_cast<std::time_t>(-1)) return fail(Errc::bad_value, "the certificate has no {}", what);
    return std::chrono::sys_seconds(std::chrono::seconds(time));
}

} // namespace

Result<CertificateFacts> read_certificate(Bytes der) {
    if (der.size() > k_largest_certificate)
        return fail(Errc::too_large, "a certificate has at most {} bytes; this one has {}",
                    k_largest_certificate, der.size());
    const auto certificate = new_certificate();
    auto* const raw = certificate.get();
    const auto view = gnutls_view(der);
    TRY_DO(gnutls_done(gnutls_x509_crt_import(raw, &view, GNUTLS_X509_FMT_DER), "read the certificate"));
    CertificateFacts facts;
    TRY(facts.subject, distinguished_name(raw, gnutls_x509_crt_get_dn3));
    TRY(facts.issuer, distinguished_name(raw, gnutls_x509_crt_get_issuer_dn3));
    facts.serial = serial_number(raw);
    TRY(facts.valid_from, moment(gnutls_x509_crt_get_activation_time(raw), "start time"));
    TRY(facts.valid_until, moment(gnutls_x509_crt_get_expiration_time(raw), "end time"));
    const int algorithm = gnutls_x509_crt_get_pk_algorithm(raw, &facts.key_bits);
    TRY_DO(gnutls_done(algorithm, "read the key of the certificate"));
    facts.key = key_name(raw, algorithm);
    facts.self_signed = is_self_signed(raw);
    facts.fingerprint = net::fingerprint(der);
    return facts;
}

Result<Buffer> certificate_from_pem(std::string_view pem) {
    if (pem.size() > 2 * k_largest_certificate)
        return fail(Errc::too_large, "a certificate has at most {} bytes of PEM text; this one has {}",
                    2 * k_largest_certificate, pem.size());
    if (pem.empty()) return fail(Errc::truncated, "the certificate is empty");
    if (pem.contains(k_pem_begin) && !pem.contains(k_pem_end))
        return fail(error(Errc::truncated, "the certificate is cut off: there is no {}", k_pem_end)
                        .advise("copy the whole file again"));
    const auto certificate = new_certificate();
    const auto view = gnutls_view(as_bytes(pem));
    if (const int code = gnutls_x509_crt_import(certificate.get(), &view, GNUTLS_X509_FMT_PEM); code < 0)
        return fail(error(Errc::bad_text, "not a certificate in PEM text: {}", gnutls_reason(code))
                        .advise("such a text starts with -----BEGIN CERTIFICATE-----"));
    gnutls_datum_t der{};
    TRY_DO(gnutls_done(gnutls_x509_crt_export2(certificate.get(), GNUTLS_X509_FMT_DER, &der),
                       "write the certificate"));
    return gnutls_take(der);
}

std::string certificate_to_pem(Bytes der) {
    const auto view = gnutls_view(der);
    gnutls_datum_t pem{};
    if (gnutls_pem_base64_encode2("CERTIFICATE", &view, &pem) < 0) throw std::bad_alloc();
    return std::string(as_text(gnutls_take(pem)));
}

} // namespace orbis::net
