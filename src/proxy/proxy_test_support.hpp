#pragma once

#include "net/identity_test_support.hpp"
#include "net/simulated_loop.hpp"
#include "proxy/game_words.hpp"
#include "proxy/proxy_shard.hpp"

#include <gtest/gtest.h>

/// A proxy between a server and clients that write any bytes, all in one simulated loop.
namespace orbis::proxy::test {

using namespace std::chrono_literals;

/// One end of a connection: what it heard.
struct Peer {
    net::QuicConnection* connection = nullptr; ///< null when it is over
    bool is_confirmed = false;
    bool consumes = true;
    std::map<net::StreamId, std::string> data;
    std::vector<net::StreamId> order; ///< of the streams that were seen
    std::set<net::StreamId> ended;
    std::map<net::StreamId, std::uint64_t> resets;
    std::map<net::StreamId, std::uint64_t> stops;
    std::map<net::StreamId, std::size_t> unread;
    std::optional<net::Close> close;
    std::string protocol;
    std::string server_name;

    void write(net::StreamId stream, std::string_view bytes) const {
        if (connection) connection->write(stream, as_bytes(bytes));
    }
    /// Reads what it has left unread, and all that comes from now on.
    void read_on() {
        consumes = true;
        for (const auto& [stream, count] : std::exchange(unread, {})) connection->consume(stream, count);
    }
    /// The bytes of a stream; empty if there are none.
    [[nodiscard]] std::string heard(net::StreamId stream) const {
        const auto at = data.find(stream);
        return at != data.end() ? at->second : "";
    }
};

class PeerHandler final : public net::QuicHandler {
public:
    explicit PeerHandler(Peer& peer) : peer_(peer) {}
    void on_handshake(net::QuicConnection& connection) override {
        peer_.connection = &connection;
        peer_.protocol = connection.tls()->protocol();
        peer_.server_name = connection.tls()->server_name();
    }
    void on_confirmed(net::QuicConnection&) override { peer_.is_confirmed = true; }
    void on_data(net::QuicConnection& connection, net::StreamId stream, Bytes bytes, bool is_end) override {
        if (!peer_.data.contains(stream)) peer_.order.push_back(stream);
        peer_.data[stream] += as_text(bytes);
        if (is_end) peer_.ended.insert(stream);
        if (peer_.consumes)
            connection.consume(stream, bytes.size());
        else
            peer_.unread[stream] += bytes.size();
    }
    void on_reset(net::QuicConnection&, net::StreamId stream, std::uint64_t code) override {
        peer_.resets[stream] = code;
    }
    void on_stop_sending(net::QuicConnection&, net::StreamId stream, std::uint64_t code) override {
        peer_.stops[stream] = code;
    }
    void on_closed(net::QuicConnection&, const net::Close& close) override {
        peer_.close = close;
        peer_.connection = nullptr;
    }

private:
    Peer& peer_;
};

/// What happened, as lines.
class Happenings final : public ProxyEvents {
public:
    void on_join(const PlayerFacts& player) override {
        players.push_back(player);
        lines.push_back("join " + player.name);
    }
    void on_leave(const PlayerFacts& player, const Leave& leave) override {
        constexpr std::array<std::string_view, 3> k_by = {"client", "server", "proxy"};
        lines.push_back(fmt::format("leave {} by {}: {}", player.name,
                                    k_by[static_cast<std::size_t>(leave.by)], leave.why));
    }
    void on_refused(const PlayerFacts&, const std::string& why) override {
        lines.push_back("refused: " + why);
    }

    void on_referral(const PlayerFacts& player, const net::HostPort& to,
                     const std::optional<net::HostPort>& back) override {
        lines.push_back(fmt::format("{} referred to {}:{}{}", player.name, to.host, to.port,
                                    back ? ", comes back to " + back->host : ", refused"));
    }

    void on_shown(const PlayerFacts& player, const ShownFrame& frame) override {
        lines.push_back(fmt::format("{} {} {}", player.name, frame.packet, frame.value));
    }
    void on_rule_problem(const PlayerFacts&, const std::string& problem) override {
        lines.push_back(problem);
    }

    std::vector<PlayerFacts> players;
    std::vector<std::string> lines;
};

struct Between {
    explicit Between(ProxyRules rules = {}, FrameObserver* observer = nullptr)
        : rules_(std::move(rules)), observer_(observer) {}

    std::unique_ptr<net::SimulatedLoop> loop = net::SimulatedLoop::make().value();
    std::deque<Peer> at_server; ///< here, so that they outlive their connections
    std::deque<Peer> clients;
    Happenings events;
    net::QuicSettings server_settings = net::QuicSettings::server();
    net::QuicSettings client_settings = net::QuicSettings::client();
    net::UdpDriver server{*loop, {}};
    net::UdpDriver client{*loop, {}};
    std::optional<ProxyShared> shared;
    std::optional<ProxyShard> shard;

    /// Starts the server and the proxy.
    void start(bool has_server = true) {
        net::Address at = net::Address::loopback_v4(7000);
        if (has_server) {
            server.add(loop->bind_udp(at, false).value());
            server.endpoint().listen(net::TlsContext::server_of_any_version(net::test::identity()).value(),
                                     server_settings, [this](net::QuicConnection&) {
                                         return std::make_unique<PeerHandler>(at_server.emplace_back());
                                     });
        }
        if (rules_.targets.empty()) rules_.targets = {at};
        shared.emplace(rules_, events, observer_);
        shard.emplace(*loop, *shared, net::test::identity(),
                      net::TlsContext::server_of_any_version(net::test::identity()).value());
        ASSERT_TRUE(shard->listen(net::Address::loopback_v4(5520)));
    }
    bool until(const std::function<bool()>& condition, net::Duration limit = 60s) {
        return loop->run_until(condition, limit);
    }
    void run_for(net::Duration time) {
        loop->run_until([] { return false; }, time);
    }

    Peer& begin(std::vector<std::string> protocols = {"hytale/2"}, const std::string& name = "localhost",
                std::uint16_t port = 5520) {
        auto& made = clients.emplace_back();
        EXPECT_TRUE(
            client.connect(net::Address::loopback_v4(port),
                           net::TlsContext::client(&net::test::identity(), std::move(protocols)).value(),
                           client_settings, name, std::make_unique<PeerHandler>(made)));
        return made;
    }
    /// A client that has said something to the server; the server's side of it is the last of `at_server`.
    Peer& join(std::string_view first = "hello") {
        auto& made = begin();
        const auto before = at_server.size();
        EXPECT_TRUE(until([&] { return made.is_confirmed; }));
        made.connection->open_bidi();
        made.write(0, first);
        EXPECT_TRUE(until([&] { return at_server.size() > before && at_server.back().heard(0) == first; }));
        return made;
    }

private:
    ProxyRules rules_;
    FrameObserver* observer_;
};

/// A frame of any id and payload.
inline std::string frame_of(std::int32_t id, std::string_view payload) {
    std::string frame(protocol::k_frame_header, '\0');
    const auto length = static_cast<std::int32_t>(payload.size());
    std::memcpy(frame.data(), &length, 4);
    std::memcpy(frame.data() + 4, &id, 4);
    return frame + std::string(payload);
}

} // namespace orbis::proxy::test
