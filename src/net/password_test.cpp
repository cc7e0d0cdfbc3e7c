#include "bytes/hex.hpp"
#include "net/password.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace orbis::net {
namespace {

TEST(Password, TheHashIsThatOfChallengeAndPassword) {
    PasswordChallenge challenge{};
    std::iota(challenge.begin(), challenge.end(), std::uint8_t{0});
    const auto hash = password_hash(challenge, "secret");
    EXPECT_EQ(to_hex(hash), "033cb491f12968cfd4d9cb74d599ffdccd3c4215a00a49b84330a7642cfd9daf");
    EXPECT_TRUE(is_right_answer(hash, challenge, "secret"));
}

TEST(Password, AnyOtherAnswerIsWrong) {
    const auto challenge = make_password_challenge();
    const auto hash = password_hash(challenge, "secret");
    EXPECT_FALSE(is_right_answer(hash, challenge, "Secret"));
    EXPECT_FALSE(is_right_answer(hash, make_password_challenge(), "secret"));
    EXPECT_FALSE(is_right_answer({}, challenge, "secret"));
    EXPECT_FALSE(is_right_answer(Bytes(hash).first(31), challenge, "secret"));
    Buffer longer(hash.begin(), hash.end());
    longer.push_back(0);
    EXPECT_FALSE(is_right_answer(longer, challenge, "secret"));
    for (std::size_t at = 0; at < hash.size(); ++at) {
        auto changed = hash;
        changed[at] ^= 1;
        EXPECT_FALSE(is_right_answer(changed, challenge, "secret")) << at;
    }
}

TEST(Password, EveryChallengeIsANewOne) { EXPECT_NE(make_password_challenge(), make_password_challenge()); }

} // namespace
} // namespace orbis::net
