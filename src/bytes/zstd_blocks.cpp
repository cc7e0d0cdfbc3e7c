#include "bytes/zstd_blocks.hpp"

#include "bytes/backward_bits.hpp"
#include "bytes/writer.hpp"
#include "bytes/zstd_literals.hpp"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>

namespace orbis {
namespace {

enum class BlockKind : std::uint8_t { stored, repeated, compressed };
constexpr std::size_t k_block_head = 3;

void put_block_head(std::uint8_t* at, BlockKind kind, std::size_t size, bool is_last) {
    const auto head = size << 3 | static_cast<std::size_t>(kind) << 1 | (is_last ? 1 : 0);
    at[0] = static_cast<std::uint8_t>(head);
    at[1] = static_cast<std::uint8_t>(head >> 8);
    at[2] = static_cast<std::uint8_t>(head >> 16);
}

/// Numbers of one kind in a match: each is a code, and the bits that it says more.
struct CodeRange {
    std::uint32_t first;
    std::uint8_t bits;
};
constexpr std::array<CodeRange, 36> k_literal_codes{
    {{0, 0},     {1, 0},      {2, 0},      {3, 0},     {4, 0},   {5, 0},     {6, 0},     {7, 0},
     {8, 0},     {9, 0},      {10, 0},     {11, 0},    {12, 0},  {13, 0},    {14, 0},    {15, 0},
     {16, 1},    {18, 1},     {20, 1},     {22, 1},    {24, 2},  {28, 2},    {32, 3},    {40, 3},
     {48, 4},    {64, 6},     {128, 7},    {256, 8},   {512, 9}, {1024, 10}, {2048, 11}, {4096, 12},
     {8192, 13}, {16384, 14}, {32768, 15}, {65536, 16}}};
constexpr std::array<CodeRange, 53> k_length_codes{
    {{3, 0},   {4, 0},     {5, 0},     {6, 0},     {7, 0},     {8, 0},      {9, 0},      {10, 0},    {11, 0},
     {12, 0},  {13, 0},    {14, 0},    {15, 0},    {16, 0},    {17, 0},     {18, 0},     {19, 0},    {20, 0},
     {21, 0},  {22, 0},    {23, 0},    {24, 0},    {25, 0},    {26, 0},     {27, 0},     {28, 0},    {29, 0},
     {30, 0},  {31, 0},    {32, 0},    {33, 0},    {34, 0},    {35, 1},     {37, 1},     {39, 1},    {41, 1},
     {43, 2},  {47, 2},    {51, 3},    {59, 3},    {67, 4},    {83, 4},     {99, 5},     {131, 7},   {259, 8},
     {515, 9}, {1027, 10}, {2051, 11}, {4099, 12}, {8195, 13}, {16387, 14}, {32771, 15}, {65539, 16}}};
constexpr std::size_t k_offset_codes = 29;

// How often each code comes in the tables that need not be sent; -1 is less than once.
constexpr std::array<std::int8_t, 36> k_literal_shares{4, 3, 2, 2, 2, 2, 2, 2, 2,  2,  2,  2,
                                                       2, 1, 1, 1, 2, 2, 2, 2, 2,  2,  2,  2,
                                                       2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1};
constexpr std::array<std::int8_t, 53> k_length_shares{
    1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1};
constexpr std::array<std::int8_t, k_offset_codes> k_offset_shares{
    1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1};

/// A finite state machine that writes codes. The reader goes from state to state; each has a code, and a
/// range of states that may follow it. Here it is gone backwards.
template <std::size_t Codes, unsigned Bits>
class CodeStates {
public:
    static constexpr std::size_t k_states = std::size_t{1} << Bits;
    static constexpr unsigned k_bits = Bits;

    constexpr explicit CodeStates(const std::array<std::int8_t, Codes>& shares) {
        std::array<std::uint8_t, k_states> code_of{};
        std::size_t free = k_states;
        for (std::size_t code = 0; code < Codes; ++code)
            if (shares[code] < 0) code_of[--free] = static_cast<std::uint8_t>(code);
        std::size_t at = 0;
        for (std::size_t code = 0; code < Codes; ++code)
            for (int left = shares[code]; left > 0; --left) {
                code_of[at] = static_cast<std::uint8_t>(code);
                do at = (at + (k_states >> 1) + (k_states >> 3) + 3) % k_states;
                while (at >= free);
            }
        std::array<std::size_t, Codes> next{};
        for (std::size_t code = 0; code < Codes; ++code)
            next[code] = static_cast<std::size_t>(shares[code] < 0 ? 1 : shares[code]);
        for (std::size_t state = 0; state < k_states; ++state) {
            const auto code = code_of[state];
            const auto number = next[code]++;
            const auto bits = Bits + 1 - static_cast<unsigned>(std::bit_width(number));
            const auto first = (number << bits) - k_states;
            bits_[state] = static_cast<std::uint8_t>(bits);
            first_[state] = static_cast<std::uint8_t>(first);
            for (std::size_t i = 0; i < std::size_t{1} << bits; ++i)
                before_[code][first + i] = static_cast<std::uint8_t>(state);
        }
    }

    /// A state of this code from which `after` is reached.
    [[nodiscard]] std::uint8_t before(std::uint8_t code, std::uint8_t after) const {
        return before_[code][after];
    }
    /// Writes the way from one state to the next.
    void put_step(BackwardBits& out, std::uint8_t from, std::uint8_t to) const {
        out.put(static_cast<std::uint64_t>(to - first_[from]), bits_[from]);
    }

private:
    std::array<std::array<std::uint8_t, k_states>, Codes> before_{};
    std::array<std::uint8_t, k_states> bits_{};
    std::array<std::uint8_t, k_states> first_{};
};

constexpr CodeStates<36, 6> k_literal_states(k_literal_shares);
constexpr CodeStates<53, 6> k_length_states(k_length_shares);
constexpr CodeStates<k_offset_codes, 5> k_offset_states(k_offset_shares);

/// Codes of small numbers, which most are.
template <std::size_t Small, std::size_t Codes>
constexpr std::array<std::uint8_t, Small> small_codes(const std::array<CodeRange, Codes>& ranges) {
    std::array<std::uint8_t, Small> codes{};
    for (std::size_t code = 0; code < Codes; ++code)
        for (std::size_t i = ranges[code].first; i < Small; ++i) codes[i] = static_cast<std::uint8_t>(code);
    return codes;
}
constexpr auto k_small_literals = small_codes<128>(k_literal_codes);
constexpr auto k_small_lengths = small_codes<131>(k_length_codes);

template <std::size_t Small, std::size_t Codes>
std::uint8_t code_of(std::uint32_t number, const std::array<std::uint8_t, Small>& small,
                     const std::array<CodeRange, Codes>& ranges) {
    if (number < Small) return small[number];
    const auto above = std::ranges::upper_bound(ranges, number, {}, &CodeRange::first);
    return static_cast<std::uint8_t>(above - ranges.begin() - 1);
}

/// What a reader makes of the number of an offset: 1 is the one before.
std::uint32_t offset_number(const ZstdMatch& match) { return match.offset == 0 ? 1 : match.offset + 3; }

constexpr std::uint8_t k_all_offsets_one_code = 1 << 4;

std::uint8_t* write_matches(std::uint8_t* at, std::span<const ZstdMatch> matches) {
    const auto count = matches.size();
    if (count < 128) {
        *at++ = static_cast<std::uint8_t>(count);
    } else if (count < 0x7F00) {
        *at++ = static_cast<std::uint8_t>((count >> 8) + 128);
        *at++ = static_cast<std::uint8_t>(count);
    } else {
        *at++ = 255;
        store_le(at, static_cast<std::uint16_t>(count - 0x7F00));
        at += 2;
    }
    const bool has_same_offset =
        std::ranges::all_of(matches, [](const ZstdMatch& match) { return match.offset == 0; });
    *at++ = has_same_offset ? k_all_offsets_one_code : 0;
    if (has_same_offset) *at++ = 0; // the code

    BackwardBits out(at);
    std::uint8_t literal_state = 0;
    std::uint8_t length_state = 0;
    std::uint8_t offset_state = 0;
    for (auto i = count; i-- > 0;) {
        const auto& match = matches[i];
        const auto literal_code = code_of(match.literals, k_small_literals, k_literal_codes);
        const auto length_code = code_of(match.length, k_small_lengths, k_length_codes);
        const auto offset = offset_number(match);
        const auto offset_code = static_cast<std::uint8_t>(std::bit_width(offset) - 1);
        const auto literal_before = k_literal_states.before(literal_code, literal_state);
        const auto length_before = k_length_states.before(length_code, length_state);
        const auto offset_before =
            has_same_offset ? std::uint8_t{0} : k_offset_states.before(offset_code, offset_state);
        if (i + 1 < count) {
            if (!has_same_offset) k_offset_states.put_step(out, offset_before, offset_state);
            k_length_states.put_step(out, length_before, length_state);
            k_literal_states.put_step(out, literal_before, literal_state);
        }
        literal_state = literal_before;
        length_state = length_before;
        offset_state = offset_before;
        const auto& literals = k_literal_codes[literal_code];
        const auto& length = k_length_codes[length_code];
        out.put(match.literals - literals.first, literals.bits);
        out.put(match.length - length.first, length.bits);
        if (!has_same_offset) {
            out.flush();
            out.put(offset - (1U << offset_code), offset_code);
        }
        out.flush();
    }
    out.put(length_state, k_length_states.k_bits);
    if (!has_same_offset) out.put(offset_state, k_offset_states.k_bits);
    out.put(literal_state, k_literal_states.k_bits);
    return out.finish();
}

} // namespace

void append_zstd_header(Buffer& out, std::uint32_t content_size) {
    constexpr std::uint8_t k_one_segment = 0x20;
    Writer to(out);
    to.le(std::uint32_t{ZSTD_MAGICNUMBER});
    if (content_size < 256) {
        to.u8(k_one_segment);
        to.u8(static_cast<std::uint8_t>(content_size));
    } else if (content_size < 65'536 + 256) {
        to.u8(k_one_segment | 1 << 6);
        to.le(static_cast<std::uint16_t>(content_size - 256));
    } else {
        to.u8(k_one_segment | 2 << 6);
        to.le(content_size);
    }
}

void append_stored_block(Buffer& out, Bytes data, bool is_last) {
    Writer to(out);
    put_block_head(to.grow(k_block_head), BlockKind::stored, data.size(), is_last);
    to.bytes(data);
}

void append_repeated_block(Buffer& out, std::uint8_t byte, std::size_t times, bool is_last) {
    Writer to(out);
    put_block_head(to.grow(k_block_head), BlockKind::repeated, times, is_last);
    to.u8(byte);
}

bool append_matched_block(Buffer& out, Bytes literals, std::span<const ZstdMatch> matches, bool is_last) {
    auto content = literals.size();
    for (const auto& match : matches) content += match.length;
    const auto begin = out.size();
    // A literal takes up to 11 bits, a match up to 16 + 16 + 28 and three steps of up to 6.
    const auto room = k_block_head + 256 + literals.size() * 3 / 2 + matches.size() * 10;
    out.resize(begin + room);
    auto* const head = out.data() + begin;
    auto* const body = head + k_block_head;
    const auto* const end = write_matches(write_zstd_literals(body, literals), matches);
    const auto size = static_cast<std::size_t>(end - body);
    if (size >= content) {
        out.resize(begin);
        return false;
    }
    put_block_head(head, BlockKind::compressed, size, is_last);
    out.resize(begin + k_block_head + size);
    return true;
}

} // namespace orbis
