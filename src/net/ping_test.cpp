#include "net/ping.hpp"
#include "net/ping_talk.hpp"
#include "net/server.hpp"
#include "net/simulated_loop.hpp"
#include "net/version_question.hpp"
#include "net/wire_test_support.hpp"
#include "support/wait_for.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <poll.h>
#include <thread>

namespace orbis::net {
namespace {

using namespace test;
using Password = PingReport::Password;

PingRules rules_for(std::uint16_t port) {
    PingRules made;
    made.place = {"127.0.0.1", port};
    made.count = 2;
    return made;
}

/// For sockets of this machine, which may be slow.
PingRules patient_rules(std::uint16_t port) {
    auto made = rules_for(port);
    made.timeout = orbis::test::k_patience;
    return made;
}

/// A server on sockets of this machine, with what its program saw.
struct Running {
    World world;
    std::unique_ptr<Server> server;

    explicit Running(ServerSettings settings = {}) {
        settings.addresses = {Address::loopback_v4(0)};
        server = *Server::start(std::move(settings), identity(),
                                [this](Loop&, std::size_t) -> std::unique_ptr<ServerHandler> {
                                    return std::make_unique<TestServerHandler>(world);
                                });
    }
    [[nodiscard]] PingRules rules() const { return patient_rules(server->addresses().front().port()); }
    /// Waits until nobody is connected any more.
    [[nodiscard]] bool is_left() const {
        return orbis::test::wait_for([&] { return server->connections() == 0; });
    }
};

/// The same in an imagined loop, in which the ping runs too.
struct Imagined {
    std::unique_ptr<SimulatedLoop> loop = SimulatedLoop::make().value();
    World world;
    ServerSettings settings;
    TestServerHandler handler{world};
    Roster roster;
    ServerShard shard;

    explicit Imagined(ServerSettings chosen = {}, World seen = {})
        : world(std::move(seen)),
          settings(std::move(chosen)),
          shard(*loop, settings, TlsContext::server(identity()).value(), handler, roster) {
        EXPECT_TRUE(shard.listen(Address::loopback_v4(0)));
    }
    [[nodiscard]] PingRules rules() const { return rules_for(shard.addresses().front().port()); }
    [[nodiscard]] bool is_left() {
        return loop->run_until([&] { return shard.connections() == 0; }, 1min);
    }
};

ServerSettings with(const std::function<void(ServerRules&)>& change) {
    ServerSettings settings;
    change(settings.rules);
    return settings;
}

/// Answers each datagram as it is told; not at all where that is empty.
class Answerer {
public:
    using Answer = std::function<Buffer(Bytes)>;
    Answerer(Loop& loop, Answer answer)
        : loop_(loop), socket_(*loop.bind_udp(Address::loopback_v4(0), false)), answer_(std::move(answer)) {
        loop_.watch(socket_.descriptor(), true, false, [this](bool, bool) {
            socket_.receive(buffers_, [&](const ReceivedBatch& batch) {
                const auto words = answer_(batch.bytes.first(std::min(batch.segment, batch.bytes.size())));
                std::size_t done = 0;
                if (!words.empty()) socket_.send({batch.path, words, words.size(), 0}, done);
            });
        });
    }
    ~Answerer() { loop_.unwatch(socket_.descriptor()); }
    Answerer(const Answerer&) = delete;
    Answerer& operator=(const Answerer&) = delete;

    [[nodiscard]] const Address& address() const { return socket_.address(); }

private:
    Loop& loop_;
    UdpSocket socket_;
    ReceiveBuffers buffers_;
    Answer answer_;
};

/// What a ping finds where each datagram is answered so.
PingReport ping_answered(const Answerer::Answer& answer) {
    const auto loop = SimulatedLoop::make().value();
    const Answerer answerer(*loop, answer);
    return *ping(*loop, rules_for(answerer.address().port()));
}

/// "I have these versions", for any packet with ids.
Buffer versions_answer(Bytes packet, const std::vector<std::uint32_t>& versions) {
    const std::size_t to = packet[5];
    const std::size_t from = packet[6 + to];
    Buffer answer{0x80, 0, 0, 0, 0, static_cast<std::uint8_t>(from)};
    const auto add = [&](Bytes bytes) { answer.insert(answer.end(), bytes.begin(), bytes.end()); };
    add(packet.subspan(7 + to, from));
    answer.push_back(static_cast<std::uint8_t>(to));
    add(packet.subspan(6, to));
    for (const auto version : versions)
        for (const int shift : {24, 16, 8, 0}) answer.push_back(static_cast<std::uint8_t>(version >> shift));
    return answer;
}

/// Takes everything and says nothing.
class Deaf : public QuicHandler {
public:
    void on_data(QuicConnection&, StreamId, Bytes, bool) override {}
    void on_closed(QuicConnection&, const Close&) override {}
};

/// Lets TLS come to its end and then does not like the client's certificate.
class Fastidious final : public Deaf {
public:
    void on_handshake(QuicConnection& connection) override {
        connection.close(Close::transport(k_crypto_error + 42));
    }
};

/// A QUIC server with protocols of its choice.
struct OtherServer {
    std::unique_ptr<SimulatedLoop> loop = SimulatedLoop::make().value();
    UdpDriver driver{*loop, {}};

    explicit OtherServer(
        std::vector<std::string> protocols,
        Acceptor acceptor = [](QuicConnection&) { return std::make_unique<Deaf>(); }) {
        driver.add(*loop->bind_udp(Address::loopback_v4(0), false));
        driver.endpoint().listen(*TlsContext::server(identity(), std::move(protocols)),
                                 QuicSettings::server(), std::move(acceptor));
    }
    [[nodiscard]] PingReport ping() {
        return *net::ping(*loop, rules_for(driver.addresses().front().port()));
    }
};

std::string_view stopped_at(const PingReport& report) {
    return report.stopped_at() ? name(*report.stopped_at()) : "";
}

std::vector<std::string_view> steps(const PingReport& report) {
    std::vector<std::string_view> found;
    for (const auto& entry : report.entries) found.push_back(name(entry.step));
    return found;
}

const PingEntry& entry(const PingReport& report, PingStep step) {
    static const PingEntry none;
    const auto at = std::ranges::find(report.entries, step, &PingEntry::step);
    return at != report.entries.end() ? *at : none;
}

/// A failure always says what it means and what to do.
void expect_meaning(const PingReport& report, std::string_view words) {
    ASSERT_TRUE(report.stopped_at());
    const auto& failure = *report.entries.back().failure;
    EXPECT_FALSE(failure.problem.empty());
    EXPECT_FALSE(failure.advice.empty());
    EXPECT_NE((failure.problem + " " + failure.advice).find(words), std::string::npos) << failure.text();
}

void expect_all_the_way(const PingReport& report) {
    EXPECT_EQ(stopped_at(report), "");
    EXPECT_EQ(steps(report),
              (std::vector<std::string_view>{"name", "reach", "quic", "tls", "protocol", "certificate",
                                             "round-trip", "identity", "account", "password"}));
    EXPECT_TRUE(report.cipher.starts_with("TLS_")) << report.cipher;
    EXPECT_EQ(report.protocol, "hytale/2");
    ASSERT_TRUE(report.certificate);
    EXPECT_EQ(report.certificate->fingerprint, identity().fingerprint());
    ASSERT_EQ(report.addresses.size(), 1u);
    EXPECT_EQ(report.addresses[0].versions, std::vector{k_quic_version_1});
    ASSERT_EQ(report.round_trips.size(), 2u);
    EXPECT_LE(report.round_trips.front(), report.round_trips.back());
    EXPECT_EQ(report.password, Password::not_asked);
    for (const auto step : {PingStep::name, PingStep::reach, PingStep::tls, PingStep::identity})
        EXPECT_TRUE(entry(report, step).time);
}

TEST(Ping, GoesAllTheWayAndLeaves) {
    const Running running;
    std::vector<PingStep> told;
    const auto report = *ping(running.rules(), [&](const PingEntry& entry) { told.push_back(entry.step); });
    expect_all_the_way(report);
    EXPECT_EQ(told.size(), report.entries.size());
    EXPECT_TRUE(running.is_left());
    EXPECT_TRUE(running.world.packets.empty()); // it has not begun to join
}

TEST(Ping, MeasuresHowLongPacketsTake) {
    Imagined server;
    server.loop->delay = 30ms;
    const auto report = *ping(*server.loop, server.rules());
    expect_all_the_way(report);
    EXPECT_EQ(entry(report, PingStep::reach).time, 60ms);
    EXPECT_EQ(entry(report, PingStep::tls).time, 60ms);
    for (const auto trip : report.round_trips) {
        EXPECT_GE(trip, 59ms);
        EXPECT_LE(trip, 61ms);
    }
    EXPECT_TRUE(server.is_left());
    EXPECT_TRUE(server.world.packets.empty());
}

TEST(Ping, ChecksAPassword) {
    Imagined running(with([](ServerRules& rules) { rules.password = "secret"; }));
    auto rules = running.rules();
    auto report = *ping(*running.loop, rules);
    EXPECT_EQ(stopped_at(report), "password");
    EXPECT_EQ(report.password, Password::asked);
    expect_meaning(report, "--password-file");
    rules.password = "wrong";
    report = *ping(*running.loop, rules);
    EXPECT_EQ(stopped_at(report), "password");
    EXPECT_EQ(report.password, Password::refused);
    expect_meaning(report, "2 more attempts");
    rules.password = "secret";
    report = *ping(*running.loop, rules);
    EXPECT_EQ(stopped_at(report), "");
    EXPECT_EQ(report.password, Password::accepted);
    EXPECT_TRUE(running.is_left());
}

TEST(Ping, ShowsTheWordsOfARefusal) {
    Imagined running(with([](ServerRules& rules) { rules.auth = AuthMode::authenticated; }));
    const auto report = *ping(*running.loop, running.rules());
    EXPECT_EQ(stopped_at(report), "account");
    ASSERT_TRUE(report.refusal);
    EXPECT_NE(report.refusal->find("authentication"), std::string::npos);
    EXPECT_NE(report.entries.back().text.find(*report.refusal), std::string::npos);
    expect_meaning(report, "everything works up to here");
}

TEST(Ping, QuotesWhatAServerSays) {
    World world;
    world.closed_because = "closed\n\x1b[2J" + std::string(2000, 'x');
    Imagined running({}, world);
    const auto report = *ping(*running.loop, running.rules());
    EXPECT_EQ(stopped_at(report), "account");
    const auto& text = report.entries.back().text;
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_LT(text.size(), 500u);
}

/// One that no client is of.
protocol::BuildInfo other_build(int newer_by) {
    auto build = *protocol::find_build(protocol::k_default_build);
    build.build = "2027.01.01";
    build.crc = *build.crc ^ 1;
    build.build_number += newer_by;
    return build;
}

TEST(Ping, TellsTheVersionOfAnotherBuild) {
    for (const bool is_newer : {true, false}) {
        const auto other = other_build(is_newer ? 1 : -1);
        Imagined running(with([&](ServerRules& rules) { rules.builds = {&other}; }));
        const auto report = *ping(*running.loop, running.rules());
        EXPECT_EQ(stopped_at(report), "identity");
        EXPECT_EQ(report.server_version, "2027.01.01");
        expect_meaning(report, is_newer ? "newer than" : "older than");
        EXPECT_FALSE(report.round_trips.empty()); // measured before
    }
}

TEST(Ping, FindsTheProtocolThatAServerHas) {
    for (const auto* protocol : {"hytale/3", "hytale/1"}) {
        const auto report = OtherServer({protocol}).ping();
        EXPECT_EQ(stopped_at(report), "protocol");
        EXPECT_EQ(report.protocol, protocol);
        expect_meaning(report, "client of");
    }
    const auto report = OtherServer({"h3"}).ping();
    EXPECT_EQ(stopped_at(report), "protocol");
    EXPECT_EQ(report.protocol, "");
    expect_meaning(report, "does not use the game's protocol");
}

TEST(Ping, GivesUpOnAServerThatDoesNotAnswerConnect) {
    const auto report = OtherServer({"hytale/2"}).ping();
    EXPECT_EQ(stopped_at(report), "identity");
    EXPECT_TRUE(report.certificate);
    expect_meaning(report, "does not answer");
}

TEST(Ping, NoticesThatItsCertificateIsNotAccepted) {
    OtherServer server({"hytale/2"}, [](QuicConnection&) { return std::make_unique<Fastidious>(); });
    const auto report = server.ping();
    EXPECT_EQ(stopped_at(report), "certificate");
    ASSERT_TRUE(report.certificate); // that of the server is known all the same
    EXPECT_NE(report.entries.back().text.find("bad certificate"), std::string::npos);
    expect_meaning(report, "certificate");
}

TEST(Ping, TellsSilenceFromRefusal) {
    auto report = ping_answered([](Bytes) { return Buffer(); });
    EXPECT_EQ(stopped_at(report), "reach");
    EXPECT_EQ(report.addresses.at(0).answer, Reached::Answer::silent);
    expect_meaning(report, "QUIC is UDP");

    const auto nobody = UdpSocket::bind(Address::loopback_v4(0))->address().port();
    report = *ping(patient_rules(nobody));
    EXPECT_EQ(stopped_at(report), "reach");
    EXPECT_EQ(report.addresses.at(0).answer, Reached::Answer::refused);
    expect_meaning(report, "no program listens");
}

TEST(Ping, KnowsThatNoiseIsNotQuic) {
    const auto report = ping_answered([](Bytes) { return Buffer(100, 0x42); });
    EXPECT_EQ(stopped_at(report), "quic");
    expect_meaning(report, "something other than a game server");
}

TEST(Ping, NamesTheVersionsOfQuicThatAServerHas) {
    const auto report = ping_answered(
        [](Bytes packet) { return versions_answer(packet, {0xFF00001D, 0x0A1A2A3A, 0x6B3343CF}); });
    EXPECT_EQ(stopped_at(report), "quic");
    EXPECT_EQ(report.entries.back().text, "the server offers version draft-29, 2");
    expect_meaning(report, "version 1");
}

TEST(Ping, NoticesAServerThatOnlyTellsItsVersions) {
    const auto is_question = [](Bytes packet) { return packet[1] == 0x1A; };
    auto report = ping_answered(
        [&](Bytes packet) { return is_question(packet) ? versions_answer(packet, {1}) : Buffer(); });
    EXPECT_EQ(stopped_at(report), "quic");
    expect_meaning(report, "does not start a connection");

    report =
        ping_answered([&](Bytes packet) { return versions_answer(packet, {is_question(packet) ? 1U : 2U}); });
    EXPECT_EQ(stopped_at(report), "quic");
    expect_meaning(report, "version 1");
}

TEST(Ping, WorksWhereTheQuestionForVersionsIsNotAnswered) {
    // Something on the way drops it and lets the rest through.
    Imagined running;
    const auto server = running.shard.addresses().front();
    auto& loop = *running.loop;
    auto front = *loop.bind_udp(Address::loopback_v4(0), false);
    auto back = *loop.connect_udp(server);
    ReceiveBuffers buffers;
    std::optional<Address> client;
    int dropped = 0;
    const auto pass = [](UdpSocket& from, const Address& to, const ReceivedBatch& batch) {
        std::size_t done = 0;
        from.send({{from.address(), to}, batch.bytes, batch.segment, 0}, done);
    };
    loop.watch(front.descriptor(), true, false, [&](bool, bool) {
        front.receive(buffers, [&](const ReceivedBatch& batch) {
            client = batch.path.remote;
            if (batch.bytes[1] == 0x1A && batch.bytes[2] == 0x2A)
                ++dropped;
            else
                pass(back, server, batch);
        });
    });
    loop.watch(back.descriptor(), true, false, [&](bool, bool) {
        back.receive(buffers, [&](const ReceivedBatch& batch) { pass(front, *client, batch); });
    });
    const auto report = *ping(loop, rules_for(front.address().port()));
    EXPECT_EQ(stopped_at(report), "");
    EXPECT_NE(entry(report, PingStep::quic).text.find("does not say which others"), std::string::npos);
    EXPECT_GT(dropped, 1) << "it is asked more than once";
}

TEST(Ping, WorksOverTcp) {
    auto settings = with([](ServerRules& rules) { rules.password = "secret"; });
    settings.transport = ServerSettings::Transport::tcp;
    const Running running(settings);
    auto rules = running.rules();
    rules.is_tcp = true;
    rules.password = "secret";
    const auto report = *ping(rules);
    EXPECT_EQ(stopped_at(report), "");
    EXPECT_EQ(steps(report),
              (std::vector<std::string_view>{"name", "reach", "identity", "account", "password"}));
    EXPECT_EQ(report.password, Password::accepted);
    EXPECT_TRUE(running.is_left());
}

TEST(Ping, TellsWhatItCanOverTcp) {
    const auto other = other_build(1);
    auto settings = with([&](ServerRules& rules) { rules.builds = {&other}; });
    settings.transport = ServerSettings::Transport::tcp;
    PingRules rules;
    {
        const Running running(settings);
        rules = running.rules();
        rules.is_tcp = true;
        const auto report = *ping(rules);
        EXPECT_EQ(stopped_at(report), "identity");
        expect_meaning(report, "closes the connection");
    }
    const auto report = *ping(rules); // nobody listens any more
    EXPECT_EQ(stopped_at(report), "reach");
    EXPECT_EQ(report.addresses.at(0).answer, Reached::Answer::refused);
    expect_meaning(report, "without --tcp");
}

TEST(Ping, NoticesOtherProgramsOverTcp) {
    const auto listener = *listen_tcp(Address::loopback_v4(0));
    const auto address = listener.address();
    const std::jthread web([&] {
        pollfd ready{listener.descriptor(), POLLIN, 0};
        poll(&ready, 1, 60'000);
        Address peer;
        const auto client = accept_tcp(listener, peer);
        if (!client) return;
        const std::string_view words = "HTTP/1.1 400 Bad Request\r\n\r\n";
        send(client->descriptor(), words.data(), words.size(), MSG_NOSIGNAL);
        ready.fd = client->descriptor();
        poll(&ready, 1, 60'000);
    });
    auto rules = patient_rules(address.port());
    rules.is_tcp = true;
    const auto report = *ping(rules);
    EXPECT_EQ(stopped_at(report), "identity");
    expect_meaning(report, "check the port");
}

TEST(Reach, AsksAllAddressesAtOnce) {
    Imagined running;
    auto& loop = *running.loop;
    const Answerer silent(loop, [](Bytes) { return Buffer(); });
    const auto refusing = loop.bind_udp(Address::loopback_v4(0), false)->address();
    const auto start = loop.now();
    const auto found =
        reach_over_udp(loop, {silent.address(), refusing, running.shard.addresses().front()}, 10s);
    EXPECT_LT(loop.now() - start, 500ms); // not as long as the silent one would let us wait
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].answer, Reached::Answer::silent);
    EXPECT_EQ(found[1].answer, Reached::Answer::refused);
    EXPECT_EQ(found[2].answer, Reached::Answer::versions);
    EXPECT_TRUE(found[0].text().ends_with("does not answer"));
}

TEST(Ping, RefusesNamesThatNoPlayerHas) {
    Imagined running;
    auto longest = running.rules();
    longest.name = "sixteen_letters_";
    EXPECT_EQ(stopped_at(*ping(*running.loop, longest)), "");
    for (const auto* name : {"", "seventeen_letters", "a b", "\x1b", "\x7f"}) {
        PingRules rules;
        rules.place = {"127.0.0.1", 9};
        rules.name = name;
        const auto report = ping(rules);
        ASSERT_FALSE(report);
        EXPECT_EQ(report.error().code, Errc::usage);
    }
}

TEST(Ping, ANameWithoutAddressIsTheFirstStep) {
    PingRules rules;
    rules.place.host.append(300, 'x').append(".invalid");
    const auto report = *ping(rules);
    EXPECT_EQ(stopped_at(report), "name");
    expect_meaning(report, "spelling");
}

TEST(VersionQuestion, ReadsOnlyItsOwnAnswer) {
    const VersionQuestion question;
    const auto packet = question.packet();
    EXPECT_EQ(packet.size(), 1200u);
    const auto answer = versions_answer(packet, {1, 0xAA0A1A2A, 0x6B3343CF});
    EXPECT_EQ(question.read_answer(answer), (std::vector<std::uint32_t>{1, 0x6B3343CF}));
    EXPECT_FALSE(VersionQuestion().read_answer(answer));
    for (std::size_t size = 0; size < answer.size(); ++size) {
        const auto cut = question.read_answer(Bytes(answer).first(size));
        EXPECT_EQ(cut.has_value(), size >= answer.size() - 12 && (answer.size() - size) % 4 == 0) << size;
    }
    EXPECT_TRUE(rc::check("noise is no answer", [&](const Buffer& noise) { // NOLINT
        RC_ASSERT(!question.read_answer(noise));
    }));
}

TEST(Reach, AnAnswerCountsAlsoAfterNoise) {
    const auto loop = SimulatedLoop::make().value();
    int asked = 0;
    const Answerer answerer(
        *loop, [&](Bytes packet) { return ++asked == 1 ? Buffer(100, 0x42) : versions_answer(packet, {1}); });
    const auto found = reach_over_udp(*loop, {answerer.address()}, 10s);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].answer, Reached::Answer::versions) << "something on the way may have spoken first";
    EXPECT_EQ(asked, 2);
}

TEST(VersionQuestion, NamesVersions) {
    EXPECT_EQ(quic_version_text(0xFF0000FF), "draft-255");
    EXPECT_EQ(quic_version_text(0xFF000100), "0xff000100");
    EXPECT_EQ(quic_version_text(0xFF000000), "0xff000000");
    EXPECT_EQ(quic_version_text(1), "1");
    EXPECT_EQ(quic_version_text(0x6B3343CF), "2");
    EXPECT_EQ(quic_version_text(0xFF000020), "draft-32");
    EXPECT_EQ(quic_version_text(0x51303530), "0x51303530");
}

TEST(PingWatched, AnAlertOfTlsMeansThatQuicItselfWorked) {
    PingWatched watched;
    EXPECT_FALSE(watched.has_begun());
    for (const auto& [code, has_begun] : {std::pair<std::uint64_t, bool>{k_crypto_error - 1, false},
                                          {k_crypto_error, true},
                                          {k_crypto_error + 255, true},
                                          {k_crypto_error + 256, false},
                                          {k_protocol_violation, false}}) {
        watched.close = Close::transport(code);
        EXPECT_EQ(watched.has_begun(), has_begun) << code;
    }
    watched.close = Close::application(CloseCode::none);
    watched.close->code = k_crypto_error + 1;
    EXPECT_FALSE(watched.has_begun());
    watched.handshake = Time{};
    EXPECT_TRUE(watched.has_begun());
}

} // namespace
} // namespace orbis::net
