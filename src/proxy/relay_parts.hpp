#pragma once

#include "net/identity.hpp"
#include "proxy/game_words.hpp"
#include "proxy/relay.hpp"

/// The parts of a relay, for its sources alone.
namespace orbis::proxy {

/// A frame that is larger is shown in pieces, and has no rules.
inline constexpr std::uint32_t k_largest_seen = 16 << 20;
/// No packet that the proxy reads for itself is larger.
inline constexpr std::uint32_t k_largest_read = 64 << 10;

inline std::size_t index_of(End end) { return static_cast<std::size_t>(end); }

/// One of the two connections; hands everything to the relay.
class Relay::Leg final : public net::QuicHandler {
public:
    Leg(Relay& relay, End end) : relay_(relay), end_(end) {}

    void on_handshake(net::QuicConnection& connection) override {
        if (end_ == End::client)
            relay_.on_client_handshake(connection);
        else
            relay_.on_server_handshake(connection);
    }
    void on_confirmed(net::QuicConnection&) override {
        if (end_ == End::server) relay_.on_server_confirmed();
    }
    void on_data(net::QuicConnection&, net::StreamId stream, Bytes bytes, bool is_end) override {
        relay_.on_data(end_, stream, bytes, is_end);
    }
    void on_reset(net::QuicConnection&, net::StreamId stream, std::uint64_t code) override {
        relay_.on_reset(end_, stream, code);
    }
    void on_stop_sending(net::QuicConnection&, net::StreamId stream, std::uint64_t code) override {
        relay_.on_stop_sending(end_, stream, code);
    }
    void on_more_streams(net::QuicConnection&) override {
        if (end_ == End::client) relay_.on_more_streams();
    }
    void on_acked(net::QuicConnection&, net::StreamId stream) override { relay_.on_acked(end_, stream); }
    void on_closed(net::QuicConnection&, const net::Close& close) override { relay_.on_closed(end_, close); }

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

} // namespace orbis::proxy
