#include "chunk/label_set.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

namespace orbis::chunk {
namespace {

Buffer random_bytes(std::mt19937_64& random, std::size_t size) {
    Buffer bytes(size);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
    return bytes;
}

RC_GTEST_PROP(LabelSet, KeepsTheBitsOfItsMembersOnly, (std::uint64_t seed, bool half)) {
    std::mt19937_64 random(seed);
    LabelSet set(half ? PaletteKind::half_byte : PaletteKind::byte);
    std::array<bool, 256> inside{};
    for (auto left = random() % 60; left > 0; --left) {
        const auto label = static_cast<std::uint8_t>(random() % (half ? 16 : 256));
        set.insert(label);
        inside[label] = true;
    }
    const auto cells = random_bytes(random, half ? 512 : 1024);
    std::array<std::uint64_t, 16> before;
    for (auto& word : before) word = random() % 3 == 0 ? 0 : random();
    auto expected = before;
    for (std::size_t i = 0; i < 1024; ++i) {
        const auto label = half ? cells[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15 : cells[i];
        if (!inside[static_cast<std::size_t>(label)]) expected[i / 64] &= ~(std::uint64_t{1} << i % 64);
    }
    auto found = before;
    set.keep_members(cells.data(), found);
    RC_ASSERT(found == expected);
    found = before;
    set.keep_members_portably(cells.data(), found);
    RC_ASSERT(found == expected);
    for (unsigned label = 0; label < 256; ++label)
        RC_ASSERT(set.contains(static_cast<std::uint8_t>(label)) == inside[label]);
}

RC_GTEST_PROP(LabelSet, TellsWhetherLevelsAreWhereItsMembersAre, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    LabelSet set(PaletteKind::half_byte);
    for (auto left = random() % 16; left > 0; --left) set.insert(static_cast<std::uint8_t>(random() % 16));
    const auto labels = random_bytes(random, k_cells / 2);
    Buffer levels(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto level = [&](unsigned label) {
            return set.contains(static_cast<std::uint8_t>(label)) ? 1 + random() % 15 : 0;
        };
        levels[i] = static_cast<std::uint8_t>(level(labels[i] >> 4) | level(labels[i] & 15) << 4);
    }
    RC_ASSERT(set.are_where_levels_are(labels, levels));
    RC_ASSERT(set.are_where_levels_are_portably(labels, levels));
    for (int i = 0; i < 4; ++i) {
        auto& byte = levels[random() % levels.size()];
        const auto right = byte;
        const unsigned half = random() % 2 == 0 ? 15 : 240;
        byte = static_cast<std::uint8_t>((byte & half) != 0 ? byte & ~half : byte | half);
        RC_ASSERT(!set.are_where_levels_are(labels, levels));
        RC_ASSERT(!set.are_where_levels_are_portably(labels, levels));
        byte = right;
    }
}

} // namespace
} // namespace orbis::chunk
