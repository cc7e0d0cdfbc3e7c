#include "care/verify/check_chunk.hpp"

#include <array>
#include <cstring>

/// Fluids against their levels.
namespace orbis::care {

namespace {

/// Which of the two cells of a stored byte are not 0: bit 0 for the even cell, bit 1 for the odd one. Levels
/// have the even cell in the low half.
constexpr auto k_level_bits = [] {
    std::array<std::uint8_t, 256> bits{};
    for (unsigned i = 0; i < 256; ++i)
        bits[i] = static_cast<std::uint8_t>(((i & 15) != 0 ? 1 : 0) | ((i >> 4) != 0 ? 2 : 0));
    return bits;
}();

} // namespace

bool levels_fit(const chunk::KeyPalette& fluids, const chunk::Levels& levels) {
    if (fluids.kind() != chunk::PaletteKind::half_byte || !levels.present()) return false;
    unsigned is_fluid = 0; // a bit for each label
    for (const auto& entry : fluids.entries())
        if (entry.value != chunk::k_empty_key) is_fluid |= 1U << entry.id;
    // Labels have the even cell in the high half.
    std::array<std::uint8_t, 256> fluid_bits{};
    for (unsigned i = 0; i < 256; ++i)
        fluid_bits[i] =
            static_cast<std::uint8_t>((is_fluid >> (i >> 4) & 1) | (is_fluid >> (i & 15) & 1) << 1);

    // Water and air come in long runs: eight bytes like the eight before need no second look.
    const auto labels = fluids.stored_cells();
    const auto heights = levels.stored_cells();
    std::uint64_t good_labels = 0;
    std::uint64_t good_levels = 0;
    bool any_good = false;
    for (std::size_t i = 0; i < labels.size(); i += 8) {
        std::uint64_t label_word = 0;
        std::uint64_t level_word = 0;
        std::memcpy(&label_word, labels.data() + i, 8);
        std::memcpy(&level_word, heights.data() + i, 8);
        if (any_good && label_word == good_labels && level_word == good_levels) continue;
        for (std::size_t j = i; j < i + 8; ++j)
            if (fluid_bits[labels[j]] != k_level_bits[heights[j]]) return false;
        good_labels = label_word;
        good_levels = level_word;
        any_good = true;
    }
    return true;
}

} // namespace orbis::care
