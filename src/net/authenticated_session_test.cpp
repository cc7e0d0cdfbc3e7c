#include "net/server_test_support.hpp"
#include "net/session_service_thread.hpp"
#include "packets/auth.hpp"
#include "packets/connection.hpp"
#include "packets/registry.hpp"
#include "protocol/uuid.hpp"
#include "support/small_session_service.hpp"

#include <gtest/gtest.h>

/// Accounts: a server, a client and a session service of our own, all on this machine.
namespace orbis::net {
namespace {

using namespace test;
using orbis::test::k_patience;
using orbis::test::SmallSessionService;
using Phase = ClientSession::Phase;

constexpr std::string_view k_server_id = "99999999-0000-0000-0000-000000000001";

SessionServiceSettings settings_of(const SmallSessionService& service) {
    SessionServiceSettings settings;
    settings.url = service.url();
    settings.session_token = SmallSessionService::session_token();
    settings.http.connect = settings.http.total = k_patience;
    return settings;
}

/// A handler whose thread asks the service.
class AccountHandler final : public ServerHandler {
public:
    AccountHandler(World& world, Loop& loop, const SmallSessionService& service)
        : inner_(world), service_(SessionServiceThread::start(settings_of(service), [&loop](auto task) {
                                      loop.post(std::move(task));
                                  }).value()) {}
    SessionService* session_service() override { return service_.get(); }
    std::optional<std::string> refuse(const Player& player, const PeerFacts& peer) override {
        return inner_.refuse(player, peer);
    }
    std::unique_ptr<SessionHandler> welcome(ServerSession& session) override {
        return inner_.welcome(session);
    }

private:
    TestServerHandler inner_;
    std::unique_ptr<SessionServiceThread> service_;
};

struct Accounts : testing::Test {
    SmallSessionService service;
    World world;
    Clients clients;
    std::unique_ptr<SessionServiceThread> asked =
        SessionServiceThread::start(settings_of(service), [this](auto task) {
            clients.loop->post(std::move(task));
        }).value();
    std::int64_t expires = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()) + 600;
    ServerSettings settings = settings_for(1, ServerSettings::Transport::quic);
    std::unique_ptr<Server> server;

    void start() {
        settings.rules.auth = AuthMode::authenticated;
        settings.rules.authentication = {
            .audience = std::string(k_server_id),
            .identity_token = service.identity_token(k_server_id, "", "hytale:server", expires),
            .certificate = identity().fingerprint()};
        server = Server::start(settings, identity(), [this](Loop& loop, std::size_t) {
                     return std::make_unique<AccountHandler>(world, loop, service);
                 }).value();
    }
    ClientRules account() {
        auto rules = player(1);
        rules.identity_token =
            service.identity_token(protocol::uuid_text(rules.uuid), rules.name, k_client_scope, expires);
        rules.authentication = {.service = asked.get(),
                                .audience = protocol::uuid_text(rules.uuid),
                                .certificate = identity().fingerprint()};
        return rules;
    }
    /// What such a client begins with; it shows texts of `rules`.
    static packets::Connect connect_of(const ClientRules& rules) {
        packets::Connect connect;
        connect.protocol_crc = rules.build.crc;
        connect.uuid = rules.uuid;
        connect.username = rules.name;
        connect.language = rules.language;
        connect.client_version = rules.build.version;
        connect.identity_token = protocol::Text(*rules.identity_token);
        return connect;
    }
    /// Begins a connection with stream 0 open.
    void connect_raw(Raw& raw) {
        ASSERT_TRUE(clients.driver.connect(server->addresses().front(), *TlsContext::client(&identity()),
                                           QuicSettings::client(), "localhost",
                                           std::make_unique<RawHandler>(raw)));
        ASSERT_TRUE(clients.loop->run_until([&] { return raw.is_confirmed; }, k_patience));
        raw.connection->open_bidi();
    }
    /// The reason for which such a client is refused.
    std::string refusal(ClientRules rules) {
        auto& visit = clients.join(server->addresses().front(), std::move(rules));
        EXPECT_TRUE(
            clients.loop->run_until([&] { return visit.close || visit.reached(Phase::setup); }, k_patience));
        EXPECT_FALSE(visit.reached(Phase::setup));
        if (visit.close) {
            EXPECT_EQ(visit.close->kind, Close::Kind::application);
            EXPECT_EQ(visit.close->code, 0u);
        }
        return visit.reason.value_or("");
    }
};

TEST_F(Accounts, BothSidesConvinceEachOther) {
    start();
    auto& visit = clients.join(server->addresses().front(), account());
    ASSERT_TRUE(
        clients.loop->run_until([&] { return visit.reached(Phase::play) || visit.close; }, k_patience));
    ASSERT_TRUE(visit.reached(Phase::play)) << visit.reason.value_or("");
    EXPECT_TRUE(visit.reached(Phase::authenticating));
    EXPECT_EQ(std::vector(visit.packets.begin(), visit.packets.begin() + 2),
              (std::vector<std::int32_t>{11, 13}));
}

TEST_F(Accounts, SayWhoPlayersOfLaterBuildsAre) {
    start();
    for (const auto* build : {"2026.03.26", "2026.05.07", "b242"}) {
        auto rules = account();
        rules.build = GameBuild::find(build).value();
        auto& visit = clients.join(server->addresses().front(), rules);
        ASSERT_TRUE(
            clients.loop->run_until([&] { return visit.reached(Phase::play) || visit.close; }, k_patience));
        ASSERT_TRUE(visit.reached(Phase::play)) << build << ": " << visit.reason.value_or("");
        EXPECT_EQ(world.players.back().name, rules.name) << build;
        EXPECT_EQ(world.players.back().uuid, rules.uuid) << build;
        visit.session->leave();
        ASSERT_TRUE(clients.loop->run_until([&] { return visit.close.has_value(); }, k_patience));
    }
}

TEST_F(Accounts, WithoutANameLetNobodyOfLaterBuildsIn) {
    start();
    for (const auto* name : {"", "a name", "seventeen-letters"}) {
        auto rules = account();
        rules.build = GameBuild::find("0.5.1").value();
        rules.identity_token =
            service.identity_token(protocol::uuid_text(rules.uuid), name, k_client_scope, expires);
        EXPECT_NE(refusal(rules).find("has no name"), std::string::npos) << name;
    }
}

TEST_F(Accounts, ThePasswordComesAfterTheAccount) {
    settings.rules.password = "secret";
    start();
    auto rules = account();
    rules.password = "secret";
    auto& visit = clients.join(server->addresses().front(), rules);
    ASSERT_TRUE(
        clients.loop->run_until([&] { return visit.reached(Phase::play) || visit.close; }, k_patience));
    EXPECT_TRUE(visit.reached(Phase::password));
    EXPECT_TRUE(visit.reached(Phase::play)) << visit.reason.value_or("");
}

TEST_F(Accounts, EveryLieIsRefused) {
    start();
    auto rules = account();
    rules.identity_token.reset();
    EXPECT_NE(refusal(rules).find("requires authentication"), std::string::npos);
    rules = account();
    rules.identity_token->back() ^= 1;
    EXPECT_NE(refusal(rules).find("could not be checked"), std::string::npos);
    rules = account();
    rules.uuid[3] ^= 1; // somebody else's token
    EXPECT_NE(refusal(rules).find("could not be checked"), std::string::npos);
    rules = account();
    rules.identity_token =
        service.identity_token(protocol::uuid_text(rules.uuid), rules.name, "hytale:server", expires);
    EXPECT_NE(refusal(rules).find("could not be checked"), std::string::npos);
    rules = account();
    rules.identity_token =
        service.identity_token(protocol::uuid_text(rules.uuid), rules.name, k_client_scope, expires - 2000);
    EXPECT_NE(refusal(rules).find("could not be checked"), std::string::npos);
    rules = account();
    rules.name = "another"; // than the access token says
    EXPECT_NE(refusal(rules).find("access token"), std::string::npos);
    rules = account();
    rules.authentication->certificate = fingerprint(as_bytes("that of another connection"));
    EXPECT_NE(refusal(rules).find("access token"), std::string::npos);
    world.refusal = "The server is full.";
    EXPECT_EQ(refusal(account()), "The server is full.");
}

TEST_F(Accounts, AServiceThatIsGoneIsSaidToBeSo) {
    start();
    service.answer("/server-join/auth-grant", {503, "{}"});
    EXPECT_NE(refusal(account()).find("no grant"), std::string::npos);
}

TEST_F(Accounts, ATokenThatNobodyAskedForEndsIt) {
    start();
    Raw raw;
    connect_raw(raw);
    const auto rules = account();
    raw.connection->write(0, as_bytes(frame_text<Side::client>(connect_of(rules))
                                      + frame_text<Side::client>(packets::AuthToken{})));
    ASSERT_TRUE(clients.loop->run_until([&] { return raw.close.has_value(); }, k_patience));
    EXPECT_EQ(raw.close->code, 0u);
    EXPECT_NE(raw.disconnect_reason().value_or("").find("not expected"), std::string::npos);
}

TEST_F(Accounts, ASecondTokenWhileTheFirstIsCheckedEndsIt) {
    start();
    Raw raw;
    connect_raw(raw);
    const auto rules = account();
    raw.connection->write(0, as_bytes(frame_text<Side::client>(connect_of(rules))));
    std::string grant;
    const auto has_grant = [&] {
        protocol::FrameDecoder decoder(packets::registry(), {Side::client, {}});
        decoder.feed(as_bytes(raw.data[0]));
        const auto next = decoder.next();
        if (!next || !*next || (**next).id != packets::AuthGrant::k_info.id) return false;
        protocol::Arena arena;
        packets::AuthGrant packet;
        if (protocol::decode((**next).payload, arena, packet))
            grant = packet.authorization_grant.value_or(protocol::Text());
        return true;
    };
    ASSERT_TRUE(clients.loop->run_until([&] { return raw.close || has_grant(); }, k_patience));
    ASSERT_FALSE(raw.close);
    std::string access;
    asked->exchange(grant, identity().fingerprint(), [&](Result<std::string> answer) {
        access = answer ? *answer : "none: " + answer.error().text();
    });
    ASSERT_TRUE(clients.loop->run_until([&] { return !access.empty(); }, k_patience));
    // Both come at once: the second while the server asks the service about the first.
    packets::AuthToken token;
    token.access_token = protocol::Text(access);
    token.server_authorization_grant = protocol::Text(grant);
    const auto frame = frame_text<Side::client>(token);
    raw.connection->write(0, as_bytes(frame + frame));
    ASSERT_TRUE(clients.loop->run_until([&] { return raw.close.has_value(); }, k_patience));
    EXPECT_NE(raw.disconnect_reason().value_or("").find("not expected"), std::string::npos)
        << raw.disconnect_reason().value_or("");
}

} // namespace
} // namespace orbis::net
