#pragma once

#include "bytes/hex.hpp"
#include "protocol/generic_codec.hpp"
#include "protocol/packet_table.hpp"
#include "support/random_value.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

/// The generated and the schema-driven codec, side by side.
namespace orbis::test {

using namespace orbis::protocol; // NOLINT(google-build-using-namespace)

struct Reading {
    Fault fault = Fault::none;
    Buffer again; ///< what was read, written again
};

inline Reading read_and_write(const PacketCode& code, Bytes payload, ReadRules rules) {
    // In memory of its exact size, so that a sanitizer sees every byte that is read too far.
    const auto exact = std::make_unique_for_overwrite<std::uint8_t[]>(payload.size());
    std::ranges::copy(payload, exact.get());
    Arena arena;
    Decoder in(Bytes(exact.get(), payload.size()), arena, rules);
    const auto* packet = code.read(in);
    if (packet == nullptr) return {in.fault(), {}};
    Encoder sums;
    const auto size = code.measure(sums, packet);
    Reading reading{Fault::none, Buffer(size + Encoder::k_slack)};
    Encoder out(reading.again);
    const auto* end = code.write(out, reading.again.data(), packet);
    EXPECT_FALSE(out.full()) << code.info.name;
    if (out.ok()) {
        EXPECT_EQ(end, reading.again.data() + size) << code.info.name;
    }
    reading.again.resize(out.ok() ? size : 0);
    return reading;
}

inline Reading generic_read_and_write(const Layout& layout, Bytes payload, ReadRules rules) {
    const auto read = decode(layout, payload, rules);
    if (!read) return {read.error().fault, {}};
    Reading reading;
    (void)encode(layout, *read, reading.again);
    return reading;
}

/// Both codecs must say the same. Only where one gives up on overlapping fields the other need not.
inline void expect_same(const PacketCode& code, const Layout& layout, Bytes payload, ReadRules rules) {
    const auto typed = read_and_write(code, payload, rules);
    const auto generic = generic_read_and_write(layout, payload, rules);
    if (typed.fault == Fault::work || generic.fault == Fault::work) return;
    ASSERT_EQ(typed.fault == Fault::none, generic.fault == Fault::none)
        << code.info.name << ": " << name(typed.fault) << " and " << name(generic.fault) << " "
        << to_hex(payload);
    ASSERT_EQ(to_hex(typed.again), to_hex(generic.again)) << code.info.name << " " << to_hex(payload);
}

/// The payload with some bytes flipped or cut off.
inline Buffer damaged(Buffer payload, RandomValue& random) {
    if (random.below(3) == 0) payload.resize(random.below(payload.size() + 1));
    for (auto flips = random.below(4); flips > 0 && !payload.empty(); --flips)
        payload[random.below(payload.size())] =
            static_cast<std::uint8_t>(random.below(2) == 0 ? random.below(256) : random.below(2) * 255);
    return payload;
}

} // namespace orbis::test
