#include "bytes/writer.hpp"
#include "chunk/palette.hpp"
#include "support/chunk_images.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace orbis::chunk {
namespace {

using test::k_image_cells;

/// The rules of the format in their plainest form: a value per cell and the kind that the history leads to.
class NaivePalette {
public:
    bool set(std::size_t cell, int value) {
        const int old = cells_[cell];
        if (old == value) return false;
        const bool is_new = !counts_.contains(value);
        const bool reuses = is_new && counts_[old] == 1;
        const auto room = kind_ == PaletteKind::half_byte ? 16U : kind_ == PaletteKind::byte ? 256U : 65536U;
        if (kind_ == PaletteKind::empty)
            kind_ = PaletteKind::half_byte;
        else if (is_new && !reuses && counts_.size() == room)
            kind_ = kind_ == PaletteKind::half_byte ? PaletteKind::byte : PaletteKind::wide;
        if (--counts_[old] == 0) counts_.erase(old);
        ++counts_[value];
        cells_[cell] = value;
        if (kind_ == PaletteKind::wide && counts_.size() <= 251) kind_ = PaletteKind::byte;
        if (kind_ == PaletteKind::byte && counts_.size() <= 14) kind_ = PaletteKind::half_byte;
        if (kind_ == PaletteKind::half_byte && counts_.size() == 1 && counts_.contains(0))
            kind_ = PaletteKind::empty;
        return true;
    }

    std::vector<int> cells_ = std::vector<int>(k_image_cells, 0);
    std::map<int, int> counts_ = {{0, static_cast<int>(k_image_cells)}};
    PaletteKind kind_ = PaletteKind::empty;
};

std::string key_of(int value) { return value == 0 ? "Empty" : "Block_" + std::to_string(value); }

void expect_equal(const KeyPalette& palette, const NaivePalette& naive) {
    RC_ASSERT(static_cast<int>(palette.kind()) == static_cast<int>(naive.kind_));
    RC_ASSERT(palette.check().has_value());
    for (std::size_t i = 0; i < k_image_cells; ++i)
        RC_ASSERT(palette.at(CellIndex(static_cast<int>(i))) == key_of(naive.cells_[i]));
    if (naive.kind_ != PaletteKind::empty) RC_ASSERT(palette.entries().size() == naive.counts_.size());
}

RC_GTEST_PROP(Palette, FillingChosenCellsIsSettingEachOfThem, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    const auto values = 1 + static_cast<int>(random() % 300);
    KeyPalette filled;
    KeyPalette set;
    for (int i = 0; i < 3000; ++i) {
        const CellIndex cell(static_cast<int>(random() % k_image_cells));
        const auto key = key_of(static_cast<int>(random() % static_cast<unsigned>(values)));
        filled.set(cell, key);
        set.set(cell, key);
    }
    for (int round = 0; round < 4; ++round) {
        std::array<std::uint64_t, k_image_cells / 64> words{};
        const auto kind = random() % 3;
        for (auto& word : words)
            word = kind == 0           ? ~std::uint64_t{0}
                   : kind == 1         ? random() & random()
                   : random() % 4 == 0 ? ~std::uint64_t{0}
                                       : 0;
        const auto key = key_of(static_cast<int>(random() % static_cast<unsigned>(values + 2)));
        std::size_t changes = 0;
        for (std::size_t i = 0; i < k_image_cells; ++i)
            if ((words[i / 64] >> (i % 64) & 1) != 0)
                changes += set.set(CellIndex(static_cast<int>(i)), key) ? 1U : 0U;
        RC_ASSERT(filled.fill(words, key) == changes);
        RC_ASSERT(filled.check().has_value());
        for (std::size_t i = 0; i < k_image_cells; ++i)
            RC_ASSERT(filled.at(CellIndex(static_cast<int>(i))) == set.at(CellIndex(static_cast<int>(i))));
    }
}

RC_GTEST_PROP(Palette, PromotesAndDemotesAsTheRulesSayAndKeepsEveryCell, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    KeyPalette palette;
    NaivePalette naive;
    // Few cells and a number of values that swings, so that every change of kind happens.
    std::array<int, 4> seen{};
    for (int phase = 0; phase < 6; ++phase) {
        const auto values = std::array{20, 400, 5, 300, 1, 17}[static_cast<std::size_t>(phase)];
        for (int step = 0; step < 4000; ++step) {
            const auto cell =
                values == 1 ? static_cast<std::uint64_t>(step) % 1000 : random() % 1000; // 1 clears all
            const auto value = static_cast<int>(random() % static_cast<std::uint64_t>(values));
            const auto key = key_of(value);
            RC_ASSERT(palette.set(CellIndex(static_cast<int>(cell)), key) == naive.set(cell, value));
            RC_ASSERT(palette.kind() == naive.kind_);
            ++seen[static_cast<std::size_t>(naive.kind_)];
        }
        expect_equal(palette, naive);
        Buffer stored;
        palette.append_to(stored);
        KeyPalette again;
        Reader in(stored);
        Error problem;
        RC_ASSERT(again.read(in, problem));
        RC_ASSERT(in.remaining() == 0U);
        expect_equal(again, naive);
    }
    for (const auto count : seen) RC_ASSERT(count > 0);
}

TEST(Palette, ANewValueTakesTheIdOfTheLastCellOfAnotherElseTheLowestFree) {
    RotationPalette palette;
    palette.set(CellIndex(0), 5);
    palette.set(CellIndex(1), 6);
    palette.set(CellIndex(2), 7);
    const auto id_of = [&](std::uint8_t value) {
        for (const auto& entry : palette.entries())
            if (entry.value == value) return static_cast<int>(entry.id);
        return -1;
    };
    EXPECT_EQ(id_of(0), 0);
    EXPECT_EQ(id_of(5), 1);
    EXPECT_EQ(id_of(7), 3);
    palette.set(CellIndex(1), 9); // 6 was there once only
    EXPECT_EQ(id_of(9), 2);
    palette.set(CellIndex(0), 0);
    EXPECT_EQ(id_of(5), -1);
    palette.set(CellIndex(5), 8);
    EXPECT_EQ(id_of(8), 1);
}

TEST(Palette, SixteenValuesFitHalfBytesAndTheSeventeenthDoesNot) {
    FillerPalette palette;
    for (std::uint16_t i = 1; i < 16; ++i) palette.set(CellIndex(i), i);
    EXPECT_EQ(palette.kind(), PaletteKind::half_byte);
    EXPECT_EQ(palette.entries().size(), 16U);
    palette.set(CellIndex(15), 99); // in place of a value that is gone with it
    EXPECT_EQ(palette.kind(), PaletteKind::half_byte);
    palette.set(CellIndex(16), 16);
    EXPECT_EQ(palette.kind(), PaletteKind::byte);
    palette.set(CellIndex(16), 0);
    palette.set(CellIndex(15), 0);
    EXPECT_EQ(palette.kind(), PaletteKind::byte); // fifteen
    palette.set(CellIndex(14), 0);
    EXPECT_EQ(palette.kind(), PaletteKind::half_byte);
}

/// Random cells with a given number of values, in runs.
std::vector<std::string> random_cells(std::mt19937_64& random, int values) {
    std::vector<std::string> cells;
    while (cells.size() < k_image_cells) {
        const auto key = key_of(static_cast<int>(random() % static_cast<std::uint64_t>(values)));
        const auto run = 1 + random() % (random() % 8 == 0 ? 2000 : 5);
        for (std::uint64_t i = 0; i < run && cells.size() < k_image_cells; ++i) cells.push_back(key);
    }
    return cells;
}

RC_GTEST_PROP(Palette, ReadsEveryKindFromAPlainEncoder, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    const auto values = *rc::gen::element(1, 2, 15, 16, 17, 200, 256, 257, 3000);
    const auto cells = random_cells(random, values);
    const auto stored = test::key_palette_image(cells, values <= 16 ? *rc::gen::element(0, 1, 2, 3) : 0);
    KeyPalette palette;
    Error problem;
    Reader in(stored);
    RC_ASSERT(palette.read(in, problem));
    RC_ASSERT(palette.check().has_value());

    std::vector<std::uint16_t> expanded(k_cells);
    palette.expand(std::span<std::uint16_t, k_cells>(expanded));
    for (std::size_t i = 0; i < k_image_cells; ++i) {
        RC_ASSERT(palette.at(CellIndex(static_cast<int>(i))) == cells[i]);
        RC_ASSERT(expanded[i] == palette.entry_at(CellIndex(static_cast<int>(i))));
    }
    int next = 0;
    std::vector<std::uint32_t> by_runs(palette.entries().size() + 1, 0);
    palette.for_each_run([&](CellIndex first, CellIndex end, std::uint32_t entry) {
        RC_ASSERT(first.value == next);
        RC_ASSERT(end.value > first.value);
        for (int i = first.value; i < end.value; ++i) RC_ASSERT(palette.entry_at(CellIndex(i)) == entry);
        if (next > 0) RC_ASSERT(palette.entry_at(CellIndex(next - 1)) != entry);
        by_runs[entry] += static_cast<std::uint32_t>(end.value - first.value);
        next = end.value;
    });
    RC_ASSERT(next == k_cells);
    RC_ASSERT(by_runs == palette.histogram());

    Buffer again;
    palette.append_to(again);
    RC_ASSERT(again == stored);
    for (std::size_t cut = 0; cut < std::min<std::size_t>(stored.size(), 300); ++cut) {
        Reader shorter(Bytes(stored).first(cut));
        RC_ASSERT(!KeyPalette().read(shorter, problem));
    }
}

RC_GTEST_PROP(Palette, FillsReplacesAndRenamesLikeCellByCell, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    auto cells = random_cells(random, *rc::gen::element(2, 10, 40, 300));
    KeyPalette palette;
    const auto stored = test::key_palette_image(cells);
    Error problem;
    Reader in(stored);
    RC_ASSERT(palette.read(in, problem));
    for (int step = 0; step < 8; ++step) {
        const auto key = key_of(static_cast<int>(random() % 12));
        const auto other = key_of(static_cast<int>(random() % 12));
        switch (random() % 3) {
        case 0: {
            const auto first = random() % k_image_cells;
            const auto end = first + random() % (k_image_cells - first + 1);
            palette.fill(CellIndex(static_cast<int>(first)), CellIndex(static_cast<int>(end)), key);
            std::fill(cells.begin() + static_cast<std::ptrdiff_t>(first),
                      cells.begin() + static_cast<std::ptrdiff_t>(end), key);
            break;
        }
        case 1: {
            const auto expected = key == other ? 0 : std::count(cells.begin(), cells.end(), key);
            RC_ASSERT(palette.replace(key, other) == static_cast<std::size_t>(expected));
            std::replace(cells.begin(), cells.end(), key, other);
            break;
        }
        default:
            palette.rename(
                [&](const KeyPalette::Entry& entry) { return entry.value == key ? other : entry.value; });
            std::replace(cells.begin(), cells.end(), key, other);
        }
        RC_ASSERT(palette.check().has_value());
        for (std::size_t i = 0; i < k_image_cells; ++i)
            RC_ASSERT(palette.at(CellIndex(static_cast<int>(i))) == cells[i]);
    }
}

TEST(Palette, AnEmptyPaletteIsRenamedLikeAnyOther) {
    KeyPalette palette;
    const auto rename = [&](std::string_view from, std::string_view to) {
        return palette.rename(
            [&](const KeyPalette::Entry& entry) { return entry.value == from ? to : entry.value; });
    };
    EXPECT_FALSE(rename("Rock_Stone", "Rock_Basalt"));
    EXPECT_TRUE(rename("Empty", "Rock_Stone"));
    EXPECT_EQ(palette.at(CellIndex(0)), "Rock_Stone");
    EXPECT_EQ(palette.at(CellIndex(k_cells - 1)), "Rock_Stone");
}

TEST(Palette, CellsThatKeepTheirLabelsAreTheStoredOnesUntilOneIsSet) {
    KeyPalette first;
    first.fill("Rock_Stone");
    first.set(CellIndex(7), "Soil_Dirt");
    Buffer stored;
    first.append_to(stored);
    const auto before = stored;
    KeyPalette palette;
    Reader in(stored);
    Error problem;
    ASSERT_TRUE(palette.read(in, problem));
    const std::vector<std::string_view> names{"Rock_Basalt", "Soil_Sand", "Empty"};
    ASSERT_TRUE(palette.rename(names, palette.histogram()));
    EXPECT_EQ(palette.at(CellIndex(7)), "Soil_Sand");
    palette.set(CellIndex(8), "Soil_Sand");
    EXPECT_EQ(stored, before);
    EXPECT_EQ(palette.at(CellIndex(6)), "Rock_Basalt");
    EXPECT_EQ(palette.at(CellIndex(8)), "Soil_Sand");
    EXPECT_TRUE(palette.check());
}

/// A stored palette as damage leaves it: values twice, wrong counts, cells that name no entry.
RC_GTEST_PROP(Palette, RenamingADamagedPaletteKeepsEveryCell, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    const int kind = 1 + static_cast<int>(random() % 3);
    const std::size_t labels = kind == 1 ? 16 : kind == 2 ? 256 : 400;
    std::vector<std::size_t> ids;
    for (std::size_t id = 0; id < labels; ++id)
        if (random() % 3 != 0) ids.push_back(id);
    std::ranges::shuffle(ids, random);
    Buffer stored{static_cast<std::uint8_t>(kind)};
    Writer out(stored);
    out.be(static_cast<std::int16_t>(ids.size()));
    std::map<std::size_t, int> value_of;
    for (const auto id : ids) {
        value_of[id] = static_cast<int>(random() % (1 + random() % 300));
        kind == 3 ? out.be(static_cast<std::uint16_t>(id)) : out.u8(static_cast<std::uint8_t>(id));
        const auto key = key_of(value_of[id]);
        out.be(static_cast<std::uint16_t>(key.size()));
        out.bytes(as_bytes(key));
        out.be(static_cast<std::uint16_t>(random()));
    }
    const auto used = 1 + random() % labels; // entries without a cell too
    std::vector<int> cells;
    for (std::size_t i = 0; i < k_image_cells; ++i) {
        const auto label = random() % used;
        const auto known = value_of.find(label);
        cells.push_back(known == value_of.end() ? 0 : known->second);
        if (kind == 3)
            out.be(static_cast<std::uint16_t>(label));
        else if (kind == 2 || i % 2 == 0)
            out.u8(static_cast<std::uint8_t>(kind == 2 ? label : label << 4));
        else
            stored.back() = static_cast<std::uint8_t>(stored.back() | label);
    }
    KeyPalette palette;
    Reader in(stored);
    Error problem;
    RC_ASSERT(palette.read(in, problem));
    for (int round = 0; round < 3; ++round) { // later ones on a palette that was changed
        const auto modulus = 1 + static_cast<int>(random() % 60);
        const bool moves_air = random() % 2 == 0;
        const auto renamed = [&](int value) {
            return value == 0 ? (moves_air ? 7 : 0) : value % modulus == 0 ? value / modulus : value;
        };
        std::map<std::string, std::string, std::less<>> names;
        for (int value = 0; value < 400; ++value) names[key_of(value)] = key_of(renamed(value));
        palette.rename([&](const KeyPalette::Entry& entry) -> std::string_view {
            return names.find(entry.value)->second;
        });
        for (auto& cell : cells) cell = renamed(cell);
        for (std::size_t i = 0; i < k_image_cells; ++i)
            RC_ASSERT(palette.at(CellIndex(static_cast<int>(i))) == key_of(cells[i]));
        if (!palette.changed()) continue;
        RC_ASSERT(palette.check().has_value());
        const std::set<int> distinct(cells.begin(), cells.end());
        RC_ASSERT(palette.kind() == PaletteKind::empty || palette.entries().size() == distinct.size());
        const auto cell = random() % k_image_cells;
        palette.set(CellIndex(static_cast<int>(cell)), "Block_399");
        cells[cell] = 399;
    }
    Buffer written;
    palette.append_to(written);
    Reader again(written);
    KeyPalette reread;
    RC_ASSERT(reread.read(again, problem));
    for (std::size_t i = 0; i < k_image_cells; ++i)
        RC_ASSERT(reread.at(CellIndex(static_cast<int>(i))) == key_of(cells[i]));
}

TEST(Palette, BulkConstructionKeepsTheNarrowerLimits) {
    std::vector<std::uint16_t> cells(k_cells);
    std::vector<std::uint16_t> values;
    const auto kind_for = [&](std::size_t distinct) {
        values.clear();
        for (std::size_t i = 0; i < distinct; ++i) values.push_back(static_cast<std::uint16_t>(i));
        for (std::size_t i = 0; i < k_cells; ++i) cells[i] = static_cast<std::uint16_t>(i % distinct);
        FillerPalette palette;
        palette.assign(std::span<const std::uint16_t, k_cells>(cells), values);
        EXPECT_TRUE(palette.check());
        for (std::size_t i = 0; i < k_cells; ++i)
            EXPECT_EQ(palette.at(CellIndex(static_cast<int>(i))), cells[i]);
        return palette.kind();
    };
    EXPECT_EQ(kind_for(1), PaletteKind::empty);
    EXPECT_EQ(kind_for(15), PaletteKind::half_byte);
    EXPECT_EQ(kind_for(16), PaletteKind::byte);
    EXPECT_EQ(kind_for(255), PaletteKind::byte);
    EXPECT_EQ(kind_for(256), PaletteKind::wide);
}

TEST(Palette, CellsWithoutAnEntryReadAsEmptyAndAreFoundByTheCheck) {
    auto stored = test::key_palette_image(std::vector<std::string>(k_image_cells, "Rock"), 1);
    stored.back() = 0x0F; // the last cell names the id 15
    KeyPalette palette;
    Error problem;
    Reader in(stored);
    ASSERT_TRUE(palette.read(in, problem)) << problem.text();
    EXPECT_EQ(palette.at(CellIndex(k_cells - 1)), k_empty_key);
    EXPECT_EQ(palette.at(CellIndex(k_cells - 2)), "Rock");
    EXPECT_EQ(palette.check().error().code, Errc::mismatch);
    EXPECT_TRUE(palette.set(CellIndex(0), "Sand"));
    EXPECT_TRUE(palette.check());
    EXPECT_EQ(palette.at(CellIndex(k_cells - 1)), k_empty_key);
}

TEST(Palette, WhatCannotBeAPaletteIsATypedErrorWithItsOffset) {
    const auto code_of = [](Buffer stored, std::uint64_t offset) {
        KeyPalette palette;
        Error problem;
        Reader in(stored);
        EXPECT_FALSE(palette.read(in, problem));
        EXPECT_EQ(problem.offset, offset) << problem.text();
        EXPECT_EQ(palette.kind(), PaletteKind::empty);
        return problem.code;
    };
    const auto good = test::key_palette_image(std::vector<std::string>(k_image_cells, "Rock"), 1);
    auto bad = good;
    bad[0] = 4;
    EXPECT_EQ(code_of(bad, 0), Errc::unknown_kind);
    bad = good;
    bad[2] = 17; // more entries than half bytes can name
    EXPECT_EQ(code_of(bad, 1), Errc::out_of_range);
    bad = good;
    bad[1] = 0x80; // below zero
    EXPECT_EQ(code_of(bad, 1), Errc::out_of_range);
    bad = good;
    bad[3] = 16; // an id that no half byte has
    EXPECT_EQ(code_of(bad, 3), Errc::out_of_range);
    bad = good;
    bad[6] = 0xFF;
    EXPECT_EQ(code_of(bad, 3), Errc::bad_text);
    bad = good;
    bad[4] = 0xFF; // a key longer than everything
    EXPECT_EQ(code_of(bad, 3), Errc::truncated);
    bad = good;
    bad.resize(bad.size() - 1);
    EXPECT_EQ(code_of(bad, 12), Errc::truncated);
    auto cells = std::vector<std::string>(k_image_cells, "A");
    cells[5] = "B";
    bad = test::key_palette_image(cells, 1);
    bad[9] = bad[3]; // both entries have one id
    EXPECT_EQ(code_of(bad, 9), Errc::overlap);
}

TEST(Palette, ACountThatIsTooHighOrTooLowIsFoundByTheCheck) {
    const auto good = test::key_palette_image(std::vector<std::string>(k_image_cells, "Rock"), 1);
    // type, count, id, length, "Rock", then the number of cells: 32768
    for (const int difference : {-1, 0, 1}) {
        auto stored = good;
        const int count = 32768 + difference;
        stored[10] = static_cast<std::uint8_t>(count >> 8);
        stored[11] = static_cast<std::uint8_t>(count);
        KeyPalette palette;
        Error problem;
        Reader in(stored);
        ASSERT_TRUE(palette.read(in, problem)) << problem.text();
        EXPECT_EQ(palette.check().has_value(), difference == 0) << difference;
        palette.recount();
        EXPECT_TRUE(palette.check()) << difference;
    }
}

TEST(Palette, ChangesShowAndWhatChangesNothingDoesNot) {
    KeyPalette palette;
    palette.fill(CellIndex(5), CellIndex(5), "Rock");
    palette.fill(CellIndex(5), CellIndex(9), "Empty");
    EXPECT_FALSE(palette.changed());
    EXPECT_EQ(palette.kind(), PaletteKind::empty);
    palette.fill(CellIndex(5), CellIndex(9), "Rock");
    EXPECT_TRUE(palette.changed());
    for (int i = 0; i < 12; ++i) EXPECT_EQ(palette.at(CellIndex(i)), i >= 5 && i < 9 ? "Rock" : "Empty") << i;
    Buffer out;
    palette.append_to(out);
    KeyPalette again;
    Error problem;
    Reader in(out);
    ASSERT_TRUE(again.read(in, problem));
    again.fill(CellIndex(6), CellIndex(8), "Rock");
    EXPECT_FALSE(again.changed()) << "they are that already";
    again.fill(CellIndex(8), CellIndex(10), "Rock");
    EXPECT_TRUE(again.changed());
    EXPECT_EQ(again.at(CellIndex(9)), "Rock");
    EXPECT_EQ(again.at(CellIndex(10)), "Empty");
    again.fill(CellIndex(0), CellIndex(k_cells - 1), "Sand");
    EXPECT_EQ(again.at(CellIndex(k_cells - 1)), "Empty");
    EXPECT_EQ(again.at(CellIndex(k_cells - 2)), "Sand");
}

} // namespace
} // namespace orbis::chunk
