#pragma once

#include "bytes/bytes.hpp"
#include "bytes/result.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

struct gnutls_certificate_credentials_st;
struct gnutls_priority_st;
struct gnutls_session_int;
struct ngtcp2_crypto_conn_ref;

namespace orbis::net {

struct Identity;

/// The names of the game's protocol versions in TLS, best first.
std::vector<std::string> game_protocols();

/// What all TLS sessions of one side share: its certificate and its rules. TLS 1.3 only; neither tickets nor
/// early data. Any certificate of the peer passes, because tokens bind certificates later
/// (docs/formats/network.md). Can be used by several threads.
class TlsContext {
public:
    /// A server requires a certificate of the client.
    static Result<std::shared_ptr<TlsContext>> server(const Identity& identity,
                                                      std::vector<std::string> protocols = game_protocols());
    /// The same, for any version of the game's protocol: the first `hytale/N` that the client offers.
    static Result<std::shared_ptr<TlsContext>> server_of_any_version(const Identity& identity);
    /// A client without an identity is refused by servers of the game; `ping` and tests need it.
    static Result<std::shared_ptr<TlsContext>> client(const Identity* identity,
                                                      std::vector<std::string> protocols = {"hytale/2"});

    ~TlsContext();
    TlsContext(const TlsContext&) = delete;
    TlsContext& operator=(const TlsContext&) = delete;

    [[nodiscard]] bool is_server() const { return is_server_; }

private:
    friend class TlsSession;
    explicit TlsContext(bool is_server) : is_server_(is_server) {}
    static Result<std::shared_ptr<TlsContext>> make(bool is_server, const Identity* identity,
                                                    std::vector<std::string> protocols);

    bool is_server_;
    std::vector<std::string> protocols_; ///< empty: any of the game
    gnutls_certificate_credentials_st* credentials_ = nullptr;
    gnutls_priority_st* priority_ = nullptr;
};

/// The TLS side of one QUIC connection.
class TlsSession {
public:
    /// `reference` leads GnuTLS back to the connection and must outlive the session. The name is sent by
    /// clients only; empty for none.
    static Result<TlsSession> make(std::shared_ptr<TlsContext> context, ngtcp2_crypto_conn_ref& reference,
                                   const std::string& server_name);

    [[nodiscard]] gnutls_session_int* handle() const { return session_.get(); }
    /// The protocol that both agreed on; empty before that.
    [[nodiscard]] std::string protocol() const;
    /// The peer's certificate in DER; empty when it has shown none. Valid as long as the session.
    [[nodiscard]] Bytes peer_certificate() const;
    /// The name that the client asked for; empty when it did not say.
    [[nodiscard]] std::string server_name() const;
    /// `TLS_AES_128_GCM_SHA256` for example.
    [[nodiscard]] std::string cipher() const;

private:
    struct Free {
        void operator()(gnutls_session_int* session) const;
    };
    std::shared_ptr<TlsContext> context_;
    std::unique_ptr<gnutls_session_int, Free> session_;
};

/// Fills the bytes from the system's source of random numbers.
void fill_random(MutableBytes out);

} // namespace orbis::net
