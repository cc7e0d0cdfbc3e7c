#pragma once

#include "bytes/self.hpp"
#include "net/loop.hpp"
#include "net/udp_driver.hpp"
#include "proxy/account_talk.hpp"
#include "proxy/proxy_settings.hpp"
#include "proxy/routes.hpp"
#include "proxy/stream_way.hpp"

#include <list>
#include <set>

namespace orbis::net {
struct Identity;
}

namespace orbis::proxy {

/// What the relays of one thread share.
struct RelayContext {
    RelayContext(net::Loop& loop_, net::UdpDriver& driver_, ProxyShared& shared_,
                 const net::Identity& identity_)
        : loop(loop_),
          driver(driver_),
          shared(shared_),
          identity(identity_),
          routes(loop_, driver_, shared_.rules) {
        if (!shared_.rules.book.rules().empty()) judge.emplace(shared_.rules.book);
    }

    net::Loop& loop;
    net::UdpDriver& driver;
    ProxyShared& shared;
    const net::Identity& identity; ///< that servers are shown
    Routes routes;
    std::optional<RuleJudge> judge;               ///< none where there are no rules
    std::unique_ptr<net::SessionService> service; ///< for `ProxyRules::login`

    /// The TLS towards servers, which offers the protocol that the client has.
    Result<std::shared_ptr<net::TlsContext>> tls_for(const std::string& protocol);

private:
    std::map<std::string, std::shared_ptr<net::TlsContext>> tls_;
};

/// One player: a connection from the client, one to the server, and everything that goes from one to the
/// other. It lives until both are over.
class Relay {
public:
    Relay(RelayContext& context, net::QuicConnection& client);
    ~Relay();
    Relay(const Relay&) = delete;
    Relay& operator=(const Relay&) = delete;

    /// The user of the client's connection; it must not outlive this.
    std::unique_ptr<net::QuicHandler> client_leg();

    /// Does what is due; to be called every 50 ms.
    void tick();
    /// Tells the client why it must go, and ends both connections.
    void send_away(const std::string& why);
    /// Both connections are about to be closed from here.
    void note_stop() { note_leave(Leave::By::proxy, "The proxy stops."); }

    [[nodiscard]] const PlayerFacts& player() const { return player_; }
    [[nodiscard]] bool is_over() const { return !legs_[0] && !legs_[1]; }
    /// Bytes that wait to be sent or to be acknowledged.
    [[nodiscard]] std::size_t held() const;

private:
    class Leg;
    class Watcher;
    class Gate;
    class Account;

    net::QuicConnection*& leg(End end) { return legs_[static_cast<std::size_t>(end)]; }
    [[nodiscard]] net::QuicConnection* leg(End end) const { return legs_[static_cast<std::size_t>(end)]; }
    StreamWay& way(End from, net::StreamId stream);

    void on_client_handshake(net::QuicConnection& connection);
    void on_server_handshake(net::QuicConnection& connection);
    void on_server_confirmed();
    void on_data(End from, net::StreamId stream, Bytes bytes, bool is_end);
    void on_reset(End from, net::StreamId stream, std::uint64_t code);
    void on_stop_sending(End by, net::StreamId stream, std::uint64_t code);
    void on_acked(End by, net::StreamId stream);
    void on_more_streams();
    void on_closed(End end, const net::Close& close);

    void connect();
    [[nodiscard]] bool is_gated(End from, net::StreamId stream) const;
    /// A frame that the gate has gathered: rules, then the referral that it may be.
    void on_gated(StreamWay& way, Bytes frame);
    void forward(StreamWay& way, Bytes frame);
    void pass(StreamWay& way, Bytes bytes);
    void on_delayed(End from, net::StreamId stream, Bytes frame);
    void inject(const Ruling::Injection& injection);
    void on_referral(StreamWay& way, Bytes frame);
    void on_unreachable(const net::Close& close);
    net::QuicSettings server_settings(std::uint64_t uni_streams) const;

    void see(StreamWay& way, Sighting::Kind kind, Bytes bytes);
    void try_open(StreamWay& way);
    bool open_uni(net::StreamId stream);
    /// False when it was known before.
    bool note_known(net::StreamId stream);
    [[nodiscard]] bool is_known(net::StreamId stream) const {
        return stream < known_below_ || known_.contains(stream);
    }
    void open_all();
    void settle(StreamWay& way);

    void tell_joined();
    void note_leave(Leave::By by, std::string why);
    /// Ends the other connection as this one has ended, once what was said has arrived.
    void pass_on(End ended, const net::Close& close);
    /// Says good-bye to the client in words, then ends.
    void say_goodbye(const std::string& text, net::CloseCode code);
    bool write_goodbye();
    void leave_when_delivered();
    void finish();

    RelayContext& context_;
    PlayerFacts player_;
    std::array<net::QuicConnection*, 2> legs_{}; ///< by `End`; null before and after
    std::array<std::list<StreamWay>, 2> ways_;   ///< by the `End` that they come from
    net::Time began_;

    const Route* route_ = nullptr;
    std::size_t address_ = 0;                              ///< of the server that is tried
    bool is_admitted_ = false;                             ///< counts as a player
    bool is_linked_ = false;                               ///< the server has let us in
    bool is_joined_ = false;                               ///< `on_join` was told
    bool has_connect_ = false;                             ///< the client has said who it is
    bool is_refusing_ = false;                             ///< nothing is forwarded
    std::array<std::optional<std::string>, 2> disconnect_; ///< what the last Disconnect of each `End` said

    net::StreamId next_uni_ = 3;    ///< towards the client
    std::uint64_t uni_allowed_ = 0; ///< that the server may open
    /// Streams that the client knows of: all below the first number, and single ones above it.
    net::StreamId known_below_ = 3;
    std::set<net::StreamId> known_;
    net::Time order_since_ = net::k_never; ///< a later stream waits for an earlier one

    std::uint64_t budget_ = 0; ///< bytes, where a player has a limit
    net::Time budget_at_{};
    net::Time trips_at_{}; ///< when an observer is told of round trips next

    std::optional<Leave> leave_;
    std::optional<net::Close> last_word_; ///< for the connection that is left
    std::optional<std::string> goodbye_;  ///< that the client was not told yet
    net::Time leave_by_ = net::k_never;
    std::array<std::uint64_t, 2> bytes_{}; ///< by `End` that they came from
    std::unique_ptr<Account> account_;     ///< where the proxy has one
    net::Fingerprint server_certificate_{};
    Self<Relay> self_{this}; ///< for frames that are delayed
};

} // namespace orbis::proxy
