#include "chunk/relabel.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

namespace orbis::chunk {
namespace {

std::size_t bytes_of(PaletteKind kind) { return kind == PaletteKind::half_byte ? k_cells / 2 : k_cells; }

std::uint8_t label_of(PaletteKind kind, const Buffer& cells, std::size_t cell) {
    if (kind == PaletteKind::byte) return cells[cell];
    return static_cast<std::uint8_t>(cells[cell / 2] >> (cell % 2 == 0 ? 4 : 0) & 15);
}

RC_GTEST_PROP(Relabel, EveryCellGetsTheNewLabelOfItsOld, (std::uint64_t seed, bool from_half, bool to_half)) {
    std::mt19937_64 random(seed);
    const auto from = from_half ? PaletteKind::half_byte : PaletteKind::byte;
    const auto to = to_half ? PaletteKind::half_byte : PaletteKind::byte;
    const std::size_t labels = 1 + random() % (from_half ? 16 : 256);
    NewLabels table{};
    for (std::size_t i = 0; i < labels; ++i)
        table[i] = static_cast<std::uint8_t>(random() % (to_half ? 16 : 256));
    Buffer cells(bytes_of(from));
    const auto any = [&] { return random() % labels; };
    for (auto& cell : cells) cell = static_cast<std::uint8_t>(from_half ? any() << 4 | any() : any());
    const auto is_right = [&](const Buffer& out) {
        for (std::size_t i = 0; i < k_cells; ++i)
            if (label_of(to, out, i) != table[label_of(from, cells, i)]) return false;
        return true;
    };
    Buffer out(bytes_of(to));
    relabel_cells(from, cells.data(), to, out.data(), table);
    RC_ASSERT(is_right(out));
    relabel_cells_portably(from, cells.data(), to, out.data(), table);
    RC_ASSERT(is_right(out));
    if (from != to) return;
    auto same = cells;
    relabel_cells(from, same.data(), to, same.data(), table);
    RC_ASSERT(is_right(same));
}

} // namespace
} // namespace orbis::chunk
