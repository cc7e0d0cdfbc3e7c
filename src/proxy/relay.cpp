#include "proxy/relay.hpp"

#include "proxy/relay_parts.hpp"

#include <fmt/format.h>

/// The beginning of a relay: from a client that has come to a server that has let us in.
namespace orbis::proxy {

using namespace std::chrono_literals;
using net::Close;
using net::CloseCode;
using net::QuicConnection;
using net::StreamId;

namespace {

/// Streams that a server may have open for one client at first, however many that allows.
constexpr std::uint64_t k_first_uni_streams = 64;

} // namespace

Result<std::shared_ptr<net::TlsContext>> RelayContext::tls_for(const std::string& protocol) {
    auto& known = tls_[protocol];
    if (!known) {
        TRY(known, net::TlsContext::client(&identity, {protocol}));
    }
    return known;
}

Relay::Relay(RelayContext& context, QuicConnection& client)
    : context_(context), began_(context.loop.now()), budget_at_(began_) {
    leg(End::client) = &client;
    player_.client = client.path().remote;
    player_.proxy = client.path().local;
    budget_ = context.shared.rules.player_rate;
    if (const auto& login = context.shared.rules.login; login && context.service)
        account_ = std::make_unique<Account>(*this, *login, *context.service);
}

Relay::~Relay() { finish(); }

std::unique_ptr<net::QuicHandler> Relay::client_leg() { return std::make_unique<Leg>(*this, End::client); }

StreamWay& Relay::way(End from, StreamId stream) {
    auto& all = ways_[index_of(from)];
    const auto at = std::ranges::find(all, stream, &StreamWay::stream);
    return at != all.end() ? *at : all.emplace_back(from, stream);
}

void Relay::on_client_handshake(QuicConnection& connection) {
    player_.client = connection.path().remote;
    player_.proxy = connection.path().local;
    player_.protocol = connection.tls()->protocol();
    player_.server_name = connection.tls()->server_name();
    player_.number = ++context_.shared.sessions;
    if (player_.protocol.empty()) return connection.close(Close::transport(net::k_no_application_protocol));
    // TLS has judged it already; a connection without one must not be served whatever happened there.
    if (connection.tls()->peer_certificate().empty())
        return connection.close(Close::transport(net::k_protocol_violation));
    if (const auto why = context_.shared.admit(player_.client)) {
        ++context_.shared.refused;
        context_.shared.events.on_refused(player_, *why);
        return say_goodbye(*why, CloseCode::none);
    }
    is_admitted_ = true;
    uni_allowed_ = std::min(connection.uni_streams_left(), k_first_uni_streams);
    connect();
}

void Relay::on_server_handshake(QuicConnection& connection) {
    server_certificate_ = net::fingerprint(connection.tls()->peer_certificate());
}

net::QuicSettings Relay::server_settings(std::uint64_t uni_streams) const {
    const auto& rules = context_.shared.rules;
    auto settings = net::QuicSettings::client();
    // Each stream can be full while the others go on.
    settings.max_stream_data_bidi_local = settings.max_stream_data_uni = settings.largest_stream_window =
        rules.stream_buffer;
    settings.max_data = settings.largest_window = 4 * rules.stream_buffer;
    settings.max_streams_uni = uni_streams;
    settings.idle_timeout = rules.idle_timeout;
    settings.handshake_timeout = rules.connect_timeout;
    settings.keep_alive = 10s;
    if (rules.rough.is_any()) settings.congestion = net::QuicSettings::Congestion::bbr;
    return settings;
}

void Relay::connect() {
    route_ = &context_.routes.of(player_.proxy);
    if (!route_->is_looked_up) return; // `tick` asks again
    // A client that was referred here asks for us, not for that server.
    const auto& name =
        player_.server_name.empty() || route_->is_referral ? route_->host.host : player_.server_name;
    for (; address_ < route_->targets.size(); ++address_) {
        auto tls = context_.tls_for(player_.protocol);
        if (!tls) break;
        player_.server = route_->targets[address_];
        const auto made =
            context_.driver.connect(player_.server, *std::move(tls), server_settings(uni_allowed_), name,
                                    std::make_unique<Leg>(*this, End::server));
        if (!made) continue;
        leg(End::server) = *made;
        return;
    }
    on_unreachable({Close::Kind::failed, 0, "no way leads there", false});
}

void Relay::on_unreachable(const Close& close) {
    if (++address_ < route_->targets.size()) return connect();
    ++context_.shared.unreachable;
    const auto server = player_.server.is_set() ? player_.server.text() : route_->host.host;
    const auto why = close.kind == Close::Kind::handshake_timeout
                         ? fmt::format("The server {} does not answer.", server)
                         : fmt::format("The server {} cannot be reached: {}.", server, close.text());
    context_.shared.events.on_refused(player_, why);
    say_goodbye(why, CloseCode::none);
}

void Relay::on_server_confirmed() {
    is_linked_ = true;
    open_all();
    tell_joined();
}

void Relay::tell_joined() {
    // Clients of some builds tell their names later, and those of others never in a way that can be read
    // here.
    const bool is_known = !player_.name.empty() || player_.build == nullptr || next_uni_ > 3;
    if (is_joined_ || !is_linked_ || !has_connect_ || !is_known || leave_) return;
    is_joined_ = true;
    ++context_.shared.joined;
    context_.shared.events.on_join(player_);
}

} // namespace orbis::proxy
