#pragma once

#include "chunk/palette.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <string>
#include <unordered_map>

/// Changes of palettes: private to palette.cpp and palette_edit_members.hpp.
namespace orbis::chunk {

constexpr std::size_t cell_bytes_of(PaletteKind kind) {
    switch (kind) {
    case PaletteKind::empty: return 0;
    case PaletteKind::half_byte: return k_cells / 2;
    case PaletteKind::byte: return k_cells;
    case PaletteKind::wide: return std::size_t{k_cells} * 2;
    }
    return 0;
}

constexpr std::uint32_t labels_of(PaletteKind kind) {
    return kind == PaletteKind::half_byte ? 16 : kind == PaletteKind::byte ? 256 : 65536;
}

/// What a palette has of its own once it was changed. Values are unique and all counts are right then.
template <typename Value>
struct Palette<Value>::Edit {
    Buffer cells;
    std::unordered_map<Value, std::uint32_t> by_value;
    std::deque<std::string> keys; ///< owns the keys that were not in the stored bytes
    std::vector<std::uint64_t> taken = std::vector<std::uint64_t>(65536 / 64); ///< a bit per id
    std::size_t first_free = 0; ///< no word before has a free id

    void take_id(std::uint32_t id) { taken[id / 64] |= std::uint64_t{1} << (id % 64); }
    void release_id(std::uint32_t id) {
        taken[id / 64] &= ~(std::uint64_t{1} << (id % 64));
        first_free = std::min<std::size_t>(first_free, id / 64);
    }
    /// The lowest id that is free; there is one, as there are more ids than cells.
    std::uint32_t lowest_id() {
        while (taken[first_free] == ~std::uint64_t{0}) ++first_free;
        return static_cast<std::uint32_t>(first_free * 64)
               + static_cast<std::uint32_t>(std::countr_one(taken[first_free]));
    }
    void take_ids(std::span<const Entry> entries) {
        std::ranges::fill(taken, 0);
        first_free = 0;
        for (const auto& entry : entries) take_id(entry.id);
    }

    Value own(Value value) {
        if constexpr (std::is_same_v<Value, std::string_view>) {
            if (value == k_empty_key) return k_empty_key;
            return keys.emplace_back(value);
        } else {
            return value;
        }
    }
};

} // namespace orbis::chunk
