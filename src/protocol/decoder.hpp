#pragma once

#include "bytes/reader.hpp"
#include "protocol/arena.hpp"
#include "protocol/fault.hpp"
#include "protocol/types.hpp"
#include "protocol/varint.hpp"

#include <cstring>
#include <limits>
#include <utility>

namespace orbis::protocol {

/// A part of a fixed block that must be there: always, or when its field is present. Only asked when a
/// payload ends inside the block.
struct FixedPart {
    std::uint16_t at;
    std::uint16_t width;
    std::int16_t bit;                 ///< presence bit, -1 for parts that are always there
    const FixedPart* inner = nullptr; ///< parts of a struct in place that has presence bits of its own
    std::uint16_t inner_count = 0;
};

/// What generated code reads a payload with. A failure is remembered, and from then on nothing can be read
/// any more, so that code is straight and asks once at the end. Positions are offsets in the payload;
/// k_nowhere stands for one that a failure left unknown.
class Decoder {
public:
    static constexpr std::size_t k_nowhere = std::numeric_limits<std::size_t>::max() / 2;

    Decoder(Bytes payload, Arena& arena, ReadRules rules = {})
        : begin_(payload.data()),
          size_(payload.size()),
          work_(work_limit(payload.size())),
          arena_(arena),
          rules_(rules) {}

    [[nodiscard]] bool ok() const { return fault_ == Fault::none; }
    [[nodiscard]] Fault fault() const { return fault_; }
    [[nodiscard]] Failure failure() const { return {fault_, fault_at_, {}}; }
    [[nodiscard]] ReadRules rules() const { return rules_; }

    // For structs

    /// The fixed block and the slots of a struct that ends with `close`. Never null: a block that is cut off
    /// after what must be there comes back filled up with zeros, and one that is not there as zeros. Without
    /// `parts` all of it must be there.
    const std::uint8_t* open(std::size_t at, std::uint32_t size, std::span<const FixedPart> parts) {
        ++depth_;
        spend(size + 1, at);
        if (depth_ > k_depth_limit) [[unlikely]]
            refuse(Fault::recursion, at);
        return fixed(at, size, parts);
    }

    std::size_t close(std::size_t end) {
        --depth_;
        return ok() ? end : k_nowhere;
    }

    /// The block of a struct without variable fields.
    const std::uint8_t* fixed(std::size_t at, std::uint32_t size, std::span<const FixedPart> parts) {
        if (has(at, size)) [[likely]]
            return begin_ + at;
        return cut_block(at, size, parts);
    }

    /// Where the field of an offset slot starts.
    std::size_t slot(std::size_t base, const std::uint8_t* slot) {
        const auto offset = load_le<std::int32_t>(slot);
        const auto start = static_cast<std::int64_t>(base) + offset;
        const auto first = rules_.bounded ? static_cast<std::int64_t>(base) : 0;
        if (start < first || start > static_cast<std::int64_t>(size_)) [[unlikely]]
            return bad_offset(base, start);
        return static_cast<std::size_t>(start);
    }

    template <typename E>
    void symbol(const std::uint8_t* at, E& out) {
        if (*at >= value_count(E{})) [[unlikely]]
            refuse_in_block(Fault::enum_bad, at);
        out = static_cast<E>(*at);
    }

    /// The slot of a canonical payload: its field starts where the one before it ended, or is absent. Says
    /// which.
    bool in_turn(std::size_t base, const std::uint8_t* slot, std::size_t end, bool present) {
        const auto expected = present ? static_cast<std::int64_t>(end - base) : -1;
        if (load_le<std::int32_t>(slot) != expected) [[unlikely]]
            refuse_in_block(Fault::not_canonical, slot);
        return present;
    }

    /// The end of a packet, where a canonical payload ends too.
    void finish(std::size_t end) {
        if (ok() && end != size_) [[unlikely]]
            refuse(Fault::not_canonical, end);
    }

    /// An enum of four bytes.
    template <typename E>
    void wide_symbol(const std::uint8_t* at, E& out) {
        const auto index = load_le<std::uint32_t>(at);
        if (index >= value_count(E{})) [[unlikely]]
            refuse_in_block(Fault::enum_bad, at);
        out = static_cast<E>(index);
    }

    template <typename E>
    void flags(const std::uint8_t* at, E& out) {
        if ((*at & ~all_bits(E{})) != 0) [[unlikely]]
            refuse_in_block(Fault::enum_bad, at);
        out = static_cast<E>(*at);
    }

    template <typename T>
    void at_least(const std::uint8_t* at, T least, T value) {
        if (value < least) [[unlikely]]
            refuse_in_block(Fault::value_range, at);
    }

    template <typename T>
    void at_most(const std::uint8_t* at, T most, T value) {
        if (value > most) [[unlikely]]
            refuse_in_block(Fault::value_range, at);
    }

    template <typename T>
    void finite(const std::uint8_t* at, T value) {
        if (!is_finite(value)) [[unlikely]]
            refuse_in_block(Fault::not_finite, at);
    }
    template <typename T>
    void finite(const std::uint8_t* at, const Opt<T>& value) {
        if (value.has_value() && !is_finite(*value)) [[unlikely]]
            refuse_in_block(Fault::not_finite, at);
    }

    /// Reads a packet with the rules of its build.
    template <typename P>
    void packet(P& out) {
        [[maybe_unused]] const auto end = P::read(*this, 0, out);
        if constexpr (requires { P::k_canonical; }) finish(end);
    }

    // For values

    [[nodiscard]] bool has(std::size_t at, std::size_t size) const {
        return at <= size_ && size <= size_ - at;
    }
    [[nodiscard]] std::size_t remaining(std::size_t at) const { return at <= size_ ? size_ - at : 0; }
    [[nodiscard]] const std::uint8_t* bytes(std::size_t at) const { return begin_ + at; }
    [[nodiscard]] Arena& arena() { return arena_; }

    /// The head of a list or map.
    struct Count {
        std::uint32_t count = 0;
        std::size_t first = k_nowhere; ///< where the elements start, k_nowhere after a failure
        std::uint32_t skew = 0;        ///< how far an inline field is off after a count in a longer form
    };

    /// Reads the count of a list or map. `even` says that all elements have the same size.
    Count count(std::size_t at, std::uint32_t limit, bool is_inline, bool even) {
        const auto head = varint(at);
        const auto value = static_cast<std::uint32_t>(head.value);
        if (value > limit) [[unlikely]] { // negative ones too
            refuse(Fault::too_long, at);
            return {};
        }
        if (is_inline && head.length > 1) [[unlikely]]
            return inline_count(at, head, even);
        return {value, at + head.length, 0};
    }

    Varint varint(std::size_t at) {
        if (at < size_ && begin_[at] < 0x80) [[likely]]
            return {begin_[at], 1};
        return longer_varint(at);
    }

    /// Fixed text up to its first zero.
    Text fixed_text(const std::uint8_t* at, std::uint32_t width) {
        const auto* zero = static_cast<const std::uint8_t*>(std::memchr(at, 0, width));
        const Text text(reinterpret_cast<const char*>(at),
                        zero != nullptr ? static_cast<std::size_t>(zero - at) : width);
        if (rules_.strict) [[unlikely]]
            check_text(text, true, 0);
        return text;
    }

    /// Builds from 2026.05.07 on refuse bytes over 127 in ASCII text; strict readers all malformed text.
    void check_text(Text text, bool ascii, std::size_t at);

    void spend(std::size_t amount, std::size_t at) {
        work_ -= static_cast<std::int64_t>(amount);
        if (work_ < 0) [[unlikely]]
            refuse(Fault::work, at);
    }

    /// Remembers the first failure. Nothing can be read any more afterwards.
    std::size_t refuse(Fault fault, std::size_t at);

    int lists = 0; ///< lists that are being read, see docs/formats/protocol.md on counts in a longer form

private:
    Count inline_count(std::size_t at, Varint head, bool even);
    const std::uint8_t* cut_block(std::size_t at, std::uint32_t size, std::span<const FixedPart> parts);
    std::size_t bad_offset(std::size_t base, std::int64_t start);
    Varint longer_varint(std::size_t at);
    void refuse_in_block(Fault fault, const std::uint8_t* at);

    const std::uint8_t* begin_;
    std::size_t size_;
    std::int64_t work_;
    Arena& arena_;
    ReadRules rules_;
    int depth_ = 0;
    Fault fault_ = Fault::none;
    std::size_t fault_at_ = 0;
};

} // namespace orbis::protocol
