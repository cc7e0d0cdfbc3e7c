#include "net/ping_talk.hpp"

#include "packets/connection.hpp"

namespace orbis::net {
namespace {

class PingHandler final : public ClientHandler {
public:
    PingHandler(const Clock& clock, PingTalk& talk) : clock_(clock), talk_(talk) {}

    void on_phase(ClientSession& session) override {
        switch (session.phase()) {
        case ClientSession::Phase::connect_sent: talk_.asked = clock_.now(); return;
        case ClientSession::Phase::authenticating: talk_.was_asked_for_account = true; return;
        case ClientSession::Phase::password: talk_.was_asked_for_password = true; return;
        case ClientSession::Phase::setup: talk_.was_let_in = true; return session.leave("Ping is done");
        default: return;
        }
    }

    std::optional<std::string> on_password_refused(int attempts_left) override {
        talk_.attempts_left = attempts_left;
        return {};
    }

    void on_packet(ClientSession& session, const protocol::Frame& frame) override {
        if (!talk_.answered) talk_.answered = clock_.now();
        if (frame.id != packets::Disconnect::k_info.id) return;
        if (const auto* packet = session.read<packets::Disconnect>(frame))
            talk_.refusal = std::string(packet->reason.value_or({}));
    }

    void on_closed(ClientSession&, const Close& close, const std::optional<std::string>& reason) override {
        talk_.close = close;
        talk_.session = nullptr;
        if (reason && !talk_.refusal) talk_.problem = reason;
    }

private:
    const Clock& clock_;
    PingTalk& talk_;
};

} // namespace

std::unique_ptr<ClientSession> make_ping_session(ClientContext& context, PingTalk& talk, ClientRules rules,
                                                 Link& link) {
    auto session = std::make_unique<ClientSession>(context, std::move(rules), link,
                                                   std::make_unique<PingHandler>(context.clock, talk));
    talk.session = session.get();
    return session;
}

bool PingWatched::has_begun() const {
    if (handshake) return true;
    return close && close->kind == Close::Kind::transport && close->code >= k_crypto_error
           && close->code < k_crypto_error + 256;
}

PingWatch::PingWatch(ClientContext& context, PingWatched& watched, PingTalk& talk, QuicConnection& connection,
                     ClientRules rules)
    : clock_(context.clock),
      watched_(watched),
      connection_(connection),
      link_(Side::client, connection, context.clock, LinkLimits{}, context.tools.decompressor) {
    link_.set_user(make_ping_session(context, talk, std::move(rules), link_));
    watched_.connection = this;
}

void PingWatch::on_handshake(QuicConnection& connection) {
    watched_.handshake = clock_.now();
    const auto& tls = *connection.tls();
    watched_.cipher = tls.cipher();
    watched_.protocol = tls.protocol();
    const auto certificate = tls.peer_certificate();
    watched_.certificate.assign(certificate.begin(), certificate.end());
    below().on_handshake(connection);
}

void PingWatch::on_closed(QuicConnection& connection, const Close& close) {
    watched_.close = close;
    watched_.connection = nullptr;
    below().on_closed(connection, close);
}

} // namespace orbis::net
