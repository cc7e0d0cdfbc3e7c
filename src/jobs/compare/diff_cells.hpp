#pragma once

#include "chunk/section.hpp"

#include <array>
#include <unordered_map>
#include <vector>

namespace orbis::jobs {

/// Finds the cells in which two sections differ. The keys of both are numbered once, so that a cell costs the
/// comparison of two numbers, not of two texts.
class CellComparer {
public:
    /// One byte per cell, 1 where it differs.
    using Mask = std::array<std::uint8_t, k_cells>;

    CellComparer();

    /// Each says whether any cell differs; only then `mask()` means something.
    bool blocks(const chunk::Section& a, const chunk::Section& b);
    bool fluids(const chunk::Section& a, const chunk::Section& b);
    bool supports(const chunk::Section& a, const chunk::Section& b);
    bool ticking(const chunk::Section& a, const chunk::Section& b);
    /// Whether a player could see another light, or the game would recalculate only one of the two.
    bool light(const chunk::Section& a, const chunk::Section& b);

    [[nodiscard]] const Mask& mask() const { return mask_; }
    /// Calls `visit(CellIndex)` for each cell that differs, ascending.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t i = 0; i < k_cells; i += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, &mask_[i], sizeof word);
            if (word == 0) continue;
            for (std::size_t k = i; k < i + 8; ++k)
                if (mask_[k] != 0) visit(CellIndex(static_cast<int>(k)));
        }
    }

    /// After `blocks`: a number for the pair of keys of a cell, and the keys of a number.
    [[nodiscard]] std::uint64_t pair_at(CellIndex cell) const {
        return std::uint64_t{id_at(left_, cell)} << 32 | id_at(right_, cell);
    }
    [[nodiscard]] std::string_view first_key(std::uint64_t pair) const { return keys_[pair >> 32]; }
    [[nodiscard]] std::string_view second_key(std::uint64_t pair) const { return keys_[pair & 0xFFFF'FFFFU]; }

private:
    using Cells = std::vector<std::uint16_t>;
    /// A value for each cell: `ids[cells[i]]`, or `ids[0]` for all if there are no cells.
    struct Channel {
        const Cells* cells = nullptr;
        std::vector<std::uint32_t> ids;
    };

    static std::uint32_t id_at(const Channel& channel, CellIndex cell) {
        const auto i = static_cast<std::size_t>(cell.value);
        return channel.ids[channel.cells == nullptr ? 0 : (*channel.cells)[i]];
    }
    std::uint32_t number(std::string_view key);
    template <typename Palette, typename ToId>
    static void take(const Palette& palette, Cells& room, Channel& out, ToId&& to_id);
    void take_blocks(const chunk::Section& section, Cells& room, Channel& out);
    static void take_rotations(const chunk::Section& section, Cells& room, Channel& out);
    static void take_fillers(const chunk::Section& section, Cells& room, Channel& out);
    void take_fluids(const chunk::Section& section, Cells& room, Channel& out);
    bool mark(const Channel& a, const Channel& b);

    Mask mask_;
    Cells left_cells_;
    Cells right_cells_;
    Cells left_shape_cells_;
    Cells right_shape_cells_;
    Channel left_;
    Channel right_;
    Channel left_shape_;
    Channel right_shape_;
    std::unordered_map<std::string_view, std::uint32_t> numbers_;
    std::vector<std::string_view> keys_;
};

} // namespace orbis::jobs
