#include "net/server_test_support.hpp"
#include "net/session_service_thread.hpp"
#include "protocol/uuid.hpp"
#include "proxy/proxy.hpp"
#include "support/small_session_service.hpp"

/// Players without an account, a server that asks for one, and a session service of our own, all on this
/// machine.
namespace orbis::proxy {
namespace {

using namespace net::test;
using orbis::test::k_patience;
using orbis::test::SmallSessionService;
using Phase = net::ClientSession::Phase;

constexpr std::string_view k_own_id = "99999999-0000-0000-0000-000000000001";
constexpr std::string_view k_account = "11111111-2222-3333-4444-555555555555";

/// A handler whose thread asks the service.
class Doorkeeper final : public net::ServerHandler {
public:
    Doorkeeper(World& world, net::Loop& loop, const SmallSessionService& service) : inner_(world) {
        net::SessionServiceSettings settings;
        settings.url = service.url();
        settings.session_token = SmallSessionService::session_token();
        settings.http.connect = settings.http.total = k_patience;
        service_ = net::SessionServiceThread::start(settings, [&loop](auto task) {
                       loop.post(std::move(task));
                   }).value();
    }
    net::SessionService* session_service() override { return service_.get(); }
    std::unique_ptr<net::SessionHandler> welcome(net::ServerSession& session) override {
        return inner_.welcome(session);
    }

private:
    TestServerHandler inner_;
    std::unique_ptr<net::SessionServiceThread> service_;
};

class Reasons final : public ProxyEvents {
public:
    void on_join(const PlayerFacts&) override {}
    void on_leave(const PlayerFacts&, const Leave&) override {}
    void on_refused(const PlayerFacts&, const std::string&) override {}
    void on_referral(const PlayerFacts&, const net::HostPort&, const std::optional<net::HostPort>&) override {
    }
    void on_shown(const PlayerFacts&, const ShownFrame&) override {}
    void on_rule_problem(const PlayerFacts&, const std::string&) override {}
};

struct LoginTest : testing::Test {
    SmallSessionService service;
    World world;
    net::ServerSettings settings = settings_for(1, net::ServerSettings::Transport::quic);
    std::unique_ptr<net::Server> server;
    Reasons events;
    std::unique_ptr<Proxy> proxy;
    Clients clients;
    net::Fingerprint shown = identity().fingerprint(); ///< that the token of the server is for
    std::int64_t expires = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()) + 600;

    std::string login_text(std::string_view session_token = SmallSessionService::session_token()) {
        return fmt::format(R"({{"service":"{}","session_token":"{}","identity_token":"{}"}})", service.url(),
                           session_token,
                           service.identity_token(k_account, "owner", net::k_client_scope, expires));
    }
    void start(const std::string& login) {
        settings.rules.auth = net::AuthMode::authenticated;
        settings.rules.authentication = {.audience = std::string(k_own_id),
                                         .identity_token =
                                             service.identity_token(k_own_id, "", "hytale:server", expires),
                                         .certificate = shown};
        server = net::Server::start(settings, identity(), [this](net::Loop& loop, std::size_t) {
                     return std::make_unique<Doorkeeper>(world, loop, service);
                 }).value();
        ProxySettings asked;
        asked.addresses = {net::Address::loopback_v4(0)};
        asked.rules.targets = server->addresses();
        asked.rules.idle_timeout = asked.rules.connect_timeout = k_more_than_enough;
        asked.rules.login = Login::parse(login).value();
        asked.rules.login->service.http.connect = asked.rules.login->service.http.total = k_patience;
        // Tokens are bound to certificates: the proxy has one of its own.
        const auto own =
            net::make_self_signed(net::KeyKind::ecdsa_p256, std::chrono::sys_seconds(1'770'000'000s));
        proxy = Proxy::start(std::move(asked), own.value(), events).value();
    }
    Visit& visit(net::ClientRules rules) {
        auto& made = clients.join(proxy->addresses().front(), std::move(rules));
        EXPECT_TRUE(
            clients.loop->run_until([&] { return made.close || made.reached(Phase::play); }, k_patience));
        return made;
    }
};

TEST_F(LoginTest, LeadsPlayersWithoutAnAccountIntoServersThatAskForOne) {
    start(login_text());
    for (const auto* build : {"2026.02.17", "2026.02.06", "2026.05.07", "b242"}) {
        auto rules = player(1);
        rules.build = net::GameBuild::find(build).value();
        auto& made = visit(rules);
        ASSERT_TRUE(made.reached(Phase::play)) << build << ": " << made.reason.value_or("");
        EXPECT_FALSE(made.reached(Phase::authenticating)) << build;
        ASSERT_FALSE(world.players.empty());
        EXPECT_EQ(world.players.back().name, "owner") << build;
        EXPECT_EQ(protocol::uuid_text(world.players.back().uuid), k_account) << build;
        made.session->leave();
        ASSERT_TRUE(clients.loop->run_until([&] { return made.close.has_value(); }, k_patience));
    }
}

TEST_F(LoginTest, PasswordsAreAskedOfThePlayer) {
    settings.rules.password = "sesame";
    start(login_text());
    auto rules = player(1);
    rules.password = "sesame";
    auto& made = visit(rules);
    ASSERT_TRUE(made.reached(Phase::play)) << made.reason.value_or("");
    EXPECT_TRUE(made.reached(Phase::password));
}

TEST_F(LoginTest, PlayersAreToldWhenTheServiceRefuses) {
    start(login_text("another token"));
    auto& made = visit(player(1));
    EXPECT_FALSE(made.reached(Phase::setup));
    ASSERT_TRUE(made.reason);
    EXPECT_TRUE(made.reason->starts_with("The session service gave no token: ")) << *made.reason;
    EXPECT_EQ(made.reason->find("another token"), std::string::npos);
}

TEST_F(LoginTest, AServerMustProveWhoItIs) {
    // Its token is made for another certificate than the one that it shows.
    shown = net::fingerprint(as_bytes("another certificate"));
    start(login_text());
    auto& made = visit(player(1));
    EXPECT_FALSE(made.reached(Phase::setup));
    ASSERT_TRUE(made.reason);
    EXPECT_TRUE(made.reason->starts_with("The server did not prove who it is: ")) << *made.reason;
}

TEST(Login, MistakesAreNamedWithoutTokens) {
    const auto problem = [](std::string_view text) {
        const auto login = Login::parse(text);
        return login ? std::string() : login.error().text();
    };
    EXPECT_EQ(problem("hello"), "expected JSON, found text that does not parse");
    EXPECT_EQ(problem("{}"), "expected a text \"service\", found none");
    EXPECT_EQ(problem(R"({"service":"https://a.example","session_token":"x"})"),
              "expected a text \"identity_token\", found none");
    const auto wrong =
        problem(R"({"service":"https://a.example","session_token":"x","identity_token":"s3cret"})");
    EXPECT_TRUE(wrong.starts_with("identity_token")) << wrong;
    EXPECT_EQ(wrong.find("s3cret"), std::string::npos);
}

} // namespace
} // namespace orbis::proxy
