#include "protocol/decoder.hpp"

#include "bytes/utf8.hpp"

#include <algorithm>

namespace orbis::protocol {

namespace {

/// What unreadable structs are read from, so that generated code needs no branch for them. No block is
/// larger; the schema parser and the generator see to it.
constexpr std::array<std::uint8_t, 8192> k_unreadable_block{};

/// Whether the first `available` bytes of a block hold every part that must be there.
bool holds(const std::uint8_t* block, std::size_t start, std::size_t available,
           std::span<const FixedPart> parts) {
    for (const auto& part : parts) {
        if (part.bit >= 0) {
            const auto byte = start + static_cast<std::size_t>(part.bit / 8);
            if ((block[byte] >> (part.bit % 8) & 1) == 0) continue; // absent: zeros stand past the end too
        }
        if (part.inner != nullptr ? !holds(block, start + part.at, available, {part.inner, part.inner_count})
                                  : start + part.at + part.width > available)
            return false;
    }
    return true;
}

} // namespace

std::size_t Decoder::refuse(Fault fault, std::size_t at) {
    if (fault_ == Fault::none) {
        fault_ = fault;
        fault_at_ = at;
    }
    size_ = 0;
    return k_nowhere;
}

void Decoder::refuse_in_block(Fault fault, const std::uint8_t* at) {
    const auto place = reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(begin_);
    refuse(fault, place < size_ ? place : 0); // the block may be a copy
}

const std::uint8_t* Decoder::cut_block(std::size_t at, std::uint32_t size, std::span<const FixedPart> parts) {
    if (at > size_ || parts.empty() || rules_.bounded || size > k_unreadable_block.size()) {
        refuse(Fault::read_range, at);
        return k_unreadable_block.data();
    }
    auto* copy = arena_.take<std::uint8_t>(size);
    const auto available = size_ - at;
    std::copy_n(begin_ + at, available, copy);
    std::fill(copy + available, copy + size, std::uint8_t{0});
    if (!holds(copy, 0, available, parts)) refuse(Fault::read_range, at);
    return copy;
}

std::size_t Decoder::bad_offset(std::size_t base, std::int64_t start) {
    if (start < 0 || start > std::numeric_limits<std::int32_t>::max())
        return refuse(rules_.bounded ? Fault::offset_range : Fault::read_range, base);
    if (rules_.bounded) return refuse(Fault::offset_range, base);
    return static_cast<std::size_t>(start); // past the end: reading from there fails
}

Varint Decoder::longer_varint(std::size_t at) {
    const auto read = read_varint_slowly(begin_ + std::min(at, size_), remaining(at));
    if (read.value < 0) refuse(Fault::length_bad, at);
    return read;
}

Decoder::Count Decoder::inline_count(std::size_t at, Varint head, bool even) {
    // The game steps over the shortest form of the count, whatever form it has.
    const auto step = varint_size(static_cast<std::uint32_t>(head.value));
    const auto skew = head.length - step;
    if (skew > 0 && ((!even && lists > 0) || rules_.canonical)) {
        refuse(Fault::length_bad, at);
        return {};
    }
    return {static_cast<std::uint32_t>(head.value), at + step, skew};
}

void Decoder::check_text(Text text, bool ascii, std::size_t at) {
    const bool sound =
        ascii ? std::ranges::none_of(text, [](char c) { return (c & 0x80) != 0; }) : is_utf8(text);
    if (!sound) refuse(Fault::text_bad, at);
}

} // namespace orbis::protocol
