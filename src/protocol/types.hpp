#pragma once

#include "bytes/bytes.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

/// What the fields of generated packets are made of. All of these are views or plain values: a packet that
/// was decoded points into the received bytes and into the arena of its decoder, a packet that is to be sent
/// points at whatever its sender keeps alive until it is encoded. Copies are cheap and shallow.
namespace orbis::protocol {

// What generated code reads and writes with.
class Decoder;
class Encoder;

/// Sixteen bytes in the order of the text form.
using Uuid = std::array<std::uint8_t, 16>;

/// Text as it is on the wire: not checked, and malformed where the peer sent it so.
using Text = std::string_view;

/// Elements with another owner. As std::span, which asks the compiler for much more: there are hundreds
/// of these types.
template <typename T>
class List {
public:
    using value_type = T;

    constexpr List() = default;
    constexpr List(const T* first, std::size_t size) : first_(first), size_(size) {}
    /// Whatever has its elements in one piece: a vector, an array, a span.
    template <typename Elements>
        requires requires(const Elements& from, const T*& first) { first = from.data(), from.size(); }
    constexpr List(const Elements& from)
        : first_(from.data()), size_(from.size()) {} // NOLINT: as with std::span

    [[nodiscard]] constexpr const T* data() const { return first_; }
    [[nodiscard]] constexpr std::size_t size() const { return size_; }
    [[nodiscard]] constexpr std::size_t size_bytes() const { return size_ * sizeof(T); }
    [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
    [[nodiscard]] constexpr const T* begin() const { return first_; }
    [[nodiscard]] constexpr const T* end() const { return first_ + size_; }
    [[nodiscard]] constexpr const T& front() const { return *first_; }
    [[nodiscard]] constexpr const T& back() const { return first_[size_ - 1]; }
    constexpr const T& operator[](std::size_t index) const { return first_[index]; }

private:
    const T* first_ = nullptr;
    std::size_t size_ = 0;
};

/// Whether a float is a number: neither infinite nor NaN. By its bits, which no compiler option changes.
constexpr bool is_finite(float value) {
    return (std::bit_cast<std::uint32_t>(value) & 0x7f80'0000U) != 0x7f80'0000U;
}
constexpr bool is_finite(double value) {
    constexpr std::uint64_t k_exponent = 0x7ff0'0000'0000'0000U;
    return (std::bit_cast<std::uint64_t>(value) & k_exponent) != k_exponent;
}

/// A field that may be absent. Plainer than std::optional: all types here are trivial to copy and destroy,
/// so nothing ever needs to be run for the value, and the compiler has less to do.
template <typename T>
class Opt {
public:
    Opt() : none_() {} // not constexpr: g++ would clear the value too
    constexpr Opt(const T& value) : value_(value), has_(true) {} // NOLINT: as with std::optional

    [[nodiscard]] constexpr bool has_value() const { return has_; }
    constexpr explicit operator bool() const { return has_; }
    constexpr const T& operator*() const { return value_; }
    constexpr T& operator*() { return value_; }
    constexpr const T* operator->() const { return &value_; }
    constexpr T* operator->() { return &value_; }
    [[nodiscard]] constexpr T value_or(const T& fallback) const { return has_ ? value_ : fallback; }

    constexpr void reset() { has_ = false; }
    /// Says whether there is a value, for a decoder that fills it in right after.
    constexpr bool set(bool present) { return has_ = present; }
    /// Where the byte is that says it, for a decoder that fills in both at once.
    static constexpr std::size_t k_flag_at = sizeof(T);

private:
    struct None {};
    union {
        None none_;
        T value_;
    };
    bool has_ = false;
};

/// A field of a type that contains itself, most of them optional.
template <typename T>
class Link {
public:
    constexpr Link() = default;
    constexpr Link(const T* target) : target_(target) {} // NOLINT: a pointer with a name

    [[nodiscard]] constexpr bool has_value() const { return target_ != nullptr; }
    constexpr explicit operator bool() const { return has_value(); }
    constexpr const T& operator*() const { return *target_; }
    constexpr const T* operator->() const { return target_; }

private:
    const T* target_ = nullptr;
};

/// One entry of a map.
template <typename K, typename V>
struct Entry {
    K key;
    V value;
};

/// A map in wire order. The order means nothing, and no key occurs twice.
template <typename K, typename V>
using Map = List<Entry<K, V>>;

/// How many of the first `count` presence bits are set. There are bytes for all of them.
inline std::size_t set_bits(Bytes bits, std::uint32_t count) {
    std::size_t sum = 0;
    for (std::size_t byte = 0; byte < count / 8; ++byte)
        sum += static_cast<std::size_t>(std::popcount(bits[byte]));
    if (count % 8 == 0) return sum;
    const auto rest = static_cast<std::uint8_t>(bits[count / 8] & ((1U << (count % 8)) - 1));
    return sum + static_cast<std::size_t>(std::popcount(rest));
}

/// A list with gaps: presence bits, and the elements that are there, one after the other.
template <typename T>
struct Sparse {
    std::uint32_t count = 0; ///< elements and gaps
    Bytes bits;              ///< (count + 7) / 8 bytes; bit n is mask 1 << (n % 8) of byte n / 8
    List<T> present;         ///< as many as bits are set

    /// The element at `index`, null for a gap. Counts the bits before it.
    [[nodiscard]] const T* find(std::uint32_t index) const {
        if (index >= count || (bits[index / 8] >> (index % 8) & 1) == 0) return nullptr;
        return &present[set_bits(bits, index)];
    }
};

/// Structs and packets without variable fields, which are loaded and stored without checking bounds.
template <typename T>
concept FixedStruct = requires { T::k_bulk; };

/// Those where every byte is as good as another, so that nothing but their size can be refused.
template <typename T>
concept AnyBytesWillDo = FixedStruct<T> && T::k_any_bytes;

} // namespace orbis::protocol
