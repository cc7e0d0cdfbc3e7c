#include "protocol/plain.hpp"

#include <gtest/gtest.h>

namespace orbis::protocol {
namespace {

/// Numbers side by side, as structs without gaps have them.
template <typename Number, std::size_t Count>
struct Numbers {
    std::array<Number, Count> numbers;
};

/// Loads an optional value with bytes around it that must stay, from a payload that ends with it.
template <typename T>
void load_between_guards(bool present) {
    struct {
        std::array<std::uint8_t, 8> before;
        Opt<T> value;
        std::array<std::uint8_t, 8> after;
    } packet;
    packet.before.fill(0xAA);
    packet.after.fill(0xBB);
    Buffer payload(sizeof(T)); // exactly, so that the address sanitizer sees a read past its end
    for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<std::uint8_t>(200 + i);

    load_plain(payload.data(), present, packet.value);

    EXPECT_EQ(packet.value.has_value(), present);
    EXPECT_EQ(std::memcmp(&*packet.value, payload.data(), sizeof(T)), 0) << sizeof(T);
    EXPECT_TRUE(std::ranges::all_of(packet.before, [](auto byte) { return byte == 0xAA; })) << sizeof(T);
    EXPECT_TRUE(std::ranges::all_of(packet.after, [](auto byte) { return byte == 0xBB; })) << sizeof(T);
}

template <typename Number, std::size_t... Counts>
void load_up_to(std::index_sequence<Counts...>) {
    for (const bool present : {false, true}) (load_between_guards<Numbers<Number, Counts + 1>>(present), ...);
}

TEST(Plain, OptionalValuesOfEverySizeAreLoadedWithTheirFlagAndNothingElse) {
    load_up_to<std::uint8_t>(std::make_index_sequence<40>());
    load_up_to<std::int16_t>(std::make_index_sequence<20>());
    load_up_to<float>(std::make_index_sequence<10>());
    load_up_to<double>(std::make_index_sequence<5>());
    load_up_to<std::int64_t>(std::make_index_sequence<5>());
}

} // namespace
} // namespace orbis::protocol
