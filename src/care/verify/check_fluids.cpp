#include "care/verify/check_chunk.hpp"

#include <array>
#include <cstring>

/// Fluids against their levels.
namespace orbis::care {

namespace {

constexpr std::size_t k_row = 32;
/// 32 stored bytes, 64 cells.
using Row = std::uint8_t __attribute__((vector_size(k_row)));

} // namespace

bool levels_fit(const chunk::KeyPalette& fluids, const chunk::Levels& levels) {
    if (fluids.kind() != chunk::PaletteKind::half_byte || !levels.present()) return false;
    std::array<std::uint8_t, 16> labels{};
    std::size_t count = 0;
    for (const auto& entry : fluids.entries())
        if (entry.value != chunk::k_empty_key) labels[count++] = static_cast<std::uint8_t>(entry.id);
    const auto* label_at = fluids.stored_cells().data();
    const auto* level_at = levels.stored_cells().data();
    const auto* const end = label_at + fluids.stored_cells().size();
    Row wrong{};
    for (; label_at != end; label_at += k_row, level_at += k_row) {
        Row pairs;
        Row both;
        std::memcpy(&pairs, label_at, k_row);
        std::memcpy(&both, level_at, k_row);
        // The even cell is the high half of the label and the low half of the level.
        const Row even = pairs >> 4;
        const Row odd = pairs & 15;
        Row even_fluid{};
        Row odd_fluid{};
        for (std::size_t i = 0; i < count; ++i) {
            const Row label = Row{} + labels[i];
            even_fluid |= reinterpret_cast<Row>(even == label);
            odd_fluid |= reinterpret_cast<Row>(odd == label);
        }
        wrong |= even_fluid ^ reinterpret_cast<Row>((both & 15) != 0);
        wrong |= odd_fluid ^ reinterpret_cast<Row>((both >> 4) != 0);
    }
    std::array<std::uint64_t, k_row / 8> words;
    std::memcpy(words.data(), &wrong, k_row);
    return (words[0] | words[1] | words[2] | words[3]) == 0;
}

} // namespace orbis::care
