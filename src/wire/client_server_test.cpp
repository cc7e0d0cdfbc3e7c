#include "orbis/wire/client.hpp"
#include "orbis/wire/ping.hpp"
#include "orbis/wire/server.hpp"
#include "support/wait_for.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace orbis::wire {
namespace {

constexpr std::chrono::milliseconds k_patience = test::k_patience;

Server server_on_loopback(const ServerOptions& options = {}) {
    auto server = Server::start("127.0.0.1:0", options);
    EXPECT_TRUE(server) << server.error().text();
    return *std::move(server);
}

Result<Client> client_of(const Server& server, ClientOptions options = {}) {
    options.timeout = k_patience;
    return Client::connect(server.addresses().front(), options);
}

/// The next event of that kind; packets of that name, or any.
std::optional<ServerEvent> wait_for_event(Server& server, ServerEvent::Kind kind,
                                          std::string_view packet = {}) {
    while (auto event = server.receive(k_patience))
        if (event->kind == kind && (packet.empty() || event->frame->name() == packet)) return event;
    ADD_FAILURE() << "the event did not come";
    return {};
}

std::optional<Frame> wait_for_packet(Client& client, std::string_view name) {
    while (auto frame = client.receive(k_patience)) {
        if (!*frame) break;
        if ((*frame)->name() == name) return **frame;
    }
    ADD_FAILURE() << name << " did not come";
    return {};
}

Packet chat(std::string_view message) {
    auto packet = Protocol().make("ChatMessage").value();
    EXPECT_TRUE(packet.set("message", message));
    return packet;
}

TEST(ClientAndServer, PacketsGoBothWaysByName) {
    auto server = server_on_loopback();
    ClientOptions options;
    options.name = "Ada";
    options.uuid = "00112233-4455-6677-8899-aabbccddeeff";
    auto client = client_of(server, options);
    ASSERT_TRUE(client) << client.error().text();
    const auto joined = wait_for_event(server, ServerEvent::Kind::joined);
    ASSERT_TRUE(joined);
    EXPECT_EQ(joined->player.name(), "Ada");
    EXPECT_EQ(joined->player.uuid(), options.uuid);
    EXPECT_TRUE(joined->player.address().starts_with("127.0.0.1:")) << joined->player.address();
    EXPECT_TRUE(joined->player.is_connected());
    EXPECT_TRUE(joined->player.is_in_world());

    ASSERT_TRUE(client->send(chat("hello")));
    const auto said = wait_for_event(server, ServerEvent::Kind::packet, "ChatMessage");
    ASSERT_TRUE(said);
    EXPECT_EQ(said->frame->packet().value()["message"].text(), "hello");
    EXPECT_EQ(said->player, joined->player);

    auto settings = Protocol().make("ViewRadius").value();
    ASSERT_TRUE(settings.set("value", 77));
    ASSERT_TRUE(said->player.send(settings));
    const auto answer = wait_for_packet(*client, "ViewRadius");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->packet().value(), settings);
    EXPECT_TRUE(client->is_in_world());
    EXPECT_TRUE(test::wait_for([&] { return client->waiting() == 0 && joined->player.waiting() == 0; }));
    EXPECT_TRUE(test::wait_for([&] { return client->round_trip().count() > 0; }));
}

TEST(ClientAndServer, PacketsOfAllChannelsReachAPlayerInTheWorld) {
    auto server = server_on_loopback();
    auto client = client_of(server);
    ASSERT_TRUE(client) << client.error().text();
    const auto joined = wait_for_event(server, ServerEvent::Kind::joined);
    ASSERT_TRUE(joined);
    for (const auto& info : Protocol().packets()) {
        if (info.receiver != Receiver::client || info.channel == "Default") continue;
        ASSERT_TRUE(joined->player.send(Protocol().make(info.name).value())) << info.name;
        EXPECT_TRUE(wait_for_packet(*client, info.name)) << info.name;
    }
}

TEST(ClientAndServer, APacketForTheOtherSideOrBuildIsAnError) {
    auto server = server_on_loopback();
    auto client = client_of(server);
    ASSERT_TRUE(client) << client.error().text();
    const auto joined = wait_for_event(server, ServerEvent::Kind::joined);
    ASSERT_TRUE(joined);
    EXPECT_EQ(client->send(Protocol().make("ServerMessage").value()).error().code, Errc::usage);
    EXPECT_EQ(joined->player.send(chat("no")).error().code, Errc::usage);
    const auto later = Protocol::of("0.5.1").value();
    EXPECT_EQ(client->send(later.make("ChatMessage").value()).error().code, Errc::unsupported);
    EXPECT_TRUE(client->send(chat("still here")));
    EXPECT_TRUE(wait_for_event(server, ServerEvent::Kind::packet, "ChatMessage"));
}

TEST(ClientAndServer, AServerMaySetUpPlayersItself) {
    ServerOptions options;
    options.sets_up = false;
    auto server = server_on_loopback(options);
    ClientOptions who;
    who.view_radius = 96;
    auto client = client_of(server, who);
    ASSERT_TRUE(client) << client.error().text();
    const auto joined = wait_for_event(server, ServerEvent::Kind::joined);
    ASSERT_TRUE(joined);
    const auto& player = joined->player;
    EXPECT_FALSE(player.is_in_world());
    const auto chunk = Protocol().make("UnloadChunk").value();
    EXPECT_EQ(player.send(chunk).error().code, Errc::usage) << "its channel is not open yet";
    ASSERT_TRUE(player.send(Protocol().make("WorldSettings", R"({"worldHeight":320})").value()));
    ASSERT_TRUE(wait_for_event(server, ServerEvent::Kind::packet, "RequestAssets"));
    ASSERT_TRUE(player.send(Protocol().make("WorldLoadFinished").value()));
    const auto radius = wait_for_event(server, ServerEvent::Kind::packet, "ViewRadius");
    ASSERT_TRUE(radius);
    EXPECT_EQ(radius->frame->packet().value()["value"].integer(), 96);
    ASSERT_TRUE(wait_for_event(server, ServerEvent::Kind::packet, "PlayerOptions"));
    ASSERT_TRUE(player.begin_play());
    EXPECT_EQ(player.begin_play().error().code, Errc::usage);
    ASSERT_TRUE(player.send(Protocol().make("JoinWorld").value()));
    ASSERT_TRUE(player.send(chunk));
    ASSERT_TRUE(wait_for_event(server, ServerEvent::Kind::packet, "ClientReady"));
    EXPECT_TRUE(wait_for_packet(*client, "UnloadChunk"));
    EXPECT_TRUE(client->is_in_world());
}

TEST(ClientAndServer, BothHearHowItEnded) {
    auto server = server_on_loopback();
    auto client = client_of(server);
    ASSERT_TRUE(client) << client.error().text();
    auto joined = wait_for_event(server, ServerEvent::Kind::joined);
    ASSERT_TRUE(joined);
    EXPECT_FALSE(client->ending());
    joined->player.disconnect("Enough.", CloseCode::timeout);
    while (auto frame = client->receive()) continue;
    const auto ending = client->ending();
    ASSERT_TRUE(ending);
    EXPECT_TRUE(ending->has_code);
    EXPECT_EQ(ending->code, CloseCode::timeout);
    EXPECT_TRUE(ending->by_peer);
    EXPECT_EQ(ending->reason, "Enough.");
    EXPECT_EQ(client->send(chat("too late")).error().code, Errc::io);
    auto left = wait_for_event(server, ServerEvent::Kind::left);
    ASSERT_TRUE(left && left->ending);
    EXPECT_FALSE(left->ending->by_peer);
    EXPECT_FALSE(joined->player.is_connected());
    EXPECT_EQ(joined->player.send(Protocol().make("ViewRadius").value()).error().code, Errc::io);

    auto next = client_of(server);
    ASSERT_TRUE(next) << next.error().text();
    ASSERT_TRUE(wait_for_event(server, ServerEvent::Kind::joined));
    next->close("broken", CloseCode::rate_limited);
    EXPECT_EQ(next->ending()->code, CloseCode::rate_limited);
    left = wait_for_event(server, ServerEvent::Kind::left);
    ASSERT_TRUE(left && left->ending);
    EXPECT_TRUE(left->ending->by_peer);
    EXPECT_EQ(left->ending->code, CloseCode::rate_limited);
    EXPECT_EQ(left->ending->reason, "broken");
}

TEST(ClientAndServer, ANameWithSeveralAddressesLeadsToTheOneThatAnswers) {
    auto server = server_on_loopback();
    const auto address = server.addresses().front();
    ClientOptions options;
    options.timeout = k_patience;
    const auto client = Client::connect("localhost" + address.substr(address.rfind(':')), options);
    EXPECT_TRUE(client) << client.error().text();
}

TEST(ClientAndServer, APasswordIsAskedFor) {
    ServerOptions options;
    options.password = "secret";
    auto server = server_on_loopback(options);
    const auto without = client_of(server);
    ASSERT_FALSE(without);
    EXPECT_EQ(without.error().problem, "the server asks for a password");
    ClientOptions wrong;
    wrong.password = "guess";
    const auto refused = client_of(server, wrong);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().problem, "the server refused the password");
    ClientOptions right;
    right.password = "secret";
    EXPECT_TRUE(client_of(server, right));

    PingOptions ask;
    ask.timeout = k_patience;
    ask.count = 1;
    const auto report = ping(server.addresses().front(), ask);
    ASSERT_TRUE(report);
    EXPECT_FALSE(report->is_open());
    EXPECT_TRUE(report->asks_for_password);
    EXPECT_EQ(report->steps.back().name, "password");
    ask.password = "secret";
    const auto open = ping(server.addresses().front(), ask);
    ASSERT_TRUE(open);
    EXPECT_TRUE(open->is_open());
    EXPECT_EQ(open->certificate, server.fingerprint());
    EXPECT_EQ(open->address, server.addresses().front());
    EXPECT_FALSE(open->round_trips.empty());
}

TEST(ClientAndServer, WhereNobodyListensNothingIsConnected) {
    std::string address;
    {
        auto server = server_on_loopback();
        address = server.addresses().front();
    }
    ClientOptions options;
    options.timeout = std::chrono::milliseconds(1);
    EXPECT_FALSE(Client::connect(address, options));
    EXPECT_EQ(Client::connect("not an address", options).error().code, Errc::usage);
    options.uuid = "seven";
    EXPECT_EQ(Client::connect(address, options).error().code, Errc::usage);
    EXPECT_EQ(ping("", {}).error().code, Errc::usage);
    EXPECT_FALSE(Server::start("not an address"));
    ServerOptions half;
    half.certificate = "only.pem";
    EXPECT_EQ(Server::start("127.0.0.1:0", half).error().code, Errc::usage);
}

TEST(ClientAndServer, StoppingAServerFreesThoseWhoWait) {
    auto server = server_on_loopback();
    auto client = client_of(server);
    ASSERT_TRUE(client) << client.error().text();
    auto joined = wait_for_event(server, ServerEvent::Kind::joined);
    ASSERT_TRUE(joined);
    std::size_t left = 0;
    std::jthread waits([&] {
        while (const auto event = server.receive())
            if (event->kind == ServerEvent::Kind::left) ++left;
    });
    server.stop("Good night.");
    waits.join();
    EXPECT_EQ(left, 1U);
    while (client->receive()) continue;
    EXPECT_EQ(client->ending()->reason, "Good night.");
    EXPECT_FALSE(joined->player.is_connected());
    {
        const auto gone = std::move(server);
    }
    EXPECT_EQ(joined->player.send(Protocol().make("ViewRadius").value()).error().code, Errc::io);
    joined->player.disconnect("Nobody hears it.");
}

TEST(ClientAndServer, WhoSendsMoreThanGoesThroughHearsOfItAndNothingIsLost) {
    auto server = server_on_loopback();
    auto client = client_of(server);
    ASSERT_TRUE(client) << client.error().text();
    ASSERT_TRUE(wait_for_event(server, ServerEvent::Kind::joined));
    // Nobody receives: what the server keeps and what is on its way is limited.
    const auto large = chat(std::string(1 << 20, 'x'));
    std::size_t sent = 0;
    while (true) {
        const auto done = client->send(large);
        if (!done) {
            EXPECT_EQ(done.error().code, Errc::busy);
            break;
        }
        ++sent;
        ASSERT_LT(sent, 100U);
    }
    EXPECT_GE(sent, 15U);
    for (std::size_t received = 0; received < sent; ++received)
        ASSERT_TRUE(wait_for_event(server, ServerEvent::Kind::packet, "ChatMessage"));
    EXPECT_TRUE(test::wait_for([&] { return client->waiting() == 0; }));
    EXPECT_TRUE(client->send(large));
    EXPECT_TRUE(wait_for_event(server, ServerEvent::Kind::packet, "ChatMessage"));
}

} // namespace
} // namespace orbis::wire
