#pragma once

#include "map/painter.hpp"
#include "map/reference_test.hpp"
#include "map/tile.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace orbis::map {

/// Compares every pixel of two tiles.
inline void expect_same(const TilePixels& found, const TilePixels& expected) {
    constexpr std::size_t k_pixels = std::size_t{k_tile_side} * k_tile_side;
    if (std::memcmp(found.data(), expected.data(), k_pixels * sizeof(Rgba)) == 0) return;
    const auto* wrong = std::mismatch(found.data(), found.data() + k_pixels, expected.data()).first;
    const auto at = static_cast<int>(wrong - found.data());
    const auto text = [](Rgba p) { return fmt::format("{} {} {} {}", p.r, p.g, p.b, p.a); };
    ADD_FAILURE() << fmt::format("at {},{}: found {}, expected {}", at % k_tile_side, at / k_tile_side,
                                 text(*wrong), text(expected.data()[at]));
}

} // namespace orbis::map

namespace orbis::map::reference {

/// Documents of chunks by position, as tests make them.
using Documents = std::map<ChunkPos, Buffer>;

/// Paints every chunk and compares every pixel with the reference; how many of them were not transparent.
inline std::size_t expect_same_pixels(const Documents& documents, Layer layer,
                                      const world::Assets& assets = world::Assets::built_in()) {
    World world(assets);
    const Colours colours(assets);
    ChunkPainter painter(colours);
    std::map<ChunkPos, Edges> edges;
    for (const auto& [pos, document] : documents) {
        world.add(pos, document);
        if (painter.read(document, parts_of(layer))) edges.emplace(pos, painter.edges(layer));
    }
    EXPECT_EQ(edges.size(), world.chunks());
    std::size_t seen = 0;
    std::size_t wrong = 0;
    for (const auto& [pos, document] : documents) {
        if (!painter.read(document, parts_of(layer))) continue;
        const auto at = [&, p = pos](int x, int z) -> const Edges* {
            const auto found = edges.find({p.x + x, p.z + z});
            return found == edges.end() ? nullptr : &found->second;
        };
        const Neighbours around{at(0, -1), at(1, -1), at(1, 0),  at(1, 1),
                                at(0, 1),  at(-1, 1), at(-1, 0), at(-1, -1)};
        std::array<Rgba, k_columns> pixels;
        painter.paint(layer, around, pixels.data(), k_side);
        for (int i = 0; i < k_columns; ++i) {
            const int x = pos.x * 32 + i % 32;
            const int z = pos.z * 32 + i / 32;
            const auto expected = world.pixel(layer, x, z);
            const auto found = pixels[static_cast<std::size_t>(i)];
            seen += found.a != 0 ? 1U : 0U;
            if (found == expected || ++wrong > 10) continue;
            ADD_FAILURE() << fmt::format("{} at {},{}: found {} {} {} {}, expected {} {} {} {}", id(layer), x,
                                         z, found.r, found.g, found.b, found.a, expected.r, expected.g,
                                         expected.b, expected.a);
        }
    }
    EXPECT_EQ(wrong, 0U);
    return seen;
}

} // namespace orbis::map::reference
