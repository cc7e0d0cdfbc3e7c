#include "bytes/zstd.hpp"
#include "support/zstd_frames.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <zstd.h>

#include <algorithm>
#include <optional>
#include <random>

namespace orbis {
namespace {

constexpr std::uint64_t k_limit = 64 << 20;

TEST(Zstd, WhatIsCompressedComesBack) {
    Compressor compressor;
    Decompressor decompressor;
    EXPECT_TRUE(rc::check([&](const Buffer& data) {
        const auto frame = compressor.compress(data).value();
        RC_ASSERT(ZSTD_getFrameContentSize(frame.data(), frame.size()) == data.size());
        const auto back = decompressor.decompress(frame, data.size(), k_limit).value();
        RC_ASSERT(std::equal(back.begin(), back.end(), data.begin(), data.end()));
    }));
}

TEST(Zstd, SmallDataIsFramedAsZstdWouldWithoutASearch) {
    Compressor compressor;
    for (std::size_t size = 0; size <= Compressor::k_stored + 1; ++size) {
        Buffer data(size);
        for (std::size_t i = 0; i < size; ++i) data[i] = static_cast<std::uint8_t>(i * 37); // no repetition
        Buffer expected(ZSTD_compressBound(size));
        expected.resize(ZSTD_compress(expected.data(), expected.size(), data.data(), size, 3));
        const auto frame = compressor.compress(data).value();
        EXPECT_EQ(Buffer(frame.begin(), frame.end()), expected) << size;
    }
    // A base of the call before is not left over for the next.
    const Buffer base(100, 7);
    const Buffer same(20, 7);
    Decompressor decompressor;
    const auto frame = compressor.compress_against(base, same).value();
    EXPECT_EQ(decompressor.decompress_against(base, frame, same.size(), k_limit).value().size(), same.size());
    const Buffer larger(1000, 7);
    const auto next = compressor.compress(larger).value();
    EXPECT_TRUE(decompressor.decompress(next, larger.size(), k_limit));
}

TEST(Zstd, AFrameWithoutContentSizeIsReadWhenItHoldsWhatWasPromised) {
    const Buffer data(5000, 3);
    const auto frame = test::frame_without_size(data);
    Decompressor decompressor;
    EXPECT_EQ(decompressor.decompress(frame, 5000, k_limit).value().size(), 5000U);
    EXPECT_EQ(decompressor.decompress(frame, 4999, k_limit).error().code, Errc::bad_frame)
        << "too much content";
    EXPECT_EQ(decompressor.decompress(frame, 5001, k_limit).error().code, Errc::bad_frame)
        << "too little content";
}

TEST(Zstd, LyingSizesAndNoiseAreErrors) {
    Compressor compressor;
    Decompressor decompressor;
    const Buffer data(5000, 3);
    const auto frame = compressor.compress(data).value();
    EXPECT_EQ(decompressor.decompress(frame, 5001, k_limit).error().code, Errc::bad_frame);
    EXPECT_EQ(decompressor.decompress(frame.first(frame.size() - 1), 5000, k_limit).error().code,
              Errc::bad_frame);
    EXPECT_EQ(decompressor.decompress(Buffer(100, 9), 5000, k_limit).error().code, Errc::bad_frame);
    EXPECT_EQ(decompressor.decompress({}, 5000, k_limit).error().code, Errc::bad_frame);
}

TEST(Zstd, ABombIsRefusedBeforeMemoryIsTaken) {
    Compressor compressor;
    Decompressor decompressor;
    const auto frame = compressor.compress(Buffer(5000, 3)).value();
    EXPECT_EQ(decompressor.decompress(frame, 0x7FFFFFFF, k_limit).error().code, Errc::too_large);
    EXPECT_EQ(
        decompressor.decompress(test::frame_without_size(Buffer(10, 1)), 50 << 20, k_limit).error().code,
        Errc::bad_frame);
}

TEST(Zstd, AFrameAgainstABaseIsSmallAndNeedsIt) {
    Compressor compressor(7);
    Decompressor decompressor;
    Buffer base;
    for (std::uint32_t i = 0, x = 1; i < 300000; ++i)
        base.push_back(static_cast<std::uint8_t>((x = x * 1664525 + 1013904223) >> 24));
    auto data = base;
    data[100000] ^= 1;
    const auto against = compressor.compress_against(base, data).value();
    const Buffer frame(against.begin(), against.end());
    EXPECT_LT(frame.size(), 200U);
    const auto back = decompressor.decompress_against(base, frame, data.size(), k_limit).value();
    EXPECT_EQ(Buffer(back.begin(), back.end()), data);
    // Neither keeps the base for the next call.
    const auto alone = compressor.compress(data).value();
    EXPECT_GT(alone.size(), 100000U);
    EXPECT_TRUE(decompressor.decompress(alone, data.size(), k_limit));
    EXPECT_FALSE(decompressor.decompress(frame, data.size(), k_limit));
}

TEST(Zstd, WhatShrankFurtherThanAnyChunkIsRefusedWhenItIsLarge) {
    constexpr std::uint64_t harmless = 16 << 20;
    constexpr std::uint64_t large = 64 << 20;
    Compressor compressor;
    Decompressor decompressor;
    const auto frame_of = [&](const Buffer& data) {
        const auto frame = compressor.compress(data).value();
        return Buffer(frame.begin(), frame.end());
    };
    const auto zeros = frame_of(Buffer(harmless));
    EXPECT_TRUE(decompressor.decompress(zeros, harmless, large));
    const auto trap = frame_of(Buffer(harmless + 1));
    EXPECT_EQ(decompressor.decompress(trap, harmless + 1, large).error().code, Errc::too_large);
    EXPECT_TRUE(decompressor.decompress_against({}, trap, harmless + 1, large)) << "where it is expected";
    // One byte of 64 that nobody can foresee.
    Buffer honest(harmless + 1);
    std::mt19937 random(1);
    for (std::size_t at = 0; at < honest.size(); at += 64) honest[at] = static_cast<std::uint8_t>(random());
    EXPECT_TRUE(decompressor.decompress(frame_of(honest), honest.size(), large));
}

TEST(Zstd, TheLimitIsExact) {
    Compressor compressor;
    Decompressor decompressor;
    const Buffer data(3000, 5);
    const auto made = compressor.compress(data).value();
    const Buffer frame(made.begin(), made.end());
    EXPECT_TRUE(decompressor.decompress(frame, 3000, 3000));
    EXPECT_EQ(decompressor.decompress(frame, 3000, 2999).error().code, Errc::too_large);
}

/// As many frames as a frame of this size can hold: blocks of four bytes that repeat one byte 128 Ki times.
TEST(Zstd, TheDensestFrameThatThereCanBeIsRead) {
    constexpr int blocks = 100;
    Buffer frame{0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58}; // no size, a window of 2 MiB
    for (int i = 0; i < blocks; ++i)
        frame.insert(frame.end(), {i + 1 == blocks ? std::uint8_t{3} : std::uint8_t{2}, 0, 16, 7});
    Decompressor decompressor;
    const auto content = decompressor.decompress(frame, blocks << 17, k_limit);
    ASSERT_TRUE(content) << content.error().text();
    EXPECT_TRUE(std::ranges::all_of(*content, [](auto byte) { return byte == 7; }));
}

TEST(Zstd, HowFarLargeContentMayShrinkIsExact) {
    constexpr std::uint64_t frame_size = 200'000;
    constexpr std::uint64_t content_size = 100 * frame_size;
    Compressor compressor;
    Decompressor decompressor;
    const auto made = compressor.compress(Buffer(content_size)).value();
    Buffer frame(made.begin(), made.end());
    // A skippable frame after it makes up the length.
    const auto rest = static_cast<std::uint32_t>(frame_size - frame.size() - 8);
    for (const std::uint32_t field : {0x184D2A50U, rest})
        for (int shift = 0; shift < 32; shift += 8)
            frame.push_back(static_cast<std::uint8_t>(field >> shift));
    frame.resize(frame_size);
    EXPECT_TRUE(decompressor.decompress(frame, content_size, k_limit));
    frame.pop_back();
    EXPECT_EQ(decompressor.decompress(frame, content_size, k_limit).error().code, Errc::too_large);
}

TEST(Zstd, ABaseIsForgottenWhateverBecameOfItsFrame) {
    std::mt19937 random(5);
    Buffer base(300'000);
    for (auto& byte : base) byte = static_cast<std::uint8_t>(random());
    Compressor compressor;
    const auto data = base; // in other memory: zstd takes what overlaps for changed
    const auto made = compressor.compress_against(base, data).value();
    const Buffer frame(made.begin(), made.end());
    ASSERT_LT(frame.size(), 1000U);
    Decompressor decompressor;
    EXPECT_FALSE(decompressor.decompress_against(base, Buffer(9, 9), base.size(), k_limit))
        << "refused early";
    EXPECT_FALSE(decompressor.decompress(frame, base.size(), k_limit)) << "the base is still there";
    EXPECT_TRUE(decompressor.decompress_against(base, frame, base.size(), k_limit));
    // Nor does a small window stay: what repeats far away is found as by a new compressor.
    const Buffer small(100, 3);
    EXPECT_TRUE(compressor.compress_against(small, small));
    Buffer far(100'000);
    for (auto& byte : far) byte = static_cast<std::uint8_t>(random());
    std::copy_n(far.begin(), 40'000, far.begin() + 60'000);
    const auto again = compressor.compress(far).value();
    EXPECT_EQ(Buffer(again.begin(), again.end()), [&] {
        Compressor fresh;
        const auto whole = fresh.compress(far).value();
        return Buffer(whole.begin(), whole.end());
    }());
}

TEST(Zstd, FramesThatCanBeSkippedAreKnownToTheByte) {
    const auto skippable = [](std::uint32_t magic, std::size_t size, std::size_t there) {
        Buffer bytes;
        for (const auto field : {magic, static_cast<std::uint32_t>(size)})
            for (int shift = 0; shift < 32; shift += 8)
                bytes.push_back(static_cast<std::uint8_t>(field >> shift));
        bytes.resize(8 + there);
        return bytes;
    };
    const auto two = [&](Buffer first, const Buffer& second) {
        first.insert(first.end(), second.begin(), second.end());
        return first;
    };
    const auto empty = skippable(0x184D2A50, 0, 0);
    EXPECT_TRUE(is_only_skippable({}));
    EXPECT_TRUE(is_only_skippable(empty));
    EXPECT_FALSE(is_only_skippable(Bytes(empty).first(7)));
    EXPECT_TRUE(is_only_skippable(skippable(0x184D2A5F, 5, 5)));
    EXPECT_FALSE(is_only_skippable(skippable(0x184D2A50, 5, 4)));
    EXPECT_FALSE(is_only_skippable(skippable(0x184D2A60, 5, 5)));
    EXPECT_FALSE(is_only_skippable(skippable(0x184D2A50, 0xFFFFFFFF, 5)));
    EXPECT_TRUE(is_only_skippable(two(skippable(0x184D2A50, 5, 5), empty)));
    Compressor compressor;
    const auto made = compressor.compress(Buffer(50, 1)).value();
    const Buffer frame(made.begin(), made.end());
    EXPECT_FALSE(is_only_skippable(two(empty, frame)));
    EXPECT_EQ(zstd_frame_length(two(frame, empty)), frame.size());
    EXPECT_EQ(zstd_frame_length(Bytes(frame).first(frame.size() - 1)), std::nullopt);
    EXPECT_EQ(zstd_content_size(frame), 50U);
    EXPECT_EQ(zstd_content_size(test::frame_without_size(Buffer(50, 1))), std::nullopt);
    EXPECT_EQ(zstd_content_size(Buffer(20, 1)), std::nullopt);
}

} // namespace
} // namespace orbis
