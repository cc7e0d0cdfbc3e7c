#include "net/tls.hpp"

#include "net/identity.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdlib>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <ngtcp2/ngtcp2_crypto_gnutls.h>

namespace orbis::net {
namespace {

constexpr const char* k_priority = "NORMAL:-VERS-ALL:+VERS-TLS1.3:-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:"
                                   "+CHACHA20-POLY1305:-GROUP-ALL:+GROUP-X25519:+GROUP-SECP256R1:"
                                   "+GROUP-SECP384R1:+GROUP-SECP521R1:%DISABLE_TLS13_COMPAT_MODE";

/// RFC 6066 has names only: GnuTLS as server ends the handshake when it is given an IPv6 address.
bool is_address(const std::string& name) {
    in_addr unused{};
    return inet_pton(AF_INET, name.c_str(), &unused) == 1 || name.find(':') != std::string::npos;
}

int accept_any_certificate(gnutls_session_t) { return 0; }

Error failed(std::string_view what, int code) {
    return error(Errc::unsupported, "TLS cannot {}: {}", what, gnutls_strerror(code));
}

gnutls_datum_t datum(std::string_view text) {
    // GnuTLS reads it only; its type has no const.
    return {reinterpret_cast<unsigned char*>(const_cast<char*>(text.data())),
            static_cast<unsigned>(text.size())};
}

/// `hytale/` and a number of up to three digits.
bool is_game_protocol(std::string_view name) {
    constexpr std::string_view k_start = "hytale/";
    if (!name.starts_with(k_start)) return false;
    name.remove_prefix(k_start.size());
    return !name.empty() && name.size() <= 3
           && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

/// The first protocol of the game in the list of a ClientHello (RFC 7301); empty when there is none.
std::string_view first_game_protocol(Bytes list) {
    for (auto rest = list.size() > 2 ? list.subspan(2) : Bytes(); !rest.empty();) {
        const std::size_t size = rest[0];
        if (size + 1 > rest.size()) break;
        const auto name = as_text(rest.subspan(1, size));
        if (is_game_protocol(name)) return name;
        rest = rest.subspan(size + 1);
    }
    return {};
}

int find_protocol(void* context, unsigned extension, const unsigned char* data, unsigned size) {
    constexpr unsigned k_alpn = 16;
    if (extension == k_alpn)
        *static_cast<std::string_view*>(context) = first_game_protocol(Bytes(data, size));
    return 0;
}

/// Before GnuTLS reads the hello of a client, it is told to want what the client prefers. It takes no more
/// than eight names otherwise.
int want_offered_protocol(gnutls_session_t session, unsigned, unsigned, unsigned,
                          const gnutls_datum_t* hello) {
    std::string_view found;
    if (hello == nullptr
        || gnutls_ext_raw_parse(&found, find_protocol, hello, GNUTLS_EXT_RAW_FLAG_TLS_CLIENT_HELLO) < 0
        || found.empty())
        found = "hytale/2"; // which was not offered: the handshake ends
    const auto wanted = datum(found);
    gnutls_alpn_set_protocols(session, &wanted, 1, GNUTLS_ALPN_MANDATORY);
    return 0;
}

} // namespace

std::vector<std::string> game_protocols() { return {"hytale/3", "hytale/2", "hytale/1"}; }

Result<std::shared_ptr<TlsContext>> TlsContext::make(bool is_server, const Identity* identity,
                                                     std::vector<std::string> protocols) {
    std::shared_ptr<TlsContext> made(new TlsContext(is_server));
    made->protocols_ = std::move(protocols);
    if (const auto code = gnutls_certificate_allocate_credentials(&made->credentials_); code != 0)
        return fail(failed("start", code));
    gnutls_certificate_set_verify_function(made->credentials_, accept_any_certificate);
    if (identity) {
        const auto certificate = datum(identity->certificate_pem);
        const auto key = datum(identity->key_pem);
        if (const auto code = gnutls_certificate_set_x509_key_mem(made->credentials_, &certificate, &key,
                                                                  GNUTLS_X509_FMT_PEM);
            code != 0)
            return fail(failed("use the certificate and its key", code)
                            .advise("create a new pair with `orbis keys make`"));
    }
    if (const auto code = gnutls_priority_init(&made->priority_, k_priority, nullptr); code != 0)
        return fail(failed("set its rules", code));
    return made;
}

Result<std::shared_ptr<TlsContext>> TlsContext::server(const Identity& identity,
                                                       std::vector<std::string> protocols) {
    return make(true, &identity, std::move(protocols));
}

Result<std::shared_ptr<TlsContext>> TlsContext::server_of_any_version(const Identity& identity) {
    return make(true, &identity, {});
}

Result<std::shared_ptr<TlsContext>> TlsContext::client(const Identity* identity,
                                                       std::vector<std::string> protocols) {
    return make(false, identity, std::move(protocols));
}

TlsContext::~TlsContext() {
    if (priority_) gnutls_priority_deinit(priority_);
    if (credentials_) gnutls_certificate_free_credentials(credentials_);
}

void TlsSession::Free::operator()(gnutls_session_int* session) const { gnutls_deinit(session); }

Result<TlsSession> TlsSession::make(std::shared_ptr<TlsContext> context, ngtcp2_crypto_conn_ref& reference,
                                    const std::string& server_name) {
    TlsSession made;
    gnutls_session_t session = nullptr;
    const unsigned flags = context->is_server_
                               ? GNUTLS_SERVER | GNUTLS_NO_AUTO_SEND_TICKET | GNUTLS_NO_TICKETS
                               : GNUTLS_CLIENT | GNUTLS_FORCE_CLIENT_CERT | GNUTLS_NO_TICKETS;
    if (const auto code = gnutls_init(&session, flags); code != 0)
        return fail(failed("start a session", code));
    made.session_.reset(session);
    made.context_ = std::move(context);
    const auto& shared = *made.context_;

    gnutls_priority_set(session, shared.priority_);
    const auto configured = shared.is_server_ ? ngtcp2_crypto_gnutls_configure_server_session(session)
                                              : ngtcp2_crypto_gnutls_configure_client_session(session);
    if (configured != 0) return fail(Errc::unsupported, "TLS cannot be set up for QUIC");
    gnutls_session_set_ptr(session, &reference);
    gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, shared.credentials_);

    std::vector<gnutls_datum_t> protocols;
    for (const auto& protocol : shared.protocols_) protocols.push_back(datum(protocol));
    if (protocols.empty())
        gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_CLIENT_HELLO, GNUTLS_HOOK_PRE,
                                           want_offered_protocol);
    else
        gnutls_alpn_set_protocols(session, protocols.data(), static_cast<unsigned>(protocols.size()),
                                  GNUTLS_ALPN_MANDATORY | GNUTLS_ALPN_SERVER_PRECEDENCE);
    if (shared.is_server_) {
        gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUIRE);
        gnutls_certificate_send_x509_rdn_sequence(session, 1); // no names of authorities: any will do
    } else if (!server_name.empty() && !is_address(server_name)) {
        gnutls_server_name_set(session, GNUTLS_NAME_DNS, server_name.data(), server_name.size());
    }
    return made;
}

std::string TlsSession::protocol() const {
    gnutls_datum_t found{};
    if (gnutls_alpn_get_selected_protocol(session_.get(), &found) != 0) return {};
    return {reinterpret_cast<const char*>(found.data), found.size};
}

Bytes TlsSession::peer_certificate() const {
    unsigned count = 0;
    const auto* chain = gnutls_certificate_get_peers(session_.get(), &count);
    return chain && count > 0 ? Bytes(chain[0].data, chain[0].size) : Bytes();
}

std::string TlsSession::server_name() const {
    std::array<char, 256> name{};
    auto size = name.size();
    unsigned type = 0;
    if (gnutls_server_name_get(session_.get(), name.data(), &size, &type, 0) != 0) return {};
    return {name.data(), size};
}

std::string TlsSession::cipher() const {
    const auto* name = gnutls_ciphersuite_get(session_.get());
    return name ? name : "";
}

void fill_random(MutableBytes out) {
    // Without random numbers nothing here is safe, and there is no way to recover.
    if (gnutls_rnd(GNUTLS_RND_RANDOM, out.data(), out.size()) != 0) std::abort();
}

} // namespace orbis::net
