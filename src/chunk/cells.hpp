#pragma once

#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "bytes/reader.hpp"
#include "bytes/result.hpp"

#include <bit>
#include <cstdint>

/// Per-cell numbers that are not palettes: fluid levels, supports, ticking cells (docs/formats/section.md).
namespace orbis::chunk {

/// Which half of a byte holds the cell with the even index. The game uses both orders.
enum class NibbleOrder : std::uint8_t { high_first, low_first };

/// A number 0…15 per cell, or none at all: then every cell is 0. Borrows the stored bytes until the first
/// change.
///
///     bool  present
///     [if so] 16384 bytes, two cells each
template <NibbleOrder Order>
class Nibbles {
public:
    bool read(Reader& in, Error& problem);
    void reset();

    /// Whether the numbers are stored at all.
    [[nodiscard]] bool present() const { return cells_ != nullptr; }
    [[nodiscard]] bool changed() const { return changed_; }
    [[nodiscard]] std::uint8_t at(CellIndex cell) const {
        if (cells_ == nullptr) return 0;
        const auto i = static_cast<std::size_t>(cell.value);
        const bool high = ((i & 1) == 0) == (Order == NibbleOrder::high_first);
        return static_cast<std::uint8_t>(high ? cells_[i >> 1] >> 4 : cells_[i >> 1] & 15);
    }
    /// The cells as they are stored, two to a byte; nothing if they are not.
    [[nodiscard]] Bytes stored_cells() const {
        return {cells_, cells_ == nullptr ? std::size_t{0} : std::size_t{k_cells} / 2};
    }
    /// Only the low four bits of `value` count. False if the cell had the value already.
    bool set(CellIndex cell, std::uint8_t value);
    /// Whether any of the cells [begin, end) is 0; whether any is not.
    [[nodiscard]] bool any_zero(CellIndex begin, CellIndex end) const;
    [[nodiscard]] bool any_nonzero(CellIndex begin, CellIndex end) const;
    /// Cells that are not 0.
    [[nodiscard]] std::size_t count_nonzero() const;
    /// The numbers are left out where all of them are 0.
    void append_to(Buffer& out) const;

private:
    /// Asks about sixteen cells at once.
    template <typename IsFound>
    bool any(CellIndex begin, CellIndex end, IsFound is_found) const;

    const std::uint8_t* cells_ = nullptr;
    bool changed_ = false;
    Buffer own_;
};

/// Fluid levels.
using Levels = Nibbles<NibbleOrder::low_first>;
/// Support values of block physics; 15 is a decoration that needs none.
using Supports = Nibbles<NibbleOrder::high_first>;

extern template class Nibbles<NibbleOrder::high_first>;
extern template class Nibbles<NibbleOrder::low_first>;

/// The set of cells that tick, borrowed until the first change.
///
///     u16  number of ticking cells
///     u16  words
///     u64  × words: cell w*64 + b is bit b of word w; zero words at the end are left out
class TickingSet {
public:
    static constexpr std::size_t k_words = k_cells / 64;

    bool read(Reader& in, Error& problem);
    void reset();

    [[nodiscard]] bool contains(CellIndex cell) const {
        const auto word = static_cast<std::size_t>(cell.value) / 64;
        return word < words_ && (load_be<std::uint64_t>(data_ + word * 8) >> (cell.value & 63) & 1) != 0;
    }
    /// Calls `visit(CellIndex)` for each ticking cell, ascending.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t w = 0; w < words_; ++w)
            for (auto bits = load_be<std::uint64_t>(data_ + w * 8); bits != 0; bits &= bits - 1)
                visit(CellIndex(static_cast<int>(w * 64) + std::countr_zero(bits)));
    }
    [[nodiscard]] std::size_t count() const;
    /// The number that is stored beside the set.
    [[nodiscard]] std::uint16_t stored_count() const { return stored_count_; }
    [[nodiscard]] bool changed() const { return changed_; }

    /// False if nothing changes.
    bool set(CellIndex cell, bool ticks);
    void clear();
    void append_to(Buffer& out) const;

private:
    void own();

    const std::uint8_t* data_ = nullptr;
    std::size_t words_ = 0;
    std::uint16_t stored_count_ = 0;
    bool changed_ = false;
    Bytes raw_;
    Buffer own_;
};

} // namespace orbis::chunk
