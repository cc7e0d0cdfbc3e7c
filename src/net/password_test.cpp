#include "bytes/hex.hpp"
#include "net/password.hpp"
#include "net/password_guard.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <arpa/inet.h>
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

Address address_of(const char* text) { return resolve({text, 5520}).value().front(); }

protocol::Uuid account(int number) {
    protocol::Uuid uuid{};
    uuid[0] = static_cast<std::uint8_t>(number >> 8);
    uuid[1] = static_cast<std::uint8_t>(number);
    return uuid;
}

TEST(PasswordGuard, TheFirstMistakesCostNothingThenEachWaitIsTwiceAsLong) {
    PasswordGuard guard;
    const auto home = address_of("192.0.2.1");
    Time now{};
    for (std::uint64_t i = 0; i < PasswordGuard::k_free_of_address; ++i) {
        EXPECT_FALSE(guard.refuse(home, account(0), now));
        EXPECT_EQ(guard.failed(home, account(static_cast<int>(i)), now).wait, Duration::zero());
    }
    auto wait = Duration(std::chrono::seconds(1));
    for (int i = 10; i < 24; ++i) {
        const auto trouble = guard.failed(home, account(i), now);
        EXPECT_EQ(trouble.wait, std::min(wait, PasswordGuard::k_longest_of_address));
        EXPECT_TRUE(guard.refuse(home, account(99), now + trouble.wait - Duration(1)))
            << "also for another account";
        now += trouble.wait;
        EXPECT_FALSE(guard.refuse(home, account(99), now));
        wait *= 2;
    }
    PasswordGuard other;
    const auto before = other.failed(home, account(0), Time{}).failures;
    EXPECT_EQ(other.failed(home, account(0), Time{} + PasswordGuard::k_memory).failures, before + 1)
        << "still known";
    EXPECT_EQ(guard.failed(home, account(0), now + PasswordGuard::k_memory + Duration(1)).failures, 1U)
        << "forgotten";
}

TEST(PasswordGuard, OnlyTheFirstRefusalOfEachWaitIsNews) {
    PasswordGuard guard;
    const auto home = address_of("192.0.2.1");
    Time now{};
    for (int i = 0; i < 2; ++i) {
        Duration wait{};
        while (wait == Duration::zero()) wait = guard.failed(home, account(0), now).wait;
        EXPECT_TRUE(guard.refuse(home, account(0), now)->is_news);
        EXPECT_FALSE(guard.refuse(home, account(0), now)->is_news);
        now += wait;
    }
}

TEST(PasswordGuard, AnAccountIsSlowedFromEveryAddressButNeverLockedOut) {
    PasswordGuard guard;
    const Time now{};
    PasswordTrouble last;
    for (int i = 0; i < 60; ++i) {
        const auto from = address_of(fmt::format("198.51.100.{}", i).c_str());
        last = guard.failed(from, account(1), now);
    }
    EXPECT_EQ(last.wait, PasswordGuard::k_longest_of_account);
    const auto own = address_of("203.0.113.9");
    EXPECT_TRUE(guard.refuse(own, account(1), now));
    EXPECT_FALSE(guard.refuse(own, account(2), now));
    EXPECT_FALSE(guard.refuse(own, account(1), now + PasswordGuard::k_longest_of_account));
}

TEST(PasswordGuard, AddressesOfOneNetworkAreOneAndOthersAreNot) {
    const auto is_slowed_with = [](const char* guesser, const char* other) {
        PasswordGuard guard;
        const Time now{};
        for (int i = 0; i < 9; ++i) guard.failed(address_of(guesser), account(i), now);
        return guard.refuse(address_of(other), account(100), now).has_value();
    };
    EXPECT_TRUE(is_slowed_with("2001:db8:0:1::1", "2001:db8:0:1:ffff::2"));
    EXPECT_FALSE(is_slowed_with("2001:db8:0:1::1", "2001:db8:0:2::1"));
    EXPECT_FALSE(is_slowed_with("192.0.2.1", "192.0.2.2"));
    EXPECT_TRUE(is_slowed_with("192.0.2.1", "::ffff:192.0.2.1"));
}

TEST(PasswordGuard, ARightPasswordForgetsAndTheTableHasALimit) {
    PasswordGuard guard;
    const auto home = address_of("192.0.2.1");
    Time now{};
    for (int i = 0; i < 9; ++i) guard.failed(home, account(0), now);
    guard.passed(home, account(0));
    EXPECT_EQ(guard.remembered(), 0U);
    for (int i = 0; i < 9; ++i) guard.failed(home, account(0), now);
    for (std::uint32_t i = 0; i < 2 * PasswordGuard::k_most_remembered; ++i) {
        sockaddr_in from{};
        from.sin_family = AF_INET;
        from.sin_addr.s_addr = htonl(0x0A000000 + i);
        guard.failed(Address(reinterpret_cast<const sockaddr*>(&from)), account(static_cast<int>(i)), now);
        now += Duration(1);
    }
    EXPECT_EQ(guard.remembered(), 2 * PasswordGuard::k_most_remembered);
    EXPECT_TRUE(guard.refuse(home, account(0), now)) << "who waits is not pushed out by who does not";
}

} // namespace
} // namespace orbis::net
