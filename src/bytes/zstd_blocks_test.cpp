#include "bytes/zstd.hpp"
#include "bytes/zstd_blocks.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace orbis {
namespace {

/// Random content as new bytes and matches.
struct MadeContent {
    Buffer literals;
    std::vector<ZstdMatch> matches;
    Buffer content;

    void add_literal(std::uint8_t byte) {
        literals.push_back(byte);
        content.push_back(byte);
    }
    void add_match(std::uint32_t since, std::uint32_t length, std::uint32_t offset, bool says_offset) {
        matches.push_back({since, length, says_offset ? offset : 0});
        for (std::uint32_t i = 0; i < length; ++i) content.push_back(content[content.size() - offset]);
    }
};

/// `highest` is that of the new bytes; `most` limits how many there are before a match, and its length.
MadeContent made_content(std::mt19937& random, std::uint32_t highest, std::uint32_t most, int count) {
    MadeContent made;
    std::uint32_t offset = 0;
    const auto below = [&](std::size_t end) { return static_cast<std::uint32_t>(random() % end); };
    // Most bytes are low, so that their codes differ in length.
    const auto byte = [&] {
        return static_cast<std::uint8_t>(below(highest + 1) * below(highest + 1) / std::max(highest, 1U));
    };
    for (int i = 0; i < count; ++i) {
        const auto since = 1 + below(most);
        for (auto left = since; left > 0; --left) made.add_literal(byte());
        const bool says_offset = offset == 0 || below(2) == 0;
        if (says_offset) offset = 1 + below(made.content.size());
        made.add_match(since, 3 + below(most), offset, says_offset);
    }
    for (auto left = below(3); left > 0; --left) made.add_literal(byte());
    return made;
}

bool comes_back(Bytes frame, Bytes content) {
    Decompressor decompressor;
    if (zstd_content_size(frame) != content.size() || zstd_frame_length(frame) != frame.size()) return false;
    const auto back = decompressor.decompress(frame, content.size(), content.size());
    return back && std::ranges::equal(*back, content);
}

TEST(ZstdBlocks, MatchesOfAnySizeAndLiteralsOfAnyKindComeBack) {
    EXPECT_TRUE(rc::check([] {
        std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
        const auto highest = *rc::gen::element(0U, 1U, 9U, 119U, 128U, 129U, 255U);
        const auto most = *rc::gen::element(1U, 3U, 40U, 300U);
        const auto made = made_content(random, highest, most, *rc::gen::inRange(1, 200));
        Buffer frame;
        append_zstd_header(frame, static_cast<std::uint32_t>(made.content.size()));
        const auto header = frame;
        if (!append_matched_block(frame, made.literals, made.matches, true)) {
            RC_ASSERT(frame == header);
            append_stored_block(frame, made.content, true);
        }
        RC_ASSERT(comes_back(frame, made.content));
    }));
}

TEST(ZstdBlocks, EveryNumberOfLiteralsMatchesAndBytesIsWritten) {
    for (const std::uint32_t size : {1U, 15U, 16U, 63U, 127U, 128U, 130U, 131U, 1'023U, 1'024U, 1'025U,
                                     4'095U, 4'096U, 16'383U, 16'384U, 65'000U})
        for (const std::uint8_t other :
             {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{100}, std::uint8_t{200}}) {
            MadeContent made;
            for (std::uint32_t i = 0; i < size; ++i) made.add_literal(i % 7 == 3 ? other : std::uint8_t{0});
            made.add_match(size, std::max(size, 3U), size, true);
            made.add_literal(5);
            made.add_match(1, 3, size, false);
            Buffer frame;
            append_zstd_header(frame, static_cast<std::uint32_t>(made.content.size()));
            if (!append_matched_block(frame, made.literals, made.matches, true))
                append_stored_block(frame, made.content, true);
            EXPECT_TRUE(comes_back(frame, made.content)) << size << " of " << int{other};
        }
    for (const int count : {127, 128, 0x7EFF, 0x7F00, 0x7F01}) {
        MadeContent made;
        for (int i = 0; i < count; ++i) {
            made.add_literal(static_cast<std::uint8_t>(i % 3));
            made.add_match(1, 3, 1, i == 0);
        }
        Buffer frame;
        append_zstd_header(frame, static_cast<std::uint32_t>(made.content.size()));
        ASSERT_TRUE(append_matched_block(frame, made.literals, made.matches, true));
        EXPECT_TRUE(comes_back(frame, made.content)) << count;
    }
}

TEST(ZstdBlocks, CodesOfRareBytesAreNotTooLong) {
    MadeContent made;
    for (std::uint32_t byte = 0, times = 1, last = 1; byte < 19; ++byte) { // the deepest tree
        for (std::uint32_t i = 0; i < times; ++i) made.add_literal(static_cast<std::uint8_t>(byte));
        times = std::exchange(last, times + last);
    }
    ASSERT_GT(made.literals.size(), 10'000U);
    made.add_match(static_cast<std::uint32_t>(made.literals.size()), 3, 100, true);
    Buffer frame;
    append_zstd_header(frame, static_cast<std::uint32_t>(made.content.size()));
    ASSERT_TRUE(append_matched_block(frame, made.literals, made.matches, true));
    EXPECT_TRUE(comes_back(frame, made.content));
    EXPECT_LT(frame.size(), made.content.size() / 2);
}

TEST(ZstdBlocks, ABlockCanBeInManyFrames) {
    std::mt19937 random(5);
    const auto made = made_content(random, 20, 30, 50);
    Buffer block;
    ASSERT_TRUE(append_matched_block(block, made.literals, made.matches, true));
    for (std::size_t size = 0; size < 400; size += 25) {
        const Buffer before(size, 9);
        Buffer content = before;
        content.insert(content.end(), 1'000, 4);
        content.insert(content.end(), made.content.begin(), made.content.end());
        Buffer frame;
        append_zstd_header(frame, static_cast<std::uint32_t>(content.size()));
        append_stored_block(frame, before, false);
        append_repeated_block(frame, 4, 1'000, false);
        frame.insert(frame.end(), block.begin(), block.end());
        EXPECT_TRUE(comes_back(frame, content)) << size;
    }
}

TEST(ZstdBlocks, FramesOfAllSizesStateThem) {
    for (const std::size_t size : {0U, 1U, 255U, 256U, 65'791U, 65'792U, 131'072U}) {
        Buffer frame;
        append_zstd_header(frame, static_cast<std::uint32_t>(size));
        append_repeated_block(frame, 7, size, true);
        EXPECT_TRUE(comes_back(frame, Buffer(size, 7))) << size;
    }
}

} // namespace
} // namespace orbis
