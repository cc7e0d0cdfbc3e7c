#include "bytes/reader.hpp"
#include "proxy/relay_parts.hpp"

#include <fmt/format.h>

/// What a relay does with bytes, frames and streams.
namespace orbis::proxy {

using namespace std::chrono_literals;
using net::Close;
using net::CloseCode;
using net::QuicConnection;
using net::StreamId;

namespace {

/// So long a stream waits for the first bytes of an earlier one before that is announced without any.
constexpr net::Duration k_order = 100ms;
/// Between two reports of round trips to an observer.
constexpr net::Duration k_between_trips = 1s;
/// Streams that a server may open beyond those that it has, however many the client allows.
constexpr std::uint64_t k_most_uni_streams = 64;

} // namespace

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
    for (auto earlier = known_below_; earlier < stream; earlier += 4) {
        if (is_known(earlier)) continue;
        if (order_since_ == net::k_never) order_since_ = context_.loop.now();
        return false;
    }
    return true;
}

bool Relay::note_known(StreamId stream) {
    if (stream < 3 || stream < known_below_ || !known_.insert(stream).second) return false;
    while (known_.erase(known_below_) > 0) known_below_ += 4;
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
    if (by == End::client && stream != 0 && note_known(stream)) {
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
        note_known(stream); // by the reset
    } else if (from == End::client && !source.is_open() && is_linked_) {
        to->open_bidi();
    }
    to->reset(stream, code);
    open_all();
}

void Relay::on_stop_sending(End by, StreamId stream, std::uint64_t code) {
    auto& source = way(other(by), stream);
    source.give_up();
    if (by == End::client) note_known(stream);
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
        budget_ = std::min(budget_ + static_cast<std::uint64_t>(static_cast<double>(rate) * time), rate);
        budget_at_ = now;
        for (auto& ways : ways_)
            for (auto& each : ways) settle(each);
    }
    if (context_.shared.observer != nullptr && is_linked_ && now >= trips_at_) {
        trips_at_ = now + k_between_trips;
        const auto of = [this](End end) {
            const auto* connection = leg(end);
            return connection != nullptr ? connection->round_trip() : net::Duration::zero();
        };
        context_.shared.observer->on_round_trips(
            {player_, of(End::client), of(End::server), context_.loop.wall()});
    }
    if (order_since_ != net::k_never && now >= order_since_ + k_order) {
        order_since_ = net::k_never;
        for (auto stream = known_below_; stream < next_uni_; stream += 4)
            if (auto* client = leg(End::client); client && note_known(stream)) client->announce(stream);
        open_all();
    }
    if (route_ != nullptr && !player_.server.is_set() && !is_refusing_ && !leave_ && route_->is_looked_up)
        connect();
    // Stream 0 is that of the player. Others may come and go for as long as the connection lasts.
    for (auto& ways : ways_)
        std::erase_if(ways, [this](const StreamWay& each) {
            return each.stream != 0 && each.is_over(leg(other(each.from)));
        });
    // The system knows at once when nothing listens there; QUIC would ask for seconds.
    if (auto* server = leg(End::server);
        server && !is_linked_ && !leave_ && context_.driver.take_failure(*server) != 0)
        server->forget();
    if (last_word_) leave_when_delivered();
}

} // namespace orbis::proxy
