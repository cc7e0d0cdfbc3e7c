#include "map/channels.hpp"
#include "map/tint.hpp"
#include "map/unshaded_chunk.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace orbis::map {
namespace {

TEST(Vectors, TheProductOfChannelsIsDividedExactly) {
    for (std::uint32_t a = 0; a < 256; ++a)
        for (std::uint32_t b = 0; b < 256; ++b) ASSERT_EQ(times(a, b), a * b / 255) << a << " " << b;
}

TEST(Vectors, APackedPixelLiesInMemoryAsItsChannels) {
    const auto packed = join(1, 2, 3, 4);
    std::array<std::uint8_t, 4> bytes;
    std::memcpy(bytes.data(), &packed, 4);
    EXPECT_EQ(bytes, (std::array<std::uint8_t, 4>{1, 2, 3, 4}));
    EXPECT_EQ(red(packed), 1U);
    EXPECT_EQ(green(packed), 2U);
    EXPECT_EQ(blue(packed), 3U);
    EXPECT_EQ(alpha(packed), 4U);
}

/// Whatever the processor of this run has, the pixels are those that every other one makes.
TEST(Vectors, ThePlainFormOfEachLoopMakesTheSamePixels) {
    SEEDED_RANDOM(random);
    const auto byte = [&] { return static_cast<std::uint8_t>(random()); };
    for (int round = 0; round < 200; ++round) {
        const auto unshaded = std::make_unique<UnshadedChunk>();
        unshaded->has_fluid = round % 2 == 0;
        unshaded->has_lines = round % 3 == 0;
        const auto spread = round % 5 == 0 ? 65'536U : 40U;
        for (std::size_t i = 0; i < k_columns; ++i) {
            unshaded->height[i] = static_cast<std::int16_t>(random() % spread);
            unshaded->depth[i] = 1;
            if (random() % 9 != 0) unshaded->colour[i] = {byte(), byte(), byte(), 255};
            if (unshaded->has_fluid && random() % 2 == 0) {
                unshaded->fluid[i] = {byte(), byte(), byte(), 255};
                unshaded->depth[i] = static_cast<std::uint16_t>(1 + random() % 320);
            }
        }
        const auto edges = unshaded->edges();
        const auto any = [&] { return random() % 4 == 0 ? nullptr : &edges; };
        const Neighbours around{any(), any(), any(), any(), any(), any(), any(), any()};
        std::array<Rgba, k_columns> best;
        std::array<Rgba, k_columns> plain;
        shade(*unshaded, around, best.data(), k_side);
        shade_portably(*unshaded, around, plain.data(), k_side);
        ASSERT_TRUE(best == plain) << round;

        const auto input = std::make_unique<TintInput>();
        std::array<std::int32_t, k_columns> tints;
        for (std::size_t i = 0; i < k_columns; ++i) {
            const bool there = random() % 9 != 0;
            input->base[i] = there ? join(byte(), byte(), byte(), 255) : 0;
            input->particle[i] = join(byte(), byte(), byte(), 255);
            input->part[i] = there ? static_cast<float>(random() % 101) / 100.0F : 0.0F;
            tints[i] = static_cast<std::int32_t>(random());
        }
        tint(*input, tints, best);
        tint_portably(*input, tints, plain);
        ASSERT_TRUE(best == plain) << round;
    }
}

TEST(Tint, TakesAsMuchOfTheTintAsItIsToldTo) {
    // own 200, tint 100: the part of the way, rounded down; then times the particle colour of 255 parts.
    struct Step {
        float part;
        std::uint32_t expected;
    };
    for (const auto& [part, expected] :
         {Step{0.0F, 200}, Step{0.01F, 199}, Step{0.25F, 175}, Step{0.333F, 166}, Step{0.5F, 150},
          Step{0.75F, 125}, Step{0.99F, 101}, Step{1.0F, 100}})
        for (const bool portable : {false, true}) {
            const auto input = std::make_unique<TintInput>();
            input->base.fill(join(200, 200, 0, 255));
            input->particle.fill(join(255, 255, 255, 255));
            input->part.fill(part);
            std::array<std::int32_t, k_columns> tints;
            tints.fill(0x7F64C810); // red 100, green 200, blue 16; its alpha does not count
            std::array<Rgba, k_columns> out;
            portable ? tint_portably(*input, tints, out) : tint(*input, tints, out);
            for (const auto at : {std::size_t{0}, std::size_t{k_columns - 1}}) {
                EXPECT_EQ(out[at].r, expected) << part;
                EXPECT_EQ(out[at].g, 200) << part;
                EXPECT_EQ(out[at].b, static_cast<std::uint32_t>(16 * part)) << part;
                EXPECT_EQ(out[at].a, 255) << part;
            }
        }
}

} // namespace
} // namespace orbis::map
