#include "map/huffman.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace orbis::map {
namespace {

/// Whether every sequence of bits is the start of a sequence of codes, and no code the start of another.
void expect_complete(const std::vector<std::uint8_t>& lengths, int limit) {
    std::uint64_t taken = 0;
    for (const auto length : lengths) {
        ASSERT_LE(length, limit);
        if (length > 0) taken += std::uint64_t{1} << (limit - length);
    }
    EXPECT_EQ(taken, std::uint64_t{1} << limit);
}

TEST(Huffman, LengthsAreACompleteCodeWhateverTheFrequencies) {
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        std::vector<std::uint32_t> frequencies(2 + random() % 285);
        for (auto& frequency : frequencies)
            frequency = random() % 3 == 0 ? 0 : static_cast<std::uint32_t>(random() >> (random() % 31));
        std::vector<std::uint8_t> lengths(frequencies.size());
        make_code_lengths(frequencies, 15, lengths);
        expect_complete(lengths, 15);
        for (std::size_t i = 0; i < frequencies.size(); ++i) {
            EXPECT_TRUE(frequencies[i] == 0 || lengths[i] > 0);
            for (std::size_t k = 0; k < i; ++k)
                if (frequencies[k] > frequencies[i] && frequencies[i] > 0) {
                    ASSERT_LE(lengths[k], lengths[i]);
                }
        }
    }
}

TEST(Huffman, CodesThatWouldBeTooLongAreCut) {
    std::vector<std::uint32_t> fibonacci{1, 1};
    while (fibonacci.size() < 40) fibonacci.push_back(fibonacci.back() + fibonacci[fibonacci.size() - 2]);
    std::vector<std::uint8_t> lengths(fibonacci.size());
    make_code_lengths(fibonacci, 15, lengths);
    expect_complete(lengths, 15);
    const std::vector<std::uint32_t> few(fibonacci.begin(), fibonacci.begin() + 19);
    lengths.resize(19);
    make_code_lengths(few, 7, lengths);
    expect_complete(lengths, 7);
}

TEST(Huffman, OneSymbolOrNoneGetsACompanion) {
    for (const std::uint32_t frequency : {0U, 9U}) {
        std::vector<std::uint8_t> lengths(30);
        std::vector<std::uint32_t> frequencies(30, 0);
        frequencies[0] = frequency;
        make_code_lengths(frequencies, 15, lengths);
        EXPECT_EQ(lengths[0], 1);
        EXPECT_EQ(lengths[1], 1);
        expect_complete(lengths, 15);
    }
}

TEST(Huffman, CodesAreThoseOfTheExampleInRfc1951) {
    const std::vector<std::uint8_t> lengths{3, 3, 3, 3, 3, 2, 4, 4};
    std::vector<std::uint16_t> codes(8);
    make_codes(lengths, codes);
    // 010 011 100 101 110 00 1110 1111, the first bit lowest
    EXPECT_EQ(codes, (std::vector<std::uint16_t>{2, 6, 1, 5, 3, 0, 7, 15}));
}

} // namespace
} // namespace orbis::map
