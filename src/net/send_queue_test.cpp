#include "net/send_queue.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

namespace orbis::net {
namespace {

Buffer noise(std::mt19937_64& random, std::size_t size) {
    Buffer made(size);
    for (auto& byte : made) byte = static_cast<std::uint8_t>(random());
    return made;
}

TEST(SendQueue, KeepsOrderWhateverIsSentAndAcknowledgedWhen) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        std::mt19937_64 random(seed);
        SendQueue queue;
        Buffer all;
        Buffer sent;
        std::uint64_t acked = 0;
        for (int step = 0; step < 100; ++step) {
            switch (random() % 4) {
            case 0: {
                const auto bytes = noise(random, random() % 700);
                queue.add(bytes);
                all.insert(all.end(), bytes.begin(), bytes.end());
                break;
            }
            case 1: {
                const auto bytes = noise(random, random() % 3000);
                queue.add(protocol::SharedFrame(bytes));
                all.insert(all.end(), bytes.begin(), bytes.end());
                break;
            }
            case 2: {
                std::array<Bytes, 3> pieces;
                const auto count = queue.pieces(pieces);
                std::size_t offered = 0;
                for (std::size_t at = 0; at < count; ++at) offered += pieces[at].size();
                auto take = offered == 0 ? 0 : random() % (offered + 1);
                queue.mark_sent(0);
                for (std::size_t at = 0, left = take; at < count; ++at) {
                    const auto part = pieces[at].first(std::min(left, pieces[at].size()));
                    sent.insert(sent.end(), part.begin(), part.end());
                    left -= part.size();
                }
                queue.mark_sent(take);
                break;
            }
            default: acked += random() % (sent.size() - acked + 1); queue.mark_acked(acked);
            }
            ASSERT_EQ(queue.unsent(), all.size() - sent.size());
            ASSERT_EQ(queue.held(), all.size() - acked);
            ASSERT_TRUE(std::equal(sent.begin(), sent.end(), all.begin()));
        }
    }
}

TEST(SendQueue, SharesLargeFramesAndGathersSmallOnes) {
    SendQueue queue;
    const protocol::SharedFrame large(Buffer(5'000, 1));
    queue.add(large);
    EXPECT_EQ(large.memory().use_count(), 2);
    for (int count = 0; count < 10; ++count) queue.add(Buffer(20, 2));
    std::array<Bytes, 16> pieces;
    ASSERT_EQ(queue.pieces(pieces), 3u); // the first small one between large ones is alone, as a rule
    EXPECT_EQ(pieces[0].data(), large.bytes().data());
    EXPECT_EQ(pieces[1].size() + pieces[2].size(), 200u);
    queue.mark_sent(5'200);
    queue.mark_acked(5'000);
    EXPECT_EQ(large.memory().use_count(), 1);
    queue.clear();
    EXPECT_EQ(queue.held(), 0u);
}

TEST(SendQueue, NothingIsAcknowledgedThatWasNotSent) {
    SendQueue queue;
    queue.add(Buffer(300, 'a'));
    queue.add(Buffer(300, 'b'));
    queue.mark_sent(200);
    queue.mark_acked(450);
    EXPECT_EQ(queue.held(), 400U) << "the 200 that were sent, and no more";
    std::array<Bytes, 4> pieces;
    std::string rest;
    for (std::size_t i = 0, count = queue.pieces(pieces, 1000); i < count; ++i) rest += as_text(pieces[i]);
    EXPECT_EQ(rest, std::string(100, 'a') + std::string(300, 'b'));
}

} // namespace
} // namespace orbis::net
