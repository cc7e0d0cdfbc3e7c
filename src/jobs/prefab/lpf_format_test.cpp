#include "bson/writer.hpp"
#include "bytes/writer.hpp"
#include "jobs/prefab/lpf_format.hpp"
#include "jobs/prefab/made_prefabs_test.hpp"
#include "jobs/prefab/prefab_file.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace orbis::jobs::prefab {
namespace {

using namespace made;

Buffer as_lpf(const Prefab& prefab) {
    std::vector<std::string> notes;
    return write_lpf(prefab, notes).value();
}

/// One block with everything that a block can have, and an entity.
Buffer small_lpf() {
    Prefab prefab;
    prefab.block_id_version = 11;
    prefab.anchor = {10, 5, -3};
    prefab.components.push_back(chest(1, 2, 3));
    prefab.entities.push_back(entity(12.5, 7, -3.5, 1));
    prefab.blocks.push_back({{12, 7, -4}, prefab.keys.id_of("Chest"), 0, 0.5F, {31744}, {8}, 15});
    prefab.fluids.push_back({{12, 7, -4}, prefab.keys.id_of("Water"), 8});
    return as_lpf(prefab);
}

std::string lpf_problem(const Buffer& bytes) {
    const auto prefab = read_lpf(bytes);
    return prefab ? "nothing" : prefab.error().text();
}

/// Up to the count of columns.
Buffer lpf_head(std::int32_t columns, std::uint16_t version = 21) {
    Buffer out;
    Writer writer(out);
    writer.be(version);
    writer.be(std::int16_t{11});
    writer.be(std::int64_t{0});
    for (int i = 0; i < 2; ++i) {
        writer.be(std::int32_t{1});
        writer.be(std::int32_t{0});
        writer.be(std::uint16_t{1});
        writer.u8('A');
    }
    writer.be(columns);
    return out;
}

TEST(PrefabLpf, HasTheLayoutThatTheGameReads) {
    Prefab prefab;
    prefab.block_id_version = 11;
    prefab.anchor = {1, 2, 3};
    prefab.blocks.push_back({{0, 1, 5}, prefab.keys.id_of("Rock"), -1, std::nullopt, {}, {3}, 15});
    prefab.fluids.push_back({{0, 1, 5}, prefab.keys.id_of("Empty"), 0});
    Buffer wanted;
    Writer writer(wanted);
    writer.be(std::uint16_t{21});
    writer.be(std::int16_t{11});
    writer.be(prefab.anchor.packed());
    const auto key = [&](std::int32_t id, std::string_view name) {
        writer.be(id);
        writer.be(static_cast<std::uint16_t>(name.size()));
        writer.bytes(as_bytes(name));
    };
    writer.be(std::int32_t{2});
    key(0, "Empty");
    key(1, "Rock");
    writer.be(std::int32_t{1});
    key(0, "Empty");
    writer.be(std::int32_t{1});
    writer.be(static_cast<std::int32_t>(0xFFFF0002)); // x -1, z 2
    writer.be(std::int32_t{1});
    writer.be(std::int16_t{-1});
    writer.be(std::int32_t{1});
    writer.u8(8 | 32 | 4);
    writer.u8(15);
    writer.u8(3);
    writer.be(std::int32_t{0});
    writer.u8(0);
    writer.be(std::uint16_t{0});
    EXPECT_EQ(as_lpf(prefab), wanted);
}

TEST(PrefabLpf, KeepsEverythingThatABlockCanHave) {
    const auto prefab = read_lpf(small_lpf()).value();
    ASSERT_EQ(prefab.blocks.size(), 1U);
    const auto& block = prefab.blocks[0];
    EXPECT_EQ(block.at, (BlockPos{12, 7, -4}));
    EXPECT_EQ(prefab.keys[block.key], "Chest");
    EXPECT_EQ(block.chance, 0.5F);
    EXPECT_EQ(block.filler.stored, 31744);
    EXPECT_EQ(block.rotation.index, 8);
    EXPECT_EQ(block.support, 15);
    EXPECT_EQ(prefab.components.at(0), chest(1, 2, 3));
    EXPECT_EQ(prefab.entities.at(0), entity(12.5, 7, -3.5, 1));
    EXPECT_EQ(prefab.keys[prefab.fluids.at(0).key], "Water");
    EXPECT_EQ(prefab.anchor, (BlockPos{10, 5, -3}));
    EXPECT_EQ(as_lpf(prefab), small_lpf());
}

RC_GTEST_PROP(PrefabLpf, BothFormatsHoldTheSamePrefab, ()) {
    const auto prefab = any_prefab();
    const auto again = read_lpf(as_lpf(prefab));
    RC_ASSERT(again.has_value());
    RC_ASSERT(as_json(*again) == as_json(prefab));
    RC_ASSERT(as_lpf(*again) == as_lpf(prefab));
}

TEST(PrefabLpf, RealPrefabsSurviveTheWayThroughIt) {
    const auto files = real_files();
    if (files.empty()) GTEST_SKIP() << "no real prefabs here";
    for (const auto& file : files) {
        auto before = read_prefab(file).value();
        auto after = read_lpf(as_lpf(before)).value();
        EXPECT_EQ(after.entities.size(), before.entities.size());
        // Entities are in the order of their columns, all else is the same text.
        std::ranges::sort(before.entities);
        std::ranges::sort(after.entities);
        before.source.clear();
        EXPECT_EQ(as_json(after), as_json(before)) << file;
    }
}

TEST(PrefabLpf, EveryTruncationIsAnErrorAndNeverACrash) {
    const auto whole = small_lpf();
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_FALSE(read_lpf(Buffer(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))))
            << size;
    auto longer = whole;
    longer.push_back(0);
    EXPECT_EQ(lpf_problem(longer),
              fmt::format("offset {}: expected the end of the file, found 1 more bytes", whole.size()));
}

RC_GTEST_PROP(PrefabLpf, AnyChangedByteIsReadOrRefused, ()) {
    auto bytes = small_lpf();
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i)
        bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<std::uint8_t>();
    const auto prefab = read_lpf(bytes);
    if (prefab) RC_ASSERT(as_json(*prefab).starts_with("{"));
}

TEST(PrefabLpf, CountsAndLengthsThatLieAreErrorsBeforeAnythingIsMade) {
    EXPECT_EQ(lpf_problem(lpf_head(0, 20)), "offset 0: expected .lpf version 21, found 20");
    EXPECT_EQ(lpf_problem(lpf_head(0)), "nothing");
    EXPECT_EQ(lpf_problem(lpf_head(2'000'000'000)),
              "offset 34: 2000000000 columns do not fit into the rest of the file");
    EXPECT_EQ(lpf_problem(lpf_head(-1)), "offset 34: -1 columns do not fit into the rest of the file");
    auto bytes = lpf_head(1);
    Writer writer(bytes);
    writer.be(std::int32_t{0});
    writer.be(std::int32_t{100'000'000});
    writer.be(std::uint16_t{0});
    EXPECT_EQ(lpf_problem(bytes), "offset 42: 100000000 blocks do not fit into the rest of the file");
}

TEST(PrefabLpf, TheBlocksOfAllColumnsTogetherAreLimited) {
    auto bytes = lpf_head(2);
    Writer writer(bytes);
    writer.be(std::int32_t{0});
    writer.be(std::int32_t{1});
    writer.be(std::int16_t{0});
    writer.be(std::int32_t{0});
    writer.u8(0);
    writer.be(std::uint16_t{0});
    writer.be(std::int32_t{1});
    writer.be(static_cast<std::int32_t>(k_most_cells)); // one too many with that of the first column
    bytes.resize(bytes.size() + 7 * k_most_cells);
    EXPECT_EQ(lpf_problem(bytes), "a prefab may have 10000000 blocks at most, this has more");
}

TEST(PrefabLpf, PlacesReachAsFarAsAWorldDoes) {
    const auto with = [](BlockPos anchor, std::int16_t y) {
        auto bytes = lpf_head(1);
        store_be(bytes.data() + 4, anchor.packed());
        Writer writer(bytes);
        writer.be(std::int32_t{0});
        writer.be(std::int32_t{1});
        writer.be(y);
        writer.be(std::int32_t{0});
        writer.u8(0);
        writer.be(std::uint16_t{0});
        return lpf_problem(bytes);
    };
    for (const auto far : {k_farthest, -k_farthest}) {
        EXPECT_EQ(with({far, 0, 0}, 0), "nothing");
        EXPECT_EQ(with({0, 0, far}, 0), "nothing");
    }
    EXPECT_EQ(with({0, 0, 0}, 511), "nothing");
    EXPECT_EQ(with({0, 0, 0}, -512), "nothing");
    EXPECT_EQ(with({0, 0, 0}, 512), "offset 53: 0,512,0 is beyond what a world can have");
    EXPECT_EQ(with({0, 0, 0}, -513), "offset 53: 0,-513,0 is beyond what a world can have");
}

TEST(PrefabLpf, TheLeastThatAKeyAColumnAndABlockTakeIsEnough) {
    Buffer bytes;
    Writer writer(bytes);
    writer.be(std::uint16_t{21});
    writer.be(std::int16_t{0});
    writer.be(std::int64_t{0});
    writer.be(std::int32_t{0});
    writer.be(std::int32_t{1});
    writer.be(std::int32_t{5});
    writer.be(std::uint16_t{0}); // a key without a name is an error, but not before it is read
    EXPECT_EQ(lpf_problem(bytes), "offset 20: expected a name, found \"\"");
    auto named = lpf_head(0);
    named[22] = 0;
    EXPECT_EQ(lpf_problem(named), "offset 16: expected a name, found \"\\u0000\"");
}

TEST(PrefabLpf, BlocksThatAreNotPossibleAreErrors) {
    const auto with = [](std::int32_t id, std::uint8_t mask, std::initializer_list<std::uint8_t> rest,
                         int blocks = 1) {
        auto bytes = lpf_head(1);
        Writer writer(bytes);
        writer.be(std::int32_t{0});
        writer.be(static_cast<std::int32_t>(blocks));
        for (int i = 0; i < blocks; ++i) {
            writer.be(std::int16_t{0});
            writer.be(id);
            writer.u8(mask);
            for (const auto byte : rest) writer.u8(byte);
        }
        writer.be(std::uint16_t{0});
        return lpf_problem(bytes);
    };
    EXPECT_EQ(with(0, 0, {}), "nothing");
    EXPECT_EQ(with(7, 0, {}), "offset 53: no block key has the id 7");
    EXPECT_EQ(with(0, 64, {}), "offset 46: a block has parts that are not known: mask 0x40");
    EXPECT_EQ(with(0, 32, {64}), "offset 46: a block has support 0, rotation 64 and filler 0");
    EXPECT_EQ(with(0, 4, {0, 0, 0, 0, 16}), "offset 46: expected a fluid level up to 15, found 16");
    EXPECT_EQ(with(0, 1, {0x7F, 0xC0, 0, 0}), "offset 46: expected a chance, found nan");
    EXPECT_EQ(with(0, 1, {0x7F, 0x80, 0, 0}), "offset 46: expected a chance, found inf");
    EXPECT_EQ(with(0, 8, {15}), "nothing");
    EXPECT_EQ(with(0, 8, {16}), "offset 46: a block has support 16, rotation 0 and filler 0");
    EXPECT_TRUE(with(0, 2, {0, 5, 9, 0, 0, 0, 0}).starts_with("components, offset 55: "))
        << with(0, 2, {0, 5, 9, 0, 0, 0, 0});
    EXPECT_EQ(with(0, 0, {}, 2), "expected one block per cell, found two at 0,0,0");
    EXPECT_NE(with(0, 2, {0, 5, 5, 0, 0, 0, 1}), "nothing"); // a holder that is no document
}

TEST(PrefabLpf, WhatDoesNotFitIsAnErrorOrNoted) {
    std::vector<std::string> notes;
    Prefab far;
    far.blocks.push_back({{40'000, 0, 0}, far.keys.id_of("A"), -1, {}, {}, {}, 0});
    EXPECT_EQ(write_lpf(far, notes).error().text(),
              "block 40000,0,0 is too far from the anchor for a .lpf file");
    Prefab heavy;
    Buffer holder;
    bson::Writer writer(holder);
    writer.string("a", std::string(70'000, 'x')).finish();
    heavy.entities.push_back(holder);
    EXPECT_EQ(write_lpf(heavy, notes).error().code, Errc::too_large);
    EXPECT_TRUE(notes.empty());
    Prefab fluid;
    fluid.fluids.push_back({{0, 0, 0}, fluid.keys.id_of("Water"), 1});
    ASSERT_TRUE(write_lpf(fluid, notes));
    EXPECT_EQ(notes, std::vector<std::string>{
                         "fluids where no block is listed: 1; in .lpf these cells become Empty"});
}

} // namespace
} // namespace orbis::jobs::prefab
