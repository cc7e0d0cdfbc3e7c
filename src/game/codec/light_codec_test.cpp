#include "game/codec/light_codec.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

namespace orbis::game {
namespace {

Buffer sent(const chunk::Light& light) {
    Buffer out;
    append_light(light, out);
    return out;
}

RC_GTEST_PROP(LightCodec, BringsBackEveryCell, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    std::vector<std::uint16_t> values(k_cells, static_cast<std::uint16_t>(random()));
    const auto changes = *rc::gen::element(0, 1, 30, 3000);
    for (int i = 0; i < changes; ++i) values[random() % k_cells] = static_cast<std::uint16_t>(random());
    chunk::Light light;
    light.set(chunk::Light::ConstExpanded(values), 1);
    const auto bytes = sent(light);
    RC_ASSERT(bytes.size() == light.tree().size() + 1);
    const auto read = read_light(bytes);
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->has_value());
    RC_ASSERT(**read == values);
}

TEST(LightCodec, IsLittleEndian) {
    std::vector<std::uint16_t> values(k_cells, 0xF123);
    chunk::Light light;
    light.set(chunk::Light::ConstExpanded(values), 1);
    Buffer wanted = {1, 0};
    for (int i = 0; i < 8; ++i) wanted.insert(wanted.end(), {0x23, 0xF1});
    EXPECT_EQ(sent(light), wanted);
    light.clear(2);
    EXPECT_EQ(sent(light), Buffer{0});
    EXPECT_FALSE(read_light(Buffer{0})->has_value());
}

TEST(LightCodec, RefusesWhatIsCutOffTooDeepOrTooLong) {
    std::vector<std::uint16_t> values(k_cells, 0);
    values[12345] = 7;
    chunk::Light light;
    light.set(chunk::Light::ConstExpanded(values), 1);
    const auto whole = sent(light);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto read = read_light(Bytes(whole).first(size));
        ASSERT_FALSE(read) << size;
        ASSERT_EQ(read.error().code, Errc::truncated);
        ASSERT_TRUE(read.error().offset && *read.error().offset <= size);
    }
    auto longer = whole;
    longer.push_back(0);
    EXPECT_EQ(read_light(longer).error().text(),
              fmt::format("offset {}: 1 bytes follow the light", whole.size()));
    EXPECT_EQ(read_light(Buffer{2}).error().text(), "offset 0: the flag of the light is 2, expected 0 or 1");
    Buffer deep(4096, 0xFF);
    deep[0] = 1;
    EXPECT_EQ(read_light(deep).error().text(),
              "offset 5: a node of the light tree lies below the fifth level");
}

} // namespace
} // namespace orbis::game
