#pragma once

#include "bytes/writer.hpp"

#include <cstdint>

namespace orbis {

/// Bits that are read from the last to the first. The caller has made room, and 8 bytes more.
class BackwardBits {
public:
    explicit BackwardBits(std::uint8_t* at) : at_(at) {}

    /// At most 56 bits between two calls of `flush`.
    void put(std::uint64_t value, unsigned count) {
        bits_ |= value << count_;
        count_ += count;
    }
    void flush() {
        store_le(at_, bits_);
        at_ += count_ >> 3;
        bits_ >>= count_ & ~7U;
        count_ &= 7;
    }
    /// Where the bytes end.
    std::uint8_t* finish() {
        put(1, 1); // shows the reader where to begin
        flush();
        return count_ > 0 ? at_ + 1 : at_;
    }

private:
    std::uint8_t* at_;
    std::uint64_t bits_ = 0;
    unsigned count_ = 0;
};

} // namespace orbis
