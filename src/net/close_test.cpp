#include "net/close.hpp"
#include "net/key_cache.hpp"
#include "net/key_set.hpp"
#include "net/password.hpp"
#include "net/password_guard.hpp"
#include "net/session_service_thread.hpp"
#include "net/token.hpp"
#include "net/token_checks.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace orbis::net {
namespace {

TEST(Close, EachCodeHasItsName) {
    constexpr std::array k_application = {"no error", "rate limited",    "auth failed",     "invalid version",
                                          "timeout",  "client outdated", "server outdated", "unknown code"};
    for (std::size_t code = 0; code < k_application.size(); ++code)
        EXPECT_EQ((Close{Close::Kind::application, code, {}, false}.text()),
                  fmt::format("closed: {} (application error {})", k_application[code], code));
    EXPECT_EQ(Close::application(CloseCode::rate_limited).code, 1U);
    EXPECT_EQ(Close::application(CloseCode::timeout).code, 4U);
    EXPECT_EQ(Close::application(CloseCode::client_outdated).code, 5U);
    EXPECT_EQ(Close::application(CloseCode::server_outdated).code, 6U);
    for (const auto& [code, name] : {std::pair<std::uint64_t, std::string_view>{0x0, "no error"},
                                     {0x1, "internal error"},
                                     {0x2, "connection refused"},
                                     {0x3, "flow control error"},
                                     {0x4, "stream limit error"},
                                     {0x5, "stream state error"},
                                     {0x6, "final size error"},
                                     {0x7, "frame encoding error"},
                                     {0x8, "transport parameter error"},
                                     {0x9, "connection id limit error"},
                                     {0xA, "protocol violation"},
                                     {0xB, "invalid token"},
                                     {0xC, "application error"},
                                     {0xD, "crypto buffer exceeded"},
                                     {0xE, "key update error"},
                                     {0xF, "aead limit reached"},
                                     {0x10, "no viable path"},
                                     {0x11, "unknown code"},
                                     {0xFF, "unknown code"},
                                     {0x100, "TLS alert"},
                                     {0x128, "TLS handshake failure"},
                                     {0x12A, "TLS bad certificate"},
                                     {0x130, "TLS unknown certificate authority"},
                                     {0x146, "TLS protocol version"},
                                     {0x174, "TLS certificate required"},
                                     {0x178, "TLS no application protocol"},
                                     {0x1FF, "TLS alert"},
                                     {0x200, "unknown code"}})
        EXPECT_EQ(Close::transport(code).text(),
                  fmt::format("closed: {} (transport error 0x{:X})", name, code));
}

TEST(Close, WhatThePeerSaysIsQuotedAndShort) {
    Close close{Close::Kind::application, 4, "too\n" + std::string(400, 'x'), true};
    EXPECT_EQ(close.text(),
              "closed by the peer: timeout (application error 4): \"too\\n" + std::string(296, 'x') + "\"");
    close.by_peer = false;
    close.reason = "too late";
    EXPECT_EQ(close.text(), "closed: timeout (application error 4): too late");
    const auto text = [](Close::Kind kind) { return Close{kind, 3, "why", true}.text(); };
    EXPECT_EQ(text(Close::Kind::idle), "nothing was received for too long");
    EXPECT_EQ(text(Close::Kind::handshake_timeout), "the handshake took too long");
    EXPECT_EQ(text(Close::Kind::version), "the peer does not speak QUIC version 1");
    EXPECT_EQ(text(Close::Kind::reset), "the peer does not know this connection (stateless reset)");
    EXPECT_EQ(text(Close::Kind::end), "the peer closed the connection");
    EXPECT_EQ(text(Close::Kind::failed), "failed: \"why\"");
    EXPECT_EQ(text(Close::Kind::transport),
              "closed by the peer: flow control error (transport error 0x3): \"why\"");
}

TEST(KeySet, EachRefusalSaysWhatIsWrong) {
    const std::string x(43, 'A');
    const auto key = [&](std::string_view more) {
        return fmt::format(R"({{"kty":"OKP","crv":"Ed25519","kid":"a","x":"{}"{}}})", x, more);
    };
    const auto problem = [](const std::string& text) {
        const auto parsed = KeySet::parse(text);
        return parsed ? "none" : parsed.error().problem;
    };
    const auto of_keys = [&](std::size_t count) {
        std::string keys = key("");
        for (std::size_t i = 1; i < count; ++i) keys += ",{}";
        return R"({"keys":[)" + keys + "]}";
    };
    EXPECT_EQ(problem(of_keys(256)), "none");
    EXPECT_EQ(problem(of_keys(257)), "expected at most 256 keys, found 257");
    const auto padded = [&](std::size_t size) {
        auto text = of_keys(1);
        return text + std::string(size - text.size(), ' ');
    };
    EXPECT_EQ(problem(padded(262'144)), "none");
    EXPECT_EQ(problem(padded(262'145)), "a key set has at most 262144 bytes; this one has 262145");
    EXPECT_EQ(problem(R"({"keys":5})"), "expected an object with an array \"keys\", found a number");
    EXPECT_EQ(problem("{}"), "expected an object with an array \"keys\", found none");
    const std::string none = "expected at least one key for signatures with \"kty\":\"OKP\" and "
                             "\"crv\":\"Ed25519\", found none among 1";
    for (const auto& [bad, is_bad] :
         {std::pair(key(R"(,"use":"enc")"), true), std::pair(key(R"(,"alg":"none")"), true),
          std::pair(key(R"(,"use":"sig","alg":"EdDSA")"), false)})
        EXPECT_EQ(problem(R"({"keys":[)" + bad + "]}"), is_bad ? none : "none") << bad;
    const auto one = KeySet::parse(of_keys(1)).value();
    EXPECT_NE(one.find(""), nullptr) << "there is no other";
    EXPECT_NE(one.find("a"), nullptr);
    EXPECT_EQ(one.find("b"), nullptr);
    const auto two = KeySet::parse(R"({"keys":[)" + key("") + "," + key("") + "]}").value();
    EXPECT_EQ(two.find(""), nullptr) << "nobody knows which";
}

/// A changed limit shows here on purpose: other programs and the docs rely on it.
TEST(NetLimits, AreThoseThatTheDocsName) {
    using namespace std::chrono_literals;
    EXPECT_EQ(k_largest_token, 8192U);
    EXPECT_EQ(k_largest_grant, 4096U);
    EXPECT_EQ(k_clock_tolerance, 300s);
    EXPECT_EQ(k_password_attempts, 3);
    EXPECT_EQ(PasswordGuard::k_free_of_address, 5U);
    EXPECT_EQ(PasswordGuard::k_free_of_account, 10U);
    EXPECT_EQ(PasswordGuard::k_longest_of_address, Duration(15min));
    EXPECT_EQ(PasswordGuard::k_longest_of_account, Duration(8s));
    EXPECT_EQ(PasswordGuard::k_memory, Duration(1h));
    EXPECT_EQ(PasswordGuard::k_most_remembered, 4096U);
    EXPECT_EQ(KeyCache::k_fresh, Duration(1h));
    EXPECT_EQ(KeyCache::k_usable, Duration(24h));
    EXPECT_EQ(KeyCache::k_unknown_key_pause, Duration(30s));
    EXPECT_EQ(KeyCache::k_retry_pause, Duration(5s));
    EXPECT_EQ(SessionServiceThread::k_most_waiting, 4096U);
}

} // namespace
} // namespace orbis::net
