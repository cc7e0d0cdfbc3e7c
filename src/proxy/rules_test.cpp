#include "bytes/reader.hpp"
#include "net/wire_test_support.hpp"
#include "packets/interface.hpp"
#include "proxy/proxy_test_support.hpp"
#include "proxy/rules.hpp"

namespace orbis::proxy {
namespace {

using namespace test;
using net::test::frame_text;
using protocol::Side;

std::string problem_of(std::string_view text) {
    const auto book = RuleBook::parse(text);
    return book ? "" : book.error().text();
}

TEST(Rules, MistakesAreNamedWithTheirLine) {
    EXPECT_EQ(problem_of(""), "");
    EXPECT_EQ(problem_of("# nothing\n\n"), "");
    EXPECT_EQ(problem_of("show\n"), "line 1: expected when: before the first action, found 'show'");
    EXPECT_EQ(problem_of("when: to server\n\n  dance\n"),
              "line 3: expected when, show, drop, delay, set or inject, found 'dance'");
    EXPECT_EQ(problem_of("when: to server\n  delay: long\n"),
              "line 2: expected a time such as 200ms or 2s, at most a minute, found 'long'");
    EXPECT_EQ(problem_of("when: to server\n  delay: 2h\n").substr(0, 8), "line 2: ");
    EXPECT_EQ(problem_of("when: to server\n  set: message\n"),
              "line 2: expected set: FIELD = VALUE, found 'set: message'");
    EXPECT_EQ(problem_of("when: to server\n  set: message = oh\n").substr(0, 7), "line 2,");
    EXPECT_EQ(problem_of("when: to server\n  inject: ChatMessage {}\n"),
              "line 2: expected inject: to client|server PACKET VALUE, found 'inject: ChatMessage {}'");
    EXPECT_EQ(problem_of("when: (to server\n"),
              "line 1: filter, column 11: expected `)` for the one in column 1, found the end");
}

std::string chat(std::string_view text) {
    packets::ChatMessage packet;
    packet.message = text;
    return frame_text<Side::client>(packet);
}

/// The rules between a client and a server.
struct Ruled : Between {
    explicit Ruled(std::string_view text) : Between(rules_of(text)) {
        start();
        const auto connect = net::test::Wire().connect_frame();
        client_end = &join(connect);
        said = connect;
    }
    static ProxyRules rules_of(std::string_view text) {
        ProxyRules rules;
        rules.book = RuleBook::parse(text).value();
        return rules;
    }
    Peer& server_end() { return at_server.back(); }
    /// What the server has heard after the first packet.
    std::string heard() { return server_end().heard(0).substr(said.size()); }

    Peer* client_end = nullptr;
    std::string said;
};

TEST(Rules, FramesAreShownDroppedAndChanged) {
    Ruled ruled("when: ChatMessage.message ~ \"hello\" and to server\n"
                "  show\n"
                "  set: message = \"good-bye\"\n"
                "when: ChatMessage.message = \"secret\"\n"
                "  drop\n"
                "when: ChatMessage\n"
                "  set: nothing = 1\n");
    ruled.client_end->write(0, chat("hello world") + chat("secret") + chat("as it is")
                                   + "\xff\xff\xff\xff loose");
    const auto want = chat("good-bye") + chat("as it is") + "\xff\xff\xff\xff loose";
    ASSERT_TRUE(ruled.until([&] { return ruled.heard().size() >= want.size(); }));
    EXPECT_TRUE(ruled.heard() == want);
    EXPECT_EQ(ruled.events.lines,
              (std::vector<std::string>{"join raw", "rules, line 7: ChatMessage has no field nothing",
                                        "raw ChatMessage {\"message\":\"good-bye\"}",
                                        "rules, line 7: ChatMessage has no field nothing"}));
}

TEST(Rules, ADelayedFrameComesLaterAndOthersOvertakeIt) {
    Ruled ruled("when: ChatMessage.message = \"slow\"\n  delay: 500ms\n");
    const auto begin = ruled.loop->now();
    ruled.client_end->write(0, chat("slow") + chat("quick"));
    ruled.client_end->connection->finish(0);
    ASSERT_TRUE(ruled.until([&] { return ruled.heard() == chat("quick"); }));
    EXPECT_LT(ruled.loop->now() - begin, 100ms);
    EXPECT_FALSE(ruled.server_end().ended.contains(0));
    ASSERT_TRUE(ruled.until([&] { return ruled.heard() == chat("quick") + chat("slow"); }));
    EXPECT_GE(ruled.loop->now() - begin, 500ms);
    EXPECT_TRUE(ruled.until([&] { return ruled.server_end().ended.contains(0); }))
        << "the end comes after it";
}

TEST(Rules, FramesAreInjectedInBothDirections) {
    Ruled ruled("when: ChatMessage.message = \"time\"\n"
                "  inject: to client Ping {\"id\": 7, \"lastPingValueRaw\": 0, \"lastPingValueDirect\": 0, "
                "\"lastPingValueTick\": 0}\n"
                "  inject: to server ChatMessage {\"message\": \"me too\"}\n"
                "  inject: to server Ping {}\n"
                "  inject: to client Nothing\n");
    ruled.client_end->write(0, chat("time"));
    ASSERT_TRUE(ruled.until([&] { return ruled.heard() == chat("time") + chat("me too"); }));
    ASSERT_TRUE(ruled.until([&] { return ruled.client_end->heard(0).size() == 37; }));
    EXPECT_EQ(ruled.client_end->heard(0)[4], 2);
    EXPECT_EQ(ruled.client_end->heard(0)[9], 7);
    EXPECT_EQ(ruled.events.lines,
              (std::vector<std::string>{"join raw", "rules, line 4: Ping goes the other way",
                                        "rules, line 5: the build has no packet Nothing"}));
}

TEST(Rules, FramesOfUnknownBuildsTravelOn) {
    ProxyRules rules;
    rules.book = RuleBook::parse("when: to server\n  show\n  set: message = \"x\"\n").value();
    Between between(rules);
    between.start();
    const auto first = frame_of(0, std::string(60, '\7'));
    auto& client = between.join(first);
    client.write(0, frame_of(777, "whatever"));
    ASSERT_TRUE(between.until(
        [&] { return between.at_server.back().heard(0) == first + frame_of(777, "whatever"); }));
    EXPECT_EQ(between.events.lines.back(), " packet 777 ");
}

} // namespace
} // namespace orbis::proxy
