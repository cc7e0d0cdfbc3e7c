#include "proxy/relay.hpp"

#include "bytes/reader.hpp"
#include "net/identity.hpp"
#include "proxy/game_words.hpp"

#include <fmt/format.h>

namespace orbis::proxy {
namespace {

using namespace std::chrono_literals;
using net::Close;
using net::CloseCode;
using net::QuicConnection;
using net::StreamId;

/// What the other side has been told may take so long to arrive before its connection ends.
constexpr net::Duration k_delivery = 1s;
/// How long a client that is told to go has for saying who it is: the words depend on its build.
constexpr net::Duration k_introduction = 3s;
/// So long a stream waits for the first bytes of an earlier one before that is announced without any.
constexpr net::Duration k_order = 100ms;
/// A frame that is larger is shown in pieces.
constexpr std::uint32_t k_largest_seen = 16 << 20;
/// No packet that the proxy reads for itself is larger.
constexpr std::uint32_t k_largest_read = 64 << 10;
/// Streams that a server may have open for one client, however many that allows.
constexpr std::uint64_t k_most_uni_streams = 64;
/// Bytes that may come at once where a player has a limit; for each second's worth of it.
constexpr std::uint64_t k_burst = 1;
constexpr std::size_t k_longest_goodbye = 500;

std::size_t index_of(End end) { return static_cast<std::size_t>(end); }

} // namespace

Result<std::shared_ptr<net::TlsContext>> RelayContext::tls_for(const std::string& protocol) {
    auto& known = tls_[protocol];
    if (!known) {
        TRY(known, net::TlsContext::client(&identity, {protocol}));
    }
    return known;
}

/// One of the two connections; hands everything to the relay.
class Relay::Leg final : public net::QuicHandler {
public:
    Leg(Relay& relay, End end) : relay_(relay), end_(end) {}

    void on_handshake(QuicConnection& connection) override {
        if (end_ == End::client)
            relay_.on_client_handshake(connection);
        else
            relay_.on_server_handshake(connection);
    }
    void on_confirmed(QuicConnection&) override {
        if (end_ == End::server) relay_.on_server_confirmed();
    }
    void on_data(QuicConnection&, StreamId stream, Bytes bytes, bool is_end) override {
        relay_.on_data(end_, stream, bytes, is_end);
    }
    void on_reset(QuicConnection&, StreamId stream, std::uint64_t code) override {
        relay_.on_reset(end_, stream, code);
    }
    void on_stop_sending(QuicConnection&, StreamId stream, std::uint64_t code) override {
        relay_.on_stop_sending(end_, stream, code);
    }
    void on_more_streams(QuicConnection&) override {
        if (end_ == End::client) relay_.on_more_streams();
    }
    void on_acked(QuicConnection&, StreamId stream) override { relay_.on_acked(end_, stream); }
    void on_closed(QuicConnection&, const Close& close) override { relay_.on_closed(end_, close); }

private:
    Relay& relay_;
    End end_;
};

/// Reads beside a stream.
class Relay::Watcher final : public FrameScanner::User {
public:
    Watcher(Relay& relay, StreamWay& way) : relay_(relay), way_(way) {}

    bool wants(std::int32_t id, std::uint32_t length) override {
        if (relay_.context_.shared.observer != nullptr) return length <= k_largest_seen;
        return length <= k_largest_read && is_telling(relay_.player_, way_.from, id);
    }
    void on_frame(Bytes frame) override {
        if (way_.stream == 0 && frame.size() <= k_largest_read) {
            learn(relay_.player_, way_.from, frame);
            if (way_.from == End::client) relay_.has_connect_ = true;
            if (auto text = disconnect_text(relay_.player_, way_.from, frame))
                relay_.disconnect_[index_of(way_.from)] = *std::move(text);
        }
        relay_.see(way_, Sighting::Kind::frame, frame);
    }
    void on_rest(Bytes bytes, bool is_framed) override {
        relay_.see(way_, is_framed ? Sighting::Kind::part : Sighting::Kind::bytes, bytes);
    }

private:
    Relay& relay_;
    StreamWay& way_;
};

/// Where frames may be changed. All that need not be looked at passes at once.
class Relay::Gate final : public FrameScanner::User {
public:
    Gate(Relay& relay, StreamWay& way) : relay_(relay), way_(way) {}

    bool wants(std::int32_t id, std::uint32_t length) override {
        if (relay_.context_.judge) return length <= k_largest_seen;
        if (length > k_largest_read) return false;
        if (relay_.account_ && AccountTalk::is_about_accounts(relay_.player_, way_.from, id)) return true;
        return way_.from == End::server && is_referral(relay_.player_, id);
    }
    void on_frame(Bytes frame) override { relay_.on_gated(way_, frame); }
    void on_rest(Bytes bytes, bool) override { relay_.pass(way_, bytes); }

private:
    Relay& relay_;
    StreamWay& way_;
};

/// The account of the proxy's owner in the conversation of one player.
class Relay::Account final : public AccountTalk::User {
public:
    Account(Relay& relay, const Login& login, net::SessionService& service)
        : talk(login, service, relay.context_.identity.fingerprint(), relay.context_.loop, *this),
          relay_(relay) {}

    void to_server(Bytes frame) override { write(End::client, frame); }
    void to_client(Bytes frame) override { write(End::server, frame); }
    void on_account_problem(const std::string& why) override {
        if (!relay_.is_joined_) relay_.context_.shared.events.on_refused(relay_.player_, why);
        relay_.send_away(why);
    }

    /// What waits here counts as held, so that a server cannot fill the memory meanwhile.
    void hold(StreamWay& source, Bytes bytes) {
        source.hold(bytes.size());
        held_ += bytes.size();
        talk.hold(bytes);
    }

    AccountTalk talk;

private:
    void write(End from, Bytes frame) {
        if (relay_.leave_ || relay_.is_refusing_) return;
        auto& source = relay_.way(from, 0);
        source.add(frame, relay_.leg(other(from)));
        if (from == End::server && !talk.is_holding())
            source.release(std::exchange(held_, 0), relay_.leg(End::client));
        relay_.try_open(source);
        relay_.settle(source);
    }
    Relay& relay_;
    std::size_t held_ = 0;
};

Relay::Relay(RelayContext& context, QuicConnection& client)
    : context_(context), began_(context.loop.now()), budget_at_(began_) {
    leg(End::client) = &client;
    player_.client = client.path().remote;
    player_.proxy = client.path().local;
    budget_ = context.shared.rules.player_rate * k_burst;
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

// From a client that has come to a server that has let us in.

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
    uni_allowed_ = std::min(connection.uni_streams_left(), k_most_uni_streams);
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

// Bytes.

void Relay::see(StreamWay& way, Sighting::Kind kind, Bytes bytes) {
    if (auto* observer = context_.shared.observer)
        observer->on_sighting({player_, way.from, way.stream, kind, bytes, context_.loop.wall()});
}

void Relay::on_data(End from, StreamId stream, Bytes bytes, bool is_end) {
    auto& source = way(from, stream);
    source.owe(bytes.size());
    auto* to = leg(other(from));
    const bool is_watched = stream == 0 || context_.shared.observer != nullptr;
    if (is_watched) {
        Watcher watcher(*this, source);
        source.watch.feed(bytes, watcher);
        if (is_end) source.watch.finish(watcher);
    }
    if (is_refusing_ || leave_) {
        source.give_up();
        settle(source);
        if (goodbye_ && write_goodbye()) leave_when_delivered();
        return;
    }
    bytes_[index_of(from)] += bytes.size();
    context_.shared.forwarded[index_of(from)] += bytes.size();
    if (is_gated(from, stream)) {
        Gate gate(*this, source);
        source.gate.feed(bytes, gate);
        if (is_end) source.gate.finish(gate);
    } else {
        source.add(bytes, to);
    }
    if (is_end) source.end(to);
    // What an open stream has taken is settled when it is acknowledged.
    if (!source.is_open() || source.is_given_up() || context_.judge || account_) {
        try_open(source);
        settle(source);
    }
    if (!is_joined_) tell_joined();
}

bool Relay::is_gated(End from, StreamId stream) const {
    if (context_.judge || (account_ && stream == 0)) return true;
    return from == End::server && stream == 0
           && context_.shared.rules.referrals != ProxyRules::Referrals::pass;
}

void Relay::on_gated(StreamWay& source, Bytes frame) {
    if (!context_.judge) return forward(source, frame);
    auto& events = context_.shared.events;
    Sighting sighting{player_, source.from,         source.stream, Sighting::Kind::frame,
                      frame,   context_.loop.wall()};
    const auto ruling = context_.judge->judge(sighting);
    for (const auto& problem : ruling.problems) events.on_rule_problem(player_, problem);
    if (ruling.changed) sighting.bytes = *ruling.changed;
    if (ruling.is_shown) events.on_shown(player_, shown_frame(sighting));
    if (ruling.delay > net::Duration::zero() && !ruling.is_dropped) {
        source.hold(sighting.bytes.size());
        context_.loop.after(ruling.delay, [self = self_.ref(), from = source.from, stream = source.stream,
                                           bytes = Buffer(sighting.bytes.begin(), sighting.bytes.end())] {
            if (self) self->on_delayed(from, stream, bytes);
        });
    } else if (!ruling.is_dropped) {
        forward(source, sighting.bytes);
    }
    for (const auto& injection : ruling.injections) inject(injection);
}

void Relay::forward(StreamWay& source, Bytes frame) {
    const auto id = load_le<std::int32_t>(frame.data() + 4);
    if (account_ && source.stream == 0 && frame.size() <= k_largest_read
        && AccountTalk::is_about_accounts(player_, source.from, id))
        return account_->talk.take(player_, source.from, frame, server_certificate_);
    const auto is_from_server = source.from == End::server && source.stream == 0;
    const bool is_changed = is_from_server && frame.size() <= k_largest_read
                            && context_.shared.rules.referrals != ProxyRules::Referrals::pass
                            && is_referral(player_, id);
    if (is_changed) return on_referral(source, frame);
    pass(source, frame);
}

void Relay::pass(StreamWay& source, Bytes bytes) {
    // What a server says before it has proved who it is waits.
    if (account_ && source.from == End::server && source.stream == 0 && account_->talk.is_holding())
        return account_->hold(source, bytes);
    source.add(bytes, leg(other(source.from)));
}

void Relay::on_delayed(End from, StreamId stream, Bytes frame) {
    if (leave_ || is_refusing_) return;
    auto& source = way(from, stream);
    forward(source, frame);
    source.release(frame.size(), leg(other(from)));
    try_open(source);
    settle(source);
}

void Relay::inject(const Ruling::Injection& injection) {
    auto& target = way(other(injection.to), injection.stream);
    if (!target.gate.is_between_frames())
        return context_.shared.events.on_rule_problem(
            player_, "a frame cannot be injected into the middle of another that is larger than 16 MiB");
    target.add(injection.frame, leg(injection.to));
    try_open(target);
}

void Relay::on_referral(StreamWay& source, Bytes frame) {
    const auto& rules = context_.shared.rules;
    auto* client = leg(End::client);
    const auto to = referral_of(player_, frame);
    if (!to) return source.add(frame, client); // nobody here knows what it says
    const auto refuse = [&](std::string_view why) {
        context_.shared.events.on_referral(player_, *to, {});
        send_away(fmt::format("The server sends you to {} port {}, {}.", to->host, to->port, why));
    };
    if (rules.referrals == ProxyRules::Referrals::forbid) return refuse("which this proxy does not allow");
    const auto route = context_.routes.open(*to, player_.proxy);
    if (!route) return refuse("but this proxy cannot lead you there");
    net::HostPort back{rules.public_host, (*route)->listener.port()};
    if (back.host.empty())
        back.host = player_.server_name.empty() ? player_.proxy.host() : player_.server_name;
    const auto changed = with_referral(player_, frame, back);
    if (!changed) return refuse("in a way that this proxy cannot change");
    context_.shared.events.on_referral(player_, *to, back);
    source.add(*changed, client);
}

void Relay::try_open(StreamWay& source) {
    auto* to = leg(other(source.from));
    if (to == nullptr || !source.wants_to_open()) return;
    if (source.from == End::client) {
        // The server sees the stream when there is something on it.
        if (!is_linked_ || !to->open_bidi()) return;
    } else if (source.stream != 0 && !open_uni(source.stream)) {
        return;
    }
    source.open(*to);
}

/// Streams towards the client are opened in the order of their ids, and those before this one are known to
/// it.
bool Relay::open_uni(StreamId stream) {
    auto* client = leg(End::client);
    while (next_uni_ <= stream) {
        const auto made = client->open_uni();
        if (!made) return false;
        client->set_priority(*made, static_cast<int>(*made / 4 + 1));
        next_uni_ = *made + 4;
    }
    for (StreamId earlier = 3; earlier < stream; earlier += 4) {
        if (known_.contains(earlier)) continue;
        if (order_since_ == net::k_never) order_since_ = context_.loop.now();
        return false;
    }
    return true;
}

void Relay::open_all() {
    for (auto& ways : ways_)
        for (auto& each : ways) {
            try_open(each);
            settle(each);
        }
}

void Relay::settle(StreamWay& source) {
    auto* from = leg(source.from);
    if (from == nullptr) return;
    const bool is_limited = context_.shared.rules.player_rate > 0;
    const auto count = source.settle(leg(other(source.from)), is_limited ? budget_ : SIZE_MAX);
    if (is_limited) budget_ -= count;
    from->consume(source.stream, count);
}

void Relay::on_acked(End by, StreamId stream) {
    if (by == End::client && stream != 0 && known_.insert(stream).second) {
        order_since_ = net::k_never;
        open_all();
    }
    settle(way(other(by), stream));
    if (last_word_) leave_when_delivered();
}

void Relay::on_more_streams() {
    auto* client = leg(End::client);
    auto* server = leg(End::server);
    const auto opened = static_cast<std::uint64_t>(next_uni_ / 4);
    const auto allowed = std::min(opened + client->uni_streams_left(), opened + k_most_uni_streams);
    if (server == nullptr || allowed <= uni_allowed_) return;
    server->allow_uni_streams(allowed - std::exchange(uni_allowed_, allowed));
}

void Relay::on_reset(End from, StreamId stream, std::uint64_t code) {
    auto& source = way(from, stream);
    auto* to = leg(other(from));
    source.give_up();
    settle(source);
    if (to == nullptr) return;
    if (from == End::server && stream != 0) {
        open_uni(stream);
        known_.insert(stream); // by the reset
    } else if (from == End::client && !source.is_open() && is_linked_) {
        to->open_bidi();
    }
    to->reset(stream, code);
    open_all();
}

void Relay::on_stop_sending(End by, StreamId stream, std::uint64_t code) {
    auto& source = way(other(by), stream);
    source.give_up();
    if (by == End::client) known_.insert(stream);
    if (auto* from = leg(source.from)) from->stop_sending(stream, code);
    settle(source);
}

std::size_t Relay::held() const {
    std::size_t sum = 0;
    for (const auto& ways : ways_)
        for (const auto& each : ways) sum += each.held(leg(other(each.from))) + each.watch.waiting();
    return sum;
}

void Relay::tick() {
    const auto now = context_.loop.now();
    if (const auto rate = context_.shared.rules.player_rate; rate > 0) {
        const auto time = net::seconds_of(now - budget_at_);
        budget_ =
            std::min(budget_ + static_cast<std::uint64_t>(static_cast<double>(rate) * time), rate * k_burst);
        budget_at_ = now;
        for (auto& ways : ways_)
            for (auto& each : ways) settle(each);
    }
    if (order_since_ != net::k_never && now >= order_since_ + k_order) {
        order_since_ = net::k_never;
        for (StreamId stream = 3; stream < next_uni_; stream += 4)
            if (auto* client = leg(End::client); client && known_.insert(stream).second)
                client->announce(stream);
        open_all();
    }
    if (route_ != nullptr && !player_.server.is_set() && !is_refusing_ && !leave_ && route_->is_looked_up)
        connect();
    // The system knows at once when nothing listens there; QUIC would ask for seconds.
    if (auto* server = leg(End::server);
        server && !is_linked_ && !leave_ && context_.driver.take_failure(*server) != 0)
        server->forget();
    if (last_word_) leave_when_delivered();
}

// The end.

void Relay::note_leave(Leave::By by, std::string why) {
    if (leave_) return;
    leave_ = Leave{by, std::move(why), context_.loop.now() - began_, bytes_[0], bytes_[1]};
}

void Relay::on_closed(End end, const Close& close) {
    leg(end) = nullptr;
    if (end == End::server && !is_linked_ && !leave_ && !is_refusing_ && !close.by_peer)
        return on_unreachable(close);
    if (!leave_ && !is_refusing_) {
        // Who has said good-bye is the one who leaves, whoever closes then.
        const auto by = disconnect_[index_of(End::client)]   ? End::client
                        : disconnect_[index_of(End::server)] ? End::server
                                                             : end;
        auto why = disconnect_[index_of(by)].value_or("");
        if (why.empty()) why = close.text();
        note_leave(by == End::client ? Leave::By::client : Leave::By::server, std::move(why));
        if (!is_linked_ && end == End::server) context_.shared.events.on_refused(player_, leave_->why);
    }
    for (auto& each : ways_[index_of(end)]) { // what the gate still holds has been said
        Gate gate(*this, each);
        each.gate.finish(gate);
    }
    if (!last_word_ && leg(other(end)) != nullptr) pass_on(end, close);
    if (is_over()) finish();
}

void Relay::pass_on(End ended, const Close& close) {
    const bool has_code = close.kind == Close::Kind::application || close.kind == Close::Kind::transport;
    if (close.by_peer && has_code) {
        last_word_ = close;
        last_word_->by_peer = false;
        leave_by_ = context_.loop.now() + k_delivery;
        return leave_when_delivered();
    }
    if (ended == End::server) {
        const bool is_silent = close.kind == Close::Kind::idle;
        return say_goodbye(is_silent ? "The server does not answer any more."
                                     : fmt::format("The connection to the server failed: {}.", close.text()),
                           is_silent ? CloseCode::timeout : CloseCode::none);
    }
    last_word_ =
        Close::application(CloseCode::none, close.kind == Close::Kind::idle ? "the client does not answer"
                                                                            : "the client is gone");
    leave_by_ = context_.loop.now() + k_delivery;
    leave_when_delivered();
}

void Relay::send_away(const std::string& why) {
    if (leave_ || is_refusing_) return;
    note_leave(Leave::By::proxy, why);
    say_goodbye(why, CloseCode::none);
}

void Relay::say_goodbye(const std::string& text, CloseCode code) {
    is_refusing_ = true;
    last_word_ = Close::application(code, text.substr(0, k_longest_goodbye));
    goodbye_ = text.substr(0, k_longest_goodbye);
    leave_by_ = context_.loop.now() + k_introduction;
    if (auto* server = leg(End::server)) server->close(Close::application(CloseCode::none));
    if (leg(End::client) != nullptr && write_goodbye()) leave_when_delivered();
}

/// False while it is not known in which words to say it.
bool Relay::write_goodbye() {
    auto* client = leg(End::client);
    if (!goodbye_ || client == nullptr || !has_connect_) return false;
    const auto text = *std::exchange(goodbye_, {});
    leave_by_ = std::min(leave_by_, context_.loop.now() + k_delivery);
    const auto& ways = ways_[index_of(End::server)];
    const auto at = std::ranges::find(ways, 0, &StreamWay::stream);
    // In the middle of a frame there is no place for another.
    const bool is_between = at == ways.end() || at->watch.is_between_frames();
    if (const auto frame = disconnect_frame(player_, text); frame && is_between) client->write(0, *frame);
    return true;
}

void Relay::leave_when_delivered() {
    const bool is_late = context_.loop.now() >= leave_by_;
    for (const auto end : {End::client, End::server}) {
        auto* remaining = leg(end);
        if (remaining == nullptr) continue;
        std::size_t kept = 0;
        for (const auto& each : ways_[index_of(other(end))]) kept += remaining->held(each.stream);
        kept = std::max(kept, remaining->held(0));
        if (is_late || (kept == 0 && !goodbye_)) remaining->close(*last_word_);
    }
}

void Relay::finish() {
    if (std::exchange(is_admitted_, false)) context_.shared.dismiss(player_.client);
    if (!std::exchange(is_joined_, false)) return;
    if (!leave_) note_leave(Leave::By::proxy, "The proxy stops.");
    ++context_.shared.left[static_cast<std::size_t>(leave_->by)];
    context_.shared.events.on_leave(player_, *leave_);
}

} // namespace orbis::proxy
