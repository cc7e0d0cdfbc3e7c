#pragma once

#include "bytes/bytes.hpp"

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>

namespace orbis {

/// Writes `value` to unaligned memory in the given byte order. The caller has checked the bounds.
template <std::endian Order, typename T>
    requires std::is_arithmetic_v<T>
inline void store(std::uint8_t* at, T value) {
    if constexpr (std::floating_point<T>) {
        using Raw = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        store<Order>(at, std::bit_cast<Raw>(value));
    } else {
        if constexpr (Order != std::endian::native) value = std::byteswap(value);
        std::memcpy(at, &value, sizeof value);
    }
}

template <typename T>
inline void store_be(std::uint8_t* at, T value) {
    store<std::endian::big>(at, value);
}

template <typename T>
inline void store_le(std::uint8_t* at, T value) {
    store<std::endian::little>(at, value);
}

/// Appends fields to a buffer that the caller owns and may reuse.
class Writer {
public:
    explicit Writer(Buffer& out) : out_(out) {}

    template <typename T>
    void be(T value) {
        store_be(grow(sizeof(T)), value);
    }

    template <typename T>
    void le(T value) {
        store_le(grow(sizeof(T)), value);
    }

    void u8(std::uint8_t value) { out_.push_back(value); }

    void bytes(Bytes bytes) {
        if (!bytes.empty()) std::memcpy(grow(bytes.size()), bytes.data(), bytes.size());
    }

    void zeros(std::size_t count) { (void)grow(count); }

    /// Where the next byte goes, counted from the start of the buffer.
    [[nodiscard]] std::size_t position() const { return out_.size(); }

    /// Room for `count` bytes at the end, zeroed, to be filled by the caller before the next call.
    std::uint8_t* grow(std::size_t count) {
        const auto at = out_.size();
        out_.resize(at + count);
        return out_.data() + at;
    }

private:
    Buffer& out_;
};

} // namespace orbis
