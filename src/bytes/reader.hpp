#pragma once

#include "bytes/bytes.hpp"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>

namespace orbis {

/// Reads `T` from unaligned memory in the given byte order. The caller has checked the bounds.
template <typename T, std::endian Order>
    requires std::is_arithmetic_v<T>
[[nodiscard]] inline T load(const std::uint8_t* at) {
    if constexpr (std::floating_point<T>) {
        using Raw = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        return std::bit_cast<T>(load<Raw, Order>(at));
    } else {
        T value;
        std::memcpy(&value, at, sizeof value);
        if constexpr (Order != std::endian::native) value = std::byteswap(value);
        return value;
    }
}

template <typename T>
[[nodiscard]] inline T load_be(const std::uint8_t* at) {
    return load<T, std::endian::big>(at);
}

template <typename T>
[[nodiscard]] inline T load_le(const std::uint8_t* at) {
    return load<T, std::endian::little>(at);
}

/// A bounds-checked cursor that remembers failure: read the fields of a record one after another and ask
/// `ok()` once. After a failure every read gives zero or nothing, and the position stays where it was.
class Reader {
public:
    explicit Reader(Bytes bytes) : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()) {}

    template <typename T>
    T be() {
        return number<T, std::endian::big>();
    }

    template <typename T>
    T le() {
        return number<T, std::endian::little>();
    }

    std::uint8_t u8() { return number<std::uint8_t, std::endian::native>(); }

    /// The next `count` bytes in place.
    Bytes take(std::size_t count) {
        if (!has(count)) return {};
        const Bytes taken(at_, count);
        at_ += count;
        return taken;
    }

    void skip(std::size_t count) { (void)take(count); }

    [[nodiscard]] bool ok() const { return ok_; }
    [[nodiscard]] std::size_t position() const { return static_cast<std::size_t>(at_ - begin_); }
    [[nodiscard]] std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }
    [[nodiscard]] Bytes rest() const { return {at_, remaining()}; }

private:
    bool has(std::size_t count) {
        if (!ok_ || count > remaining()) [[unlikely]]
            ok_ = false;
        return ok_;
    }

    template <typename T, std::endian Order>
    T number() {
        if (!has(sizeof(T))) [[unlikely]]
            return T{};
        const T value = load<T, Order>(at_);
        at_ += sizeof(T);
        return value;
    }

    const std::uint8_t* begin_;
    const std::uint8_t* at_;
    const std::uint8_t* end_;
    bool ok_ = true;
};

} // namespace orbis
