#include "map/pixel_deflate.hpp"

#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "bytes/zstd.hpp"
#include "map/huffman.hpp"

#include <algorithm>
#include <bit>
#include <libdeflate.h>

namespace orbis::map {
namespace {

constexpr std::size_t k_window = 32768;
constexpr std::size_t k_longest_match = 258;
constexpr unsigned k_hash_bits = 13;
/// Each block has codes of its own.
constexpr std::size_t k_block_bytes = 128 << 10;

constexpr std::size_t k_end_of_block = 256;
constexpr std::size_t k_literals = 286; ///< bytes, the end of a block and lengths of matches
constexpr std::size_t k_distances = 30;
constexpr std::size_t k_length_codes = 19;

/// Symbol, extra bits and their value for a number that deflate writes in two parts.
struct Part {
    std::uint8_t symbol;
    std::uint8_t bits;
    std::uint16_t base;
};

/// Lengths 3…258: four symbols for each number of extra bits, and 258 by itself.
constexpr auto k_length_parts = [] {
    std::array<Part, k_longest_match + 1> parts{};
    for (unsigned length = 3; length <= k_longest_match; ++length) {
        const unsigned n = length - 3;
        const unsigned bits = n < 8 ? 0 : static_cast<unsigned>(std::bit_width(n)) - 3;
        const unsigned symbol = n < 8 ? n : bits * 4 + (n >> bits);
        parts[length] = {static_cast<std::uint8_t>(symbol), static_cast<std::uint8_t>(bits),
                         static_cast<std::uint16_t>(n >> bits << bits)};
    }
    parts[k_longest_match] = {28, 0, k_longest_match - 3};
    return parts;
}();

/// Two symbols for each number of extra bits; `distance` minus 1.
constexpr Part distance_part(unsigned distance) {
    if (distance < 4) return {static_cast<std::uint8_t>(distance), 0, static_cast<std::uint16_t>(distance)};
    const auto bits = static_cast<unsigned>(std::bit_width(distance)) - 2;
    return {static_cast<std::uint8_t>(bits * 2 + (distance >> bits)), static_cast<std::uint8_t>(bits),
            static_cast<std::uint16_t>(distance >> bits << bits)};
}

/// Writes bits from the lowest on.
class BitWriter {
public:
    explicit BitWriter(std::uint8_t* at) : at_(at) {}

    /// At most 16 bits at a time, and at most 48 between two calls of `flush`.
    void put(std::uint32_t bits, unsigned count) {
        buffer_ |= std::uint64_t{bits} << used_;
        used_ += count;
    }
    /// Needs eight bytes of room.
    void flush() {
        store_le(at_, buffer_);
        at_ += used_ >> 3;
        buffer_ >>= used_ & ~7U;
        used_ &= 7;
    }
    /// Fills the last byte up.
    std::uint8_t* finish() {
        flush();
        if (used_ > 0) *at_++ = static_cast<std::uint8_t>(buffer_);
        used_ = 0;
        buffer_ = 0;
        return at_;
    }

private:
    std::uint8_t* at_;
    std::uint64_t buffer_ = 0;
    unsigned used_ = 0;
};

/// How many bytes from `a` and `b` on are the same, at most `most`.
std::size_t common_length(const std::uint8_t* a, const std::uint8_t* b, std::size_t most) {
    std::size_t length = 0;
    for (; length + 8 <= most; length += 8) {
        const auto differing = load_le<std::uint64_t>(a + length) ^ load_le<std::uint64_t>(b + length);
        if (differing != 0) return length + static_cast<std::size_t>(std::countr_zero(differing)) / 8;
    }
    while (length < most && a[length] == b[length]) ++length;
    return length;
}

} // namespace

struct PixelDeflate::Memory {
    /// A number of literals, then a match; the last of a block may be without one.
    struct Sequence {
        std::uint32_t literals = 0;
        std::uint16_t length = 0;
        std::uint16_t distance = 0; ///< minus 1
    };

    GrowingBuffer scratch;
    std::array<std::uint32_t, 1U << k_hash_bits> last; ///< where a pixel was seen last, plus 1
    std::vector<Sequence> sequences;
    std::array<std::uint32_t, k_literals> literal_counts;
    std::array<std::uint32_t, k_distances> distance_counts;
    std::array<std::uint8_t, k_literals> literal_lengths;
    std::array<std::uint16_t, k_literals> literal_codes;
    std::array<std::uint8_t, k_distances> distance_lengths;
    std::array<std::uint16_t, k_distances> distance_codes;

    void begin_block() {
        sequences.clear();
        sequences.emplace_back();
        literal_counts.fill(0);
        distance_counts.fill(0);
    }

    template <std::size_t Pixel>
    void add_literal(const std::uint8_t* at) {
        for (std::size_t i = 0; i < Pixel; ++i) ++literal_counts[at[i]];
        sequences.back().literals += Pixel;
    }

    void add_match(std::size_t length, std::size_t distance) {
        auto& sequence = sequences.back();
        sequence.length = static_cast<std::uint16_t>(length);
        sequence.distance = static_cast<std::uint16_t>(distance - 1);
        ++literal_counts[257U + k_length_parts[length].symbol];
        ++distance_counts[distance_part(static_cast<unsigned>(distance - 1)).symbol];
        sequences.emplace_back();
    }

    template <std::size_t Pixel>
    void parse_row(const std::uint8_t* start, const std::uint8_t* row, const std::uint8_t* end);
    template <std::size_t Pixel>
    void parse(Bytes rows, std::size_t first, std::size_t last_row, std::size_t row_bytes);
    void write_codes(BitWriter& out);
    void write_sequences(BitWriter& out, const std::uint8_t* literals) const;
    void write_block(BitWriter& out, const std::uint8_t* literals, bool is_last);
};

/// Greedy: the pixel before, else the place where this pixel was seen last.
template <std::size_t Pixel>
void PixelDeflate::Memory::parse_row(const std::uint8_t* start, const std::uint8_t* row,
                                     const std::uint8_t* end) {
    constexpr std::size_t k_compared = Pixel == 1 ? 4 : Pixel; // single bytes are too common to look for
    constexpr std::uint32_t k_mask = k_compared == 3 ? 0xFF'FFFF : 0xFFFF'FFFF;
    constexpr std::size_t k_most = k_longest_match / Pixel * Pixel;
    add_literal<1>(row);
    const auto* at = row + 1;
    while (at != end) {
        const auto room = std::min(static_cast<std::size_t>(end - at), k_most);
        if (room < 4) { // the last pixel of three bytes: what follows it may not be ours to read
            add_literal<Pixel>(at);
            at += Pixel;
            continue;
        }
        const auto pixel = load_le<std::uint32_t>(at) & k_mask;
        std::size_t distance = Pixel;
        std::size_t length = 0;
        if (at != row + 1 && (load_le<std::uint32_t>(at - Pixel) & k_mask) == pixel)
            length = common_length(at - Pixel, at, room);
        if (length < 4 * Pixel) {
            auto& seen = last[pixel * 0x9E37'79B1U >> (32 - k_hash_bits)];
            const auto here = static_cast<std::size_t>(at - start) + 1;
            const auto there = seen;
            seen = static_cast<std::uint32_t>(here);
            if (there != 0 && here - there <= k_window) {
                const auto longer = common_length(start + there - 1, at, room);
                if (longer > length) {
                    length = longer;
                    distance = here - there;
                }
            }
        }
        length -= length % Pixel;
        if (length >= k_compared) {
            add_match(length, distance);
            at += length;
        } else {
            add_literal<Pixel>(at);
            at += Pixel;
        }
    }
}

template <std::size_t Pixel>
void PixelDeflate::Memory::parse(Bytes rows, std::size_t first, std::size_t last_row, std::size_t row_bytes) {
    for (auto row = first; row < last_row; ++row) {
        const auto* at = rows.data() + row * row_bytes;
        parse_row<Pixel>(rows.data(), at, at + row_bytes);
    }
}

/// The lengths of both codes, with repetitions, in a code of their own.
void PixelDeflate::Memory::write_codes(BitWriter& out) {
    constexpr std::array<std::uint8_t, k_length_codes> k_order{16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                               11, 4,  12, 3, 13, 2, 14, 1, 15};
    struct Item {
        std::uint8_t symbol;
        std::uint8_t extra;
    };
    std::array<std::uint8_t, k_literals + k_distances> lengths;
    std::ranges::copy(literal_lengths, lengths.begin());
    std::ranges::copy(distance_lengths, lengths.begin() + k_literals);
    std::array<Item, k_literals + k_distances> items;
    std::size_t count = 0;
    std::array<std::uint32_t, k_length_codes> counts{};
    const auto add = [&](unsigned symbol, std::size_t extra) {
        items[count++] = {static_cast<std::uint8_t>(symbol), static_cast<std::uint8_t>(extra)};
        ++counts[symbol];
    };
    for (std::size_t i = 0; i < lengths.size();) {
        std::size_t run = 1;
        while (i + run < lengths.size() && lengths[i + run] == lengths[i]) ++run;
        i += run;
        const auto length = lengths[i - run];
        if (length != 0) {
            add(length, 0);
            --run;
        }
        while (run >= 3) {
            const auto most = std::size_t{length != 0 ? 6U : run > 10 ? 138U : 10U};
            const auto part = std::min(run, most);
            if (length != 0)
                add(16, part - 3);
            else
                part > 10 ? add(18, part - 11) : add(17, part - 3);
            run -= part;
        }
        for (; run > 0; --run) add(length, 0);
    }
    std::array<std::uint8_t, k_length_codes> code_lengths;
    std::array<std::uint16_t, k_length_codes> codes;
    make_code_lengths(counts, 7, code_lengths);
    make_codes(code_lengths, codes);
    std::size_t stated = k_length_codes;
    while (stated > 4 && code_lengths[k_order[stated - 1]] == 0) --stated;
    out.put(k_literals - 257, 5);
    out.put(k_distances - 1, 5);
    out.put(static_cast<std::uint32_t>(stated - 4), 4);
    out.flush();
    for (std::size_t i = 0; i < stated; ++i) {
        out.put(code_lengths[k_order[i]], 3);
        out.flush();
    }
    for (std::size_t i = 0; i < count; ++i) {
        const auto [symbol, extra] = items[i];
        out.put(codes[symbol], code_lengths[symbol]);
        if (symbol >= 16) out.put(extra, symbol == 16 ? 2 : symbol == 17 ? 3 : 7);
        out.flush();
    }
}

void PixelDeflate::Memory::write_sequences(BitWriter& out, const std::uint8_t* literals) const {
    const auto put_literal = [&](std::uint8_t byte) { out.put(literal_codes[byte], literal_lengths[byte]); };
    for (const auto& sequence : sequences) {
        auto left = sequence.literals;
        for (; left >= 3; left -= 3, literals += 3) {
            put_literal(literals[0]);
            put_literal(literals[1]);
            put_literal(literals[2]);
            out.flush();
        }
        for (; left > 0; --left) put_literal(*literals++);
        out.flush();
        if (sequence.length == 0) continue;
        const auto length = k_length_parts[sequence.length];
        out.put(literal_codes[257U + length.symbol], literal_lengths[257U + length.symbol]);
        out.put(sequence.length - 3U - length.base, length.bits);
        out.flush();
        const auto distance = distance_part(sequence.distance);
        out.put(distance_codes[distance.symbol], distance_lengths[distance.symbol]);
        out.put(static_cast<std::uint32_t>(sequence.distance) - distance.base, distance.bits);
        out.flush();
        literals += sequence.length;
    }
}

void PixelDeflate::Memory::write_block(BitWriter& out, const std::uint8_t* literals, bool is_last) {
    literal_counts[k_end_of_block] = 1;
    make_code_lengths(literal_counts, 15, literal_lengths);
    make_codes(literal_lengths, literal_codes);
    make_code_lengths(distance_counts, 15, distance_lengths);
    make_codes(distance_lengths, distance_codes);
    out.put(is_last ? 1 : 0, 1);
    out.put(2, 2); // codes of its own
    write_codes(out);
    write_sequences(out, literals);
    out.put(literal_codes[k_end_of_block], literal_lengths[k_end_of_block]);
    out.flush();
}

PixelDeflate::PixelDeflate() : memory_(std::make_unique<Memory>()) {}
PixelDeflate::~PixelDeflate() = default;

void PixelDeflate::append(Bytes rows, std::size_t row_bytes, std::size_t pixel_bytes, Buffer& out) {
    // No symbol has more than 15 bits, and each block adds its codes.
    const auto count = rows.size() / row_bytes;
    const auto rows_per_block = std::max<std::size_t>(1, k_block_bytes / row_bytes);
    const auto room = memory_->scratch.take(rows.size() * 2 + (count / rows_per_block + 1) * 1024 + 64);
    room[0] = 0x78; // deflate with a window of 32 KiB
    room[1] = 0x01;
    BitWriter bits(room.data() + 2);
    memory_->last.fill(0);
    for (std::size_t first = 0; first < count; first += rows_per_block) {
        const auto last = std::min(count, first + rows_per_block);
        memory_->begin_block();
        switch (pixel_bytes) {
        case 1: memory_->parse<1>(rows, first, last, row_bytes); break;
        case 3: memory_->parse<3>(rows, first, last, row_bytes); break;
        default: memory_->parse<4>(rows, first, last, row_bytes); break;
        }
        memory_->write_block(bits, rows.data() + first * row_bytes, last == count);
    }
    auto* end = bits.finish();
    store_be(end, libdeflate_adler32(1, rows.data(), rows.size()));
    out.insert(out.end(), room.data(), end + 4);
}

} // namespace orbis::map
