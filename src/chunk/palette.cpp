#include "chunk/palette.hpp"

#include "chunk/count_labels.hpp"
#include "chunk/palette_edit_members.hpp"
#include "chunk/palette_values.hpp"

#include <algorithm>
#include <cstring>

namespace orbis::chunk {

namespace {

/// What the cells of an Empty palette are read from.
constexpr std::array<std::uint8_t, k_cells / 2> k_empty_cells{};

} // namespace

template <typename Value>
Palette<Value>::Palette() : cells_(k_empty_cells.data()), entries_(1, Entry{empty_value(), 0, 0}) {
    table_.fill(0);
}

template <typename Value>
Palette<Value>::~Palette() = default;
template <typename Value>
Palette<Value>::Palette(Palette&&) noexcept = default;
template <typename Value>
Palette<Value>& Palette<Value>::operator=(Palette&&) noexcept = default;

template <typename Value>
void Palette<Value>::point_at(PaletteKind kind, const std::uint8_t* cells) {
    kind_ = kind;
    half_ = kind == PaletteKind::empty || kind == PaletteKind::half_byte ? 1 : 0;
    mask_ = half_ == 1 ? 15 : 255;
    cells_ = kind == PaletteKind::empty ? k_empty_cells.data() : cells;
}

template <typename Value>
void Palette<Value>::reset_fully() {
    point_at(PaletteKind::empty, nullptr);
    entries_.resize(1);
    entries_.back() = Entry{empty_value(), 0, 0};
    table_[0] = 0;
    raw_ = {&k_stored_empty, 1};
    changed_ = false;
    if (!edit_) return;
    CellMemory::here().leave(std::move(edit_->cells));
    edit_.reset();
}

template <typename Value>
bool Palette<Value>::read_entries(Reader& in, std::size_t count, Error& problem) {
    const bool wide = kind_ == PaletteKind::wide;
    const auto none = static_cast<std::uint16_t>(count);
    const std::size_t labels = kind_ == PaletteKind::half_byte ? 16 : wide ? 65536 : 256;
    if (wide)
        wide_table_.assign(labels, none);
    else
        std::fill_n(table_.begin(), labels, none);
    for (std::size_t i = 0; i < count; ++i) {
        auto& entry = entries_[i];
        const auto start = in.position();
        const std::uint32_t id = wide ? in.be<std::uint16_t>() : in.u8();
        const bool readable = read_palette_value(in, entry.value);
        entry.id = static_cast<std::uint16_t>(id);
        entry.cells = in.be<std::uint16_t>();
        if (!in.ok()) {
            problem = error(Errc::truncated, "the palette ends in entry {} of {}", i, count).at(start);
            return false;
        }
        if (!readable) {
            problem = error(Errc::bad_text, "the key of palette entry {} is not UTF-8", i).at(start);
            return false;
        }
        if (id >= labels) {
            problem = error(Errc::out_of_range, "palette entry {} has the id {}, expected at most {}", i, id,
                            labels - 1)
                          .at(start);
            return false;
        }
        auto& linked = wide ? wide_table_[id] : table_[id];
        if (linked != none) {
            problem = error(Errc::overlap, "palette entries {} and {} both have the id {}", linked, i, id)
                          .at(start);
            return false;
        }
        linked = static_cast<std::uint16_t>(i);
    }
    return true;
}

template <typename Value>
bool Palette<Value>::read(Reader& in, Error& problem) {
    reset();
    const auto start = in.position();
    const auto before = in.rest();
    const auto type = in.u8();
    if (type == 0 && in.ok()) {
        raw_ = before.first(1);
        return true;
    }
    const auto count = in.be<std::int16_t>();
    if (!in.ok()) {
        problem = error(Errc::truncated, "the palette ends before its entries").at(start);
        return false;
    }
    if (type > 3) {
        problem = error(Errc::unknown_kind, "a palette of type {}, expected 0 to 3", type).at(start);
        return false;
    }
    const auto kind = static_cast<PaletteKind>(type);
    const std::size_t cell_bytes = cell_bytes_of(kind);
    const int labels = kind == PaletteKind::half_byte ? 16 : kind == PaletteKind::byte ? 256 : 32768;
    if (count < 0 || count > labels) {
        problem = error(Errc::out_of_range, "a palette of type {} with {} entries, expected 0 to {}", type,
                        count, labels)
                      .at(start + 1);
        return false;
    }
    if (in.remaining() < cell_bytes) {
        problem = error(Errc::truncated, "the palette has {} bytes left, its cells alone take {}",
                        in.remaining(), cell_bytes)
                      .at(in.position());
        return false;
    }
    kind_ = kind;
    entries_.resize(static_cast<std::size_t>(count) + 1);
    entries_.back() = Entry{empty_value(), 0, 0};
    if (!read_entries(in, static_cast<std::size_t>(count), problem)) {
        reset();
        return false;
    }
    const auto cells = in.take(cell_bytes);
    if (!in.ok()) {
        problem = error(Errc::truncated, "the cells of the palette take {} bytes, found {}", cell_bytes,
                        in.remaining())
                      .at(in.position());
        reset();
        return false;
    }
    point_at(kind, cells.data());
    raw_ = before.first(in.position() - start);
    return true;
}

template <typename Value>
void Palette<Value>::expand(std::span<std::uint16_t, k_cells> out) const {
    if (kind_ == PaletteKind::empty) {
        std::ranges::fill(out, std::uint16_t{0});
    } else if (kind_ == PaletteKind::half_byte) {
        // Two cells per stored byte: one look-up writes both.
        std::array<std::array<std::uint16_t, 2>, 256> pairs;
        for (std::size_t i = 0; i < 256; ++i) pairs[i] = {table_[i >> 4], table_[i & 15]};
        for (std::size_t i = 0; i < k_cells / 2; ++i) std::memcpy(&out[i * 2], &pairs[cells_[i]], 4);
    } else if (kind_ == PaletteKind::byte) {
        for (std::size_t i = 0; i < k_cells; ++i) out[i] = table_[cells_[i]];
    } else {
        for (std::size_t i = 0; i < k_cells; ++i)
            out[i] = wide_table_[load_be<std::uint16_t>(cells_ + i * 2)];
    }
}

template <typename Value>
std::vector<std::uint32_t> Palette<Value>::histogram() const {
    std::vector<std::uint32_t> counts(entries_.size());
    histogram(counts);
    return counts;
}

template <typename Value>
void Palette<Value>::histogram(std::span<std::uint32_t> counts) const {
    std::ranges::fill(counts, 0U);
    if (kind_ == PaletteKind::empty) {
        counts[0] = k_cells;
    } else if (kind_ == PaletteKind::wide) {
        for (std::size_t i = 0; i < k_cells; ++i)
            ++counts[wide_table_[load_be<std::uint16_t>(cells_ + i * 2)]];
    } else {
        // Labels and counts of the entries side by side; whatever is left names no entry.
        std::array<std::uint8_t, 256> labels;
        const auto known = entries();
        for (std::size_t i = 0; i < known.size(); ++i) labels[i] = static_cast<std::uint8_t>(known[i].id);
        const std::span wanted(labels.data(), known.size());
        if (kind_ == PaletteKind::byte)
            count_byte_labels(std::span<const std::uint8_t, k_cells>(cells_, k_cells), wanted, counts);
        else
            count_nibble_labels(std::span<const std::uint8_t, k_cells / 2>(cells_, k_cells / 2), wanted,
                                counts);
        auto left = static_cast<std::uint32_t>(k_cells);
        for (std::size_t i = 0; i < known.size(); ++i) left -= counts[i];
        counts.back() = left;
    }
}

template <typename Value>
void Palette<Value>::recount() {
    edit();
    changed_ = true;
    settle();
}

template <typename Value>
Result<void> Palette<Value>::check() const {
    const auto counts = histogram();
    if (kind_ == PaletteKind::empty) return {};
    if (counts.back() != 0)
        return fail(Errc::mismatch, "{} cells have an id that no palette entry has", counts.back());
    for (std::size_t i = 0; i + 1 < counts.size(); ++i)
        if (counts[i] != entries_[i].cells)
            return fail(Errc::mismatch, "palette entry {} says {} cells, found {}", i, entries_[i].cells,
                        counts[i]);
    return {};
}

template <typename Value>
void Palette<Value>::append_to(Buffer& buffer) const {
    Writer out(buffer);
    if (!changed_) {
        if (raw_.empty()) return out.u8(0);
        buffer.insert(buffer.end(), raw_.begin(), raw_.end());
        return;
    }
    out.u8(static_cast<std::uint8_t>(kind_));
    if (kind_ == PaletteKind::empty) return;
    out.be(static_cast<std::int16_t>(entries().size()));
    for (const auto& entry : entries()) {
        if (kind_ == PaletteKind::wide)
            out.be(entry.id);
        else
            out.u8(static_cast<std::uint8_t>(entry.id));
        write_palette_value(out, entry.value);
        out.be(static_cast<std::uint16_t>(entry.cells));
    }
    buffer.insert(buffer.end(), cells_, cells_ + cell_bytes_of(kind_));
}

template class Palette<std::string_view>;
template class Palette<std::uint16_t>;
template class Palette<std::uint8_t>;

} // namespace orbis::chunk
