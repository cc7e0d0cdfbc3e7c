#pragma once

// Owners of GnuTLS things, for the source files that talk to the library about certificates and
// keys. Nothing else includes this.

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <memory>

namespace orbis::net {

struct FreeCertificate {
    void operator()(gnutls_x509_crt_t certificate) const { gnutls_x509_crt_deinit(certificate); }
};
struct FreeKey {
    void operator()(gnutls_x509_privkey_t key) const { gnutls_x509_privkey_deinit(key); }
};
using CertificateHandle = std::unique_ptr<gnutls_x509_crt_int, FreeCertificate>;
using KeyHandle = std::unique_ptr<gnutls_x509_privkey_int, FreeKey>;

/// Why the library failed, without the full stop.
inline std::string_view gnutls_reason(int code) {
    std::string_view reason = gnutls_strerror(code);
    if (reason.ends_with('.')) reason.remove_suffix(1);
    return reason;
}

/// `cannot <action>: <reason>` where the library says that it failed.
inline Result<void> gnutls_done(int code, std::string_view action) {
    if (code >= 0) return {};
    return fail(Errc::bad_value, "cannot {}: {}", action, gnutls_reason(code));
}

inline gnutls_datum_t gnutls_view(Bytes bytes) {
    // The library takes no const here, and changes nothing.
    return {const_cast<unsigned char*>(bytes.data()), static_cast<unsigned>(bytes.size())};
}

/// Bytes that the library allocated; frees them.
inline Buffer gnutls_take(gnutls_datum_t& datum) {
    Buffer bytes(datum.data, datum.data + datum.size);
    gnutls_free(datum.data);
    datum = {};
    return bytes;
}

inline CertificateHandle new_certificate() {
    gnutls_x509_crt_t made = nullptr;
    if (gnutls_x509_crt_init(&made) < 0) throw std::bad_alloc();
    return CertificateHandle(made);
}

inline KeyHandle new_key() {
    gnutls_x509_privkey_t made = nullptr;
    if (gnutls_x509_privkey_init(&made) < 0) throw std::bad_alloc();
    return KeyHandle(made);
}

} // namespace orbis::net
