#pragma once

#include "bytes/writer.hpp"
#include "protocol/fault.hpp"
#include "protocol/types.hpp"
#include "protocol/varint.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace orbis::protocol {

/// What generated code writes a payload with, into memory of a given size. A failure is remembered and asked
/// for at the end; so is memory that does not suffice, and then the caller asks for the size and tries again.
class Encoder {
public:
    /// A count or length is given room for its longest form, so that memory must be larger than the payload.
    static constexpr std::size_t k_slack = 8;

    /// For adding up sizes: nothing can be written.
    Encoder() = default;
    explicit Encoder(MutableBytes memory) : end_(memory.data() + memory.size()) {}

    [[nodiscard]] bool ok() const { return !failed_ && !full_; }
    /// Whether the memory was too small. What was written is of no use then.
    [[nodiscard]] bool full() const { return full_; }
    /// Whether there is something that may not be sent, and what.
    [[nodiscard]] bool failed() const { return failed_; }
    [[nodiscard]] Error error() const;

    /// Asked before anything is written: whether this many bytes fit. Remembers it when they do not.
    bool room(const std::uint8_t* at, std::size_t size) {
        if (size <= static_cast<std::size_t>(end_ - at)) [[likely]]
            return true;
        full_ = true;
        return false;
    }

    /// Bytes of a text or count of a list that must not exceed a limit.
    void limit(std::size_t found, std::uint32_t most) {
        if (found > most) [[unlikely]]
            fail(Errc::too_large, most, found);
    }

    /// Around structs that can contain themselves: a loop of links must not run forever.
    bool enter() {
        if (!ok()) [[unlikely]]
            return false;
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

    /// An enum of four bytes.
    template <typename E>
    void wide_symbol(std::uint8_t* at, E value) {
        const auto index = static_cast<std::uint8_t>(value);
        store_le(at, std::uint32_t{index});
        if (index >= value_count(E{})) [[unlikely]]
            fail(Errc::bad_value, value_count(E{}) - 1, index);
    }

    template <typename E>
    void flags(std::uint8_t* at, E value) {
        *at = static_cast<std::uint8_t>(value);
        if ((*at & ~all_bits(E{})) != 0) [[unlikely]]
            fail(Errc::bad_value, all_bits(E{}), *at);
    }

    template <typename T>
    void at_least(T least, T value) {
        if (value < least) [[unlikely]]
            fail(Errc::out_of_range, 0, 0);
    }

    template <typename T>
    void at_most(T most, T value) {
        if (value > most) [[unlikely]]
            fail(Errc::out_of_range, 0, 0);
    }

    template <typename T>
    void finite(T value) {
        if (!is_finite(value)) [[unlikely]]
            fail(Errc::out_of_range, 0, 0);
    }
    template <typename T>
    void finite(const Opt<T>& value) {
        if (value.has_value()) finite(*value);
    }

    /// A link that cannot be absent.
    template <typename T>
    bool required(const Link<T>& link) {
        if (!link.has_value()) [[unlikely]]
            fail(Errc::not_found, 0, 0);
        return link.has_value();
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
        if (!text.empty()) std::memcpy(at, text.data(), std::min<std::size_t>(text.size(), width));
    }

    void fail(Errc problem, std::size_t expected, std::size_t found);

private:
    const std::uint8_t* end_ = nullptr;
    bool failed_ = false;
    bool full_ = false;
    Errc problem_{};
    std::size_t expected_ = 0;
    std::size_t found_ = 0;
    int depth_ = 0;
};

/// Copies `size` bytes, between Width and 4 * Width of them, as four parts that overlap: without a branch.
template <std::size_t Width>
[[gnu::always_inline]] inline void copy_overlapping(std::uint8_t* to, const std::uint8_t* from,
                                                    std::size_t size) {
    const auto last = size - Width;
    const auto second = std::min(Width, last);
    const auto third = std::max(last, Width) - Width;
    std::array<std::array<std::uint8_t, Width>, 4> parts; // NOLINT: filled in at once
    std::memcpy(parts[0].data(), from, Width);
    std::memcpy(parts[1].data(), from + second, Width);
    std::memcpy(parts[2].data(), from + third, Width);
    std::memcpy(parts[3].data(), from + last, Width);
    std::memcpy(to, parts[0].data(), Width);
    std::memcpy(to + second, parts[1].data(), Width);
    std::memcpy(to + third, parts[2].data(), Width);
    std::memcpy(to + last, parts[3].data(), Width);
}

/// Copies text or bytes. Most are short and of any length, so that finding the best way for each would take
/// longer than the copy.
inline std::uint8_t* put_bytes(std::uint8_t* to, const void* from, std::size_t size) {
    const auto* const bytes = static_cast<const std::uint8_t*>(from);
    if (size > 64)
        std::memcpy(to, bytes, size);
    else if (size >= 16)
        copy_overlapping<16>(to, bytes, size);
    else if (size >= 4)
        copy_overlapping<4>(to, bytes, size);
    else if (size > 0) {
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
