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

/// Writes the offset of a variable field, or -1 when it is absent, and says which.
inline bool put_slot(std::uint8_t* slot, const std::uint8_t* base, const std::uint8_t* next, bool present) {
    store_le(slot, present ? static_cast<std::int32_t>(next - base) : -1);
    return present;
}

} // namespace orbis::protocol
