#include "net/server_test_support.hpp"
#include "net/simulated_loop.hpp"
#include "packets/player.hpp"
#include "packets/setup.hpp"
#include "packets/world.hpp"

#include <gtest/gtest.h>

#include <poll.h>
#include <set>
#include <stdexcept>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/// What the program behind a server may do wrong or unexpectedly, and what networks do to it.
namespace orbis::net {
namespace {

using namespace test;
using orbis::test::k_patience;
using Phase = ClientSession::Phase;

/// A handler made of one function.
class FunctionSessionHandler final : public SessionHandler {
public:
    using Act = std::function<bool(ServerSession&, const protocol::Frame&)>;
    FunctionSessionHandler(ServerSession& session, Act act) : session_(session), act_(std::move(act)) {}
    bool on_packet(const protocol::Frame& frame) override { return act_(session_, frame); }

private:
    ServerSession& session_;
    Act act_;
};

class FunctionServerHandler final : public ServerHandler {
public:
    using Welcome = std::function<std::unique_ptr<SessionHandler>(ServerSession&)>;
    explicit FunctionServerHandler(Welcome welcome) : welcome_(std::move(welcome)) {}
    std::unique_ptr<SessionHandler> welcome(ServerSession& session) override { return welcome_(session); }

private:
    Welcome welcome_;
};

std::unique_ptr<Server> serve(ServerSettings::Transport transport, FunctionServerHandler::Welcome welcome) {
    return Server::start(
               settings_for(1, transport), identity(),
               [welcome](Loop&, std::size_t) { return std::make_unique<FunctionServerHandler>(welcome); })
        .value();
}

/// A limit for loops of imagined time: a minute and more where it is not faster than a hundred times the real
/// one.
constexpr Duration k_long = 2h;

/// A server and its clients in one loop of imagined time; TCP has real sockets all the same.
struct InOneLoop {
    std::shared_ptr<SimulatedLoop> loop = SimulatedLoop::make().value();
    ServerSettings settings;
    Roster roster;
    ServerShard shard;

    InOneLoop(ServerSettings::Transport transport, ServerHandler& handler, std::size_t most_connections = 10)
        : settings(settings_for(1, transport)),
          shard(*loop, limited(settings, most_connections), tls_for(transport), handler, roster) {
        if (transport == ServerSettings::Transport::tcp)
            loop->speed = 100; // the system needs time of its own
        EXPECT_TRUE(shard.listen(Address::loopback_v4(0)));
    }
    [[nodiscard]] Address address() const { return shard.addresses().front(); }

private:
    static const ServerSettings& limited(ServerSettings& settings, std::size_t most_connections) {
        settings.most_connections = most_connections;
        return settings;
    }
    static std::shared_ptr<TlsContext> tls_for(ServerSettings::Transport transport) {
        if (transport == ServerSettings::Transport::tcp) return nullptr;
        return TlsContext::server(identity()).value();
    }
};

TEST(Mistakes, AnExceptionEndsOneSessionAlone) {
    const auto server = serve(ServerSettings::Transport::quic, [](ServerSession& session) {
        (void)session.send(packets::WorldSettings{});
        return std::make_unique<FunctionSessionHandler>(
            session, [](ServerSession& own, const protocol::Frame& frame) -> bool {
                if (own.player().name == "bot1") throw std::runtime_error("a wrong number");
                if (frame.id == packets::RequestAssets::k_info.id)
                    (void)own.send(packets::WorldLoadFinished{});
                if (frame.id == packets::PlayerOptions::k_info.id && own.begin_play())
                    (void)own.send(packets::JoinWorld{});
                return true;
            });
    });
    Clients clients;
    auto& wrong = clients.join(server->addresses().front(), player(1));
    auto& right = clients.join(server->addresses().front(), player(2));
    ASSERT_TRUE(
        clients.loop->run_until([&] { return wrong.close && right.reached(Phase::play); }, k_patience));
    EXPECT_EQ(wrong.close->code, 4u);
    EXPECT_NE(wrong.reason.value_or("").find("a wrong number"), std::string::npos);
    EXPECT_FALSE(right.close);
}

TEST(Mistakes, AnExceptionInWelcomeIsADisconnect) {
    const auto server =
        serve(ServerSettings::Transport::quic, [](ServerSession&) -> std::unique_ptr<SessionHandler> {
            throw std::runtime_error("no world");
        });
    Clients clients;
    auto& visit = clients.join(server->addresses().front(), player(1));
    ASSERT_TRUE(clients.loop->run_until([&] { return visit.close.has_value(); }, k_patience));
    EXPECT_NE(visit.reason.value_or("").find("no world"), std::string::npos);
}

TEST(Mistakes, ClientsThatResetRightAfterConnectAreNotOnline) {
    Worlds worlds;
    const auto server =
        Server::start(settings_for(1, ServerSettings::Transport::tcp), identity(), worlds.make()).value();
    const auto address = server->addresses().front();
    Wire frames;
    for (std::uint8_t turn = 1; turn <= 20; ++turn) {
        const int client = socket(AF_INET, SOCK_STREAM, 0);
        ASSERT_EQ(connect(client, address.data(), address.size()), 0);
        const auto frame = frames.connect_frame(turn);
        ASSERT_EQ(send(client, frame.data(), frame.size(), 0), static_cast<ssize_t>(frame.size()));
        const linger reset{1, 0};
        setsockopt(client, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        close(client);
    }
    // One who comes afterwards is let in after all of them were.
    Clients clients;
    clients.join_tcp(address, player(21));
    ASSERT_TRUE(clients.all(Phase::play));
    EXPECT_TRUE(
        orbis::test::wait_for([&] { return server->connections() == 1 && server->roster().size() == 1; }));
}

TEST(Mistakes, AGuestThatSendsOnDeliveryIsNotCalledInsideOfItself) {
    struct Feeder final : SessionHandler {
        explicit Feeder(ServerSession& own) : session(own) { (void)session.send(packets::WorldSettings{}); }
        bool on_packet(const protocol::Frame& frame) override {
            if (frame.id == packets::RequestAssets::k_info.id)
                (void)session.send(packets::WorldLoadFinished{});
            if (frame.id == packets::PlayerOptions::k_info.id && session.begin_play()) {
                (void)session.send(packets::JoinWorld{});
                feed();
            }
            return true;
        }
        void on_delivered(Channel channel) override {
            if (channel == Channel::chunks) feed();
        }
        void feed() {
            if (sent == 200) return;
            deepest = std::max(deepest, ++depth);
            ++sent;
            (void)session.send(packets::UnloadChunk{});
            --depth;
        }
        ServerSession& session;
        int depth = 0;
        int deepest = 0;
        int sent = 0;
    };
    for (const auto transport : {ServerSettings::Transport::tcp, ServerSettings::Transport::quic}) {
        Feeder* feeder = nullptr;
        FunctionServerHandler handler([&](ServerSession& session) {
            auto made = std::make_unique<Feeder>(session);
            feeder = made.get();
            return made;
        });
        const InOneLoop server(transport, handler);
        Clients clients(server.loop);
        auto& visit = transport == ServerSettings::Transport::tcp
                          ? clients.join_tcp(server.address(), player(1))
                          : clients.join(server.address(), player(1));
        ASSERT_TRUE(clients.loop->run_until(
            [&] { return std::ranges::count(visit.packets, packets::UnloadChunk::k_info.id) == 200; },
            k_long));
        EXPECT_EQ(feeder->deepest, 1);
    }
}

TEST(Mistakes, FramesThatWereMadeBeforeMoveTheStagesToo) {
    Wire wire;
    wire.world.sends_settings = false;
    wire.start();
    auto& raw = wire.new_raw();
    wire.connect_raw(raw);
    wire.write(raw, wire.connect_frame());
    wire.network.run_for(1s);
    protocol::FrameWriter<Side::server> writer;
    ASSERT_TRUE(
        wire.session().send(OutgoingFrame::make<Side::server>(writer, packets::WorldSettings{}).value()));
    wire.network.run_for(30s);
    EXPECT_FALSE(raw.close);
}

TEST(Mistakes, ChunksBeforePlayAreRefusedAndNotLost) {
    Wire wire;
    wire.start();
    auto& raw = wire.new_raw();
    wire.connect_raw(raw);
    wire.write(raw, wire.connect_frame());
    wire.network.run_for(1s);
    const auto sent = wire.session().send(packets::UnloadChunk{});
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error().code, Errc::usage);
}

TEST(Mistakes, APasswordMayTakeItsTime) {
    Wire wire;
    wire.rules.password = "secret";
    wire.client_settings.idle_timeout = 30s; // as clients of the game have
    wire.start();
    auto& raw = wire.new_raw();
    wire.connect_raw(raw);
    wire.write(raw, wire.connect_frame());
    wire.network.run_for(40s);
    EXPECT_FALSE(raw.close) << raw.close->text();
}

TEST(Mistakes, NobodyStaysInSetupForever) {
    Wire wire;
    wire.start();
    auto& raw = wire.new_raw();
    wire.connect_raw(raw);
    packets::RequestAssets assets;
    assets.assets = protocol::List<packets::Asset>();
    wire.write(raw, wire.connect_frame() + frame_text<Side::client>(assets));
    for (int minute = 0; minute < 5 && !raw.close; ++minute) {
        wire.network.run_for(60s);
        wire.write(raw, packets::ViewRadius{});
    }
    EXPECT_TRUE(raw.close);
}

TEST(Mistakes, TheCodeOfASilentClientDoesNotDependOnTheWire) {
    for (const auto delay : {5ms, 20ms, 50ms, 100ms, 200ms}) {
        Wire wire;
        wire.network.conditions.delay = delay;
        wire.start();
        auto& raw = wire.new_raw();
        wire.connect_raw(raw);
        ASSERT_TRUE(wire.network.run_until([&] { return raw.close.has_value(); }, 60s));
        EXPECT_EQ(raw.close->code, 0u) << delay.count();
    }
}

TEST(Mistakes, AServerThatGoesTellsClientsAndHandlers) {
    for (const auto transport : {ServerSettings::Transport::quic, ServerSettings::Transport::tcp}) {
        Worlds worlds;
        auto server = Server::start(settings_for(1, transport), identity(), worlds.make()).value();
        Clients clients;
        if (transport == ServerSettings::Transport::tcp)
            clients.join_tcp(server->addresses().front(), player(1));
        else
            clients.join(server->addresses().front(), player(1));
        ASSERT_TRUE(clients.all(Phase::play));
        server.reset();
        EXPECT_TRUE(clients.all_closed());
        EXPECT_EQ(worlds.worlds.front().closes.size(), 1u);
    }
}

TEST(Mistakes, AFullTcpServerSleepsAndAcceptsAgain) {
    World world;
    TestServerHandler handler(world);
    const InOneLoop server(ServerSettings::Transport::tcp, handler, 2);
    const auto address = server.address();
    std::vector<int> others;
    for (int count = 0; count < 4; ++count) {
        others.push_back(socket(AF_INET, SOCK_STREAM, 0));
        ASSERT_EQ(connect(others.back(), address.data(), address.size()), 0);
    }
    struct Turns final : Worker {
        bool turn() override { return ++count, false; }
        [[nodiscard]] Time deadline() const override { return k_never; }
        int count = 0;
    } turns;
    ASSERT_TRUE(server.loop->run_until([&] { return server.shard.connections() == 2; }, k_long));
    server.loop->add(turns);
    // Time goes on only while nothing is to be done. Two connections wait all of it.
    const auto begin = server.loop->now();
    server.loop->run_until([&] { return turns.count > 10'000; }, 10s);
    EXPECT_EQ(server.loop->now() - begin, 10s);
    EXPECT_LT(turns.count, 1000);
    EXPECT_EQ(server.shard.connections(), 2u);
    server.loop->remove(turns);
    for (const int each : others) close(each);
    Clients clients(server.loop);
    clients.join_tcp(address, player(1));
    EXPECT_TRUE(clients.all(Phase::play, k_long));
}

TEST(Mistakes, AClientWithAnAccountDoesNotTrustAServerThatAsksForNone) {
    Wire wire;
    wire.start();
    auto& visit = wire.new_visit();
    ClientRules rules;
    rules.authentication = {.service = nullptr, .audience = "me", .certificate = identity().fingerprint()};
    wire.join(visit, rules);
    ASSERT_TRUE(wire.network.run_until([&] { return visit.close.has_value(); }));
    EXPECT_FALSE(visit.reached(Phase::setup));
}

TEST(Mistakes, WordsOfAPeerAreQuoted) {
    Close close{Close::Kind::application, 5, "\x1b[2Jx\ny", true};
    EXPECT_EQ(close.text().find('\x1b'), std::string::npos);
    EXPECT_EQ(close.text().find('\n'), std::string::npos);
}

TEST(Mistakes, EveryEndHasItsWords) {
    using Kind = Close::Kind;
    const auto text = [](Kind kind, std::uint64_t code, bool by_peer = false, std::string reason = {}) {
        return Close{kind, code, std::move(reason), by_peer}.text();
    };
    EXPECT_EQ(text(Kind::application, 0), "closed: no error (application error 0)");
    EXPECT_EQ(text(Kind::application, 1, true), "closed by the peer: rate limited (application error 1)");
    EXPECT_EQ(text(Kind::application, 4), "closed: timeout (application error 4)");
    EXPECT_EQ(text(Kind::application, 5), "closed: client outdated (application error 5)");
    EXPECT_EQ(text(Kind::application, 6, true, "2026"),
              "closed by the peer: server outdated (application error 6): \"2026\"");
    EXPECT_EQ(text(Kind::application, 7), "closed: unknown code (application error 7)");
    EXPECT_EQ(text(Kind::transport, 0x0A), "closed: protocol violation (transport error 0xA)");
    EXPECT_EQ(text(Kind::transport, 0x10), "closed: no viable path (transport error 0x10)");
    EXPECT_EQ(text(Kind::transport, 0x11), "closed: unknown code (transport error 0x11)");
    EXPECT_EQ(text(Kind::transport, 0xFF), "closed: unknown code (transport error 0xFF)");
    EXPECT_EQ(text(Kind::transport, 0x100), "closed: TLS alert (transport error 0x100)");
    EXPECT_EQ(text(Kind::transport, k_certificate_required),
              "closed: TLS certificate required (transport error 0x174)");
    EXPECT_EQ(text(Kind::transport, 0x1FF), "closed: TLS alert (transport error 0x1FF)");
    EXPECT_EQ(text(Kind::transport, 0x200), "closed: unknown code (transport error 0x200)");
    EXPECT_EQ(text(Kind::failed, 0, false, "no route"), "failed: no route");
    EXPECT_EQ(text(Kind::failed, 0, true, std::string(301, 'x')), "failed: \"" + std::string(300, 'x') + '"');
    std::set<std::string> others;
    for (const auto kind : {Kind::idle, Kind::handshake_timeout, Kind::version, Kind::reset, Kind::end})
        others.insert(text(kind, 0));
    EXPECT_EQ(others.size(), 5U);
}

TEST(Mistakes, WhatIsPausedIsNotReadUntilItGoesOn) {
    Wire wire;
    wire.settings.max_stream_data_bidi_remote = 20'000;
    wire.settings.largest_stream_window = 0; // else it grows
    wire.rules.rate_limit.is_enabled = false;
    wire.start();
    auto& raw = wire.new_raw();
    ASSERT_TRUE(wire.play_raw(raw));
    auto& link = wire.session().link();
    link.pause(Channel::normal);
    packets::ClientMovement movement;
    const auto frame = frame_text<Side::client>(movement);
    std::string many;
    for (int i = 0; i < 400; ++i) many += frame;
    ASSERT_GT(many.size(), 20'000U);
    wire.write(raw, many);
    wire.network.run_for(5s);
    ASSERT_TRUE(raw.connection);
    EXPECT_GT(raw.connection->unsent(0), 0U) << "nobody allows more";
    link.resume(Channel::normal);
    EXPECT_TRUE(
        wire.network.run_until([&] { return !raw.connection || raw.connection->unsent(0) == 0; }, 5s));
    EXPECT_TRUE(raw.connection);
}

/// Counts frames and what else it is told.
class CountingUser final : public LinkUser {
public:
    explicit CountingUser(int& frames) : frames_(frames) {}
    void on_open() override {}
    void on_frame(const protocol::Frame&) override { ++frames_; }
    void on_bad_frame(const protocol::FrameFailure&) override { ADD_FAILURE(); }
    void on_end() override { ADD_FAILURE(); }
    void on_closed(const Close&) override {}

private:
    int& frames_;
};

TEST(Mistakes, APausedTcpConnectionIsNotReadUntilAllChannelsGoOn) {
    auto loop = *Loop::make();
    const auto listener = listen_tcp(Address::loopback_v4(0)).value();
    const auto address = listener.address();
    const Socket client(socket(AF_INET, SOCK_STREAM, 0));
    ASSERT_EQ(connect(client.descriptor(), address.data(), address.size()), 0);
    Address peer;
    std::optional<Socket> accepted;
    ASSERT_TRUE(
        loop->run_until([&] { return (accepted = accept_tcp(listener, peer)).has_value(); }, k_patience));
    const int descriptor = accepted->descriptor();
    Decompressor decompressor;
    TcpLink link(Side::server, *std::move(accepted), peer, *loop, {}, decompressor);
    int frames = 0;
    link.set_user(std::make_unique<CountingUser>(frames));
    link.start();
    const auto frame = frame_text<Side::client>(packets::ClientMovement{});
    const auto unread = [&] {
        int bytes = 0;
        ioctl(descriptor, FIONREAD, &bytes);
        return static_cast<std::size_t>(bytes);
    };
    const auto arrives = [&] {
        ASSERT_EQ(send(client.descriptor(), frame.data(), frame.size(), 0), std::ssize(frame));
        pollfd waiting{descriptor, POLLIN, 0};
        ASSERT_EQ(poll(&waiting, 1, 60'000), 1);
    };
    const auto turn = [&] { // descriptors that are ready have their turn between two moments
        int turns = 0;
        std::function<void()> next = [&] {
            if (++turns < 5) loop->after(1ms, next);
        };
        next();
        loop->run_until([&] { return turns == 5; }, k_patience);
    };
    link.pause(Channel::normal);
    link.pause(Channel::chunks);
    arrives();
    turn();
    EXPECT_EQ(frames, 0);
    EXPECT_EQ(unread(), frame.size());
    link.resume(Channel::normal);
    turn();
    EXPECT_EQ(frames, 0) << "another channel is paused";
    link.resume(Channel::chunks);
    ASSERT_TRUE(loop->run_until([&] { return frames == 1; }, k_patience));
    EXPECT_EQ(unread(), 0U);
    arrives();
    EXPECT_TRUE(loop->run_until([&] { return frames == 2; }, k_patience));
}

TEST(Mistakes, SmallFramesBetweenLargeOnesCostLittle) {
    SendQueue queue;
    const protocol::SharedFrame large(Buffer(600, 1));
    std::size_t blocks = 0;
    std::array<Bytes, 64> pieces;
    for (int count = 0; count < 30; ++count) {
        queue.add(large);
        queue.add(Buffer(20, 2));
    }
    blocks = queue.pieces(pieces);
    EXPECT_EQ(blocks, 60u);
    EXPECT_LE(queue.reserved(), 30u * (600 + 128));
}

} // namespace
} // namespace orbis::net
