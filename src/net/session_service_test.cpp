#include "net/authentication.hpp"
#include "net/session_service_thread.hpp"
#include "protocol/uuid.hpp"
#include "support/shared.hpp"
#include "support/small_session_service.hpp"
#include "support/wait_for.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <future>

namespace orbis::net {
namespace {

using namespace std::chrono_literals;
using orbis::test::k_patience;
using orbis::test::SmallSessionService;
using orbis::test::wait_for;

constexpr std::string_view k_player_uuid = "00112233-4455-6677-8899-aabbccddeeff";
constexpr std::string_view k_server_uuid = "ffeeddcc-bbaa-9988-7766-554433221100";
constexpr Moment k_moment{Time(1000s), std::chrono::sys_seconds(1'800'000'000s)};

SessionServiceSettings settings_for(const SmallSessionService& service) {
    SessionServiceSettings settings;
    settings.url = service.url();
    settings.session_token = SmallSessionService::session_token();
    settings.http.connect = settings.http.total = k_patience;
    return settings;
}

/// A loop of tasks that threads post.
class Tasks {
public:
    SessionServiceThread::Post post() {
        return [this](std::move_only_function<void()> task) {
            const std::lock_guard lock(mutex_);
            tasks_.push_back(std::move(task));
            changed_.notify_one();
        };
    }
    /// Runs the next one; false if none came in time.
    bool run_one() {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, k_patience, [this] { return !tasks_.empty(); })) return false;
        auto task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        task();
        return true;
    }
    std::size_t waiting() {
        const std::lock_guard lock(mutex_);
        return tasks_.size();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::move_only_function<void()>> tasks_;
};

/// Asks, and runs the loop until the answer is there.
template <typename T, typename Ask>
Result<T> answer_of(Tasks& tasks, Ask ask) {
    std::optional<Result<T>> got;
    ask([&](Result<T> answer) { got.emplace(std::move(answer)); });
    while (!got)
        if (!tasks.run_one()) return fail(Errc::busy, "no answer came");
    return *std::move(got);
}

TEST(ServiceAddress, IsEncryptedOrOnThisMachine) {
    EXPECT_EQ(service_base("https://sessions.example"), "https://sessions.example");
    EXPECT_EQ(service_base("https://sessions.example/"), "https://sessions.example");
    EXPECT_EQ(service_base("https://sessions.example:8443/v1/"), "https://sessions.example:8443/v1");
    EXPECT_EQ(service_base("http://127.0.0.1:80"), "http://127.0.0.1:80");
    EXPECT_TRUE(service_base("http://127.8.9.10:5000"));
    EXPECT_TRUE(service_base("http://[::1]:5000"));
    EXPECT_TRUE(service_base("http://localhost:5000"));
    for (const auto* url :
         {"", "sessions.example", "http://sessions.example", "http://128.0.0.1", "http://localhost.example",
          "http://127.0.0.1.example", "ftp://127.0.0.1", "file:///etc/passwd", "https://a:b@sessions.example",
          "https://a@sessions.example", "https://sessions.example/?a=b", "https://sessions.example/#a",
          "https://", "http://127.0.0.1@sessions.example"}) {
        const auto refused = service_base(url);
        ASSERT_FALSE(refused) << url;
        EXPECT_EQ(refused.error().code, Errc::usage) << url;
    }
}

TEST(SessionServiceClient, AsksAsTheServiceExpects) {
    SmallSessionService service;
    auto client = SessionServiceClient::make(settings_for(service)).value();
    const auto keys = client.keys();
    ASSERT_TRUE(keys) << keys.error().text();
    EXPECT_NE(keys->find("key-1"), nullptr);
    const auto token = service.identity_token(k_player_uuid, "bot1", k_client_scope, 1);
    const auto grant = client.grant(token, "server-1");
    ASSERT_TRUE(grant) << grant.error().text();
    const auto access = client.exchange(*grant, fingerprint(as_bytes("c")));
    ASSERT_TRUE(access) << access.error().text();
    const auto calls = service.calls();
    ASSERT_EQ(calls.size(), 3U);
    EXPECT_EQ(calls[0].method, "GET");
    EXPECT_EQ(calls[0].authorization, ""); // keys are for everybody
    EXPECT_EQ(calls[1].method, "POST");
    EXPECT_EQ(calls[1].authorization, "Bearer session-token-of-the-test");
    EXPECT_EQ(calls[1].body, fmt::format(R"({{"identityToken":"{}","aud":"server-1"}})", token));
    EXPECT_EQ(calls[2].body, fmt::format(R"({{"authorizationGrant":"{}","x509Fingerprint":"{}"}})", *grant,
                                         fingerprint(as_bytes("c")).text()));
}

TEST(SessionServiceClient, RefusesAnswersThatAreNone) {
    SmallSessionService service;
    auto client = SessionServiceClient::make(settings_for(service)).value();
    const auto grant = [&](SmallSessionService::Reply reply) {
        service.answer("/server-join/auth-grant", std::move(reply));
        const auto granted = client.grant("t", "a");
        return granted ? "granted" : granted.error().problem;
    };
    EXPECT_EQ(grant({200, "no JSON with a secret"}), "the answer is not JSON");
    EXPECT_EQ(grant({200, "{}"}),
              "expected \"authorizationGrant\" with 1 to 4096 plain characters, found none");
    EXPECT_EQ(grant({200, R"({"authorizationGrant":7})"}),
              "expected \"authorizationGrant\" with 1 to 4096 plain characters, found none");
    EXPECT_EQ(grant({200, fmt::format(R"({{"authorizationGrant":"{}"}})", std::string(4097, 'x'))}),
              "expected \"authorizationGrant\" with 1 to 4096 plain characters, found 4097 bytes");
    EXPECT_EQ(grant({200, fmt::format(R"({{"authorizationGrant":"{}"}})", std::string(4096, 'x'))}),
              "granted");
    EXPECT_EQ(grant({201, R"({"authorizationGrant":"made"})"}), "granted") << "created";
    EXPECT_NE(grant({202, R"({"authorizationGrant":"made"})"}), "granted");
    const auto largest = [](std::size_t size) {
        std::string text = R"({"authorizationGrant":"large"})";
        text.resize(size, ' ');
        return text;
    };
    EXPECT_EQ(grant({200, largest(262144)}), "granted");
    EXPECT_EQ(grant({200, largest(262145)}), "the answer is longer than 262144 bytes");
    EXPECT_EQ(grant({200, R"({"authorizationGrant":"a\nb"})"}),
              "expected \"authorizationGrant\" with 1 to 4096 plain characters, found 3 bytes");
    EXPECT_EQ(grant({429, R"({"message":"too many\u001b"})"}),
              "the session service answered with status 429: \"too many\\u001b\"");
    EXPECT_EQ(grant({503, "<html>"}), "the session service answered with status 503");
    EXPECT_EQ(grant({200, std::string(300'000, ' ')}), "the answer is longer than 262144 bytes");
    service.answer("/.well-known/jwks.json", {200, R"({"keys":[]})"});
    EXPECT_FALSE(client.keys());
}

TEST(SessionServiceClient, FollowsNoRedirect) {
    SmallSessionService service;
    SmallSessionService other;
    auto client = SessionServiceClient::make(settings_for(service)).value();
    service.answer("/server-join/auth-grant", {307, "", other.url() + "/server-join/auth-grant"});
    EXPECT_EQ(client.grant("t", "a").error().problem, "the session service answered with status 307");
    EXPECT_TRUE(other.calls().empty());
}

TEST(SessionServiceClient, ARefusedSessionTokenSaysWhatToDo) {
    SmallSessionService service;
    auto settings = settings_for(service);
    settings.session_token = "wrong";
    auto client = SessionServiceClient::make(settings).value();
    const auto refused = client.grant("t", "a").error();
    EXPECT_EQ(refused.problem, "the session service answered with status 401: \"who are you?\"");
    EXPECT_EQ(refused.advice, "check the session token: it may have expired");
    for (const unsigned status : {400U, 401U, 403U, 404U, 500U, 503U}) {
        service.answer("/server-join/auth-grant", {status, "{}"});
        const auto error = client.grant("t", "a").error();
        EXPECT_EQ(error.advice.empty(), status != 401 && status != 403) << status;
        EXPECT_EQ(error.code, status >= 500 ? Errc::io : Errc::bad_value) << status;
    }
    settings.session_token = "a\r\nX-Other: b";
    EXPECT_EQ(SessionServiceClient::make(settings)->grant("t", "a").error().problem,
              "the session token must have plain characters only");
}

/// Whether something comes to its end although the service holds its answers back as long as it is there.
bool ends_without(std::optional<SmallSessionService>& service, const std::function<void()>& act) {
    const auto ended = std::async(std::launch::async, act);
    const bool has_ended = ended.wait_for(k_patience) == std::future_status::ready;
    if (!has_ended) service.reset(); // so that the test ends at least
    return has_ended;
}

TEST(SessionServiceClient, DoesNotWaitLongerThanItsTime) {
    std::optional<SmallSessionService> service(std::in_place);
    service->answer("/.well-known/jwks.json", {200, "", "", true});
    auto settings = settings_for(*service);
    settings.http.total = 50ms;
    EXPECT_TRUE(ends_without(service, [&] {
        const auto keys = SessionServiceClient::make(settings)->keys();
        EXPECT_EQ(keys.error().code, Errc::io);
    }));
}

TEST(SessionServiceClient, NobodyAtTheAddressIsAnError) {
    SessionServiceSettings settings;
    {
        const SmallSessionService gone;
        settings.url = gone.url();
    }
    const auto keys = SessionServiceClient::make(settings)->keys();
    ASSERT_FALSE(keys);
    EXPECT_EQ(keys.error().code, Errc::io);
    EXPECT_EQ(keys.error().file, settings.url + "/.well-known/jwks.json");
}

TEST(SessionServiceClient, PathsCannotChangeTheHost) {
    SessionServiceSettings settings;
    settings.url = "https://sessions.example";
    EXPECT_TRUE(SessionServiceClient::make(settings));
    for (const auto* path : {"", ".evil.example/", "@evil.example/", "//evil.example", "/a b", "/a\n"}) {
        settings.keys_path = path;
        EXPECT_FALSE(SessionServiceClient::make(settings)) << path;
    }
}

TEST(SessionServiceClient, ChecksTheCertificateOfTheService) {
    const orbis::test::TemporaryFolder folder;
    const auto identity = make_self_signed(KeyKind::ecdsa_p256, k_moment.wall).value();
    const auto other = make_self_signed(KeyKind::ecdsa_p256, k_moment.wall).value();
    std::ofstream(folder / "own.pem") << identity.certificate_pem;
    std::ofstream(folder / "other.pem") << other.certificate_pem;
    SmallSessionService service(&identity);
    auto settings = settings_for(service);
    EXPECT_FALSE(SessionServiceClient::make(settings)->keys());
    settings.http.authorities = folder / "other.pem";
    EXPECT_FALSE(SessionServiceClient::make(settings)->keys());
    EXPECT_TRUE(service.calls().empty());
    settings.http.authorities = folder / "own.pem";
    const auto keys = SessionServiceClient::make(settings)->keys();
    EXPECT_TRUE(keys) << keys.error().text();
}

TEST(SessionServiceThread, AnswersInTheLoopOfTheCaller) {
    SmallSessionService service;
    Tasks tasks;
    const auto threads = SessionServiceThread::start(settings_for(service), tasks.post()).value();
    const auto caller = std::this_thread::get_id();
    std::optional<std::thread::id> answered;
    threads->keys("key-1", k_moment.now, [&](Result<std::shared_ptr<const KeySet>> keys) {
        EXPECT_TRUE(keys);
        answered = std::this_thread::get_id();
    });
    ASSERT_TRUE(tasks.run_one());
    EXPECT_EQ(answered, caller);
}

TEST(SessionServiceThread, AsksForKeysAgainOnlyWhenThatMayHelp) {
    SmallSessionService service;
    Tasks tasks;
    const auto threads = SessionServiceThread::start(settings_for(service), tasks.post()).value();
    const auto has = [&](const std::string& id, Duration later) {
        const auto keys =
            answer_of<std::shared_ptr<const KeySet>>(tasks, [&](Answered<std::shared_ptr<const KeySet>> to) {
                threads->keys(id, k_moment.now + later, std::move(to));
            });
        return keys && (*keys)->find(id) != nullptr;
    };
    EXPECT_TRUE(has("key-1", 0s));
    service.change_key("key-2");
    for (int i = 0; i < 20; ++i) EXPECT_FALSE(has("key-2", 1s));
    EXPECT_EQ(service.calls().size(), 1U);
    EXPECT_TRUE(has("key-2", 31s));
    EXPECT_TRUE(has("key-2", 32s));
    EXPECT_EQ(service.calls().size(), 2U);
}

TEST(SessionServiceThread, GoesWhileTheServiceDoesNotAnswer) {
    std::optional<SmallSessionService> service(std::in_place);
    service->answer("/server-join/auth-grant", {200, "", "", true});
    Tasks tasks;
    auto settings = settings_for(*service);
    settings.http.total = 1h;
    auto threads = SessionServiceThread::start(settings, tasks.post(), 2).value();
    for (int i = 0; i < 10; ++i)
        threads->grant("t", "a", [](const Result<std::string>&) { ADD_FAILURE() << "nobody answered"; });
    ASSERT_TRUE(wait_for([&] { return service->calls().size() == 2; }));
    EXPECT_TRUE(ends_without(service, [&] { threads.reset(); }));
    EXPECT_EQ(tasks.waiting(), 0U);
}

TEST(SessionServiceThread, RefusesMoreThanItCanHold) {
    SmallSessionService service;
    service.answer("/server-join/auth-grant", {200, "", "", true});
    Tasks tasks;
    const auto threads = SessionServiceThread::start(settings_for(service), tasks.post(), 1).value();
    std::size_t busy = 0;
    for (std::size_t i = 0; i < SessionServiceThread::k_most_waiting + 10; ++i)
        threads->grant("t", "a", [&](const Result<std::string>& granted) {
            if (!granted && granted.error().code == Errc::busy) ++busy;
        });
    for (int i = 0; i < 9; ++i) ASSERT_TRUE(tasks.run_one());
    EXPECT_EQ(busy, 9U);
}

/// The whole flow between a client and a server that share a service, without a wire between them.
TEST(Authentication, ClientAndServerConvinceEachOther) {
    SmallSessionService service;
    Tasks tasks;
    const auto threads = SessionServiceThread::start(settings_for(service), tasks.post()).value();
    const auto client_certificate = fingerprint(as_bytes("client"));
    const auto server_certificate = fingerprint(as_bytes("server"));
    const auto player = protocol::parse_uuid(k_player_uuid).value();
    const auto expires = k_moment.wall.time_since_epoch().count() + 60;

    const auto identity = answer_of<TokenFacts>(tasks, [&](Answered<TokenFacts> to) {
        check_identity(*threads, service.identity_token(k_player_uuid, "bot1", k_client_scope, expires),
                       {k_client_scope, player}, k_moment, std::move(to));
    });
    ASSERT_TRUE(identity) << identity.error().text();
    const auto grant = answer_of<std::string>(tasks, [&](Answered<std::string> to) {
        threads->grant(service.identity_token(k_player_uuid, "bot1", k_client_scope, expires), "server-1",
                       std::move(to));
    });
    ASSERT_TRUE(grant) << grant.error().text();
    const auto answer = answer_of<GrantAnswer>(tasks, [&](Answered<GrantAnswer> to) {
        answer_grant(*threads,
                     {*grant, service.identity_token(k_server_uuid, "", "hytale:server", expires),
                      client_certificate, std::string(k_player_uuid)},
                     std::move(to));
    });
    ASSERT_TRUE(answer) << answer.error().text();
    const auto access_with = [&](const Fingerprint& certificate) {
        return answer_of<TokenFacts>(tasks, [&](Answered<TokenFacts> to) {
            check_access(*threads, answer->access_token, {certificate, "server-1", player, "bot1"}, k_moment,
                         std::move(to));
        });
    };
    const auto access = access_with(client_certificate);
    EXPECT_TRUE(access) << access.error().text();
    EXPECT_FALSE(access_with(server_certificate)); // stolen

    const auto server_token = answer_of<std::string>(tasks, [&](Answered<std::string> to) {
        threads->exchange(answer->server_authorization_grant, server_certificate, std::move(to));
    });
    ASSERT_TRUE(server_token) << server_token.error().text();
    const auto seen = [&](const Fingerprint& certificate) {
        return answer_of<TokenFacts>(tasks, [&](Answered<TokenFacts> to) {
            check_access(*threads, *server_token, {certificate, std::string(k_player_uuid), {}, {}}, k_moment,
                         std::move(to));
        });
    };
    const auto server = seen(server_certificate);
    ASSERT_TRUE(server) << server.error().text();
    EXPECT_EQ(server->subject, protocol::parse_uuid(k_server_uuid));
    EXPECT_FALSE(seen(fingerprint(as_bytes("a proxy between them"))));
}

TEST(Authentication, WhatIsNoTokenNeverReachesTheService) {
    SmallSessionService service;
    Tasks tasks;
    const auto threads = SessionServiceThread::start(settings_for(service), tasks.post()).value();
    std::string refusal;
    check_identity(*threads, "nonsense", {k_client_scope, {}}, k_moment,
                   [&](const Result<TokenFacts>& facts) { refusal = facts.error().text(); });
    EXPECT_EQ(refusal, "identity token: expected a token of three parts with a dot between, found 0 dots");
    EXPECT_TRUE(service.calls().empty());
}

TEST(Authentication, AFailureOfEitherHalfIsTheAnswer) {
    SmallSessionService service;
    Tasks tasks;
    const auto threads = SessionServiceThread::start(settings_for(service), tasks.post(), 1).value();
    const auto answer = answer_of<GrantAnswer>(tasks, [&](Answered<GrantAnswer> to) {
        answer_grant(*threads, {"no-such-grant", "no-token", {}, ""}, std::move(to));
    });
    ASSERT_FALSE(answer);
    EXPECT_NE(answer.error().problem.find("no such grant"), std::string::npos) << answer.error().problem;
    ASSERT_TRUE(tasks.run_one()); // the other half comes too and says nothing
}

} // namespace
} // namespace orbis::net
