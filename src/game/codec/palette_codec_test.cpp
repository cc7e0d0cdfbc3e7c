#include "bytes/writer.hpp"
#include "game/codec/palette_codec.hpp"
#include "support/chunk_images.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>
#include <set>

namespace orbis::game {
namespace {

/// One palette read from the description, cell by cell; checks keys and uses on the way.
struct Plain {
    int type = 0;
    std::size_t entries = 0;
    std::size_t bytes = 0;
    bool uses_fit = true;
    std::vector<std::int32_t> cells = std::vector<std::int32_t>(k_cells, 0);
};

Plain read_plainly(Bytes in) {
    Plain out;
    out.type = in[0];
    out.bytes = 1;
    if (out.type == 0) return out;
    const auto number = [&](std::size_t width) {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < width; ++i) value |= std::uint32_t{in[out.bytes++]} << (8 * i);
        return value;
    };
    out.entries = number(2);
    struct Entry {
        std::int32_t value = 0;
        std::uint32_t uses = 0;
        bool is_there = false;
    };
    std::vector<Entry> entries(65'536);
    for (std::size_t i = 0; i < out.entries; ++i) {
        auto& entry = entries[number(out.type == 3 ? 2 : 1)];
        entry.value = static_cast<std::int32_t>(number(4));
        entry.uses = number(2);
        entry.is_there = true;
    }
    const auto* at = in.data() + out.bytes;
    auto* to = out.cells.data();
    auto* const first = entries.data();
    for (std::size_t i = 0; i < k_cells; ++i) { // plain pointers: tests are not optimised
        const std::uint32_t key = out.type == 3   ? at[2 * i] | std::uint32_t{at[2 * i + 1]} << 8
                                  : out.type == 2 ? at[i]
                                  : i % 2 == 0    ? at[i / 2] >> 4
                                                  : at[i / 2] & 15;
        Entry& entry = first[key];
        out.uses_fit &= entry.is_there;
        to[i] = entry.value;
        --entry.uses;
    }
    out.bytes += out.type == 3 ? 2 * k_cells : out.type == 2 ? k_cells : k_cells / 2;
    for (const auto& entry : entries) out.uses_fit &= entry.uses == 0;
    return out;
}

int expected_type(std::size_t values) { return values <= 16 ? 1 : values <= 256 ? 2 : 3; }

std::vector<std::int32_t> expanded(const ReceivedPalette& palette) {
    std::vector<std::int32_t> out(palette.cells.size());
    const auto* cells = palette.cells.data();
    const auto* values = palette.values.data();
    auto* to = out.data();
    for (std::size_t i = 0, end = out.size(); i < end; ++i) {
        if (cells[i] >= palette.values.size()) return {};
        to[i] = values[cells[i]];
    }
    return out;
}

RC_GTEST_PROP(PaletteCodec, SendsEveryStoredPaletteInTheNarrowestType, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    const auto values = *rc::gen::element(1, 2, 15, 16, 17, 200, 256, 257, 3000);
    const auto stored_type = values <= 16 ? *rc::gen::element(0, 1, 2, 3) : 0;
    // Numbers that several entries share, or one of its own for each.
    const auto numbers = *rc::gen::element(3, 100000);
    std::vector<std::uint16_t> source(k_cells);
    std::vector<bool> has_kind(static_cast<std::size_t>(values));
    for (auto& cell : source) {
        cell = static_cast<std::uint16_t>(random() % static_cast<std::uint64_t>(values));
        has_kind[cell] = true;
    }
    const auto number_of = [&](std::uint16_t value) { return value * 7 % numbers; };
    const auto image = test::number_palette_image(source, 2, stored_type);
    chunk::FillerPalette stored;
    Error problem;
    Reader in(image);
    RC_ASSERT(stored.read(in, problem));
    PaletteWriter writer;
    writer.load(stored, [&](std::size_t i) { return number_of(stored.entries()[i].value); });
    Buffer out;
    writer.append_to(out);

    std::vector<std::int32_t> wanted(k_cells);
    for (std::size_t i = 0; i < k_cells; ++i) wanted[i] = number_of(source[i]);
    std::set<std::int32_t> distinct;
    for (int value = 0; value < values; ++value)
        if (has_kind[static_cast<std::size_t>(value)])
            distinct.insert(number_of(static_cast<std::uint16_t>(value)));
    const bool zero = distinct == std::set<std::int32_t>{0};
    RC_ASSERT(writer.all_zero() == zero);
    const auto plain = read_plainly(out);
    RC_ASSERT(plain.cells == wanted);
    RC_ASSERT(plain.uses_fit);
    RC_ASSERT(plain.bytes == out.size());
    RC_ASSERT(plain.type == (zero ? 0 : expected_type(distinct.size())));
    RC_ASSERT(plain.entries == (zero ? 0 : distinct.size()));

    Reader received(out);
    const auto read = read_palette(received);
    RC_ASSERT(read.has_value());
    RC_ASSERT(received.remaining() == 0U);
    RC_ASSERT(expanded(*read) == wanted);

    writer.load(std::span<const std::int32_t, k_cells>(wanted));
    Buffer by_cell;
    writer.append_to(by_cell);
    RC_ASSERT(read_plainly(by_cell).cells == wanted);
    RC_ASSERT(by_cell.size() == out.size());
}

TEST(PaletteCodec, IsLittleEndianWithTheEvenCellInTheHighHalf) {
    std::vector<std::int32_t> values(k_cells, 0x01020304);
    values[1] = -2;
    PaletteWriter writer;
    writer.load(std::span<const std::int32_t, k_cells>(values));
    Buffer out;
    writer.append_to(out);
    const Buffer head = {1, 2, 0, 0, 4, 3, 2, 1, 0xFF, 0x7F, 1, 0xFE, 0xFF, 0xFF, 0xFF, 1, 0, 0x01, 0x00};
    ASSERT_EQ(out.size(), 3U + 2 * 7 + 16384);
    EXPECT_EQ(Buffer(out.begin(), out.begin() + 19), head);
    values[1] = values[0];
    writer.load(std::span<const std::int32_t, k_cells>(values));
    out.clear();
    writer.append_to(out);
    EXPECT_EQ(load_le<std::uint16_t>(out.data() + 8), 0x8000); // all 32768 cells
}

TEST(PaletteCodec, CellsThatNameNoEntryAreZero) {
    auto image = test::number_palette_image(std::vector<std::uint16_t>(k_cells, 5), 2, 2);
    image.back() = 77;
    chunk::FillerPalette stored;
    Error problem;
    Reader in(image);
    ASSERT_TRUE(stored.read(in, problem)) << problem.text();
    PaletteWriter writer;
    writer.load(stored, [&](std::size_t i) { return stored.entries()[i].value; });
    Buffer out;
    writer.append_to(out);
    const auto plain = read_plainly(out);
    EXPECT_EQ(plain.cells[0], 5);
    EXPECT_EQ(plain.cells[k_cells - 1], 0);
    EXPECT_TRUE(plain.uses_fit);
}

Buffer palette_of(int values) {
    std::vector<std::int32_t> cells(k_cells);
    for (std::size_t i = 0; i < k_cells; ++i)
        cells[i] = static_cast<std::int32_t>(i % static_cast<std::size_t>(values));
    PaletteWriter writer;
    writer.load(std::span<const std::int32_t, k_cells>(cells));
    Buffer out;
    writer.append_to(out);
    return out;
}

Error refusal(const Buffer& bytes) {
    Reader in(bytes);
    auto read = read_palette(in);
    if (read) return {};
    return read.error();
}

TEST(PaletteCodec, EveryTruncationIsAnErrorWithAnOffset) {
    for (const int values : {2, 20, 300}) {
        const auto whole = palette_of(values);
        for (std::size_t size = 0; size < whole.size(); size += size < 3000 ? 1 : 997) {
            const auto problem =
                refusal(Buffer(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
            ASSERT_EQ(problem.code, Errc::truncated) << size;
            ASSERT_TRUE(problem.offset);
        }
    }
}

TEST(PaletteCodec, RefusesWhatNoSenderMeans) {
    EXPECT_EQ(refusal({4}).text(), "offset 0: a palette of type 4, expected 0 to 3");
    auto bad = palette_of(2);
    bad[3] = 16;
    EXPECT_EQ(refusal(bad).text(), "offset 3: entry 0 has the key 16, expected 0 to 15");
    bad = palette_of(2);
    bad[10] = 0;
    EXPECT_EQ(refusal(bad).text(), "offset 10: entry 1 has the key 0 of entry 0");
    bad = palette_of(2);
    bad[17 + 100] = 0x02;
    EXPECT_EQ(refusal(bad).text(), "offset 117: cell 201 has a key without an entry");
    bad = palette_of(300);
    bad[bad.size() - 1] = 0x77;
    EXPECT_EQ(refusal(bad).offset, bad.size() - 2);
    bad = palette_of(16);
    bad[1] = 17; // bytes for it are there when the cells follow twice
    bad.insert(bad.end(), k_cells, 0);
    EXPECT_EQ(refusal(bad).text(), "offset 1: 17 entries in a palette of type 1, which has room for 16");
    EXPECT_EQ(refusal({3, 0xFF, 0xFF}).code, Errc::truncated);
}

} // namespace
} // namespace orbis::game
