#include "net/token_checks.hpp"
#include "protocol/uuid.hpp"
#include "support/token_signer.hpp"

#include <gtest/gtest.h>

namespace orbis::net {
namespace {

constexpr std::string_view k_issuer = "https://sessions.example";
constexpr std::string_view k_token_subject = "00112233-4455-6677-8899-aabbccddeeff";
constexpr std::int64_t k_token_time = 1'800'000'000;

class TokenChecks : public testing::Test {
protected:
    TokenRules rules() const {
        return {keys_, k_issuer, std::chrono::sys_seconds(std::chrono::seconds(k_token_time))};
    }
    Result<TokenFacts> identity(std::string_view claims) const {
        return check_identity_token(signer_.sign(claims), rules(), {k_client_scope, player_});
    }
    Result<TokenFacts> access(std::string_view claims) const {
        return check_access_token(signer_.sign(claims), rules(), {certificate_, "server-1", player_, "bot1"});
    }
    static std::string refusal(const Result<TokenFacts>& result) {
        return result ? "accepted" : result.error().text();
    }
    /// An identity token like a good one, with a claim more or another one.
    std::string identity_with(std::string_view claim) const {
        return refusal(
            identity(fmt::format(R"({{"iss":"{}","sub":"{}","scope":"openid hytale:client","exp":{},{}}})",
                                 k_issuer, k_token_subject, k_token_time + 60, claim)));
    }
    std::string access_with(std::string_view claim) const {
        return refusal(access(fmt::format(
            R"({{"iss":"{}","sub":"{}","aud":["server-1","b"],"username":"bot1","cnf":{{"x5t#S256":"{}"}},"exp":{},{}}})",
            k_issuer, k_token_subject, certificate_.text(), k_token_time + 60, claim)));
    }

    orbis::test::TokenSigner signer_;
    KeySet keys_ = KeySet::parse(signer_.key_set_json()).value();
    protocol::Uuid player_ = protocol::parse_uuid(k_token_subject).value();
    Fingerprint certificate_ = fingerprint(as_bytes("a certificate"));
};

TEST_F(TokenChecks, AGoodIdentityTokenSaysWhoItIs) {
    const auto facts = identity(
        fmt::format(R"({{"iss":"{}","sub":"{}","scope":"hytale:client","exp":{},"username":"bot1"}})",
                    k_issuer, k_token_subject, k_token_time + 60));
    ASSERT_TRUE(facts) << facts.error().text();
    EXPECT_EQ(facts->subject, player_);
    EXPECT_EQ(facts->username, "bot1");
    EXPECT_EQ(facts->expires.time_since_epoch().count(), k_token_time + 60);
    EXPECT_EQ(identity_with(R"("x":1)"), "accepted");
}

TEST_F(TokenChecks, IdentityTokensAreRefusedWithExpectedAndFound) {
    EXPECT_EQ(identity_with(R"("iss":"https://evil.example")"),
              "identity token: expected \"iss\" to be \"https://sessions.example\", found "
              "\"https://evil.example\"");
    EXPECT_EQ(identity_with(R"("iss":"https://sessions.example/")"),
              "identity token: expected \"iss\" to be \"https://sessions.example\", found "
              "\"https://sessions.example/\"");
    EXPECT_EQ(identity_with(R"("iss":null)"),
              "identity token: expected \"iss\" to be \"https://sessions.example\", found null");
    EXPECT_EQ(identity_with(R"("sub":"bot1")"), "identity token: expected a UUID as \"sub\", found \"bot1\"");
    EXPECT_EQ(identity_with(R"("sub":"10112233-4455-6677-8899-aabbccddeeff")"),
              "identity token: expected \"sub\" to be 00112233-4455-6677-8899-aabbccddeeff, found "
              "10112233-4455-6677-8899-aabbccddeeff");
    EXPECT_EQ(identity_with(R"("sub":"00112233-4455-6677-8899-AABBCCDDEEFF")"), "accepted");
    for (const auto* scope : {"", "hytale:clients", "xhytale:client", "hytale:editor openid", " "})
        EXPECT_EQ(
            identity_with(fmt::format(R"("scope":"{}")", scope)),
            fmt::format("identity token: expected \"scope\" to contain hytale:client, found \"{}\"", scope));
    EXPECT_EQ(identity_with(R"("scope":"a  hytale:client ")"), "accepted");
    EXPECT_EQ(identity_with(R"("scope":["hytale:client"])"),
              "identity token: expected \"scope\" to contain hytale:client, found an array");
}

TEST_F(TokenChecks, ClocksMayDifferByThreeHundredSecondsAndNoMore) {
    const auto with = [&](std::string_view name, std::int64_t offset) {
        return identity_with(fmt::format(R"("{}":{})", name, k_token_time + offset));
    };
    EXPECT_EQ(with("exp", -300), "accepted");
    EXPECT_EQ(with("exp", -301), "identity token: the token expired at 1799999699; the time is 1800000000");
    for (const auto* name : {"nbf", "iat"}) {
        EXPECT_EQ(with(name, -100000), "accepted");
        EXPECT_EQ(with(name, 300), "accepted");
        EXPECT_EQ(
            with(name, 301),
            fmt::format(
                "identity token: the token is valid from 1800000301 on (\"{}\"); the time is 1800000000",
                name));
    }
}

TEST_F(TokenChecks, TimesAreNumbersAndTheEndIsRequired) {
    EXPECT_EQ(refusal(identity(fmt::format(R"({{"iss":"{}","sub":"{}","scope":"hytale:client"}})", k_issuer,
                                           k_token_subject))),
              "identity token: the token has no end time \"exp\"");
    EXPECT_EQ(identity_with(R"("exp":"1900000000")"),
              "identity token: expected a time in seconds as \"exp\", found \"1900000000\"");
    EXPECT_EQ(identity_with(R"("exp":1800000000.5)"), "accepted");
    EXPECT_EQ(identity_with(R"("exp":1e400)"), "identity token: no JSON in its claims");
    EXPECT_EQ(identity_with(R"("exp":1e300)"),
              "identity token: expected a time in seconds as \"exp\", found a number out of range");
    EXPECT_EQ(identity_with(R"("exp":18446744073709551615)"),
              "identity token: expected a time in seconds as \"exp\", found a number out of range");
    EXPECT_EQ(identity_with(R"("exp":9223372036854775807)"), "accepted");
    EXPECT_NE(identity_with(R"("exp":-9223372036854775808)"), "accepted");
    EXPECT_NE(identity_with(R"("nbf":9223372036854775807)"), "accepted");
    EXPECT_NE(identity_with(R"("iat":true)"), "accepted");
}

TEST_F(TokenChecks, AGoodAccessTokenIsBoundToTheConnection) {
    EXPECT_EQ(access_with(R"("x":1)"), "accepted");
    EXPECT_EQ(access_with(R"("aud":"server-1")"), "accepted");
}

TEST_F(TokenChecks, AccessTokensAreRefusedWithExpectedAndFound) {
    EXPECT_EQ(access_with(R"("aud":["b","server-1"])"),
              "access token: expected the first \"aud\" to be \"server-1\", found \"b\"");
    EXPECT_EQ(access_with(R"("aud":[])"),
              "access token: expected the first \"aud\" to be \"server-1\", found none");
    const auto other = fingerprint(as_bytes("another certificate")).text();
    EXPECT_EQ(
        access_with(fmt::format(R"("cnf":{{"x5t#S256":"{}"}})", other)),
        fmt::format("access token: \"cnf\" must name the certificate of this connection, {}, not \"{}\"",
                    certificate_.text(), other));
    EXPECT_NE(access_with(fmt::format(R"("cnf":"{}")", certificate_.text())), "accepted");
    EXPECT_NE(access_with(fmt::format(R"("cnf":{{"x5t#S256":"{}="}})", certificate_.text())), "accepted");
    EXPECT_EQ(access_with(R"("username":"Bot1")"),
              "access token: expected \"username\" to be \"bot1\", found \"Bot1\"");
    EXPECT_NE(access_with(R"("sub":"10112233-4455-6677-8899-aabbccddeeff")"), "accepted");
    EXPECT_NE(access_with(fmt::format(R"("exp":{})", k_token_time - 301)), "accepted");
    EXPECT_NE(access_with(R"("iss":"x")"), "accepted");
}

TEST_F(TokenChecks, AClientAsksTheServersTokenForTheCertificateItSaw) {
    const auto token =
        signer_.sign(fmt::format(R"({{"iss":"{}","sub":"server-1","cnf":{{"x5t#S256":"{}"}},"exp":{}}})",
                                 k_issuer, certificate_.text(), k_token_time + 60));
    EXPECT_TRUE(check_access_token(token, rules(), {certificate_, {}, {}, {}}));
    EXPECT_FALSE(check_access_token(token, rules(), {fingerprint(as_bytes("proxy")), {}, {}, {}}));
}

TEST_F(TokenChecks, TheSignatureIsAskedBeforeTheClaims) {
    const orbis::test::TokenSigner forger;
    EXPECT_EQ(
        refusal(check_identity_token(forger.sign(R"({"iss":"x"})"), rules(), {k_client_scope, player_})),
        "identity token: the signature does not match the service's key \"key-1\"");
}

TEST_F(TokenChecks, MessagesAreShortAndPrintable) {
    const auto message = identity_with(fmt::format(R"("sub":"\u0000\u001b[31m{}")", std::string(3000, 'x')));
    EXPECT_LT(message.size(), 250U);
    EXPECT_EQ(message.find('\x1b'), std::string::npos);
}

} // namespace
} // namespace orbis::net
