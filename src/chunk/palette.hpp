#pragma once

#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "bytes/reader.hpp"
#include "bytes/result.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace orbis::chunk {

/// How the cells of a section are stored (docs/formats/section.md).
enum class PaletteKind : std::uint8_t { empty = 0, half_byte = 1, byte = 2, wide = 3 };

/// Key of the block and of the fluid with id 0.
inline constexpr std::string_view k_empty_key = "Empty";

/// The 32,768 cells of a section as labels into a list of values: block keys, fluid keys, fillers, rotations.
///
///     u8   type             0 Empty: nothing follows, all cells hold the empty value
///     i16  entries
///     entry: id             u8, or u16 for type 3
///            value          key (u16 length, UTF-8), u16 or u8
///            u16 cells      how many cells hold it
///     cells                 type 1: 16384 bytes, even index in the high nibble; 2: 32768; 3: 32768 × u16
///
/// Reads the stored bytes in place and borrows them, keys too; the first change copies the cells. Get and set
/// take constant time. Moves but does not copy.
template <typename Value>
class Palette {
public:
    struct Entry {
        Value value;
        std::uint32_t cells; ///< as stored; right once the palette was changed
        std::uint16_t id;
    };

    /// "Empty" or 0.
    static constexpr Value empty_value() {
        if constexpr (std::is_same_v<Value, std::string_view>)
            return k_empty_key;
        else
            return Value{0};
    }

    /// All cells hold the empty value.
    Palette();
    ~Palette();
    Palette(Palette&&) noexcept;
    Palette& operator=(Palette&&) noexcept;

    /// Takes one palette from `in` and keeps views of it. On failure `problem` says what and where (offset in
    /// the reader's bytes), and the palette is empty.
    bool read(Reader& in, Error& problem);
    /// Back to all empty, as if nothing had been changed.
    void reset() {
        if (kind_ == PaletteKind::empty && !edit_) // as most palettes of most chunks are
            raw_ = {&k_stored_empty, 1};
        else
            reset_fully();
    }

    [[nodiscard]] PaletteKind kind() const { return kind_; }
    /// The stored entries. Values live as long as the bytes that were read, changed ones as the palette.
    [[nodiscard]] std::span<const Entry> entries() const { return {entries_.data(), entries_.size() - 1}; }
    [[nodiscard]] bool changed() const { return changed_; }

    /// The entry of a cell as an index into `entries()`; `entries().size()` where the cell is of the Empty
    /// type or names no entry, both of which read as the empty value.
    [[nodiscard]] std::uint32_t entry_at(CellIndex cell) const {
        const auto i = static_cast<std::uint32_t>(cell.value);
        if (kind_ == PaletteKind::wide) [[unlikely]]
            return wide_table_[load_be<std::uint16_t>(cells_ + std::size_t{i} * 2)];
        // One formula for nibbles and bytes, so that mixed sections cost no mispredicted branch.
        const auto label = std::uint32_t{cells_[i >> half_]} >> ((~i & half_) << 2) & mask_;
        return table_[label];
    }
    [[nodiscard]] const Value& at(CellIndex cell) const { return entries_[entry_at(cell)].value; }

    /// The cells as they are stored, for loops over many at once: 16384 zeros for the Empty type.
    [[nodiscard]] Bytes stored_cells() const {
        return {cells_,
                kind_ == PaletteKind::wide ? std::size_t{k_cells} * 2 : std::size_t{k_cells} >> half_};
    }
    /// Entry indices of all cells at once.
    void expand(std::span<std::uint16_t, k_cells> out) const;
    /// Cells per entry as they are, not as stored; one more number at the end for cells without an entry.
    [[nodiscard]] std::vector<std::uint32_t> histogram() const;
    /// The same into a list that has this many numbers.
    void histogram(std::span<std::uint32_t> counts) const;
    /// Calls `visit(first cell, cell after the last, entry)` for each run of equal cells, in order.
    template <typename Visit>
    void for_each_run(Visit&& visit) const;

    /// Sets one cell; promotes and demotes as the game does. False if the cell had the value already.
    bool set(CellIndex cell, Value value);
    /// Sets all cells.
    void fill(Value value);
    /// Sets the cells [first, end).
    void fill(CellIndex first, CellIndex end, Value value);
    /// Sets the cells whose bits are set: cell i is bit i % 64 of word i / 64. How many had another value.
    std::size_t fill(std::span<const std::uint64_t, k_cells / 64> cells, Value value);
    /// Turns all cells of one value into another; how many there were.
    std::size_t replace(Value from, Value to);
    /// Gives every entry a new value; entries that become equal are joined. False if nothing changes.
    bool rename(const std::function<Value(const Entry&)>& new_value);
    /// The same with the new values in the order of the entries, and at the end that of cells without one.
    /// `counts` is the histogram.
    bool rename(std::span<const Value> values, std::span<const std::uint32_t> counts);
    /// Whether a palette of this kind that has so many values, not only the empty one, becomes no narrower.
    [[nodiscard]] bool keeps_kind(std::size_t values) const;
    /// Sets all cells from indices into `values`, with the narrower limits of the game's bulk construction.
    void assign(std::span<const std::uint16_t, k_cells> cells, std::span<const Value> values);

    /// Corrects the stored numbers of cells, and gives cells that name no entry the empty value.
    void recount();

    /// Entries that say another number of cells than hold them, and cells that name no entry.
    [[nodiscard]] Result<void> check() const;

    void append_to(Buffer& out) const;

private:
    struct Edit;
    static constexpr std::uint8_t k_stored_empty = 0;

    void reset_fully();
    Edit& edit();
    void point_at(PaletteKind kind, const std::uint8_t* cells);
    bool read_entries(Reader& in, std::size_t count, Error& problem);
    [[nodiscard]] std::uint32_t label_at(std::size_t cell) const;
    /// The first cell of the eight bytes from `cell` on that do not all repeat the label before `cell`.
    [[nodiscard]] std::uint32_t skip_repeated(std::uint32_t cell) const;
    void set_label(std::size_t cell, std::uint32_t label);
    void relabel(PaletteKind kind, std::span<const std::uint32_t> new_labels);
    void link(std::uint32_t entry);
    std::uint32_t find(Value value) const;
    std::uint32_t add(Value value, std::uint32_t cells);
    void drop(std::uint32_t entry);
    void drop_unused();
    void join_equal_values();
    void index_entries();
    void own_cells();
    void renew(std::span<const std::uint32_t> counts, std::span<const Value> values);
    std::vector<std::uint32_t> fit_ids(PaletteKind kind);
    [[nodiscard]] PaletteKind narrower() const;
    void become(PaletteKind kind);
    void settle();

    const std::uint8_t* cells_;
    std::uint32_t half_ = 1;  ///< 1 for nibbles, 0 for bytes
    std::uint32_t mask_ = 15; ///< of a label
    PaletteKind kind_ = PaletteKind::empty;
    bool changed_ = false;
    std::vector<Entry> entries_;            ///< with the empty value after the last
    Bytes raw_;                             ///< the palette as stored
    std::vector<std::uint16_t> wide_table_; ///< label to entry, for type 3
    std::unique_ptr<Edit> edit_;
    std::array<std::uint16_t, 256> table_; ///< label to entry, for the others
};

using KeyPalette = Palette<std::string_view>;
using FillerPalette = Palette<std::uint16_t>;
using RotationPalette = Palette<std::uint8_t>;

extern template class Palette<std::string_view>;
extern template class Palette<std::uint16_t>;
extern template class Palette<std::uint8_t>;

template <typename Value>
inline std::uint32_t Palette<Value>::skip_repeated(std::uint32_t i) const {
    const auto last = cells_[(i - 1) >> half_];
    const auto repeated =
        (half_ == 1 ? (last & 15U) * 0x11U : static_cast<std::uint32_t>(last)) * 0x0101010101010101ULL;
    const auto* at = cells_ + (i >> half_);
    const auto* const end = cells_ + (k_cells >> half_);
    std::array<std::uint64_t, 4> words;
    for (; end - at >= 32; at += 32) {
        std::memcpy(words.data(), at, 32);
        if (((words[0] ^ repeated) | (words[1] ^ repeated) | (words[2] ^ repeated) | (words[3] ^ repeated))
            != 0)
            break;
    }
    for (; at != end; at += 8) {
        std::memcpy(&words[0], at, 8);
        if (words[0] != repeated) break;
    }
    return static_cast<std::uint32_t>(at - cells_) << half_;
}

template <typename Value>
template <typename Visit>
void Palette<Value>::for_each_run(Visit&& visit) const {
    std::uint32_t begin = 0;
    auto current = entry_at(CellIndex(0));
    for (std::uint32_t i = 1; i < k_cells;) {
        // At the start of eight stored bytes, those that repeat the label before are passed over.
        if (kind_ != PaletteKind::wide && (i & ((8U << half_) - 1)) == 0)
            if (i = skip_repeated(i); i == k_cells) break;
        const auto next = entry_at(CellIndex(static_cast<int>(i)));
        if (next != current) {
            visit(CellIndex(static_cast<int>(begin)), CellIndex(static_cast<int>(i)), current);
            begin = i;
            current = next;
        }
        ++i;
    }
    visit(CellIndex(static_cast<int>(begin)), CellIndex(k_cells), current);
}

} // namespace orbis::chunk
