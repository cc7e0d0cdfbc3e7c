#pragma once

#include "bytes/bytes.hpp"
#include "bytes/reader.hpp"
#include "bytes/result.hpp"
#include "chunk/palette.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace orbis::game {

/// Turns the palettes of a section into those of packets (docs/formats/column-packets.md). Keeps its memory;
/// borrows the palette that was loaded last.
///
///     u8   type             0 Empty: nothing follows, all cells are 0
///     u16  entries
///     entry: key            u8, or u16 for type 3
///            i32 value
///            u16 uses       cells with this key
///     cells                 type 1: 16384 bytes, even index in the high nibble; 2: 32768; 3: 32768 × u16
class PaletteWriter {
public:
    /// Takes the cells of `palette`, where the entry at index i stands for the number `value_of(i)`. Cells
    /// that name no entry are 0. Numbers that occur twice become one entry.
    template <typename Value, typename ValueOf>
    void load(const chunk::Palette<Value>& palette, ValueOf&& value_of) {
        entries_.clear();
        kind_ = palette.kind();
        if (kind_ == chunk::PaletteKind::empty) return;
        const auto known = palette.entries();
        const auto counts = palette.histogram();
        for (std::size_t i = 0; i < known.size(); ++i)
            if (counts[i] > 0)
                entries_.push_back({static_cast<std::int32_t>(value_of(i)), counts[i], known[i].id});
        cells_ = palette.stored_cells();
        if (counts.back() == 0 && keeps_cells()) return;
        numbers_.assign(known.size() + 1, 0);
        for (std::size_t i = 0; i < known.size(); ++i)
            if (counts[i] > 0) numbers_[i] = static_cast<std::int32_t>(value_of(i));
        labels_.resize(k_cells);
        palette.expand(std::span<std::uint16_t, k_cells>(labels_));
        make_again(counts);
    }
    /// The same for a number per cell.
    void load(std::span<const std::int32_t, k_cells> values);

    /// Every cell is 0.
    [[nodiscard]] bool all_zero() const { return kind_ == chunk::PaletteKind::empty; }
    void append_to(Buffer& out) const;

private:
    struct Entry {
        std::int32_t value;
        std::uint32_t uses;
        std::uint16_t key;
    };
    /// Whether the stored cells can be sent as they are; makes the palette Empty if all of it is 0.
    bool keeps_cells();
    /// Makes entries and cells from `labels_`, the number of each label and how many cells have it.
    void make_again(std::span<const std::uint32_t> counts);

    chunk::PaletteKind kind_ = chunk::PaletteKind::empty;
    std::vector<Entry> entries_;
    Bytes cells_;                       ///< as stored, or `own_cells_`
    std::vector<std::int32_t> numbers_; ///< by label
    std::vector<std::uint16_t> labels_;
    std::vector<std::int32_t> sorted_;
    Buffer own_cells_; ///< as chunks store them
};

/// A palette as it was received. Keys of entries differ and fit the type; cells are not looked at.
struct RawPalette {
    struct Entry {
        std::uint16_t key;
        std::int32_t value;
    };
    chunk::PaletteKind kind = chunk::PaletteKind::empty;
    std::vector<Entry> entries;
    Bytes cells; ///< of the reader's bytes; none if the type is Empty
};

/// Takes one palette from `in`. Numbers of uses are not looked at: the cells say it. Offsets of errors count
/// from the start of the reader's bytes.
Result<RawPalette> read_raw_palette(Reader& in);

/// The same with its cells checked: they are indices into `values`.
struct ReceivedPalette {
    std::vector<std::int32_t> values;
    std::vector<std::uint16_t> cells;
};

Result<ReceivedPalette> read_palette(Reader& in);

/// A key of the cells that no entry has.
[[nodiscard]] Error key_without_entry(std::size_t cell);

/// Palettes come last in what holds them: nothing may follow.
Result<void> check_end(const Reader& in);

} // namespace orbis::game
