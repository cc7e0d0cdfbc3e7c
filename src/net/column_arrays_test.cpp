#include "bytes/reader.hpp"
#include "bytes/writer.hpp"
#include "bytes/zstd.hpp"
#include "net/column_arrays.hpp"
#include "net/section_packer.hpp"
#include "protocol/varint.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace orbis::net {
namespace {

/// Environments from the bottom of a column: where each begins, and which it is.
using EnvironmentRuns = std::vector<std::pair<std::uint16_t, std::uint16_t>>;

Buffer column_bytes(const std::vector<EnvironmentRuns>& columns) {
    Buffer out;
    Writer to(out);
    for (const auto& runs : columns) {
        to.le(static_cast<std::uint16_t>(runs.size()));
        for (const auto& [from, environment] : runs) {
            to.le(from);
            to.le(environment);
        }
    }
    return out;
}

/// Columns of so many environments, in which neighbours differ.
std::vector<EnvironmentRuns> random_columns(std::mt19937& random, std::uint32_t environments,
                                            std::uint32_t most_runs) {
    std::vector<EnvironmentRuns> columns(k_columns);
    for (auto& runs : columns) {
        const auto any = [&] { return static_cast<std::uint16_t>(random() % environments); };
        runs.emplace_back(std::uint16_t{0}, any());
        for (auto left = random() % most_runs; left > 0; --left) {
            const auto from = runs.back().first + 1 + random() % 60;
            const auto environment = any();
            if (from < k_sections * k_side && environment != runs.back().second)
                runs.emplace_back(static_cast<std::uint16_t>(from), environment);
        }
    }
    return columns;
}

std::uint16_t environment_at(const EnvironmentRuns& runs, int y) {
    std::uint16_t found = runs.front().second;
    for (const auto& [from, environment] : runs)
        if (from <= y) found = environment;
    return found;
}

/// The environments of the cells of a section, from its palette.
std::vector<std::int32_t> section_cells(Bytes palette) {
    Reader in(palette);
    const auto type = in.u8();
    std::vector<std::int32_t> cells(k_cells, 0);
    if (type == 0) {
        EXPECT_EQ(in.remaining(), 0U);
        return cells;
    }
    std::vector<std::int32_t> values(65536, -1);
    std::vector<std::uint32_t> stated(65536, 0);
    const auto count = in.le<std::uint16_t>();
    for (int entry = 0; entry < count; ++entry) {
        const std::size_t key = type == 3 ? in.le<std::uint16_t>() : std::size_t{in.u8()};
        values[key] = in.le<std::int32_t>();
        stated[key] = in.le<std::uint16_t>();
    }
    const auto packed = in.take(type == 1 ? k_cells / 2 : type == 2 ? k_cells : k_cells * 2);
    EXPECT_TRUE(in.ok() && in.remaining() == 0);
    for (std::size_t cell = 0; cell < k_cells; ++cell) {
        const std::size_t key = type == 3   ? load_le<std::uint16_t>(packed.data() + cell * 2)
                                : type == 2 ? packed[cell]
                                            : packed[cell / 2] >> (cell % 2 == 0 ? 4 : 0) & 15;
        cells[cell] = values[key];
        --stated[key];
    }
    for (const auto rest : stated) EXPECT_EQ(static_cast<std::uint16_t>(rest), 0) << "cells that hold a key";
    return cells;
}

/// The palettes of all sections.
std::vector<Buffer> palettes_of(const ColumnRuns& runs) {
    std::vector<Buffer> out;
    EXPECT_TRUE(runs.cut(0, k_sections, [&](int y, Bytes palette) -> Result<void> {
        EXPECT_EQ(static_cast<std::size_t>(y), out.size());
        out.emplace_back(palette.begin(), palette.end());
        return {};
    }));
    EXPECT_EQ(out.size(), std::size_t{k_sections});
    return out;
}

TEST(ColumnArrays, SectionsAndColumnsAreTheSameEnvironmentsForEveryWidthOfKeys) {
    std::mt19937 random(3);
    for (const std::uint32_t environments : {1U, 2U, 16U, 17U, 256U, 257U, 60'000U})
        for (const std::uint32_t most_runs : {1U, 3U, 12U}) {
            const auto columns = random_columns(random, environments, most_runs);
            const auto bytes = column_bytes(columns);
            const auto runs = ColumnRuns::read(bytes);
            ASSERT_TRUE(runs) << runs.error().text();
            std::array<SectionRuns, k_sections> sections;
            auto palettes = palettes_of(*runs);
            for (int y = 0; y < k_sections; ++y) {
                auto& palette = palettes[static_cast<std::size_t>(y)];
                const auto cells = section_cells(palette);
                std::size_t wrong = 0;
                for (int cell = 0; cell < k_cells; ++cell) {
                    const CellIndex at(cell);
                    const auto& column = columns[static_cast<std::size_t>(at.column().value)];
                    wrong +=
                        cells[static_cast<std::size_t>(cell)] == environment_at(column, y * k_side + at.y())
                            ? 0U
                            : 1U;
                }
                ASSERT_EQ(wrong, 0U) << environments << " in section " << y;
                auto read = SectionRuns::read(palette);
                ASSERT_TRUE(read) << read.error().text();
                sections[static_cast<std::size_t>(y)] = *std::move(read);
                EXPECT_FALSE(SectionRuns::read(Bytes(palette).first(palette.size() - 1)));
                palette.push_back(0);
                EXPECT_FALSE(SectionRuns::read(palette)) << "a byte too many";
            }
            Buffer back;
            SectionRuns::append_column(sections, back);
            EXPECT_EQ(back, bytes) << environments << " environments, " << most_runs << " runs";
        }
}

TEST(ColumnArrays, ASectionIsOneEnvironmentOnlyUpToItsLastLayer) {
    std::vector<EnvironmentRuns> columns(k_columns, EnvironmentRuns{{0, 5}});
    columns[700] = {{0, 5}, {31, 6}};
    const auto upper = column_bytes(columns);
    const auto cells = section_cells(palettes_of(*ColumnRuns::read(upper))[0]);
    EXPECT_EQ(cells[31 * 1024 + 700], 6);
    EXPECT_EQ(cells[30 * 1024 + 700], 5);
    columns[700] = {{0, 5}, {32, 6}};
    const auto next = column_bytes(columns);
    EXPECT_EQ(section_cells(palettes_of(*ColumnRuns::read(next))[0]), std::vector<std::int32_t>(k_cells, 5));
}

TEST(ColumnArrays, RunsInAnyOrderAreThoseOfTheOneThatIsReached) {
    std::vector<EnvironmentRuns> columns(k_columns, EnvironmentRuns{{9, 1}});
    columns[3] = {{0, 1}, {20, 2}, {10, 3}, {25, 1}}; // 3 begins where 2 does
    columns[4] = {{0, 1}, {0, 2}, {7, 2}, {7, 3}, {400, 4}};
    const auto bytes = column_bytes(columns);
    const auto palettes = palettes_of(*ColumnRuns::read(bytes));
    const auto cells = section_cells(palettes[0]);
    const auto at = [&](int y, int column) { return cells[static_cast<std::size_t>(y * 1024 + column)]; };
    EXPECT_EQ(at(0, 0), 1) << "the lowest run is that of all below it";
    EXPECT_EQ((std::array{at(19, 3), at(20, 3), at(24, 3), at(25, 3)}), (std::array{1, 3, 3, 1}));
    EXPECT_EQ((std::array{at(0, 4), at(6, 4), at(7, 4)}), (std::array{2, 2, 3}));
    EXPECT_EQ(section_cells(palettes[9])[4], 3) << "nothing begins above the world";
    EXPECT_EQ(palettes[0][1], 3) << "no key for what no cell has";
}

TEST(ColumnArrays, EnvironmentsThatEndEarlyOrHaveNoRunAreRefused) {
    const std::vector<EnvironmentRuns> columns(k_columns, EnvironmentRuns{{0, 5}, {40, 6}});
    const auto bytes = column_bytes(columns);
    EXPECT_TRUE(ColumnRuns::read(bytes));
    EXPECT_FALSE(ColumnRuns::read(Bytes(bytes).first(bytes.size() - 1)));
    EXPECT_FALSE(ColumnRuns::read({}));
    auto none = columns;
    none[1023] = {};
    EXPECT_FALSE(ColumnRuns::read(column_bytes(none)));
}

TEST(ColumnArrays, APaletteIsRefusedForEachWayInWhichItIsNone) {
    const auto palette = [](std::uint8_t type, std::int32_t environment, std::uint8_t cell) {
        Buffer out;
        Writer to(out);
        to.u8(type);
        to.le(std::uint16_t{1});
        to.u8(3);
        to.le(environment);
        to.le(std::uint16_t{0});
        for (int i = 0; i < k_cells; ++i) to.u8(cell);
        return out;
    };
    EXPECT_TRUE(SectionRuns::read(palette(2, 65535, 3)));
    EXPECT_FALSE(SectionRuns::read(palette(2, 65536, 3)));
    EXPECT_TRUE(SectionRuns::read(palette(2, 0, 3)));
    EXPECT_FALSE(SectionRuns::read(palette(2, -1, 3)));
    EXPECT_FALSE(SectionRuns::read(palette(2, 1, 4))) << "a key without an entry";
    EXPECT_FALSE(SectionRuns::read(palette(4, 1, 3)));
    EXPECT_FALSE(SectionRuns::read({}));
    auto one_other = palette(2, 1, 3);
    one_other.back() = 9;
    EXPECT_FALSE(SectionRuns::read(one_other)) << "the last cell counts too";
    auto half = palette(1, 1, 0x33);
    half.resize(half.size() - k_cells / 2);
    EXPECT_TRUE(SectionRuns::read(half));
    half[10] = 0x34;
    EXPECT_FALSE(SectionRuns::read(half)) << "so does each half of a byte";
    half[3] = 16;
    EXPECT_FALSE(SectionRuns::read(half)) << "a key of five bits";
}

TEST(ColumnArrays, HeightsReadBackForEveryNumberOfKeys) {
    std::mt19937 random(9);
    for (const int keys : {1, 2, 300, 1024}) {
        HeightArray heights{};
        for (std::size_t i = 0; i < heights.size(); ++i)
            heights[i] = static_cast<std::int16_t>(
                keys == 1024 ? static_cast<int>(i) - 500 : static_cast<int>(random() % 60'000) % keys - 7);
        Buffer map;
        append_height_map(heights, map);
        HeightArray back{};
        ASSERT_TRUE(read_height_map(map, back));
        EXPECT_EQ(back, heights) << keys;
        for (const std::size_t less : {1U, 1280U, 1281U})
            EXPECT_FALSE(read_height_map(Bytes(map).first(map.size() - less), back));
    }
    HeightArray high{};
    high[0] = 40'000;
    high[1] = -40'000;
    high[2] = 32'767;
    high[3] = -32'768;
    Buffer nearest;
    append_height_map(high, nearest);
    HeightArray back{};
    ASSERT_TRUE(read_height_map(nearest, back));
    EXPECT_EQ(back[0], 32'767) << "the nearest that fits";
    EXPECT_EQ(back[1], -32'768);
    EXPECT_EQ(back[2], 32'767);
    EXPECT_EQ(back[3], -32'768);
    Buffer none;
    Writer to(none);
    to.le(std::uint16_t{0});
    to.le(std::int32_t{1280});
    to.grow(1280);
    EXPECT_TRUE(read_height_map(none, back)) << "without keys all are 0";
    EXPECT_EQ(back, HeightArray{});
    auto many = none;
    many[0] = 1;
    many[1] = 4; // 1025 keys
    many.insert(many.begin() + 2, 2050, 0);
    EXPECT_FALSE(read_height_map(many, back));
    auto other_length = none;
    other_length[2] = 1;
    EXPECT_FALSE(read_height_map(other_length, back));
}

/// Columns whose environments change at heights that differ little from one to the next, as in real terrain.
std::vector<EnvironmentRuns> smooth_columns(std::mt19937& random, std::uint32_t environments,
                                            std::uint32_t runs) {
    const auto any = [&](std::uint32_t end) { return static_cast<int>(random() % end); };
    std::vector<std::array<int, 4>> layers(runs); // height, slopes, environment
    for (auto& layer : layers) layer = {any(340), any(5) - 2, any(5) - 2, any(environments)};
    std::ranges::sort(layers);
    std::vector<EnvironmentRuns> columns(k_columns);
    for (int i = 0; i < k_columns; ++i) {
        auto& column = columns[static_cast<std::size_t>(i)];
        column.emplace_back(std::uint16_t{0}, std::uint16_t{0});
        for (const auto& [height, along_x, along_z, environment] : layers) {
            const int from = height + (i % k_side * along_x + i / k_side * along_z) / 4;
            if (from > column.back().first && environment != column.back().second)
                column.emplace_back(static_cast<std::uint16_t>(from),
                                    static_cast<std::uint16_t>(environment));
        }
    }
    return columns;
}

/// What the packer makes of a column.
struct PackedSections {
    std::vector<Buffer> payloads{}; ///< of all sections, from the bottom
    std::size_t frame_bytes = 0;
    int searched = 0; ///< sections that the packer has left to a search
};
PackedSections packed_sections(SectionPacker& packer, ChunkPos pos,
                               const std::vector<EnvironmentRuns>& columns) {
    PackedSections out;
    Decompressor decompressor;
    const auto bytes = column_bytes(columns);
    EXPECT_TRUE(packer.pack(
        pos, ColumnRuns::read(bytes).value(),
        [&](Bytes frame, std::size_t size) -> Result<void> {
            EXPECT_EQ(zstd_content_size(frame), size);
            EXPECT_EQ(zstd_frame_length(frame), frame.size());
            TRY(const auto payload, decompressor.decompress(frame, size, size));
            out.payloads.emplace_back(payload.begin(), payload.end());
            out.frame_bytes += frame.size();
            return {};
        },
        [&](int y, Bytes palette) -> Result<void> {
            EXPECT_EQ(static_cast<std::size_t>(y), out.payloads.size());
            ++out.searched;
            out.payloads.emplace_back(palette.begin(), palette.end());
            return {};
        }));
    EXPECT_EQ(out.payloads.size(), std::size_t{k_sections});
    return out;
}

/// Whether a payload of the packer has this section of the columns in it.
bool has_section(Bytes payload, ChunkPos pos, int y, const std::vector<EnvironmentRuns>& columns) {
    Reader in(payload);
    const bool is_there =
        in.le<std::int32_t>() == pos.x && in.le<std::int32_t>() == y && in.le<std::int32_t>() == pos.z;
    std::array<std::uint8_t, protocol::k_largest_varint> length;
    const auto palette_size = [&](std::size_t head) { return payload.size() - 12 - head; };
    std::size_t head = 1;
    while (head < length.size()
           && protocol::write_varint(length.data(), static_cast<std::uint32_t>(palette_size(head)))
                  != length.data() + head)
        ++head;
    if (!is_there || !std::ranges::equal(payload.subspan(12, head), Bytes(length).first(head))) return false;
    const auto cells = section_cells(payload.subspan(12 + head));
    for (int cell = 0; cell < k_cells; ++cell) {
        const CellIndex at(cell);
        const auto& column = columns[static_cast<std::size_t>(at.column().value)];
        if (cells[static_cast<std::size_t>(cell)] != environment_at(column, y * k_side + at.y()))
            return false;
    }
    return true;
}

TEST(SectionPacker, FramesHaveTheEnvironmentsOfEachSection) {
    SectionPacker packer;
    int searched = 0;
    EXPECT_TRUE(rc::check([&] {
        std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
        const auto environments = *rc::gen::element(1U, 2U, 7U, 8U);
        const ChunkPos pos{*rc::gen::arbitrary<std::int32_t>(), *rc::gen::arbitrary<std::int32_t>()};
        const auto runs = *rc::gen::element(1U, 2U, 9U, 40U);
        const auto columns = *rc::gen::arbitrary<bool>() ? smooth_columns(random, environments, runs)
                                                         : random_columns(random, environments, runs);
        const auto packed = packed_sections(packer, pos, columns);
        searched += packed.searched;
        for (int y = 0; y < k_sections; ++y)
            RC_ASSERT(has_section(packed.payloads[static_cast<std::size_t>(y)], pos, y, columns));
    }));
    EXPECT_EQ(searched, 0) << "up to eight environments";
}

TEST(SectionPacker, AChangeInTheLastLayerIsPackedToo) {
    SectionPacker packer;
    for (std::size_t column = 1000; column < k_columns; ++column) { // too short for a block of its own
        std::vector<EnvironmentRuns> columns(k_columns, EnvironmentRuns{{0, 0}});
        columns[column].emplace_back(31, 1);
        const auto packed = packed_sections(packer, {1, 2}, columns);
        EXPECT_EQ(packed.searched, 0) << column;
        for (int y = 0; y < k_sections; ++y)
            EXPECT_TRUE(has_section(packed.payloads[static_cast<std::size_t>(y)], {1, 2}, y, columns))
                << column;
    }
}

TEST(SectionPacker, SectionsOfManyEnvironmentsAreLeftToASearch) {
    SectionPacker packer;
    std::mt19937 random(4);
    for (const std::uint32_t environments : {9U, 17U, 64U, 65U, 300U, 60'000U}) {
        const auto columns = random_columns(random, environments, 12);
        const auto packed = packed_sections(packer, {1, 2}, columns);
        EXPECT_EQ(packed.searched, k_sections) << environments;
        std::size_t at = 0;
        for (const auto& palette : palettes_of(*ColumnRuns::read(column_bytes(columns))))
            EXPECT_EQ(packed.payloads[at++], palette) << environments;
    }
    // Some of a column, and those above them from the right layer on.
    auto columns = random_columns(random, 3, 40);
    for (std::size_t i = 0; i < 30; ++i)
        columns[i] = {{0, 1}, {70, static_cast<std::uint16_t>(i + 4)}, {90, 2}};
    const auto packed = packed_sections(packer, {1, 2}, columns);
    EXPECT_EQ(packed.searched, 1);
    for (const int y : {0, 1, 3, 4, 9})
        EXPECT_TRUE(has_section(packed.payloads[static_cast<std::size_t>(y)], {1, 2}, y, columns)) << y;
}

TEST(SectionPacker, WhatIsTheSameTakesFewBytes) {
    SectionPacker packer;
    const std::vector<EnvironmentRuns> unknown(k_columns, EnvironmentRuns{{0, 0}});
    auto packed = packed_sections(packer, {3, -4}, unknown);
    EXPECT_EQ(packed.payloads[9], (Buffer{3, 0, 0, 0, 9, 0, 0, 0, 0xFC, 0xFF, 0xFF, 0xFF, 1, 0}));
    EXPECT_LE(packed.frame_bytes, 10U * 23);
    const std::vector<EnvironmentRuns> one(k_columns, EnvironmentRuns{{0, 700}});
    packed = packed_sections(packer, {3, -4}, one);
    EXPECT_TRUE(has_section(packed.payloads[9], {3, -4}, 9, one));
    EXPECT_LE(packed.frame_bytes, 10U * 40);
    // A border that is the same in all layers, from section 3 on another one, and then none.
    std::vector<EnvironmentRuns> walls(k_columns);
    for (int i = 0; i < k_columns; ++i)
        walls[static_cast<std::size_t>(i)] = {{0, static_cast<std::uint16_t>(i % 32 < 9 ? 1 : 2)},
                                              {96, static_cast<std::uint16_t>(i / 32 < 9 ? 1 : 2)},
                                              {200, 7}};
    packed = packed_sections(packer, {0, 0}, walls);
    for (int y = 0; y < k_sections; ++y)
        EXPECT_TRUE(has_section(packed.payloads[static_cast<std::size_t>(y)], {0, 0}, y, walls)) << y;
    EXPECT_LE(packed.frame_bytes, 10U * 130);
}

} // namespace
} // namespace orbis::net
