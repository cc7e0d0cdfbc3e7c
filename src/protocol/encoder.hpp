#pragma once

#include "bytes/writer.hpp"
#include "protocol/fault.hpp"
#include "protocol/types.hpp"
#include "protocol/varint.hpp"

#include <cstring>

namespace orbis::protocol {

/// What generated code writes a payload with. Writing takes two passes: `size` adds up and checks limits,
/// then `write` fills memory of exactly that size. A failure is remembered and asked for between and behind.
class Encoder {
public:
    [[nodiscard]] bool ok() const { return !failed_; }
    [[nodiscard]] Error error() const;

    /// Bytes of a text or count of a list that must not exceed a limit.
    void limit(std::size_t found, std::uint32_t most) {
        if (found > most) [[unlikely]]
            fail(Errc::too_large, most, found);
    }

    /// Around structs that can contain themselves: a loop of links must not run forever.
    bool enter() {
        if (++depth_ <= k_depth_limit) [[likely]]
            return true;
        fail(Errc::too_deep, k_depth_limit, static_cast<std::size_t>(depth_));
        return false;
    }
    void leave() { --depth_; }

    template <typename E>
    void symbol(std::uint8_t* at, E value) {
        *at = static_cast<std::uint8_t>(value);
        if (*at >= value_count(E{})) [[unlikely]]
            fail(Errc::bad_value, value_count(E{}) - 1, *at);
    }

    template <typename T>
    void at_least(T least, T value) {
        if (value < least) [[unlikely]]
            fail(Errc::out_of_range, 0, 0);
    }

    void ascii(Text text) {
        for (const char c : text)
            if ((c & 0x80) != 0) [[unlikely]]
                fail(Errc::bad_text, 127, static_cast<std::uint8_t>(c));
    }

    /// `width` bytes: ASCII text, then zeros.
    void fixed_text(std::uint8_t* at, std::uint32_t width, Text text) {
        limit(text.size(), width);
        ascii(text);
        std::memset(at, 0, width);
        if (!text.empty() && ok()) std::memcpy(at, text.data(), text.size());
    }

    void fail(Errc problem, std::size_t expected, std::size_t found);

private:
    Errc problem_{};
    bool failed_ = false;
    std::size_t expected_ = 0;
    std::size_t found_ = 0;
    int depth_ = 0;
};

/// Copies text or bytes. Most are short, and a call of memcpy takes longer than they do.
inline std::uint8_t* put_bytes(std::uint8_t* to, const void* from, std::size_t size) {
    const auto* const bytes = static_cast<const std::uint8_t*>(from);
    if (size > 32) {
        std::memcpy(to, bytes, size);
    } else if (size >= 16) { // two halves that overlap
        std::memcpy(to, bytes, 16);
        std::memcpy(to + size - 16, bytes + size - 16, 16);
    } else if (size >= 8) {
        std::memcpy(to, bytes, 8);
        std::memcpy(to + size - 8, bytes + size - 8, 8);
    } else if (size >= 4) {
        std::memcpy(to, bytes, 4);
        std::memcpy(to + size - 4, bytes + size - 4, 4);
    } else if (size > 0) {
        to[0] = bytes[0];
        to[size / 2] = bytes[size / 2];
        to[size - 1] = bytes[size - 1];
    }
    return to + size;
}

/// Writes the offset of a variable field, or -1 when it is absent, and says which.
inline bool put_slot(std::uint8_t* slot, const std::uint8_t* base, const std::uint8_t* next, bool present) {
    store_le(slot, present ? static_cast<std::int32_t>(next - base) : -1);
    return present;
}

} // namespace orbis::protocol
