#pragma once

#include "net/client_session.hpp"
#include "net/identity_test_support.hpp"
#include "net/quic_link.hpp"
#include "net/server_session.hpp"
#include "net/simulated_network.hpp"
#include "packets/connection.hpp"
#include "packets/interface.hpp"
#include "packets/player.hpp"
#include "packets/registry.hpp"
#include "packets/setup.hpp"

#include <gtest/gtest.h>

/// Servers and clients on imagined wires, for tests.
namespace orbis::net::test {

using namespace std::chrono_literals;

inline const Address k_server_address = Address::loopback_v4(5520);

inline protocol::Uuid uuid_of(std::uint8_t number) {
    protocol::Uuid uuid{};
    uuid[15] = number;
    return uuid;
}

/// The frame of a packet, as bytes.
template <Side From, typename P>
std::string frame_text(const P& packet) {
    protocol::FrameWriter<From> writer;
    return std::string(as_text(writer.frame(packet).value()));
}

/// What the server's program saw and does.
struct World {
    std::vector<std::int32_t> packets;
    std::vector<std::string> closes;
    std::optional<std::string> closed_because;
    std::optional<std::string> refusal;
    SessionService* service = nullptr;
    bool sends_settings = true; ///< where setup can be made to stop
    bool finishes_loading = true;
    bool adds_players = true;
    bool joins_world = true;
    bool answers_view_radius = false; ///< with ServerInfo
    std::optional<HostPort> refers_to;
    std::set<std::int32_t> unknown; ///< ids that it does not handle
    std::vector<PasswordTrouble> password_troubles;
    std::vector<Player> players; ///< those that were let in
};

class TestSessionHandler final : public SessionHandler {
public:
    TestSessionHandler(World& world, ServerSession& session) : world_(world), session_(session) {
        if (world_.refers_to) {
            (void)session_.refer(*world_.refers_to, as_bytes("data"));
        } else if (world_.sends_settings) {
            packets::WorldSettings settings;
            settings.world_height = 320;
            (void)session_.send(settings);
        }
    }
    bool on_packet(const protocol::Frame& frame) override {
        world_.packets.push_back(frame.id);
        if (frame.id == packets::RequestAssets::k_info.id && world_.finishes_loading)
            (void)session_.send(packets::WorldLoadFinished{});
        if (frame.id == packets::PlayerOptions::k_info.id && world_.adds_players && session_.begin_play()
            && world_.joins_world)
            (void)session_.send(packets::JoinWorld{});
        if (frame.id == packets::ViewRadius::k_info.id && world_.answers_view_radius)
            (void)session_.send(packets::ServerInfo{});
        return !world_.unknown.contains(frame.id);
    }
    void on_closed(const Close& close) override { world_.closes.push_back(close.text()); }

private:
    World& world_;
    ServerSession& session_;
};

class TestServerHandler final : public ServerHandler {
public:
    explicit TestServerHandler(World& world) : world_(world) {}
    std::optional<std::string> closed_because() override { return world_.closed_because; }
    std::optional<std::string> refuse(const Player&, const PeerFacts&) override { return world_.refusal; }
    void on_password_trouble(const Player&, const PeerFacts&, const PasswordTrouble& trouble) override {
        world_.password_troubles.push_back(trouble);
    }
    SessionService* session_service() override { return world_.service; }
    std::unique_ptr<SessionHandler> welcome(ServerSession& session) override {
        world_.players.push_back(session.player());
        return std::make_unique<TestSessionHandler>(world_, session);
    }

private:
    World& world_;
};

/// What a client saw.
struct Visit {
    ClientSession* session = nullptr; ///< null when it is over
    std::vector<ClientSession::Phase> phases;
    std::vector<std::int32_t> packets;
    std::optional<Close> close;
    std::optional<std::string> reason;
    std::optional<HostPort> referral;
    std::deque<std::string> passwords; ///< for further attempts

    [[nodiscard]] bool reached(ClientSession::Phase phase) const {
        return std::ranges::find(phases, phase) != phases.end();
    }
};

class TestClientHandler final : public ClientHandler {
public:
    explicit TestClientHandler(Visit& visit) : visit_(visit) {}
    void on_phase(ClientSession& session) override { visit_.phases.push_back(session.phase()); }
    std::optional<std::string> on_password_refused(int) override {
        if (visit_.passwords.empty()) return {};
        auto next = visit_.passwords.front();
        visit_.passwords.pop_front();
        return next;
    }
    void on_packet(ClientSession&, const protocol::Frame& frame) override {
        visit_.packets.push_back(frame.id);
    }
    void on_referral(ClientSession&, const HostPort& to, Bytes) override { visit_.referral = to; }
    void on_closed(ClientSession&, const Close& close, const std::optional<std::string>& reason) override {
        visit_.close = close;
        visit_.reason = reason;
        visit_.session = nullptr;
    }

private:
    Visit& visit_;
};

/// A client of our own making, who writes any bytes and reads with care.
struct Raw {
    QuicConnection* connection = nullptr; ///< null when it is over
    bool is_confirmed = false;
    std::map<StreamId, std::string> data;
    std::optional<Close> close;
    bool consumes = true;

    /// Whether the last packet on stream 0 is a Disconnect; its reason.
    [[nodiscard]] std::optional<std::string> disconnect_reason() const {
        const auto found = data.find(0);
        if (found == data.end()) return {};
        protocol::FrameDecoder decoder(packets::registry(), {Side::client, {}});
        decoder.feed(as_bytes(found->second));
        std::optional<std::string> reason;
        for (auto next = decoder.next(); next && *next; next = decoder.next()) {
            reason.reset();
            if ((**next).id != packets::Disconnect::k_info.id) continue;
            protocol::Arena arena;
            packets::Disconnect packet;
            if (protocol::decode((**next).payload, arena, packet))
                reason = std::string(packet.reason.value_or({}));
        }
        return reason;
    }
};

class RawHandler final : public QuicHandler {
public:
    explicit RawHandler(Raw& raw) : raw_(raw) {}
    void on_confirmed(QuicConnection& connection) override {
        raw_.connection = &connection;
        raw_.is_confirmed = true;
    }
    void on_data(QuicConnection& connection, StreamId id, Bytes bytes, bool) override {
        raw_.data[id] += as_text(bytes);
        if (raw_.consumes) connection.consume(id, bytes.size());
    }
    void on_closed(QuicConnection&, const Close& close) override {
        raw_.close = close;
        raw_.connection = nullptr;
    }

private:
    Raw& raw_;
};

/// A server with sessions on an imagined wire, and as many clients as a test wants.
struct Wire {
    explicit Wire(std::uint64_t seed = 1, EndpointSettings endpoint = {}) : network(seed), server(endpoint) {}

    SimulatedNetwork network;
    std::deque<Raw> raws;     ///< here, so that they outlive their connections
    std::deque<Visit> visits; ///< the same
    ServerRules rules;
    LinkLimits limits;
    QuicSettings settings = QuicSettings::server();
    QuicSettings client_settings = QuicSettings::client();
    World world;
    TestServerHandler handler{world};
    Roster roster;
    FrameTools<Side::server> tools;
    ClientContext client_context{network};
    std::vector<std::move_only_function<void()>> posted;
    ServerContext context{
        network, tools,  rules,
        handler, roster, [this](std::move_only_function<void()> task) { posted.push_back(std::move(task)); }};
    QuicEndpoint server;
    std::vector<std::unique_ptr<QuicEndpoint>> clients;

    Raw& new_raw() { return raws.emplace_back(); }
    Visit& new_visit() { return visits.emplace_back(); }

    void start() {
        network.attach(k_server_address, server);
        server.listen(*TlsContext::server(identity()), settings, [this](QuicConnection& connection) {
            auto link =
                std::make_unique<QuicLink>(Side::server, connection, network, limits, tools.decompressor);
            link->set_user(std::make_unique<ServerSession>(context, *link));
            return link;
        });
        network.ticker = [this] {
            auto tasks = std::exchange(posted, {});
            for (auto& task : tasks) task();
            context.tick();
            client_context.tick();
        };
    }

    Address new_client(EndpointSettings endpoint = {}) {
        // 127.0.0.1 and the ports from 40000 on.
        const auto address = Address::loopback_v4(static_cast<std::uint16_t>(40'000 + clients.size()));
        clients.push_back(std::make_unique<QuicEndpoint>(endpoint));
        network.attach(address, *clients.back());
        return address;
    }

    /// Begins a session; `from` is an address of an attached endpoint of its own when given.
    void join(Visit& visit, ClientRules client = {}, std::optional<Address> elsewhere = {}) {
        auto address = new_client();
        if (elsewhere) {
            network.detach(address);
            address = *elsewhere;
            network.attach(address, *clients.back());
        }
        if (client.uuid == protocol::Uuid{}) client.uuid = uuid_of(1);
        auto* connection = *clients.back()->connect(*TlsContext::client(&identity(), {client.build.protocol}),
                                                    client_settings, "localhost", {address, k_server_address},
                                                    nullptr, network.now());
        auto link = std::make_unique<QuicLink>(Side::client, *connection, network, LinkLimits{},
                                               client_context.tools.decompressor);
        auto session = std::make_unique<ClientSession>(client_context, std::move(client), *link,
                                                       std::make_unique<TestClientHandler>(visit));
        visit.session = session.get();
        link->set_user(std::move(session));
        connection->set_handler(std::move(link));
    }

    /// A client that plays.
    Visit& new_player(ClientRules client = {}) {
        auto& visit = new_visit();
        join(visit, std::move(client));
        EXPECT_TRUE(network.run_until([&] { return visit.reached(ClientSession::Phase::play); }));
        return visit;
    }
    /// The server's side of the first client.
    [[nodiscard]] ServerSession& session() const { return **context.sessions.begin(); }

    /// Begins a raw connection and waits until it is established, with stream 0 open.
    void connect_raw(Raw& raw, std::vector<std::string> protocols = {"hytale/2"},
                     EndpointSettings endpoint = {}) {
        const auto address = new_client(endpoint);
        (void)clients.back()->connect(*TlsContext::client(&identity(), std::move(protocols)), client_settings,
                                      "localhost", {address, k_server_address},
                                      std::make_unique<RawHandler>(raw), network.now());
        network.run_until([&] { return raw.is_confirmed || raw.close; });
        if (raw.connection) raw.connection->open_bidi();
    }

    void write(Raw& raw, std::string_view bytes) {
        if (raw.connection) raw.connection->write(0, as_bytes(bytes));
    }
    template <protocol::Packet P>
    void write(Raw& raw, const P& packet) {
        write(raw, std::string_view(frame_text<Side::client>(packet)));
    }

    /// A `Connect` that is let in.
    std::string connect_frame(std::uint8_t player = 1) const {
        const auto build = GameBuild::current();
        packets::Connect connect;
        connect.protocol_crc = build.crc;
        connect.protocol_build_number = build.number;
        connect.client_version = build.version;
        connect.uuid = uuid_of(player);
        connect.username = "raw";
        connect.language = "en-US";
        return frame_text<Side::client>(connect);
    }
    /// Everything that a client says until it plays.
    std::string joining_frames(std::uint8_t player = 1) const {
        packets::RequestAssets assets;
        assets.assets = protocol::List<packets::Asset>();
        return connect_frame(player) + frame_text<Side::client>(assets)
               + frame_text<Side::client>(packets::PlayerOptions{});
    }
    bool play_raw(Raw& raw, std::uint8_t player = 1) {
        connect_raw(raw);
        write(raw, joining_frames(player));
        packets::ClientReady ready;
        ready.ready_for_chunks = true;
        network.run_until([&] { return sessions_in(ServerSession::Phase::play) > 0 || raw.close; });
        write(raw, ready);
        network.run_for(50ms);
        return raw.connection != nullptr;
    }
    std::size_t sessions_in(ServerSession::Phase phase) const {
        return static_cast<std::size_t>(std::ranges::count_if(
            context.sessions, [&](auto* session) { return session->phase() == phase; }));
    }
};

} // namespace orbis::net::test
