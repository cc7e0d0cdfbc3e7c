#include "bson/writer.hpp"
#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "chunk/cells.hpp"
#include "chunk/columns.hpp"
#include "chunk/components.hpp"
#include "chunk/health.hpp"
#include "chunk/light.hpp"
#include "chunk/shape.hpp"
#include "support/chunk_images.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>
#include <utility>
#include <vector>

namespace orbis::chunk {
namespace {

using test::k_image_cells;

/// Light as it looks: large areas of one value, and some cells of many.
std::vector<std::uint16_t> random_light(std::mt19937_64& random) {
    std::vector<std::uint16_t> values(k_image_cells, static_cast<std::uint16_t>(random()));
    for (auto areas = random() % 30; areas > 0; --areas) {
        const auto span = std::size_t{1} << (random() % 14);
        const auto first = random() % (k_image_cells / span) * span;
        for (std::size_t i = 0; i < span; ++i)
            values[first + i] = static_cast<std::uint16_t>(areas % 3 == 0 ? random() : areas);
    }
    return values;
}

RC_GTEST_PROP(Light, ExpandsReadsAndRebuildsWhatAPlainEncoderWrote, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    const auto values = random_light(random);
    const auto stored = test::light_image(values, -7);
    Light light;
    Error problem;
    Reader in(stored);
    RC_ASSERT(light.read(in, problem));
    RC_ASSERT(light.change_id() == -7);
    std::vector<std::uint16_t> expanded(k_cells);
    light.expand(Light::Expanded(expanded));
    RC_ASSERT(expanded == values);
    for (int i = 0; i < k_cells; ++i)
        RC_ASSERT(light.at(CellIndex(i)).packed == values[static_cast<std::size_t>(i)]);

    Light made;
    made.set(Light::ConstExpanded(values), -7);
    Buffer again;
    made.append_to(again);
    RC_ASSERT(again == stored);
    for (int i = 0; i < k_cells; i += 7) RC_ASSERT(made.at(CellIndex(i)) == light.at(CellIndex(i)));

    for (std::size_t cut = 0; cut < std::min<std::size_t>(stored.size(), 200); ++cut) {
        Reader shorter(Bytes(stored).first(cut));
        RC_ASSERT(!light.read(shorter, problem));
    }
    for (int flips = 0; flips < 50; ++flips) { // no crash, and what is accepted can be used
        auto damaged = stored;
        damaged[random() % damaged.size()] ^= static_cast<std::uint8_t>(1U << random() % 8);
        Reader other{Bytes(damaged)};
        if (!light.read(other, problem)) continue;
        light.expand(Light::Expanded(expanded));
        for (int i = 0; i < k_cells; i += 5)
            RC_ASSERT(light.at(CellIndex(i)).packed == expanded[static_cast<std::size_t>(i)]);
    }
}

TEST(Light, ReadsTheExampleOfTheFormat) {
    // Root, child 1, its child 5: cells 6784 to 6847 have red 8, green 12, sky 15.
    Buffer stored = {0, 0, 1, 0, 0, 0, 47, 0x02, 0xF0, 0x00, 0x20};
    Writer out(stored);
    for (int i = 0; i < 5; ++i) out.be(std::uint16_t{0xF000});
    out.u8(0);
    for (int i = 0; i < 8; ++i) out.be(static_cast<std::uint16_t>(i == 2 ? 0xF0C8 : 0xF000));
    for (int i = 0; i < 8; ++i) out.be(std::uint16_t{0xF000});
    Light light;
    Error problem;
    Reader in(stored);
    ASSERT_TRUE(light.read(in, problem)) << problem.text();
    const auto lit = light.at(CellIndex(5, 6, 20));
    EXPECT_EQ(lit, LightValue::of(8, 12, 0, 15));
    EXPECT_EQ(light.at(CellIndex(6783)).packed, 0xF000);
    EXPECT_EQ(light.at(CellIndex(6784)), lit);
    EXPECT_EQ(light.at(CellIndex(6847)), lit);
    EXPECT_EQ(light.at(CellIndex(6848)).packed, 0xF000);
}

TEST(Light, ATreeThatIsTooDeepOrOverrunsIsATypedError) {
    const auto read = [](Buffer tree) {
        Buffer stored = {0, 0, 1};
        Writer out(stored);
        out.be(static_cast<std::int32_t>(tree.size()));
        out.bytes(tree);
        Light light;
        Error problem;
        Reader in(stored);
        EXPECT_FALSE(light.read(in, problem));
        return problem;
    };
    Buffer deep(200, 1); // each first child is a node
    EXPECT_EQ(read(deep).code, Errc::too_deep);
    EXPECT_FALSE(read(deep).problem.empty());
    EXPECT_EQ(read(deep).offset, 7U + 4U); // the mask at the fifth level
    EXPECT_EQ(read(Buffer(4 + 17, 1)).code, Errc::too_deep) << "there would be room for a leaf";
    EXPECT_EQ(read(Buffer(4 + 16, 1)).code, Errc::truncated);
    EXPECT_EQ(read({}).code, Errc::truncated);
    EXPECT_EQ(read(Buffer(16, 0)).code, Errc::truncated);
    EXPECT_EQ(read(Buffer(18, 0)).code, Errc::bad_value);
    EXPECT_EQ(read({0xFF}).code, Errc::truncated);
}

RC_GTEST_PROP(Nibbles, BothOrdersAgreeWithAPlainEncoder, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    std::vector<int> values(k_image_cells);
    for (auto& value : values) value = static_cast<int>(random() % 16);
    const auto supports_stored = test::physics_image(values);
    auto levels_stored = test::fluid_image({}, values);
    levels_stored.erase(levels_stored.begin()); // the palette
    Supports supports;
    Levels levels;
    Error problem;
    Reader first(supports_stored);
    Reader second(levels_stored);
    RC_ASSERT(supports.read(first, problem));
    RC_ASSERT(levels.read(second, problem));
    for (int step = 0; step < 200; ++step) {
        const auto cell = random() % k_image_cells;
        const auto value = static_cast<std::uint8_t>(random() % 16);
        RC_ASSERT(supports.set(CellIndex(static_cast<int>(cell)), value) == (values[cell] != value));
        levels.set(CellIndex(static_cast<int>(cell)), value);
        values[cell] = value;
    }
    for (int i = 0; i < k_cells; ++i) {
        RC_ASSERT(supports.at(CellIndex(i)) == values[static_cast<std::size_t>(i)]);
        RC_ASSERT(levels.at(CellIndex(i)) == values[static_cast<std::size_t>(i)]);
    }
    Buffer out;
    supports.append_to(out);
    RC_ASSERT(out == test::physics_image(values));
}

TEST(Nibbles, AreLeftOutOnceAllOfThemAreZeroAgain) {
    Supports supports;
    EXPECT_FALSE(supports.set(CellIndex(4), 0));
    EXPECT_TRUE(supports.set(CellIndex(4), 15));
    Buffer out;
    supports.append_to(out);
    EXPECT_EQ(out.size(), 16385U);
    EXPECT_TRUE(supports.set(CellIndex(4), 0));
    out.clear();
    supports.append_to(out);
    EXPECT_EQ(out, Buffer{0});
}

RC_GTEST_PROP(TickingSet, IsASetOfCells, (std::uint64_t seed)) {
    std::mt19937_64 random(seed);
    std::set<int> expected;
    TickingSet ticking;
    for (int step = 0; step < 100; ++step) {
        const auto cell = static_cast<int>(random() % (step < 50 ? 500 : k_image_cells));
        const bool on = random() % 3 != 0;
        RC_ASSERT(ticking.set(CellIndex(cell), on) == (expected.contains(cell) != on));
        if (on)
            expected.insert(cell);
        else
            expected.erase(cell);
    }
    test::SectionImage image;
    image.blocks.assign(k_image_cells, "Rock");
    image.ticking = expected;
    Buffer out;
    ticking.append_to(out);
    const auto whole = test::section_image(image);
    const auto palette = test::key_palette_image(image.blocks).size() + 4;
    RC_ASSERT(std::equal(out.begin(), out.end(), whole.begin() + static_cast<std::ptrdiff_t>(palette)));
    TickingSet again;
    Error problem;
    Reader in(out);
    RC_ASSERT(again.read(in, problem));
    std::set<int> seen;
    again.for_each([&](CellIndex cell) { seen.insert(cell.value); });
    RC_ASSERT(seen == expected);
    RC_ASSERT(again.count() == expected.size());
    RC_ASSERT(again.stored_count() == expected.size());
}

TEST(TickingSet, MoreWordsThanASectionHasAreAnError) {
    const Buffer stored = {0, 0, 2, 1};
    TickingSet ticking;
    Error problem;
    Reader in(stored);
    EXPECT_FALSE(ticking.read(in, problem));
    EXPECT_EQ(problem.code, Errc::out_of_range);
}

template <typename Number>
void check_column_map(std::uint64_t seed, int distinct) {
    std::mt19937_64 random(seed);
    std::vector<std::int32_t> values(k_columns);
    for (auto& value : values)
        value = static_cast<Number>(static_cast<int>(random() % static_cast<std::uint64_t>(distinct)) - 2);
    const auto stored = test::column_map_image(values, sizeof(Number));
    ColumnMap<Number> map;
    Error problem;
    Reader in(stored);
    RC_ASSERT(map.read(in, problem));
    RC_ASSERT(in.remaining() == 0U);
    Buffer out;
    map.append_to(out);
    RC_ASSERT(out == stored);
    for (int step = 0; step < 300; ++step) {
        const auto column = random() % k_columns;
        const auto value = static_cast<Number>(random() % 2000);
        map.set(ColumnIndex(static_cast<int>(column)), value);
        values[column] = value;
    }
    out.clear();
    map.append_to(out);
    ColumnMap<Number> again;
    Reader changed(out);
    RC_ASSERT(again.read(changed, problem));
    RC_ASSERT(again.check().has_value());
    for (int i = 0; i < k_columns; ++i) {
        RC_ASSERT(map.at(ColumnIndex(i)) == values[static_cast<std::size_t>(i)]);
        RC_ASSERT(again.at(ColumnIndex(i)) == values[static_cast<std::size_t>(i)]);
    }
}

RC_GTEST_PROP(ColumnMap, HeightsAndTintsAgreeWithAPlainEncoder, (std::uint64_t seed)) {
    const auto distinct = *rc::gen::element(1, 3, 100, 30000);
    check_column_map<std::int16_t>(seed, distinct);
    check_column_map<std::int32_t>(seed, distinct);
}

TEST(ColumnMap, NoKeysStandForZeroAndAnIndexWithoutAKeyIsFoundByTheCheck) {
    Buffer stored;
    Writer out(stored);
    out.le(std::int16_t{0});
    out.le(std::int32_t{1280});
    out.zeros(1280);
    Heights heights;
    Error problem;
    Reader in(stored);
    ASSERT_TRUE(heights.read(in, problem));
    EXPECT_EQ(heights.at(ColumnIndex(77)), 0);
    EXPECT_TRUE(heights.check());
    stored[6] = 3;
    EXPECT_EQ(heights.at(ColumnIndex(0)), 0);
    EXPECT_EQ(heights.check().error().code, Errc::out_of_range);
    stored[0] = 1;
    stored[1] = 0xFF; // -255 keys
    Reader negative(stored);
    EXPECT_FALSE(heights.read(negative, problem));
    EXPECT_EQ(problem.code, Errc::out_of_range);
}

TEST(BlockHealth, ReadsBothVersionsAndWritesTheSecond) {
    Buffer stored;
    Writer out(stored);
    out.u8(1);
    out.be(std::int32_t{1});
    for (const std::int32_t part : {-5, 70, 1000}) out.be(part);
    out.be(0.25F);
    out.be(std::int64_t{123456789});
    BlockHealth health;
    Error problem;
    Reader old(stored);
    ASSERT_TRUE(health.read(old, problem)) << problem.text();
    ASSERT_EQ(health.damaged().size(), 1U);
    EXPECT_EQ(health.damaged()[0], (BlockHealth::Damaged{{-5, 70, 1000}, 0.25F, 123456789}));

    stored[0] = 2;
    out.be(std::int32_t{1});
    for (const std::int32_t part : {1, 2, 3}) out.be(part);
    out.be(9.5F);
    Reader both(stored);
    ASSERT_TRUE(health.read(both, problem)) << problem.text();
    EXPECT_EQ(health.fragile().at(0), (BlockHealth::Fragile{{1, 2, 3}, 9.5F}));
    health.set(health.damaged(), health.fragile());
    Buffer again;
    health.append_to(again);
    EXPECT_EQ(again, stored);
    BlockHealth read_again;
    Reader untouched(stored);
    ASSERT_TRUE(read_again.read(untouched, problem));
    EXPECT_TRUE(read_again.forget({1, 2, 3}));
    Buffer less;
    read_again.append_to(less);
    EXPECT_EQ(less.size() + 16, stored.size()) << "what was forgotten is not written";
    EXPECT_TRUE(health.forget({1, 2, 3}));
    EXPECT_FALSE(health.forget({1, 2, 3}));

    for (std::size_t cut = 0; cut < stored.size(); ++cut) {
        Reader shorter(Bytes(stored).first(cut));
        EXPECT_FALSE(BlockHealth().read(shorter, problem));
        EXPECT_TRUE(cut > 0 || problem.code == Errc::truncated);
    }
    stored[0] = 3;
    Reader future(stored);
    EXPECT_FALSE(health.read(future, problem));
    EXPECT_EQ(problem.code, Errc::unsupported);
}

TEST(Shape, RotationsAreAnglesAndFillersAreOffsets) {
    for (int index = 0; index < 64; ++index) {
        const Rotation rotation{static_cast<std::uint8_t>(index)};
        EXPECT_EQ(Rotation::of_degrees(rotation.yaw(), rotation.pitch(), rotation.roll()), rotation);
    }
    EXPECT_EQ(Rotation::of_degrees(-90).yaw(), 270);
    EXPECT_EQ(Rotation::of_degrees(90, 180, 270).index, 3 * 16 + 2 * 4 + 1);
    for (int x = -16; x < 16; ++x)
        for (int y = -16; y < 16; ++y)
            for (int z = -16; z < 16; z += 5) {
                const auto filler = Filler::of_offset(x, y, z);
                EXPECT_EQ(filler.x(), x);
                EXPECT_EQ(filler.y(), y);
                EXPECT_EQ(filler.z(), z);
                const BlockPos base{-1, 100, 31};
                EXPECT_EQ(filler.base(filler.cell(base)), base);
            }
    EXPECT_EQ(Filler::of_offset(0, 1, 0).stored, 1 << 10);
    EXPECT_EQ(Filler::of_offset(0, -1, 0).stored, 31744);
}

TEST(Nibbles, TheFlagBeforeThemIsZeroOrOne) {
    for (const int flag : {2, 3, 255}) {
        Buffer stored(16385, 1);
        stored[0] = static_cast<std::uint8_t>(flag);
        Supports supports;
        Error problem;
        Reader in(stored);
        EXPECT_FALSE(supports.read(in, problem)) << flag;
        EXPECT_EQ(problem.code, Errc::bad_value);
        EXPECT_EQ(problem.offset, 0U);
        EXPECT_FALSE(supports.present());
    }
}

TEST(Nibbles, AnyOfARangeIsAskedForToItsLastCell) {
    std::mt19937_64 random(11);
    const auto ranges = [&](const auto& check) {
        for (int i = 0; i < 400; ++i) {
            const auto begin = static_cast<int>(random() % 200);
            check(begin, begin + static_cast<int>(random() % 200));
        }
        for (const int begin : {0, 1, 15, 16, 17, 63, 64}) {
            check(begin, begin);
            check(begin, begin + 1);
            check(begin, k_cells);
        }
        check(k_cells - 1, k_cells);
        check(k_cells - 130, k_cells - 1);
    };
    for (int round = 0; round < 40; ++round) {
        const auto special = round < 8 ? k_cells - 1 - round : static_cast<int>(random() % 400);
        Levels one; // all zero but one
        one.set(CellIndex(special), 3);
        ranges([&](int begin, int end) {
            const auto has = begin <= special && special < end;
            ASSERT_EQ(one.any_nonzero(CellIndex(begin), CellIndex(end)), has) << begin << "-" << end;
            ASSERT_EQ(one.any_zero(CellIndex(begin), CellIndex(end)), end - begin > (has ? 1 : 0));
        });
        Buffer stored(16385, 0x5F);
        stored[0] = 1;
        Supports other; // none is zero but one
        Error problem;
        Reader in(stored);
        ASSERT_TRUE(other.read(in, problem));
        other.set(CellIndex(special), 0);
        EXPECT_EQ(other.count_nonzero(), std::size_t{k_cells} - 1);
        ranges([&](int begin, int end) {
            const auto has = begin <= special && special < end;
            ASSERT_EQ(other.any_zero(CellIndex(begin), CellIndex(end)), has) << begin << "-" << end;
            ASSERT_EQ(other.any_nonzero(CellIndex(begin), CellIndex(end)), end - begin > (has ? 1 : 0));
        });
    }
    const Levels none;
    EXPECT_TRUE(none.any_zero(CellIndex(3), CellIndex(4)));
    EXPECT_FALSE(none.any_zero(CellIndex(4), CellIndex(4)));
    EXPECT_FALSE(none.any_nonzero(CellIndex(0), CellIndex(k_cells)));
}

TEST(TickingSet, AsManyWordsAsASectionHasAreRead) {
    Buffer stored(4 + 512 * 8, 0);
    stored[2] = 2; // 512 words
    stored.back() = 0;
    stored[4 + 511 * 8] = 0x80;
    stored[1] = 1;
    TickingSet ticking;
    Error problem;
    Reader in(stored);
    ASSERT_TRUE(ticking.read(in, problem)) << problem.text();
    EXPECT_TRUE(ticking.contains(CellIndex(k_cells - 1)));
    EXPECT_EQ(ticking.count(), 1U);
    ticking.set(CellIndex(2), true);
    ticking.set(CellIndex(k_cells - 1), false);
    Buffer out;
    ticking.append_to(out);
    EXPECT_EQ(out, (Buffer{0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 4})) << "zero words at the end are left out";
    ticking.clear();
    EXPECT_EQ(ticking.count(), 0U);
}

TEST(ColumnMap, HasRoomForAsManyKeysAsThereAreColumnsAndNoMore) {
    std::vector<std::int32_t> values(k_columns);
    for (int i = 0; i < k_columns; ++i) values[static_cast<std::size_t>(i)] = i;
    auto stored = test::column_map_image(values, 2);
    Heights heights;
    Error problem;
    Reader in(stored);
    ASSERT_TRUE(heights.read(in, problem)) << problem.text();
    EXPECT_TRUE(heights.set(ColumnIndex(5), 5000)); // the key 5 is not needed any more
    EXPECT_EQ(heights.at(ColumnIndex(5)), 5000);
    for (const int i : {0, 4, 6, 1023}) EXPECT_EQ(heights.at(ColumnIndex(i)), i);
    EXPECT_TRUE(heights.check());
    Buffer more;
    Writer out(more);
    out.le(std::int16_t{1025});
    out.zeros(1025 * 2);
    out.le(std::int32_t{1280});
    out.zeros(1280);
    Reader too_many(more);
    EXPECT_FALSE(heights.read(too_many, problem));
    EXPECT_EQ(problem.code, Errc::out_of_range);
    // One below the most: another key still fits beside them.
    values[7] = 6;
    stored = test::column_map_image(values, 2);
    Reader fewer(stored);
    ASSERT_TRUE(heights.read(fewer, problem));
    EXPECT_TRUE(heights.set(ColumnIndex(9), 6000));
    EXPECT_EQ(heights.at(ColumnIndex(9)), 6000);
    EXPECT_EQ(heights.at(ColumnIndex(7)), 6);
}

TEST(ColumnMap, OneOfAnotherLengthIsRefusedAndLeavesNothing) {
    const std::vector<std::int32_t> values(k_columns, 9);
    const auto stored = test::column_map_image(values, 2);
    const auto length_at = stored.size() - 1280 - 4;
    Heights heights;
    Error problem;
    const auto refuses = [&](Bytes bytes, Errc code) {
        Reader good(stored);
        EXPECT_TRUE(heights.read(good, problem));
        EXPECT_EQ(heights.at(ColumnIndex(3)), 9);
        Reader in(bytes);
        EXPECT_FALSE(heights.read(in, problem)) << bytes.size();
        EXPECT_EQ(problem.code, code) << bytes.size();
        EXPECT_EQ(heights.at(ColumnIndex(3)), 0) << "nothing of the one before stays";
    };
    for (const int length : {0, 1279, 1281, -1, 1 << 30}) {
        auto other = stored;
        store_le(other.data() + length_at, length);
        other.resize(other.size() + 8); // there would be enough
        refuses(other, Errc::bad_value);
    }
    for (std::size_t size = 0; size < stored.size(); ++size)
        refuses(Bytes(stored).first(size), Errc::truncated);
}

TEST(Components, AfterARefusalThereAreNone) {
    const auto read = [](const auto& fill) {
        Buffer bytes;
        bson::Writer to(bytes);
        fill(to);
        to.finish();
        return bytes;
    };
    const auto good = read([](auto& to) { to.document("0").end().document("1").end(); });
    const auto bad = read([](auto& to) { to.document("0").end().int32("1", 5); });
    const auto odd = read([](auto& to) { to.document("0").end().document("x").end(); });
    const auto twice = read([](auto& to) { to.document("1").end().document("0").end().document("1").end(); });
    Error problem;
    Entities entities;
    ASSERT_TRUE(entities.read(*bson::Document::open(good), problem));
    EXPECT_EQ(entities.holders().size(), 2U);
    EXPECT_FALSE(entities.read(*bson::Document::open(bad), problem));
    EXPECT_EQ(problem.code, Errc::bad_value);
    EXPECT_TRUE(entities.holders().empty());
    BlockComponents blocks;
    for (const auto& [bytes, code] : {std::pair(&bad, Errc::bad_value), std::pair(&odd, Errc::bad_text),
                                      std::pair(&twice, Errc::overlap)}) {
        ASSERT_TRUE(blocks.read(*bson::Document::open(good), problem));
        EXPECT_EQ(blocks.entries().size(), 2U);
        EXPECT_FALSE(blocks.read(*bson::Document::open(*bytes), problem));
        EXPECT_EQ(problem.code, code);
        EXPECT_TRUE(blocks.entries().empty());
    }
}

TEST(ColumnMap, AnIndexWithoutAKeyIsFixedByTheValueThatItReadsAs) {
    Buffer stored;
    Writer out(stored);
    out.le(std::int16_t{1});
    out.le(std::int16_t{0}); // the one key
    out.le(std::int32_t{1280});
    out.zeros(1280);
    stored[8] = 3; // column 0 names key 3
    Heights heights;
    Error problem;
    Reader in(stored);
    ASSERT_TRUE(heights.read(in, problem));
    ASSERT_FALSE(heights.check());
    const auto value = heights.at(ColumnIndex(0));
    EXPECT_TRUE(heights.set(ColumnIndex(0), value));
    EXPECT_TRUE(heights.check());
    EXPECT_EQ(heights.at(ColumnIndex(0)), value);
    EXPECT_FALSE(heights.set(ColumnIndex(1), 0)) << "nothing to do";
}

TEST(BlockHealth, StaysChangedWhateverIsForgottenLater) {
    BlockHealth health;
    health.reset();
    EXPECT_FALSE(health.forget({1, 2, 3}));
    EXPECT_FALSE(health.changed());
    health.set({{{1, 2, 3}, 0.5F, 9}}, {{{4, 5, 6}, 1.0F}});
    EXPECT_FALSE(health.forget({7, 7, 7}));
    EXPECT_TRUE(health.changed());
    EXPECT_TRUE(health.forget({4, 5, 6}));
    EXPECT_TRUE(health.changed());
    EXPECT_EQ(health.damaged().size(), 1U);
    EXPECT_TRUE(health.fragile().empty());
}

TEST(Light, ItsFlagIsZeroOrOneAndNoLightHasAChangeIdToo) {
    Light light;
    Error problem;
    const Buffer stored{0, 7, 2, 0, 0, 0, 0};
    Reader in(stored);
    EXPECT_FALSE(light.read(in, problem));
    EXPECT_EQ(problem.code, Errc::bad_value);
    EXPECT_EQ(problem.offset, 2U);
    light.set(Light::ConstExpanded(std::vector<std::uint16_t>(k_cells, 5)), 3);
    light.clear(-2);
    EXPECT_EQ(light.change_id(), -2);
    EXPECT_EQ(light.at(CellIndex(9)).packed, 0);
    Buffer out;
    light.append_to(out);
    EXPECT_EQ(out, (Buffer{0xFF, 0xFE, 0}));
    EXPECT_TRUE(light.changed());
}

} // namespace
} // namespace orbis::chunk
