#include "net/game_build.hpp"
#include "net/ping_meaning.hpp"

#include <gtest/gtest.h>

namespace orbis::net {
namespace {

using Answer = Reached::Answer;

PingRules rules(bool is_tcp) {
    PingRules made;
    made.is_tcp = is_tcp;
    made.place.port = 5520;
    made.build.version = "2026.02.17";
    return made;
}

std::string text(const Error& error) {
    return fmt::format("{}: {} | {}", name(error.code), error.problem, error.advice);
}

std::string not_reached(bool is_tcp, const std::vector<Answer>& answers) {
    std::vector<Reached> addresses;
    for (const auto answer : answers) {
        addresses.emplace_back();
        addresses.back().answer = answer;
    }
    return text(meaning::not_reached(rules(is_tcp), addresses));
}

TEST(PingMeaning, OfAddressesThatCannotBeReachedIsSaidWhatIsSoOfAll) {
    const std::string no_route =
        "io: there is no route from this machine to the server | check the network of this "
        "machine: its connection, routes and firewall";
    const std::string refused_udp =
        "io: UDP port 5520 is refused: no program listens there, or a firewall rejects "
        "everybody | start the server or check the port; for a server in TCP mode: --tcp";
    const std::string refused_tcp =
        "io: TCP port 5520 is refused: no program listens there, or a firewall rejects "
        "everybody | start the server or check the port; most servers use QUIC: try "
        "without --tcp";
    const std::string silent_udp =
        "io: nothing comes back from UDP port 5520: the machine is off, or a firewall or "
        "router drops the packets | check the address; open UDP 5520 in the firewall and "
        "forward it in the router: QUIC is UDP, a rule for TCP 5520 does not help";
    const std::string silent_tcp =
        "io: nothing comes back from TCP port 5520: the machine is off, or a firewall or "
        "router drops the packets | check the address, and open the port there; most "
        "servers use QUIC: try without --tcp";
    for (const bool is_tcp : {false, true}) {
        const auto& refused = is_tcp ? refused_tcp : refused_udp;
        const auto& silent = is_tcp ? silent_tcp : silent_udp;
        EXPECT_EQ(not_reached(is_tcp, {Answer::unreachable}), no_route);
        EXPECT_EQ(not_reached(is_tcp, {Answer::unreachable, Answer::unreachable}), no_route);
        EXPECT_EQ(not_reached(is_tcp, {Answer::unreachable, Answer::refused}), refused);
        EXPECT_EQ(not_reached(is_tcp, {Answer::refused, Answer::unreachable}), refused);
        EXPECT_EQ(not_reached(is_tcp, {Answer::refused}), refused);
        EXPECT_EQ(not_reached(is_tcp, {Answer::refused, Answer::silent}), silent);
        EXPECT_EQ(not_reached(is_tcp, {Answer::silent, Answer::unreachable}), silent);
    }
}

TEST(PingMeaning, OfEachWayAHandshakeEndsIsItsOwn) {
    Close version;
    version.kind = Close::Kind::version;
    Close by_peer = Close::application(CloseCode::none);
    by_peer.by_peer = true;
    Close by_us = Close::application(CloseCode::none);
    const auto others = text(meaning::other_versions());
    EXPECT_EQ(
        others,
        "unsupported: the game uses version 1 of QUIC, which this server does not support | check address "
        "and port: this is not a known server of the game");
    EXPECT_EQ(text(meaning::no_handshake(version)), others);
    EXPECT_EQ(text(meaning::no_handshake(by_peer)),
              "unsupported: the server closed the connection before it started | "
              "it may be full or shutting down: try again, and check its log");
    const auto nothing = text(meaning::no_handshake(std::nullopt));
    EXPECT_EQ(nothing,
              "io: the server answers with its versions, but does not start a connection | it may be "
              "overloaded, or something on the way lets only single packets through: try again from another "
              "network, and check the server's log");
    EXPECT_EQ(text(meaning::no_handshake(by_us)), nothing);
    const std::string tls = "unsupported: the two sides could not agree on encryption (TLS 1.3) | ";
    EXPECT_EQ(text(meaning::no_tls(by_peer)), tls + "check the server's log: the refusal came from there");
    EXPECT_EQ(text(meaning::no_tls(by_us)),
              tls + "check address and port: what the server sent is not what a server of the game sends");
    EXPECT_EQ(text(meaning::not_quic(rules(false))),
              "unsupported: UDP port 5520 is used by something other than a game server | check the port");
    EXPECT_EQ(text(meaning::certificate_not_accepted()),
              "unsupported: the server did not accept the certificate that was created for this ping | "
              "servers of the "
              "game accept any; a proxy in front of it may not: check its log");
}

TEST(PingMeaning, OfOtherProtocolsAndVersionsNamesThem) {
    const auto builds = "; --build says as which version ping asks: " + names_of(spoken_builds());
    EXPECT_EQ(text(meaning::other_protocol(rules(false), "hytale/1")),
              "mismatch: the server uses the game's first protocol (before 2026.01.24) | update the server, "
              "or use a "
              "client of its version");
    EXPECT_EQ(
        text(meaning::other_protocol(rules(false), "hytale/3")),
        "mismatch: the server uses another protocol of the game than hytale/2 | use a client of the server's "
        "version"
            + builds);
    EXPECT_EQ(text(meaning::other_protocol(rules(false), "")),
              "mismatch: this server does not use the game's protocol | "
              "check address and port: it may serve web pages "
              "or something else over QUIC");
    const std::string advice =
        " | the network is fine: use a game client of exactly the server's version" + builds;
    EXPECT_EQ(text(meaning::other_build(rules(false), true, "2099")),
              "mismatch: the server (\"2099\") is newer than 2026.02.17, the version of this ping" + advice);
    EXPECT_EQ(text(meaning::other_build(rules(false), false, std::nullopt)),
              "mismatch: the server is older than 2026.02.17, the version of this ping, or differs from it"
                  + advice);
    const Close close = Close::application(CloseCode::none);
    const auto silent =
        "io: the server accepted the connection, but does not answer `Connect` | it may be overloaded or "
        "still starting: try again, and check its log";
    for (const bool is_tcp : {false, true})
        EXPECT_EQ(text(meaning::not_answered(rules(is_tcp), std::nullopt)), silent);
    EXPECT_EQ(text(meaning::not_answered(rules(true), close)),
              "mismatch: over TCP a server of another version than 2026.02.17 closes the connection without "
              "a message; so "
              "do other programs | check the port and the server's version; its log may say more");
    EXPECT_EQ(text(meaning::not_answered(rules(false), close)),
              "mismatch: the server did not understand `Connect` of version 2026.02.17 | use a client of the "
              "server's "
              "version; its log may say more");
}

TEST(PingMeaning, OfWhatAServerWantsSaysHowToGiveIt) {
    const std::string refused = "unsupported: the server understood us and refused: \"go\\naway\" | ";
    EXPECT_EQ(text(meaning::refused(rules(true), "go\naway")),
              refused + "if it asks for a Hytale account: that does not work over TCP, use QUIC");
    EXPECT_EQ(
        text(meaning::refused(rules(false), "go\naway")),
        refused
            + "if it asks for a Hytale account, everything works up to here: ping has no account; otherwise "
              "the reason says what to do");
    EXPECT_EQ(text(meaning::account_asked()),
              "unsupported: the server asks for a Hytale account | everything works up to "
              "here: ping has no account");
    EXPECT_EQ(text(meaning::password_asked()),
              "mismatch: the server asks for a password | give it with --password-file "
              "to check whether it is right");
    EXPECT_EQ(text(meaning::password_refused(2)),
              "mismatch: the password is wrong (2 more attempts were left) | check "
              "the file: its first line is the password");
}

TEST(PingMeaning, WordsOfAServerAreCutBetweenLettersAtThreeHundredBytes) {
    const auto quoted = [](const std::string& words) { return meaning::quoted_text(words); };
    const std::string whole(300, 'x');
    EXPECT_EQ(quoted(whole), "\"" + whole + "\"");
    EXPECT_EQ(quoted(whole + "y"), "\"" + whole + " …\"");
    const std::string before(299, 'x');
    EXPECT_EQ(quoted(before + "äy"), "\"" + before + " …\"") << "not inside of a letter";
    EXPECT_EQ(quoted(std::string(298, 'x') + "äy"), "\"" + std::string(298, 'x') + "ä …\"");
}

TEST(Reached, SaysWhatAnAddressDid) {
    Reached at;
    EXPECT_FALSE(at.is_hopeless());
    at.answer = Answer::refused;
    EXPECT_TRUE(at.is_hopeless());
    at.answer = Answer::unreachable;
    EXPECT_TRUE(at.is_hopeless());
    for (const auto answer : {Answer::silent, Answer::versions, Answer::noise, Answer::open}) {
        at.answer = answer;
        EXPECT_FALSE(at.is_hopeless()) << name(answer);
    }
}

} // namespace
} // namespace orbis::net
