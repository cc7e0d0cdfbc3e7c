#pragma once

#include "game/codec/apply_packets.hpp"
#include "game/codec/chunk_packets.hpp"
#include "protocol/packet_codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

/// A chunk that goes over the wire and comes back.
namespace orbis::game::test_chunks {

/// Makes the packets of a chunk, writes each to its payload, and puts what is read from there together.
inline void carry(const chunk::Chunk& source, WireIds& ids, chunk::Chunk& out) {
    ChunkPackets column;
    const auto made = column.make({-3, 4}, source, ids);
    ASSERT_TRUE(made) << made.error().text();
    out = chunk::Chunk::create();
    column.for_each([&](const auto& packet) {
        Buffer payload;
        const auto written = protocol::encode(packet, payload);
        ASSERT_TRUE(written) << written.error().text();
        std::remove_cvref_t<decltype(packet)> received;
        protocol::Arena arena;
        ASSERT_TRUE(protocol::decode(payload, arena, received, true));
        ASSERT_EQ(received.x, -3);
        ASSERT_EQ(received.z, 4);
        Result<void> applied;
        if constexpr (requires { apply(received, ids, out); })
            applied = apply(received, ids, out);
        else
            applied = apply(received, out);
        ASSERT_TRUE(applied) << applied.error().text();
    });
}

/// The runs of a column from the ground of the world on: what is below does not travel.
inline std::vector<chunk::EnvironmentRun> runs_in_world(const chunk::Environments& environments, int column) {
    auto runs = environments.runs(ColumnIndex(column));
    std::erase_if(runs, [](const auto& run) { return run.max_y < 0; });
    return runs;
}

/// Whether two palettes hold the same in every cell. Most rows of cells are as the one before, and tests are
/// not optimised: those are not looked at one by one.
template <typename Value>
bool same_cells(const chunk::Palette<Value>& a, const chunk::Palette<Value>& b) {
    if (a.kind() == chunk::PaletteKind::empty && b.kind() == chunk::PaletteKind::empty) return true;
    const auto value = [](const chunk::Palette<Value>& palette, std::uint32_t entry) {
        const auto entries = palette.entries();
        return entry < entries.size() ? entries[entry].value : chunk::Palette<Value>::empty_value();
    };
    using Cells = std::array<std::uint16_t, k_cells>;
    static const auto cells = std::make_unique<std::array<Cells, 2>>();
    a.expand((*cells)[0]);
    b.expand((*cells)[1]);
    constexpr std::size_t k_row = 32;
    for (std::size_t row = 0; row < k_cells; row += k_row) {
        const auto* in_a = (*cells)[0].data() + row;
        const auto* in_b = (*cells)[1].data() + row;
        if (row > 0 && std::memcmp(in_a, in_a - k_row, 2 * k_row) == 0
            && std::memcmp(in_b, in_b - k_row, 2 * k_row) == 0)
            continue;
        for (std::size_t i = 0; i < k_row; ++i) {
            if (i > 0 && in_a[i] == in_a[i - 1] && in_b[i] == in_b[i - 1]) continue;
            if (value(a, in_a[i]) != value(b, in_b[i])) return false;
        }
    }
    return true;
}

inline bool same_levels(const chunk::Section& a, const chunk::Section& b) {
    if (a.levels.present() && b.levels.present())
        return std::ranges::equal(a.levels.stored_cells(), b.levels.stored_cells());
    return a.levels.count_nonzero() == b.levels.count_nonzero();
}

inline void expect_equal(const chunk::Section& source, const chunk::Section& got) {
    if (source.old_keys().empty()) {
        ASSERT_TRUE(same_cells(source.blocks, got.blocks));
        ASSERT_TRUE(same_cells(source.fillers, got.fillers));
        ASSERT_TRUE(same_cells(source.rotations, got.rotations));
        ASSERT_TRUE(same_cells(source.fluids, got.fluids));
        ASSERT_TRUE(same_levels(source, got));
    }
    for (int i = 0; i < k_cells && !source.old_keys().empty(); ++i) {
        const CellIndex cell(i);
        if (!(source.block_at(cell) == got.block_at(cell)) || !(source.fluid_at(cell) == got.fluid_at(cell)))
            FAIL() << "cell " << i;
    }
    ASSERT_EQ(source.local_light_valid(), got.local_light_valid());
    ASSERT_FALSE(got.global_light_valid()); // left to the client
    if (!source.local_light_valid()) return;
    ASSERT_EQ(source.local_light.present(), got.local_light.present());
    std::vector<std::uint16_t> wanted(k_cells);
    std::vector<std::uint16_t> found(k_cells);
    source.local_light.expand(chunk::Light::Expanded(wanted));
    got.local_light.expand(chunk::Light::Expanded(found));
    ASSERT_EQ(wanted, found);
}

inline void expect_equal(const chunk::Chunk& source, const chunk::Chunk& got) {
    for (int i = 0; i < k_columns; ++i) {
        const ColumnIndex column(i);
        ASSERT_EQ(source.heights().at(column), got.heights().at(column)) << "column " << i;
        ASSERT_EQ(source.tints().at(column), got.tints().at(column)) << "column " << i;
        ASSERT_EQ(runs_in_world(source.environments(), i), runs_in_world(got.environments(), i))
            << "column " << i;
    }
    for (int y = 0; y < k_sections; ++y) {
        SCOPED_TRACE(fmt::format("section {}", y));
        ASSERT_NO_FATAL_FAILURE(expect_equal(source.section(y), got.section(y)));
    }
}

} // namespace orbis::game::test_chunks
