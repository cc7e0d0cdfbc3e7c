#include "proxy/frame_scanner.hpp"
#include "proxy/proxy_test_support.hpp"

#include <rapidcheck.h>

namespace orbis::proxy {
namespace {

using test::frame_of;

class Gatherer final : public FrameScanner::User {
public:
    bool wants(std::int32_t id, std::uint32_t) override { return id % 2 == 0; }
    void on_frame(Bytes frame) override {
        frames.emplace_back(as_text(frame));
        all += as_text(frame);
    }
    void on_rest(Bytes bytes, bool is_framed) override {
        all += as_text(bytes);
        (is_framed ? framed : loose) += as_text(bytes);
    }
    std::vector<std::string> frames;
    std::string framed;
    std::string loose;
    std::string all;
};

/// Feeds a text in pieces of random sizes.
void feed(FrameScanner& scanner, Gatherer& user, const std::string& text, std::mt19937_64& random) {
    for (std::size_t at = 0; at < text.size();) {
        const auto count =
            std::min<std::size_t>(1 + random() % (random() % 4 == 0 ? 4000 : 9), text.size() - at);
        scanner.feed(as_bytes(std::string_view(text).substr(at, count)), user);
        at += count;
    }
}

TEST(FrameScanner, FindsFramesHoweverTheyAreCutAndLosesNoByte) {
    rc::check([](std::uint64_t seed) {
        std::mt19937_64 random(seed);
        std::string text;
        std::string unwanted;
        std::vector<std::string> wanted;
        for (auto count = random() % 20; count > 0; --count) {
            const auto id = static_cast<std::int32_t>(random() % 500);
            const auto size = random() % 5 == 0 ? random() % 20'000 : random() % 30;
            const auto frame = frame_of(id, std::string(size, static_cast<char>(random())));
            text += frame;
            if (id % 2 == 0)
                wanted.push_back(frame);
            else
                unwanted += frame;
        }
        std::string rubbish;
        if (random() % 2 == 0) rubbish = "\xff\xff\xff\xff no frame " + std::string(random() % 100, 'x');
        FrameScanner scanner;
        Gatherer user;
        feed(scanner, user, text, random);
        RC_ASSERT(scanner.is_between_frames());
        RC_ASSERT(scanner.waiting() == 0U);
        feed(scanner, user, rubbish, random);
        scanner.finish(user);
        RC_ASSERT(user.all == text + rubbish);
        RC_ASSERT(user.frames == wanted);
        RC_ASSERT(user.framed == unwanted);
        RC_ASSERT(user.loose == rubbish);
    });
}

TEST(FrameScanner, HoldsOnlyWhatIsWantedAndNoMoreThanHasCome) {
    FrameScanner scanner;
    Gatherer user;
    auto large = frame_of(2, "");
    const std::int32_t claimed = protocol::k_largest_payload;
    std::memcpy(large.data(), &claimed, 4);
    scanner.feed(as_bytes(large), user);
    scanner.feed(as_bytes("0123456789"), user);
    EXPECT_EQ(scanner.waiting(), 18U);
    EXPECT_EQ(user.all, "");
    scanner.finish(user);
    EXPECT_EQ(user.loose, large + "0123456789");

    FrameScanner other;
    large[4] = 3;
    other.feed(as_bytes(large + "0123456789"), user);
    EXPECT_EQ(other.waiting(), 0U);
    EXPECT_FALSE(other.is_between_frames());
    EXPECT_EQ(user.framed, large + "0123456789");
}

} // namespace
} // namespace orbis::proxy
