#include "net/client_session.hpp"

#include "net/password.hpp"
#include "packets/auth.hpp"
#include "packets/connection.hpp"
#include "packets/player.hpp"
#include "packets/setup.hpp"

namespace orbis::net {
namespace {

using namespace std::chrono_literals;

constexpr Duration k_client_grace = 1s;
/// After a Disconnect the server closes; its code says more than ours would. The close may be lost.
constexpr Duration k_wait_for_close = 3s;

} // namespace

void ClientContext::tick() {
    const std::vector<ClientSession*> now(sessions.begin(), sessions.end());
    for (auto* session : now) session->tick();
}

ClientSession::ClientSession(ClientContext& context, ClientRules rules, Link& link,
                             std::unique_ptr<ClientHandler> handler)
    : context_(context),
      clock_(context.clock),
      rules_(std::move(rules)),
      link_(link),
      handler_(std::move(handler)),
      last_packet_(clock_.now()) {
    context_.sessions.insert(this);
}

ClientSession::~ClientSession() {
    self_.end();
    context_.sessions.erase(this);
}

void ClientSession::enter(Phase phase) {
    if (phase_ == Phase::closed) return;
    phase_ = phase;
    handler_->on_phase(*this);
}

void ClientSession::violate() { link_.close(Close::transport(k_protocol_violation)); }

void ClientSession::on_open() {
    last_packet_ = clock_.now();
    if (rules_.build.dialect != nullptr) link_.speak(*rules_.build.dialect, context_.tools.framer, false);
    packets::Connect connect;
    connect.protocol_crc = rules_.build.crc;
    connect.protocol_build_number = rules_.build.number;
    connect.client_version = rules_.build.version;
    connect.client_type = rules_.is_editor ? packets::ClientType::editor : packets::ClientType::game;
    connect.uuid = rules_.uuid;
    connect.username = rules_.name;
    connect.language = rules_.language;
    if (rules_.identity_token) connect.identity_token = protocol::Text(*rules_.identity_token);
    if (!rules_.referral_data.empty()) connect.referral_data = Bytes(rules_.referral_data);
    if (rules_.referral_source) {
        packets::HostAddress source;
        source.host = rules_.referral_source->host;
        source.port = static_cast<std::int16_t>(rules_.referral_source->port);
        connect.referral_source = source;
    }
    if (const auto sent = send(connect); !sent) {
        reason_ = sent.error().text();
        return link_.close(Close::application(CloseCode::none));
    }
    enter(Phase::connect_sent);
}

void ClientSession::on_frame(const protocol::Frame& frame) {
    last_packet_ = clock_.now();
    context_.tools.arena.reset();
    const auto self = self_.ref();
    handler_->on_packet(*this, frame);
    if (!self || phase_ == Phase::closed || link_.is_closing()) return;
    if (frame.packet->channel == Channel::normal) on_default_frame(frame);
}

bool ClientSession::reads(const protocol::PacketInfo& packet) const {
    // What the session reads itself; of the others it only has to know that they came.
    return packet.category == packets::Ping::k_info.category
           || packet.category == packets::AuthGrant::k_info.category || handler_->reads(packet);
}

void ClientSession::on_foreign_frame() { last_packet_ = clock_.now(); }

void ClientSession::on_default_frame(const protocol::Frame& frame) {
    switch (frame.id) {
    case packets::Disconnect::k_info.id:
        if (const auto* packet = read<packets::Disconnect>(frame)) {
            reason_ = std::string(packet->reason.value_or({}));
            close_deadline_ = clock_.now() + k_wait_for_close;
        }
        return;
    case packets::AuthGrant::k_info.id:
        if (const auto* packet = read<packets::AuthGrant>(frame)) on_auth_grant(*packet);
        return;
    case packets::ServerAuthToken::k_info.id:
        if (const auto* packet = read<packets::ServerAuthToken>(frame)) on_server_token(*packet);
        return;
    case packets::ConnectAccept::k_info.id:
        if (rules_.authentication) {
            reason_ = "the server does not ask for an account, so it cannot prove its identity";
            return leave("The server must ask for an account");
        }
        if (const auto* packet = read<packets::ConnectAccept>(frame))
            on_challenge(packet->password_challenge);
        return;
    case packets::PasswordAccepted::k_info.id: return enter(Phase::setup);
    case packets::PasswordRejected::k_info.id: {
        const auto* packet = read<packets::PasswordRejected>(frame);
        if (!packet) return;
        const auto next = handler_->on_password_refused(packet->attempts_remaining);
        if (!next || !packet->new_challenge) return leave("No password to try");
        return answer_challenge(*packet->new_challenge, *next);
    }
    case packets::ClientReferral::k_info.id: {
        const auto* packet = read<packets::ClientReferral>(frame);
        if (!packet || !packet->host_to) return;
        return handler_->on_referral(
            *this, {std::string(packet->host_to->host), static_cast<std::uint16_t>(packet->host_to->port)},
            packet->data.value_or({}));
    }
    case packets::Ping::k_info.id:
        if (const auto* packet = read<packets::Ping>(frame)) on_ping(*packet);
        return;
    default: break;
    }
    if (!rules_.joins) return;
    switch (frame.id) {
    case packets::WorldSettings::k_info.id: {
        packets::RequestAssets request;
        request.assets = protocol::List<packets::Asset>(); // none, where a missing list would mean all
        (void)send(request);
        return;
    }
    case packets::WorldLoadFinished::k_info.id: {
        packets::ViewRadius radius;
        radius.value = rules_.view_radius;
        (void)send(radius);
        (void)send(packets::PlayerOptions{});
        return enter(Phase::joining);
    }
    case packets::JoinWorld::k_info.id: {
        packets::ClientReady ready;
        ready.ready_for_chunks = true;
        (void)send(ready);
        return enter(Phase::play);
    }
    default: return;
    }
}

void ClientSession::on_challenge(const protocol::Opt<Bytes>& challenge) {
    if (!challenge) return enter(Phase::setup);
    was_asked_ = true;
    const auto bytes = *challenge;
    enter(Phase::password);
    if (phase_ != Phase::password || link_.is_closing()) return;
    if (rules_.password.empty()) return leave("The server asks for a password");
    answer_challenge(bytes, rules_.password);
}

void ClientSession::answer_challenge(Bytes challenge, std::string_view password) {
    const auto hash = password_hash(challenge, password);
    packets::PasswordResponse response;
    response.hash = Bytes(hash);
    (void)send(response);
}

void ClientSession::on_auth_grant(const packets::AuthGrant& grant) {
    if (phase_ != Phase::connect_sent) return leave("AuthGrant was not expected at this point");
    enter(Phase::authenticating);
    if (phase_ != Phase::authenticating || link_.is_closing()) return;
    if (!rules_.authentication) return leave("The server asks for a Hytale account");
    GrantReceived received{std::string(grant.authorization_grant.value_or({})),
                           std::string(grant.server_identity_token.value_or({})),
                           rules_.authentication->certificate, rules_.authentication->audience};
    answer_grant(*rules_.authentication->service, std::move(received),
                 [self = self_.ref()](Result<GrantAnswer> answer) {
                     if (!self || self->phase_ != Phase::authenticating) return;
                     auto& session = *self;
                     if (!answer) {
                         session.reason_ = answer.error().text();
                         return session.leave("The session service gave no token");
                     }
                     packets::AuthToken token;
                     token.access_token = protocol::Text(answer->access_token);
                     token.server_authorization_grant = protocol::Text(answer->server_authorization_grant);
                     (void)session.send(token);
                 });
}

void ClientSession::on_server_token(const packets::ServerAuthToken& token) {
    if (!rules_.authentication || !token.server_access_token || !link_.peer().certificate)
        return leave("The server did not prove its identity");
    const Moment moment{clock_.now(), std::chrono::time_point_cast<std::chrono::seconds>(clock_.wall())};
    std::optional<Buffer> challenge;
    if (token.password_challenge)
        challenge.emplace(token.password_challenge->begin(), token.password_challenge->end());
    const AccessWanted wanted{*link_.peer().certificate, rules_.authentication->audience, {}, {}};
    check_access(*rules_.authentication->service, std::string(*token.server_access_token), wanted, moment,
                 [self = self_.ref(), challenge](Result<TokenFacts> facts) {
                     if (!self || self->phase_ != Phase::authenticating) return;
                     auto& session = *self;
                     if (!facts) {
                         session.reason_ = facts.error().text();
                         return session.leave("The server's token is not valid");
                     }
                     session.on_challenge(challenge ? protocol::Opt<Bytes>(Bytes(*challenge))
                                                    : protocol::Opt<Bytes>());
                 });
}

void ClientSession::send_pong(std::int32_t id, packets::PongType type) {
    const auto wall = clock_.wall().time_since_epoch();
    packets::InstantData time;
    time.seconds = std::chrono::duration_cast<std::chrono::seconds>(wall).count();
    time.nanos = static_cast<std::int32_t>((wall % 1s).count());
    packets::Pong pong;
    pong.id = id;
    pong.time = time;
    pong.type = type;
    (void)send(pong);
}

void ClientSession::on_ping(const packets::Ping& ping) {
    send_pong(ping.id, packets::PongType::raw);
    send_pong(ping.id, packets::PongType::direct);
    pings_.push_back(ping.id);
}

void ClientSession::on_bad_frame(const protocol::FrameFailure& failure) {
    reason_ = failure.error.text();
    violate();
}

void ClientSession::on_end() { link_.close(Close::application(CloseCode::none)); }

void ClientSession::on_delivered(Channel channel) {
    if (phase_ != Phase::closed) handler_->on_delivered(*this, channel);
}

void ClientSession::on_closed(const Close& close) {
    phase_ = Phase::closed;
    handler_->on_closed(*this, close, reason_);
}

void ClientSession::leave(std::string_view reason) {
    if (phase_ == Phase::closed || link_.is_closing()) return;
    packets::Disconnect packet;
    packet.reason = reason;
    if (link_.is_open()) (void)send(packet);
    link_.close_when_delivered(Close::application(CloseCode::none), k_client_grace);
}

void ClientSession::tick() {
    link_.tick();
    if (phase_ == Phase::closed || link_.is_closing()) return;
    if (!link_.is_open()) {
        if (clock_.now() - last_packet_ < rules_.silence_limit) return;
        reason_ = "the server could not be reached in time";
        return link_.close(Close::application(CloseCode::timeout));
    }
    for (; !pings_.empty(); pings_.pop_front()) send_pong(pings_.front(), packets::PongType::tick);
    if (clock_.now() >= close_deadline_) return link_.close(Close::application(CloseCode::none));
    if (clock_.now() - last_packet_ < rules_.silence_limit) return;
    reason_ = "the server was silent for too long";
    link_.close(Close::application(CloseCode::timeout));
}

} // namespace orbis::net
