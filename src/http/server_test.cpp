#include "http/raw_client_test.hpp"
#include "http/server.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <thread>

namespace orbis::http {
namespace {

using namespace std::chrono_literals;
using namespace orbis::http::test;

/// `/large` has many bytes, `/later` is answered when the test says so, `/events` is a stream, `/drop` is
/// never answered, everything else is its own name.
class ServerTest : public testing::Test {
protected:
    void start(ServerOptions options = {
                   .silent = 4096, .head = 1h, .idle = 1h, .send = 1h}) { // nobody is in a hurry
        auto started = Server::start(
            *parse_address("127.0.0.1:0"),
            [this](const Request& request, Responder responder) { handle(request, std::move(responder)); },
            options);
        ASSERT_TRUE(started) << started.error().text();
        server_ = *std::move(started);
    }

    void handle(const Request& request, Responder responder) {
        const auto name = request.target.path.empty() ? "" : request.target.path[0];
        if (name == "later") {
            const std::lock_guard lock(mutex_);
            waiting_.push_back(std::move(responder));
            arrived_.notify_all();
        } else if (name == "events") {
            Response response;
            response.type = "text/event-stream";
            response.events = hub_.connect(request.client);
            if (response.events) response.events->push("hello", "{}");
            responder.answer(std::move(response));
        } else if (name == "large") {
            static const auto large = std::make_shared<Buffer>(64 << 20, 'x');
            Response response;
            response.type = "application/octet-stream";
            response.owner = large;
            response.bytes = *large;
            responder.answer(std::move(response));
        } else if (name == "missing") {
            auto response = Response::text(404, "text/plain", "none");
            response.etag = name;
            responder.answer(std::move(response));
        } else if (name == "drop") {
            Responder dropped(std::move(responder));
        } else if (name == "throw") {
            throw std::runtime_error("as the test wants it");
        } else {
            auto response = Response::text(200, "text/plain", "/" + name);
            response.etag = name;
            response.keep = Keep::revalidate;
            responder.answer(std::move(response));
        }
    }

    Responder wait_for_one() {
        std::unique_lock lock(mutex_);
        EXPECT_TRUE(arrived_.wait_for(lock, orbis::test::k_patience, [&] { return !waiting_.empty(); }));
        auto responder = std::move(waiting_.front());
        waiting_.pop_front();
        return responder;
    }

    const Address& address() { return server_->address(); }

    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<Responder> waiting_;
    EventHub hub_;
    std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, AnswersWithHeadersThatKeepOthersOut) {
    start();
    const auto answer = ask(address(), get("/hello"));
    EXPECT_EQ(status_of(answer), 200);
    EXPECT_EQ(body_of(answer), "/hello");
    for (const char* line : {"Content-Type: text/plain\r\n", "X-Content-Type-Options: nosniff\r\n",
                             "Content-Security-Policy: default-src 'none'", "ETag: \"hello\"\r\n",
                             "Cache-Control: no-cache\r\n", "Cross-Origin-Resource-Policy: same-origin\r\n"})
        EXPECT_NE(answer.find(line), std::string::npos) << line;
}

TEST_F(ServerTest, AnUnchangedAnswerIsNotSentAgain) {
    start();
    const auto answer = ask(address(), get("/hello", "If-None-Match: W/\"other\", \"hello\"\r\n"));
    EXPECT_EQ(status_of(answer), 304);
    EXPECT_EQ(body_of(answer), "");
    EXPECT_EQ(status_of(ask(address(), get("/hello", "If-None-Match: \"hell\"\r\n"))), 200);
    EXPECT_EQ(status_of(ask(address(), get("/hello", "If-None-Match: *\r\n"))), 304);
    EXPECT_EQ(status_of(ask(address(), get("/hello", "If-None-Match: hello\r\n"))), 200) << "tags are quoted";
    EXPECT_EQ(status_of(ask(address(), get("/missing", "If-None-Match: \"missing\"\r\n"))), 404)
        << "only what is there can be unchanged";
}

TEST_F(ServerTest, ProblemsHaveTheStatusOfTheirKind) {
    const auto status = [](Errc code) { return Response::problem(error(code, "x")).status; };
    EXPECT_EQ(status(Errc::not_found), 404);
    for (const auto code : {Errc::usage, Errc::bad_text, Errc::out_of_range}) EXPECT_EQ(status(code), 400);
    EXPECT_EQ(status(Errc::busy), 503);
    for (const auto code : {Errc::io, Errc::bad_value, Errc::no_space}) EXPECT_EQ(status(code), 500);
    EXPECT_EQ(Response::nothing().status, 204);
    const auto json = to_json(error(Errc::busy, "in use").about("port").advise("wait"));
    EXPECT_EQ(json, R"({"error":"busy","message":"port: in use","advice":"wait"})");
    start();
    EXPECT_EQ(status_of(ask(address(), get("/" + std::string(k_longest_target, 'a')))), 414);
    EXPECT_EQ(status_of(ask(address(), get("/a", "Content-Length: 0\r\n"))), 200) << "no body";
    EXPECT_EQ(status_of(ask(address(), get("/a", "Content-Length: 00\r\n"))), 400);
}

TEST_F(ServerTest, HeadHasTheHeadOnly) {
    start();
    RawClient client(address());
    client.send("HEAD /hello HTTP/1.1\r\nHost: localhost\r\n\r\n" + get("/next"));
    const auto head = client.read_answer(false);
    EXPECT_EQ(status_of(head), 200);
    EXPECT_NE(head.find("Content-Length: 6\r\n"), std::string::npos);
    EXPECT_EQ(body_of(client.read_answer()), "/next");
}

TEST_F(ServerTest, OtherMethodsAreRefused) {
    start();
    for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "BREW"}) {
        const auto answer =
            ask(address(), fmt::format("{} /hello HTTP/1.1\r\nHost: localhost\r\n\r\n", method));
        EXPECT_EQ(status_of(answer), 405) << method;
        EXPECT_NE(answer.find("Allow: GET, HEAD\r\n"), std::string::npos);
    }
    RawClient client(address());
    client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000000\r\n\r\n");
    EXPECT_EQ(status_of(client.read_answer()), 405);
    EXPECT_TRUE(client.reads_to_the_end()) << "and the body is not waited for";
}

TEST_F(ServerTest, ABodyIsNotTakenForTheNextRequest) {
    start();
    for (const char* more : {"Content-Length: 40\r\n", "Transfer-Encoding: chunked\r\n"}) {
        RawClient client(address());
        client.send(get("/first", more) + get("/second"));
        EXPECT_EQ(status_of(client.read_answer()), 400) << more;
        EXPECT_TRUE(client.reads_to_the_end());
        EXPECT_EQ(client.read_now(), "");
    }
}

TEST_F(ServerTest, PipelinedRequestsAreAnsweredInOrder) {
    start();
    RawClient client(address());
    std::string requests;
    for (int i = 0; i < 100; ++i) requests += get(fmt::format("/{}", i));
    std::thread sender([&] { client.send(requests); });
    for (int i = 0; i < 100; ++i) ASSERT_EQ(body_of(client.read_answer()), fmt::format("/{}", i));
    sender.join();
}

TEST_F(ServerTest, ForeignNamesAndSitesAreRefused) {
    start();
    for (const char* host : {"evil.example", "evil.example:5521", "", "localhost\r\nHost: evil.example",
                             "localhost\r\nhOST: evil.example"})
        EXPECT_EQ(status_of(ask(address(), fmt::format("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", host))), 403)
            << host;
    const auto without = ask(address(), "GET / HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(status_of(without) == 400 || status_of(without) == 403) << without;
    EXPECT_EQ(status_of(ask(address(), "GET / HTTP/1.0\r\n\r\n")), 403);
    for (const char* site : {"cross-site", "same-site", "same-origin", "none"})
        for (const char* mode : {"no-cors", "cors", "websocket", "navigate"}) {
            const bool is_foreign = std::string_view(site).ends_with("-site");
            const bool is_opened = std::string_view(mode) == "navigate";
            const auto head = fmt::format("Sec-Fetch-Site: {}\r\nSec-Fetch-Mode: {}\r\n", site, mode);
            EXPECT_EQ(status_of(ask(address(), get("/", head))), is_foreign && !is_opened ? 403 : 200)
                << head;
        }
    for (const char* site : {"cross-site", "same-site"})
        EXPECT_EQ(status_of(ask(address(), get("/", fmt::format("Sec-Fetch-Site: {}\r\n", site)))), 403);
}

TEST(EventQueue, HoldsExactlyAsMuchAsItMay) {
    const auto comment = [](std::size_t bytes) {
        return std::string(bytes - 4, 'x');
    }; // ": " and two line ends
    for (const std::size_t more : {0U, 1U}) {
        EventQueue queue;
        queue.push_comment(comment(EventQueue::k_most_bytes - 100));
        queue.push_comment(comment(100 + more));
        std::vector<char> out(EventQueue::k_most_bytes + 10);
        const auto taken = queue.take(out, [] {});
        if (more == 0) {
            EXPECT_EQ(taken, EventQueue::k_most_bytes);
        } else {
            EXPECT_FALSE(taken) << "who does not read is dropped, with all that waits";
        }
    }
}

TEST_F(ServerTest, PathTricksNeverReachTheHandler) {
    start();
    for (const char* path :
         {"/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/%2e", "/a%00.png",
          "/a\\..\\b", "/a%5c..%5cb", "//etc/passwd", "/a/", "/%", "/%c0%ae", "http://evil.example/", "*"})
        EXPECT_EQ(status_of(ask(address(), get(path))), 400) << path;
    EXPECT_EQ(status_of(ask(address(), get("/" + std::string(4000, 'a')))), 414);
}

TEST_F(ServerTest, HugeHeadsAreCutOff) {
    start();
    for (const auto& request :
         {get("/" + std::string(1 << 20, 'a')), get("/a", "X: " + std::string(1 << 20, 'b') + "\r\n"),
          "GET / HTTP/1.1\r\nHost: localhost\r\n" + [] {
              std::string many;
              for (int i = 0; i < 100'000; ++i) many += fmt::format("X-{}: 1\r\n", i);
              return many;
          }()}) {
        RawClient client(address());
        client.send(request);
        const auto status = status_of(client.read_answer(false));
        EXPECT_TRUE(status == 414 || status == 431 || status == 413 || status == 0) << status;
    }
    for (const char* nonsense :
         {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "GET\r\n\r\n", "\r\n\r\n\r\n\r\n",
          "GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", "   \r\n\r\n"}) {
        RawClient client(address());
        client.send(nonsense);
        EXPECT_EQ(status_of(ask(address(), get("/still-there"))), 200) << "and others are served";
        EXPECT_NE(status_of(client.read_now()), 200) << nonsense;
    }
}

TEST_F(ServerTest, QueriesOfManyPartsAreAnswered) {
    start();
    std::string many;
    for (int count = 0; count < 1000; ++count) many += "a=b&";
    for (const auto& query : {std::string(1000, '&'), many}) {
        const auto status = status_of(ask(server_->address(), get("/here?" + query)));
        EXPECT_TRUE(status == 200 || status == 400 || status == 414) << status;
    }
}

TEST_F(ServerTest, RangesAreAnsweredWithTheWhole) {
    start();
    for (const char* range : {"bytes=0-0", "bytes=0-99999999999999999999", "bytes=18446744073709551615-",
                              "bytes=-1", "bytes=5-1", "bytes=0-0,1-1,2-2,3-3", "lines=1-2"}) {
        const auto answer = ask(address(), get("/hello", fmt::format("Range: {}\r\n", range)));
        EXPECT_EQ(status_of(answer), 200) << range;
        EXPECT_EQ(body_of(answer), "/hello");
    }
}

TEST_F(ServerTest, AnAnswerMayComeLaterAndFromAnotherThread) {
    start();
    RawClient client(address());
    client.send(get("/later") + get("/next"));
    std::thread worker([&] { wait_for_one().answer(Response::text(200, "text/plain", "made")); });
    EXPECT_EQ(body_of(client.read_answer()), "made");
    EXPECT_EQ(body_of(client.read_answer()), "/next");
    worker.join();
}

TEST_F(ServerTest, ADroppedRequestIsAnErrorAndNotAHang) {
    start();
    EXPECT_EQ(status_of(ask(address(), get("/drop"))), 500);
    EXPECT_EQ(status_of(ask(address(), get("/throw"))), 500);
}

TEST_F(ServerTest, AClientThatHasGoneIsNoticedBeforeWorkIsDone) {
    start();
    auto client = std::make_unique<RawClient>(address());
    client->send(get("/later"));
    auto responder = wait_for_one();
    EXPECT_FALSE(responder.is_abandoned());
    client.reset();
    EXPECT_TRUE(orbis::test::wait_for([&] { return responder.is_abandoned(); }));
    responder.answer(Response::json("{}"));
    EXPECT_EQ(status_of(ask(address(), get("/still-there"))), 200);
}

TEST_F(ServerTest, AThousandAtOnceAreAnswered) {
    start();
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 1000; ++i) clients.push_back(std::make_unique<RawClient>(address()));
    for (int i = 0; i < 1000; ++i)
        ASSERT_TRUE(clients[static_cast<std::size_t>(i)]->send(get(fmt::format("/{}", i))));
    for (int i = 0; i < 1000; ++i)
        ASSERT_EQ(body_of(clients[static_cast<std::size_t>(i)]->read_answer()), fmt::format("/{}", i));
}

TEST_F(ServerTest, HalfOpenAndSlowClientsDoNotBlockOthers) {
    start();
    std::vector<std::unique_ptr<RawClient>> hostile;
    for (int i = 0; i < 1000; ++i) {
        hostile.push_back(std::make_unique<RawClient>(address()));
        if (i % 3 == 1) hostile.back()->send("GET / HT");
        if (i % 3 == 2) hostile.back()->send("GET / HTTP/1.1\r\nHost: localhost\r\nX: ");
    }
    for (int i = 0; i < 20; ++i) {
        hostile.push_back(std::make_unique<RawClient>(address(), 4096));
        hostile.back()->send(get("/large")); // and never reads it
    }
    for (int i = 0; i < 5; ++i) EXPECT_EQ(status_of(ask(address(), get("/hello"))), 200);
    EXPECT_GE(server_->connections(), hostile.size()) << "while all of them are still there";
}

TEST_F(ServerTest, WhenAllPlacesAreTakenIdleClientsMakeRoom) {
    start({.connections = 64, .head = 1h, .idle = 1h, .newcomer = 10ms, .sweep = 5ms});
    std::vector<std::unique_ptr<RawClient>> hostile;
    for (int i = 0; i < 200; ++i) {
        hostile.push_back(std::make_unique<RawClient>(address()));
        hostile.back()->send("GET / HTTP/1.1\r\n");
    }
    EXPECT_EQ(status_of(ask(address(), get("/hello"))), 200);
    EXPECT_LE(server_->connections(), 64U);
}

TEST_F(ServerTest, OneAddressKeepsFewConnectionsThatAskForNothing) {
    start({.silent = 8, .head = 1h, .idle = 1h, .send = 1h, .newcomer = 1h});
    std::vector<std::unique_ptr<RawClient>> hostile;
    for (int i = 0; i < 200; ++i) {
        hostile.push_back(std::make_unique<RawClient>(address()));
        hostile.back()->send("GET / HTTP/1.1\r\n");
    }
    EXPECT_EQ(status_of(ask(address(), get("/hello"))), 200);
    EXPECT_TRUE(orbis::test::wait_for([&] { return server_->connections() <= 8; }))
        << server_->connections() << " are left, and nobody's time was over";
}

TEST_F(ServerTest, SlowHeadsAndSlowReadersAreCutOff) {
    start({.head = 50ms, .idle = 50ms, .send = 50ms, .sweep = 5ms});
    RawClient slow_head(address());
    RawClient slow_reader(address(), 4096);
    RawClient idle(address());
    slow_reader.send(get("/large"));
    idle.send(get("/hello"));
    idle.read_answer();
    slow_head.send("GET / HTTP/1.1\r\n");
    EXPECT_TRUE(orbis::test::wait_for([&] { return !slow_head.send("X: y\r\n"); }))
        << "a little at a time does not help";
    EXPECT_TRUE(idle.reads_to_the_end());
    EXPECT_TRUE(orbis::test::wait_for([&] { return server_->connections() == 0; }));
}

TEST_F(ServerTest, EventsReachEveryClient) {
    start();
    RawClient a(address());
    RawClient b(address());
    a.send(get("/events"));
    b.send(get("/events"));
    EXPECT_NE(a.read_until("event: hello\ndata: {}\n\n").find("text/event-stream"), std::string::npos);
    b.read_until("event: hello");
    EXPECT_EQ(hub_.clients(), 2U);
    for (int i = 0; i < 200; ++i) hub_.publish("tiles", fmt::format("{}", i));
    for (auto* client : {&a, &b})
        EXPECT_NE(client->read_until("data: 199\n\n").find("data: 0\n"), std::string::npos);
}

TEST_F(ServerTest, AClientThatDoesNotReadItsEventsIsDropped) {
    start();
    RawClient stuck(address(), 4096);
    RawClient reader(address());
    stuck.send(get("/events"));
    reader.send(get("/events"));
    reader.read_until("event: hello");
    stuck.read_until("event: hello");
    const std::string large(50'000, 'x');
    for (std::size_t i = 0; i < 2000 && hub_.clients() == 2; ++i) {
        hub_.publish("tiles", fmt::format("\"{}\"", large));
        while (reader.received() < (i + 1) * large.size() && reader.read_some()) reader.forget();
    }
    EXPECT_EQ(hub_.clients(), 1U) << "the one that reads stays";
}

TEST_F(ServerTest, ManyStreamsDoNotTakeAllPlaces) {
    start();
    std::vector<std::unique_ptr<RawClient>> clients;
    for (std::size_t i = 0; i < EventHub::k_most_clients; ++i) {
        clients.push_back(std::make_unique<RawClient>(address()));
        clients.back()->send(get("/events"));
        clients.back()->read_until("event: hello");
    }
    RawClient late(address());
    late.send(get("/events"));
    EXPECT_NE(late.read_until("event: hello").find("200 OK"), std::string::npos) << "a new page is served";
    EXPECT_EQ(hub_.clients(), EventHub::k_most_clients);
    EXPECT_TRUE(clients.front()->reads_to_the_end()) << "in the place of the oldest";
    hub_.publish("further", "{}");
    EXPECT_NE(clients[1]->read_until("event: further").find("event: further"), std::string::npos);
    clients.clear();
    EXPECT_TRUE(orbis::test::wait_for([&] {
        hub_.keep_alive();
        return hub_.clients() <= 1;
    })) << "those that have gone are noticed";
    EXPECT_EQ(hub_.clients(), 1U);
}

TEST(EventHub, WhoHasGoneTakesNobodysPlace) {
    EventHub hub;
    const auto first = hub.connect("192.0.2.1");
    for (std::size_t i = 0; i < 2 * EventHub::k_most_clients; ++i) (void)hub.connect("192.0.2.1");
    EXPECT_EQ(hub.clients(), 1U);
    std::array<char, 64> out{};
    EXPECT_TRUE(first->take(out, [] {})) << "all others have gone before it";
    hub.publish("a", "{}");
    EXPECT_EQ(first->take(out, [] {}), std::string_view("event: a\ndata: {}\n\n").size());
    hub.close();
    EXPECT_FALSE(first->take(out, [] {})) << "it ends";
    EXPECT_FALSE(hub.connect("192.0.2.1")) << "and nobody begins";
}

TEST(EventHub, TheAddressThatHasMostStreamsLosesItsOldest) {
    EventHub hub;
    std::vector<std::shared_ptr<EventQueue>> greedy;
    const auto page = hub.connect("192.0.2.1");
    for (std::size_t i = 1; i < EventHub::k_most_clients; ++i) greedy.push_back(hub.connect("192.0.2.2"));
    const auto is_open = [](const std::shared_ptr<EventQueue>& queue) {
        std::array<char, 16> out{};
        return queue->take(out, [] {}).has_value();
    };
    std::vector<std::shared_ptr<EventQueue>> others;
    for (int i = 0; i < 20; ++i) others.push_back(hub.connect(fmt::format("198.51.100.{}", i)));
    EXPECT_EQ(hub.clients(), EventHub::k_most_clients);
    EXPECT_TRUE(is_open(page)) << "though it is older than all of them";
    for (const auto& queue : others) EXPECT_TRUE(is_open(queue));
    for (std::size_t i = 0; i < greedy.size(); ++i) EXPECT_EQ(is_open(greedy[i]), i >= 20) << i;
}

TEST_F(ServerTest, StopsInOrderWhileClientsWaitAndListen) {
    start();
    RawClient waits(address());
    RawClient listens(address());
    RawClient idle(address());
    RawClient half(address());
    waits.send(get("/later"));
    auto responder = wait_for_one();
    listens.send(get("/events"));
    listens.read_until("event: hello");
    half.send("GET / HT");
    idle.send(get("/hello"));
    idle.read_answer();
    server_.reset();
    for (auto* client : {&waits, &listens, &idle, &half}) EXPECT_TRUE(client->reads_to_the_end());
    responder.answer(Response::json("{}")); // too late, and harmless
    hub_.publish("tiles", "{}");
}

} // namespace
} // namespace orbis::http
