#include "net/server_session.hpp"

#include "bytes/reader.hpp"
#include "net/tls.hpp"
#include "packets/auth.hpp"
#include "packets/connection.hpp"
#include "packets/player.hpp"
#include "packets/setup.hpp"
#include "protocol/dialect.hpp"

#include <algorithm>
#include <cstring>

namespace orbis::net {
namespace {

using namespace std::chrono_literals;

/// How long a close waits at most for its reason to arrive: a moment longer where the client did nothing
/// wrong. Timeouts are forced after a second, as in the game.
constexpr Duration k_server_grace = 3s;
constexpr Duration k_timeout_grace = 1s;
/// Silence is looked for this often, as the game does.
constexpr Duration k_check_every = 1s;

std::int32_t random_number() {
    std::int32_t number = 0;
    fill_random({reinterpret_cast<std::uint8_t*>(&number), sizeof number});
    return number;
}

std::int32_t microseconds(Duration time) {
    const auto count = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
    return static_cast<std::int32_t>(std::min<std::int64_t>(count, INT32_MAX));
}

std::string wait_text(Duration wait) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
    return seconds == 1 ? "a second" : fmt::format("{} seconds", seconds);
}

/// The build whose `Connect` says its hash here; null for those that state a sum.
const protocol::BuildInfo* build_with_hash(Bytes said) {
    for (const auto& build : protocol::builds())
        if (!build.hash.empty() && said.size() >= build.hash.size()
            && as_text(said.first(build.hash.size())) == build.hash)
            return &build;
    return nullptr;
}

/// Whose clients state neither a sum nor a number.
bool has_first_protocol(const PeerFacts& peer) {
    return !peer.is_tcp && peer.protocol == game_protocols().back();
}

bool is_printable(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127; });
}

} // namespace

void ServerContext::tick() {
    const std::vector<ServerSession*> now(sessions.begin(), sessions.end());
    for (auto* session : now) session->tick();
}

ServerSession::ServerSession(ServerContext& context, Link& link)
    : context_(context),
      link_(link),
      stage_start_(context.clock.now()),
      last_packet_(stage_start_),
      next_check_(stage_start_ + k_check_every),
      bucket_(context.rules.rate_limit, stage_start_) {
    context_.sessions.insert(this);
    enter({"initial", context.rules.times.initial, true});
}

ServerSession::~ServerSession() {
    self_.end();
    if (ticket_) context_.roster.leave(player_.uuid, *ticket_);
    context_.sessions.erase(this);
}

Moment ServerSession::moment() const {
    return {context_.clock.now(), std::chrono::time_point_cast<std::chrono::seconds>(context_.clock.wall())};
}

void ServerSession::enter(Stage stage) {
    stage_ = stage;
    stage_start_ = last_packet_ = context_.clock.now();
}

void ServerSession::on_open() {
    link_.set_largest_payload(context_.rules.largest_before);
    const auto has_hash = [](const auto* build) { return !build->hash.empty(); };
    is_outdated_ = has_first_protocol(link_.peer()) && std::ranges::none_of(context_.rules.builds, has_hash);
    enter({"initial", context_.rules.times.initial, true});
}

bool ServerSession::on_first_bytes() {
    if (!is_outdated_) return true;
    disconnect("Your client is outdated: this server uses a newer protocol. Update the game.",
               CloseCode::client_outdated);
    return false;
}

void ServerSession::disconnect(std::string_view reason, CloseCode code, packets::DisconnectType type) {
    if (phase_ == Phase::closed || link_.is_closing()) return;
    farewell_ = reason;
    packets::Disconnect packet;
    packet.type = type;
    packet.reason = reason;
    // A reason that cannot be written is lost; the connection ends all the same.
    (void)link_.send(context_.tools.writer, packet);
    link_.close_when_delivered(Close::application(code),
                               code == CloseCode::timeout ? k_timeout_grace : k_server_grace);
}

void ServerSession::violate() { link_.close(Close::transport(k_protocol_violation)); }

void ServerSession::refuse_packet(const protocol::Frame& frame) {
    disconnect(fmt::format("{} was not expected at this point.", frame.packet->name));
}

void ServerSession::on_bad_frame(const protocol::FrameFailure& failure) {
    if (failure.is_violation() || phase_ == Phase::initial) return violate();
    disconnect("A packet could not be decompressed.", CloseCode::timeout, packets::DisconnectType::crash);
}

void ServerSession::on_end() {
    // The player is gone; nothing that is sent now would arrive.
    link_.close(Close::application(CloseCode::none));
}

void ServerSession::guard(const std::function<void()>& act) {
    try {
        act();
    } catch (const std::exception& mistake) {
        disconnect(fmt::format("The server made a mistake: {}", mistake.what()), CloseCode::timeout,
                   packets::DisconnectType::crash);
    }
}

void ServerSession::on_delivered(Channel channel) {
    if (handler_ && phase_ != Phase::closed) guard([&] { handler_->on_delivered(channel); });
}

void ServerSession::on_closed(const Close& close) {
    phase_ = Phase::closed;
    self_.end();
    if (ticket_) context_.roster.leave(player_.uuid, *ticket_);
    ticket_.reset();
    close_ = close;
    if (handler_) guard([&] { handler_->on_closed(close); });
}

void ServerSession::on_frame(const protocol::Frame& received) {
    const auto now = context_.clock.now();
    if (!bucket_.take(now)) return link_.close(Close::application(CloseCode::rate_limited));
    const auto opened = link_.open(received);
    if (!opened) return;
    const auto& frame = *opened;
    last_packet_ = now;
    context_.tools.arena.reset();

    if (frame.id == packets::Disconnect::k_info.id) {
        if (!read<packets::Disconnect>(frame)) return;
        has_left_ = true;
        return link_.close(Close::application(CloseCode::none));
    }
    switch (phase_) {
    case Phase::initial:
        if (frame.id != packets::Connect::k_info.id) return violate();
        if (!has_build_) return on_first_packet(frame);
        if (const auto* connect = read<packets::Connect>(frame)) on_connect(*connect);
        return;
    case Phase::authenticating:
        if (frame.id != packets::AuthToken::k_info.id) return refuse_packet(frame);
        if (const auto* token = read<packets::AuthToken>(frame)) on_auth_token(*token);
        return;
    case Phase::password:
        if (frame.id != packets::PasswordResponse::k_info.id) return refuse_packet(frame);
        if (const auto* response = read<packets::PasswordResponse>(frame)) on_password_response(*response);
        return;
    case Phase::setup: return on_setup_packet(frame);
    case Phase::play:
        if (frame.id == packets::Pong::k_info.id) {
            if (const auto* pong = read<packets::Pong>(frame)) on_pong(*pong);
            return;
        }
        if (frame.id == packets::ClientReady::k_info.id) {
            const auto* ready = read<packets::ClientReady>(frame);
            if (!ready) return;
            if (ready->ready_for_chunks) ready_deadline_ = k_never;
        }
        return hand_to_handler(frame);
    case Phase::closed: return;
    }
}

void ServerSession::hand_to_handler(const protocol::Frame& frame) {
    bool is_handled = true;
    guard([&] { is_handled = handler_->on_packet(frame); });
    if (is_handled || phase_ == Phase::closed) return;
    disconnect(fmt::format("{} is not handled by this server.", frame.packet->name), CloseCode::timeout);
}

/// All builds that state a sum have it and the number of the build in the same place. The first have a hash.
void ServerSession::on_first_packet(const protocol::Frame& frame) {
    constexpr std::size_t k_crc_at = 1;
    constexpr std::size_t k_number_at = 5;
    if (frame.payload.size() < k_number_at + sizeof(std::int32_t)) return violate();
    const auto crc = load_le<std::int32_t>(frame.payload.data() + k_crc_at);
    auto number = load_le<std::int32_t>(frame.payload.data() + k_number_at);
    const auto& builds = context_.rules.builds;
    auto found = std::ranges::find(builds, crc, &protocol::BuildInfo::crc);
    if (const auto* first = build_with_hash(frame.payload.subspan(k_crc_at))) {
        number = first->build_number;
        found = std::ranges::find(builds, first);
    }
    if (found == builds.end()) {
        const auto newest = std::ranges::max(builds, {}, &protocol::BuildInfo::build_number)->build_number;
        const bool is_older = number < newest || has_first_protocol(link_.peer());
        return link_.close(Close::application(
            is_older ? CloseCode::client_outdated : CloseCode::server_outdated, names_of(builds)));
    }
    has_build_ = true;
    if (const auto* dialect = protocol::Dialect::of(**found)) {
        const bool has_account = context_.rules.auth == AuthMode::authenticated;
        is_named_by_token_ = has_account && dialect->asks_for_player();
        link_.speak(*dialect, context_.tools.framer, !has_account);
    }
    // Nothing is heard where the client is asked who it is.
    link_.hear(frame, [this](const protocol::Frame& heard) {
        if (const auto* connect = read<packets::Connect>(heard)) on_connect(*connect);
    });
}

void ServerSession::on_foreign_frame() {
    last_packet_ = context_.clock.now();
    if (!bucket_.take(last_packet_)) link_.close(Close::application(CloseCode::rate_limited));
}

void ServerSession::on_connect(const packets::Connect& connect) {
    const auto& rules = context_.rules;
    if (const auto reason = context_.handler.closed_because()) return disconnect(*reason);
    if (!is_named_by_token_ && connect.uuid == protocol::Uuid{}) return disconnect("Missing UUID");
    if (!is_named_by_token_ && connect.username.empty()) return disconnect("Missing username");
    if (!is_printable(connect.username))
        return disconnect("The player name has characters that are not allowed.");
    if (connect.referral_data && (!connect.referral_source || connect.referral_source->host.empty()))
        return disconnect("Referral data came without the server it is from.");

    player_ = {.uuid = connect.uuid,
               .name = std::string(connect.username),
               .language = std::string(connect.language),
               .is_editor = connect.client_type == packets::ClientType::editor,
               .referral_data = {},
               .referral_source = {}};
    if (connect.referral_data)
        player_.referral_data.assign(connect.referral_data->begin(), connect.referral_data->end());
    if (connect.referral_source)
        player_.referral_source = {std::string(connect.referral_source->host),
                                   static_cast<std::uint16_t>(connect.referral_source->port)};
    if (player_.is_editor && !rules.lets_editors_in)
        return disconnect("This server does not accept editors.");
    choose_flow(connect);
}

void ServerSession::choose_flow(const packets::Connect& connect) {
    const auto& rules = context_.rules;
    switch (rules.auth) {
    case AuthMode::authenticated:
        if (!connect.identity_token) return disconnect("This server requires authentication!");
        if (link_.peer().is_tcp || !rules.authentication || !context_.handler.session_service())
            return disconnect("A Hytale account does not work over this connection: use QUIC.");
        return begin_authentication(std::string(*connect.identity_token));
    case AuthMode::offline:
        if (!rules.is_singleplayer || player_.uuid != rules.owner)
            return disconnect("This server is for its owner only.");
        return accept_insecurely();
    case AuthMode::insecure: return accept_insecurely();
    }
}

std::optional<PasswordChallenge> ServerSession::challenge_player() {
    const auto& rules = context_.rules;
    const bool is_owner = rules.is_singleplayer && rules.owner == player_.uuid;
    if (rules.password.empty() || is_owner) return {};
    challenge_ = make_password_challenge();
    return challenge_;
}

void ServerSession::accept_insecurely() {
    packets::ConnectAccept accept;
    if (const auto challenge = challenge_player()) accept.password_challenge = Bytes(*challenge_);
    (void)send(accept);
    leave_authentication();
}

void ServerSession::leave_authentication() {
    if (!is_alive()) return; // what was just sent may have shown that the client is gone
    if (!challenge_) return begin_setup();
    phase_ = Phase::password;
    enter({"password", context_.rules.times.password, false});
}

template <typename T>
Answered<T> ServerSession::when_alive(std::move_only_function<void(T)> act, std::string_view what) {
    return [self = self_.ref(), act = std::move(act), what](Result<T> answer) mutable {
        if (!self) return;
        auto& session = *self;
        if (session.phase_ != Phase::authenticating || session.link_.is_closing()) return;
        if (!answer) return session.disconnect(fmt::format("{}: {}.", what, answer.error().problem));
        act(*std::move(answer));
    };
}

bool ServerSession::take_player(const TokenFacts& facts) {
    constexpr std::size_t k_longest_name = 16;
    if (!is_named_by_token_) return true;
    const auto& name = facts.username;
    if (facts.subject && !name.empty() && name.size() <= k_longest_name && is_printable(name)) {
        player_.uuid = *facts.subject;
        player_.name = name;
        return true;
    }
    disconnect("Your account has no name that a player can have.");
    return false;
}

void ServerSession::begin_authentication(std::string identity_token) {
    phase_ = Phase::authenticating;
    enter({"authentication: grant", context_.rules.times.grant, true});
    IdentityWanted wanted{player_.is_editor ? k_editor_scope : k_client_scope, player_.uuid};
    if (is_named_by_token_) wanted.subject.reset();
    auto checked = [this, identity_token](const TokenFacts& facts) {
        if (!take_player(facts)) return;
        if (const auto reason = context_.handler.refuse(player_, link_.peer())) return disconnect(*reason);
        ask_for_grant(identity_token);
    };
    check_identity(*context_.handler.session_service(), identity_token, wanted, moment(),
                   when_alive<TokenFacts>(std::move(checked), "Your account could not be checked"));
}

void ServerSession::ask_for_grant(std::string identity_token) {
    const auto& own = *context_.rules.authentication;
    auto granted = [this](std::string grant) {
        packets::AuthGrant packet;
        packet.authorization_grant = protocol::Text(grant);
        packet.server_identity_token = protocol::Text(context_.rules.authentication->identity_token);
        if (!send(packet)) return disconnect("The session service gave a grant that is too long.");
        waits_for_token_ = true;
        enter({"authentication: token", context_.rules.times.token, true});
    };
    context_.handler.session_service()->grant(
        std::move(identity_token), own.audience,
        when_alive<std::string>(std::move(granted), "The session service gave no grant"));
}

void ServerSession::on_auth_token(const packets::AuthToken& token) {
    if (!std::exchange(waits_for_token_, false))
        return disconnect("AuthToken was not expected at this point.");
    if (!token.access_token) return disconnect("AuthToken has no access token.");
    if (!token.server_authorization_grant) return disconnect("AuthToken has no grant for the server.");
    if (!link_.peer().certificate) return violate();
    const auto& own = *context_.rules.authentication;
    enter({"authentication: exchange", context_.rules.times.exchange, true});
    const AccessWanted wanted{*link_.peer().certificate, own.audience, player_.uuid, player_.name};
    auto checked = [this, grant = std::string(*token.server_authorization_grant)](TokenFacts) {
        exchange_grant(grant);
    };
    check_access(*context_.handler.session_service(), std::string(*token.access_token), wanted, moment(),
                 when_alive<TokenFacts>(std::move(checked), "Your access token could not be checked"));
}

void ServerSession::exchange_grant(std::string grant) {
    const auto& own = *context_.rules.authentication;
    auto exchanged = [this](std::string access_token) {
        packets::ServerAuthToken packet;
        packet.server_access_token = protocol::Text(access_token);
        if (challenge_player()) packet.password_challenge = Bytes(*challenge_);
        if (!send(packet)) return disconnect("The session service gave a token that is too long.");
        leave_authentication();
    };
    context_.handler.session_service()->exchange(
        std::move(grant), own.certificate,
        when_alive<std::string>(std::move(exchanged), "The session service gave no token"));
}

void ServerSession::on_password_response(const packets::PasswordResponse& response) {
    auto& passwords = context_.roster.passwords();
    const auto& from = link_.peer().address;
    const auto now = context_.clock.now();
    // Not even a right one: someone who guesses must not learn that it is.
    if (const auto refused = passwords.refuse(from, player_.uuid, now)) {
        context_.handler.on_password_trouble(player_, link_.peer(), *refused);
        return disconnect(
            fmt::format("Too many wrong passwords. Wait {} and connect again.", wait_text(refused->wait)));
    }
    if (response.hash && is_right_answer(*response.hash, *challenge_, context_.rules.password)) {
        passwords.passed(from, player_.uuid);
        challenge_.reset();
        (void)send(packets::PasswordAccepted{});
        return begin_setup();
    }
    const auto trouble = passwords.failed(from, player_.uuid, now);
    context_.handler.on_password_trouble(player_, link_.peer(), trouble);
    if (--attempts_left_ == 0) return disconnect("Too many failed password attempts");
    if (trouble.wait > Duration::zero())
        return disconnect(
            fmt::format("The password was wrong. Wait {} and connect again.", wait_text(trouble.wait)));
    challenge_ = make_password_challenge();
    packets::PasswordRejected rejected;
    rejected.new_challenge = Bytes(*challenge_);
    rejected.attempts_remaining = attempts_left_;
    (void)send(rejected);
    enter({"password", context_.rules.times.password, false});
}

void ServerSession::begin_setup() {
    if (!is_alive()) return;
    // With an account this was asked before the grant, as the game does.
    if (context_.rules.auth != AuthMode::authenticated)
        if (const auto reason = context_.handler.refuse(player_, link_.peer())) return disconnect(*reason);
    if (!is_alive()) return;
    const auto kick = [post = context_.post, self = self_.ref()] {
        post([self] {
            if (self) self->disconnect("You logged in again with the account!");
        });
    };
    ticket_ = context_.roster.enter(player_.uuid, link_.peer().address, kick);
    if (!ticket_) return disconnect("You are already logged in on that account!");
    phase_ = Phase::setup;
    link_.set_largest_payload(context_.rules.largest_after);
    enter({"setup: world settings", context_.rules.times.world_settings, true});
    guard([&] { handler_ = context_.handler.welcome(*this); });
    if (handler_ && phase_ == Phase::closed) guard([&] { handler_->on_closed(*close_); });
    if (!handler_) disconnect("The server has no world for you.");
}

Result<void> ServerSession::check_channel(Channel channel) const {
    if (channel == Channel::normal || phase_ == Phase::play || phase_ == Phase::closed) return {};
    return fail(Errc::usage, "the channel {} is only open during play", name(channel));
}

void ServerSession::on_setup_packet(const protocol::Frame& frame) {
    const auto& times = context_.rules.times;
    if (frame.id == packets::RequestAssets::k_info.id) {
        if (std::exchange(has_requested_assets_, true)) return refuse_packet(frame);
        enter({"setup: send assets", times.send_assets, true});
    } else if (frame.id == packets::PlayerOptions::k_info.id) {
        if (!has_requested_assets_) return refuse_packet(frame);
        enter({"setup: add to universe", times.add_to_universe, true});
    } else if (frame.id != packets::ViewRadius::k_info.id) {
        return refuse_packet(frame);
    }
    hand_to_handler(frame);
}

void ServerSession::note_sent(std::int32_t packet) {
    const auto& times = context_.rules.times;
    if (packet == packets::WorldSettings::k_info.id && phase_ == Phase::setup)
        enter({"setup: assets request", times.assets_request, true});
    if (packet == packets::WorldLoadFinished::k_info.id && phase_ == Phase::setup)
        enter({"setup: player options", times.send_assets, true});
    if (packet == packets::JoinWorld::k_info.id) ready_deadline_ = context_.clock.now() + times.ready;
}

Result<void> ServerSession::begin_play() {
    if (phase_ != Phase::setup) return fail(Errc::usage, "only a player in setup can start to play");
    if (!link_.open_play_channels()) {
        disconnect("Your client does not allow the streams for chunks and map.");
        return fail(Errc::unsupported, "the client does not allow streams from the server");
    }
    phase_ = Phase::play;
    enter({"play", context_.rules.times.play, false});
    next_ping_ = context_.clock.now();
    return {};
}

Result<void> ServerSession::refer(const HostPort& to, Bytes data) {
    packets::ClientReferral referral;
    packets::HostAddress host;
    host.host = to.host;
    host.port = static_cast<std::int16_t>(to.port);
    referral.host_to = host;
    referral.data = data;
    return send(referral);
}

void ServerSession::on_pong(const packets::Pong& pong) {
    if (pings_.answered(static_cast<std::size_t>(pong.type), pong.id, context_.clock.now())) return;
    disconnect("A ping was answered out of order.", CloseCode::timeout);
}

void ServerSession::send_ping() {
    const auto now = context_.clock.now();
    const auto wall = context_.clock.wall().time_since_epoch();
    packets::InstantData time;
    time.seconds = std::chrono::duration_cast<std::chrono::seconds>(wall).count();
    time.nanos = static_cast<std::int32_t>((wall % 1s).count());
    packets::Ping ping;
    ping.id = random_number();
    ping.time = time;
    ping.last_ping_value_raw = microseconds(pings_.last(0));
    ping.last_ping_value_direct = microseconds(pings_.last(1));
    ping.last_ping_value_tick = microseconds(pings_.last(2));
    pings_.sent(ping.id, now);
    next_ping_ = now + context_.rules.ping_every;
    (void)send(ping);
}

void ServerSession::tick() {
    link_.tick();
    if (phase_ == Phase::closed || link_.is_closing() || !link_.is_open()) return;
    const auto now = context_.clock.now();
    if (stage_.has_deadline && now - stage_start_ >= stage_.time)
        return disconnect(fmt::format("This took too long ({}).", stage_.name));
    if (now >= next_check_) {
        next_check_ = now + k_check_every;
        if (now - last_packet_ >= stage_.time)
            return disconnect(fmt::format("Nothing was received for too long ({}).", stage_.name),
                              CloseCode::timeout);
    }
    if (now >= ready_deadline_) return disconnect("The client was not ready for the world in time.");
    if (phase_ == Phase::play && now >= next_ping_) send_ping();
}

} // namespace orbis::net
