#include "net/base64url.hpp"
#include "net/token.hpp"
#include "support/token_signer.hpp"

#include <gtest/gtest.h>

namespace orbis::net {
namespace {

using orbis::test::TokenSigner;

TEST(KeySet, ChecksTheSignatureOfTheStandardsExample) {
    // RFC 8037, appendix A.2 and A.4.
    const auto set = KeySet::parse(
        R"({"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})");
    ASSERT_TRUE(set) << set.error().text();
    const auto* key = set->find("");
    ASSERT_NE(key, nullptr);
    const auto text = as_bytes("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc");
    const auto signature = from_base64url(
        "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg");
    ASSERT_TRUE(signature);
    EXPECT_TRUE(is_signed_by(*key, text, *signature));
    EXPECT_FALSE(is_signed_by(*key, text.first(text.size() - 1), *signature));
    EXPECT_FALSE(is_signed_by(*key, text, Bytes(*signature).first(63)));
    EXPECT_FALSE(is_signed_by(PublicKey{}, text, *signature));
    for (std::size_t at = 0; at < signature->size(); ++at) {
        auto changed = *signature;
        changed[at] ^= 0x80;
        EXPECT_FALSE(is_signed_by(*key, text, changed)) << at;
    }
}

TEST(KeySet, LeavesOutKeysOfOtherKindsAndUses) {
    const TokenSigner good("good");
    const auto x = to_base64url(good.public_key());
    const auto json = fmt::format(
        R"({{"keys":[{{"kty":"RSA","kid":"a","n":"AQAB","e":"AQAB"}},
                     {{"kty":"OKP","crv":"X25519","kid":"b","x":"{0}"}},
                     {{"kty":"OKP","crv":"Ed25519","kid":"c","use":"enc","x":"{0}"}},
                     {{"kty":"OKP","crv":"Ed25519","kid":"d","alg":"ES256","x":"{0}"}},
                     {{"kty":"OKP","crv":"Ed25519","kid":"e","x":"AAAA"}},
                     {{"kty":"OKP","crv":"Ed25519","kid":"f","x":7}}, 3, null,
                     {1}]}})",
        x, good.key_json());
    const auto set = KeySet::parse(json);
    ASSERT_TRUE(set) << set.error().text();
    ASSERT_EQ(set->keys().size(), 1U);
    EXPECT_NE(set->find("good"), nullptr);
    EXPECT_EQ(set->find("a"), nullptr);
}

TEST(KeySet, IsFoundByIdAndWithoutOneOnlyWhereItIsAlone) {
    const TokenSigner one("one");
    const TokenSigner two("two");
    const auto alone = KeySet::parse(one.key_set_json()).value();
    EXPECT_NE(alone.find(""), nullptr);
    EXPECT_NE(alone.find("one"), nullptr);
    EXPECT_EQ(alone.find("two"), nullptr);
    const auto both =
        KeySet::parse(fmt::format(R"({{"keys":[{},{}]}})", one.key_json(), two.key_json())).value();
    EXPECT_EQ(both.find(""), nullptr);
    EXPECT_TRUE(std::ranges::equal(*both.find("two"), two.public_key()));
}

TEST(KeySet, RefusesWhatIsNone) {
    for (const std::string& json :
         {std::string(), std::string("[]"), std::string("{}"), std::string(R"({"keys":{}})"),
          std::string(R"({"keys":[]})"), std::string(R"({"keys":[)"), std::string(100000, '['),
          std::string(KeySet::k_largest + 1, ' ')}) {
        const auto set = KeySet::parse(json);
        ASSERT_FALSE(set) << json.substr(0, 20);
        EXPECT_EQ(set.error().subject(), "key set");
    }
    std::string many = R"({"keys":[0)";
    for (std::size_t i = 0; i < KeySet::k_most_keys; ++i) many += ",0";
    EXPECT_EQ(KeySet::parse(many + "]}").error().code, Errc::too_large);
    std::string most = R"({"keys":[)" + TokenSigner("last").key_json();
    for (std::size_t i = 1; i < KeySet::k_most_keys; ++i) most += ",0";
    EXPECT_TRUE(KeySet::parse(most + "]}")) << "as many as there may be";
    most += "]}";
    most.resize(KeySet::k_largest, ' ');
    EXPECT_TRUE(KeySet::parse(most)) << "and as long";
}

TEST(Token, IsTakenApartAndItsSignatureChecked) {
    const TokenSigner signer;
    const auto keys = KeySet::parse(signer.key_set_json()).value();
    const auto token = parse_token(signer.sign(R"({"iss":"x"})"));
    ASSERT_TRUE(token) << token.error().text();
    EXPECT_EQ(token->key_id, "key-1");
    EXPECT_EQ(token->claims.text("iss"), "x");
    EXPECT_TRUE(check_signature(*token, keys));
    // A key of the same name that is another one, and one of another name.
    const auto forged = parse_token(TokenSigner("key-1").sign(R"({"iss":"x"})")).value();
    EXPECT_EQ(check_signature(forged, keys).error().code, Errc::mismatch);
    const auto unknown = parse_token(TokenSigner("key-2").sign(R"({"iss":"x"})")).value();
    EXPECT_EQ(check_signature(unknown, keys).error().code, Errc::not_found);
    EXPECT_EQ(check_signature(unknown, keys).error().problem, "the service does not have the key \"key-2\"");
}

TEST(Token, EveryChangedCharacterIsNoticed) {
    const TokenSigner signer;
    const auto keys = KeySet::parse(signer.key_set_json()).value();
    const auto text = signer.sign(R"({"iss":"x","exp":1})");
    for (std::size_t at = 0; at < text.size(); ++at) {
        auto changed = text;
        changed[at] = changed[at] == 'A' ? 'B' : 'A';
        const auto token = parse_token(changed);
        EXPECT_TRUE(!token || !check_signature(*token, keys)) << at;
        EXPECT_FALSE(parse_token(text.substr(0, at))) << at;
    }
}

TEST(Token, OnlyEdDsaIsTaken) {
    const TokenSigner signer;
    const auto refusal = [&](std::string_view header) {
        const auto token = parse_token(signer.sign(header, "{}"));
        return token ? std::string("taken") : token.error().problem;
    };
    EXPECT_EQ(refusal(R"({"alg":"EdDSA"})"), "taken");
    EXPECT_EQ(refusal(R"({"alg":"none"})"), "expected the algorithm EdDSA, found \"none\"");
    EXPECT_EQ(refusal(R"({"alg":"HS256"})"), "expected the algorithm EdDSA, found \"HS256\"");
    EXPECT_EQ(refusal(R"({"alg":"eddsa"})"), "expected the algorithm EdDSA, found \"eddsa\"");
    EXPECT_EQ(refusal(R"({"alg":["EdDSA"]})"), "expected the algorithm EdDSA, found an array");
    EXPECT_EQ(refusal(R"({})"), "expected the algorithm EdDSA, found none");
    EXPECT_EQ(refusal(R"({"alg":"EdDSA","crit":["b64"],"b64":false})"),
              "extensions are not supported: the token has \"crit\"");
    EXPECT_EQ(refusal(R"({"alg":"EdDSA","kid":7})"), "expected a key id of 1 to 256 bytes, found a number");
    const auto key_id = [](std::size_t size) {
        return fmt::format(R"({{"alg":"EdDSA","kid":"{}"}})", std::string(size, 'k'));
    };
    EXPECT_EQ(refusal(key_id(0)), "expected a key id of 1 to 256 bytes, found 0 bytes");
    EXPECT_EQ(refusal(key_id(256)), "taken");
    EXPECT_EQ(refusal(key_id(257)), "expected a key id of 1 to 256 bytes, found 257 bytes");
    EXPECT_EQ(refusal(R"(["EdDSA"])"), "expected an object in its header, found an array");
    EXPECT_EQ(refusal("\xff"), "no JSON in its header");
}

TEST(Token, LimitsOfSizeAndDepthHold) {
    const TokenSigner signer;
    const auto code = [](const std::string& text) { return parse_token(text).error().code; };
    EXPECT_EQ(code(std::string(k_largest_token + 1, 'a')), Errc::too_large);
    EXPECT_EQ(code(""), Errc::bad_text);
    EXPECT_EQ(code("a.b"), Errc::bad_text);
    EXPECT_EQ(code("a.b.c.d"), Errc::bad_text);
    EXPECT_EQ(code("a.b." + std::string(79, 'A')), Errc::bad_value);
    EXPECT_EQ(code("a.b." + std::string(91, 'A')), Errc::bad_value);
    EXPECT_EQ(code("a.b." + std::string(80, 'A')), Errc::bad_text);
    EXPECT_EQ(code(signer.sign(std::string(5000, '['))), Errc::too_deep);
    EXPECT_EQ(code(signer.sign("[]")), Errc::bad_value);
    EXPECT_EQ(code(signer.sign("")), Errc::bad_text);
    // A token of exactly the size that is allowed: three bytes are four characters.
    auto exact = signer.sign("{}");
    for (std::size_t size = 3; exact.size() < k_largest_token - 3;
         size += 3 * ((k_largest_token - exact.size()) / 4))
        exact = signer.sign(R"({"a":")" + std::string(size, 'x') + R"("})");
    EXPECT_TRUE(parse_token(exact)) << exact.size();
    EXPECT_EQ(code(exact + std::string(k_largest_token + 1 - exact.size(), 'A')), Errc::too_large);
    const auto large = signer.sign(R"({"a":")" + std::string(6000, 'x') + R"("})");
    ASSERT_LE(large.size(), k_largest_token);
    EXPECT_TRUE(parse_token(large));
}

} // namespace
} // namespace orbis::net
