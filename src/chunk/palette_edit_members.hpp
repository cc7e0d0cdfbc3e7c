#pragma once

#include "bytes/writer.hpp"
#include "chunk/palette_edit.hpp"
#include "chunk/relabel.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

/// The members of Palette that change it: for palette.cpp alone, which instantiates all members at once.
namespace orbis::chunk {

inline constexpr std::uint32_t k_no_palette_entry = std::numeric_limits<std::uint32_t>::max();

// Limits below which a palette becomes narrower after a set (docs/formats/section.md).
inline constexpr std::size_t k_byte_from_wide = 251;
inline constexpr std::size_t k_half_from_byte = 14;
// Limits of bulk construction.
inline constexpr std::size_t k_bulk_half = 16;
inline constexpr std::size_t k_bulk_byte = 256;

template <typename Value>
std::uint32_t Palette<Value>::label_at(std::size_t cell) const {
    const auto i = static_cast<std::uint32_t>(cell);
    if (kind_ == PaletteKind::wide) return load_be<std::uint16_t>(cells_ + cell * 2);
    return std::uint32_t{cells_[i >> half_]} >> ((~i & half_) << 2) & mask_;
}

template <typename Value>
void Palette<Value>::set_label(std::size_t cell, std::uint32_t label) {
    auto* cells = edit_->cells.data();
    if (kind_ == PaletteKind::wide) {
        store_be(cells + cell * 2, static_cast<std::uint16_t>(label));
    } else if (kind_ == PaletteKind::byte) {
        cells[cell] = static_cast<std::uint8_t>(label);
    } else {
        auto& pair = cells[cell >> 1];
        pair =
            static_cast<std::uint8_t>((cell & 1) == 0 ? label << 4 | (pair & 0x0FU) : (pair & 0xF0U) | label);
    }
}

/// Lays the cells out again as cells of its own, each label going through `new_labels`.
template <typename Value>
void Palette<Value>::relabel(PaletteKind kind, std::span<const std::uint32_t> new_labels) {
    auto laid = CellMemory::here().take(cell_bytes_of(kind));
    if (kind != PaletteKind::wide && kind_ != PaletteKind::wide) {
        NewLabels table{};
        for (std::size_t i = 0; i < new_labels.size(); ++i)
            table[i] = static_cast<std::uint8_t>(new_labels[i]);
        relabel_cells(kind_, cells_, kind, laid.data(), table);
    } else {
        for (std::size_t i = 0; i < k_cells; ++i) {
            const auto label = new_labels[label_at(i)];
            if (kind == PaletteKind::wide)
                store_be(laid.data() + i * 2, static_cast<std::uint16_t>(label));
            else // never a half byte: palettes become narrower step by step
                laid[i] = static_cast<std::uint8_t>(label);
        }
    }
    std::swap(edit_->cells, laid);
    CellMemory::here().leave(std::move(laid));
    point_at(kind, edit_->cells.data());
}

template <typename Value>
void Palette<Value>::link(std::uint32_t entry) {
    const auto id = entries_[entry].id;
    (kind_ == PaletteKind::wide ? wide_table_[id] : table_[id]) = static_cast<std::uint16_t>(entry);
}

template <typename Value>
std::uint32_t Palette<Value>::find(Value value) const {
    const auto found = edit_->by_value.find(value);
    return found == edit_->by_value.end() ? k_no_palette_entry : found->second;
}

/// Copies the cells and brings the palette into order: right counts, no unused entries, no value twice.
template <typename Value>
typename Palette<Value>::Edit& Palette<Value>::edit() {
    if (edit_) {
        if (!edit_->indexed) index_entries();
        return *edit_;
    }
    const auto counts = histogram();
    edit_ = std::make_unique<Edit>();
    if (kind_ == PaletteKind::empty) return *edit_;

    own_cells();
    for (std::size_t i = 0; i + 1 < entries_.size(); ++i) entries_[i].cells = counts[i];
    if (counts.back() != 0) { // cells without an entry: at least one label is free, and they read as empty
        const auto& table = kind_ == PaletteKind::wide ? std::span<const std::uint16_t>(wide_table_)
                                                       : std::span<const std::uint16_t>(table_);
        const auto none = entries_.size() - 1;
        std::vector<std::uint32_t> labels(labels_of(kind_));
        std::uint32_t orphan = k_no_palette_entry;
        for (std::uint32_t i = 0; i < labels.size(); ++i) {
            labels[i] = i;
            if (table[i] != none) continue;
            if (orphan == k_no_palette_entry) orphan = i;
            labels[i] = orphan;
        }
        relabel(kind_, labels);
        entries_.back() = Entry{empty_value(), counts.back(), static_cast<std::uint16_t>(orphan)};
        link(static_cast<std::uint32_t>(none));
        entries_.push_back(Entry{empty_value(), 0, 0});
    }
    for (std::uint32_t i = 0; i + 1 < entries_.size(); ++i) edit_->by_value.try_emplace(entries_[i].value, i);
    edit_->take_ids(entries(), labels_of(kind_));
    drop_unused();
    if (edit_->by_value.size() != entries().size()) join_equal_values();
    return *edit_;
}

template <typename Value>
void Palette<Value>::own_cells() {
    if (kind_ == PaletteKind::empty || cells_ == edit_->cells.data()) return;
    edit_->cells = CellMemory::here().take(cell_bytes_of(kind_));
    std::copy_n(cells_, edit_->cells.size(), edit_->cells.data());
    cells_ = edit_->cells.data();
}

template <typename Value>
void Palette<Value>::index_entries() {
    own_cells();
    edit_->by_value.clear();
    for (std::uint32_t i = 0; i + 1 < entries_.size(); ++i) edit_->by_value.emplace(entries_[i].value, i);
    edit_->take_ids(entries(), labels_of(kind_));
    edit_->indexed = true;
}

template <typename Value>
void Palette<Value>::join_equal_values() {
    std::vector<std::uint32_t> labels(labels_of(kind_));
    for (const auto& entry : entries()) labels[entry.id] = entry.id;
    auto& by_value = edit_->by_value;
    by_value.clear();
    bool joins = false;
    for (std::uint32_t i = 0; i + 1 < entries_.size(); ++i) {
        const auto [first, is_first] = by_value.try_emplace(entries_[i].value, i);
        if (is_first) continue;
        labels[entries_[i].id] = entries_[first->second].id;
        joins = true;
        entries_[first->second].cells += entries_[i].cells;
        entries_[i].cells = 0;
    }
    if (!joins) return;
    relabel(kind_, labels);
    drop_unused();
}

template <typename Value>
std::uint32_t Palette<Value>::add(Value value, std::uint32_t cells) {
    if (kind_ == PaletteKind::empty) become(PaletteKind::half_byte);
    if (entries().size() == labels_of(kind_))
        become(kind_ == PaletteKind::half_byte ? PaletteKind::byte : PaletteKind::wide);
    const auto id = edit_->lowest_id();
    edit_->take_id(id);
    const auto made = static_cast<std::uint32_t>(entries().size());
    const auto own = edit_->own(value);
    entries_.back() = Entry{own, cells, static_cast<std::uint16_t>(id)};
    entries_.push_back(Entry{empty_value(), 0, 0});
    edit_->by_value[own] = made;
    link(made);
    return made;
}

/// The last entry moves into the place of the dropped one; the order of entries means nothing.
template <typename Value>
void Palette<Value>::drop(std::uint32_t entry) {
    const auto last = static_cast<std::uint32_t>(entries().size() - 1);
    edit_->release_id(entries_[entry].id);
    auto& by_value = edit_->by_value;
    if (const auto found = by_value.find(entries_[entry].value);
        found != by_value.end() && found->second == entry)
        by_value.erase(found);
    if (entry != last) {
        if (const auto found = by_value.find(entries_[last].value);
            found != by_value.end() && found->second == last)
            found->second = entry;
        entries_[entry] = entries_[last];
        link(entry);
    }
    entries_.pop_back();
    entries_.back() = Entry{empty_value(), 0, 0};
}

template <typename Value>
void Palette<Value>::drop_unused() {
    for (auto i = static_cast<std::uint32_t>(entries().size()); i-- > 0;)
        if (entries_[i].cells == 0) drop(i);
}

/// Ids that fit stay; others take the lowest free ones. The new label of each old one.
template <typename Value>
std::vector<std::uint32_t> Palette<Value>::fit_ids(PaletteKind kind) {
    const auto room = labels_of(kind);
    std::vector<std::uint32_t> labels(labels_of(kind_), 0);
    std::vector<bool> taken(room);
    for (const auto& entry : entries())
        if (entry.id < room) taken[entry.id] = true;
    std::uint32_t lowest = 0;
    for (std::size_t i = 0; i + 1 < entries_.size(); ++i) {
        auto& entry = entries_[i];
        const auto old = entry.id;
        if (entry.id >= room) {
            while (taken[lowest]) ++lowest;
            taken[lowest] = true;
            entry.id = static_cast<std::uint16_t>(lowest);
        }
        labels[old] = entry.id;
    }
    return labels;
}

template <typename Value>
void Palette<Value>::become(PaletteKind kind) {
    if (kind == PaletteKind::empty) {
        edit_->cells.clear();
        edit_->by_value.clear();
        entries_.assign(1, Entry{empty_value(), 0, 0});
        table_[0] = 0;
        point_at(kind, nullptr);
        edit_->take_ids({}, 0);
        edit_->indexed = true;
        return;
    }
    if (kind_ == PaletteKind::empty) {
        edit_->cells.assign(cell_bytes_of(kind), 0);
        point_at(kind, edit_->cells.data());
        entries_.assign({Entry{empty_value(), k_cells, 0}, Entry{empty_value(), 0, 0}});
        edit_->by_value[empty_value()] = 0;
        edit_->take_ids(entries(), labels_of(kind_));
        link(0);
        return;
    }
    relabel(kind, fit_ids(kind));
    if (kind == PaletteKind::wide) wide_table_.assign(labels_of(kind), 0);
    for (std::uint32_t i = 0; i + 1 < entries_.size(); ++i) link(i);
    edit_->take_ids(entries(), labels_of(kind_));
}

/// What the palette is to become for its number of entries: at most one step narrower, or empty.
template <typename Value>
PaletteKind Palette<Value>::narrower() const {
    if (kind_ == PaletteKind::empty) return kind_;
    if (entries().size() == 1 && entries_[0].value == empty_value()) return PaletteKind::empty;
    if (kind_ == PaletteKind::wide && entries().size() <= k_byte_from_wide) return PaletteKind::byte;
    if (kind_ == PaletteKind::byte && entries().size() <= k_half_from_byte) return PaletteKind::half_byte;
    return kind_;
}

template <typename Value>
bool Palette<Value>::keeps_kind(std::size_t values) const {
    switch (kind_) {
    case PaletteKind::empty: return false;
    case PaletteKind::half_byte: return true;
    case PaletteKind::byte: return values > k_half_from_byte;
    case PaletteKind::wide: return values > k_byte_from_wide;
    }
    return false;
}

template <typename Value>
void Palette<Value>::settle() {
    for (auto kind = narrower(); kind != kind_; kind = narrower()) become(kind);
}

template <typename Value>
bool Palette<Value>::set(CellIndex cell, Value value) {
    if (at(cell) == value) return false;
    edit();
    changed_ = true;
    if (kind_ == PaletteKind::empty) become(PaletteKind::half_byte);
    const auto old = entry_at(cell);
    auto fresh = find(value);
    if (fresh == k_no_palette_entry && entries_[old].cells == 1) {
        edit_->by_value.erase(entries_[old].value);
        entries_[old].value = edit_->own(value);
        edit_->by_value[entries_[old].value] = old;
    } else {
        if (fresh == k_no_palette_entry) fresh = add(value, 0); // entries keep their places, ids too
        ++entries_[fresh].cells;
        set_label(static_cast<std::size_t>(cell.value), entries_[fresh].id);
        if (--entries_[old].cells == 0) drop(old);
    }
    settle();
    return true;
}

template <typename Value>
void Palette<Value>::fill(Value value) {
    edit();
    changed_ = true;
    const auto own = edit_->own(value);
    become(PaletteKind::empty);
    if (own == empty_value()) return;
    become(PaletteKind::half_byte);
    edit_->by_value.clear();
    entries_[0].value = own;
    edit_->by_value[own] = 0;
}

template <typename Value>
void Palette<Value>::fill(CellIndex first, CellIndex end, Value value) {
    if (first >= end) return;
    if (first.value <= 0 && end.value >= k_cells) return fill(value);
    edit();
    auto fresh = find(value);
    if (fresh == k_no_palette_entry) {
        if (kind_ == PaletteKind::empty && value == empty_value()) return;
        fresh = add(value, 0);
    }
    const auto label = entries_[fresh].id;
    for (int i = first.value; i < end.value; ++i) {
        const auto old = entry_at(CellIndex(i));
        if (old == fresh) continue;
        changed_ = true;
        --entries_[old].cells;
        ++entries_[fresh].cells;
        set_label(static_cast<std::size_t>(i), label);
    }
    drop_unused();
    settle();
}

template <typename Value>
std::size_t Palette<Value>::fill(std::span<const std::uint64_t, k_cells / 64> cells, Value value) {
    if (kind_ == PaletteKind::empty && value == empty_value()) return 0;
    if (std::ranges::all_of(cells, [](auto word) { return word == ~std::uint64_t{0}; })) {
        const auto counts = histogram();
        std::size_t same = 0;
        for (std::size_t i = 0; i < counts.size(); ++i)
            if (entries_[i].value == value) same += counts[i];
        if (same != k_cells) fill(value);
        return k_cells - same;
    }
    if (std::ranges::all_of(cells, [](auto word) { return word == 0; })) return 0;
    edit();
    auto fresh = find(value);
    if (fresh == k_no_palette_entry) fresh = add(value, 0);
    const auto before = entries_[fresh].cells;
    const auto label = entries_[fresh].id;
    auto* const stored = edit_->cells.data();
    for (std::size_t w = 0; w < cells.size(); ++w) {
        if (cells[w] == ~std::uint64_t{0} && kind_ != PaletteKind::wide) {
            const auto whole = half_ == 1 ? label * 0x11U : label;
            std::memset(stored + (w * 64 >> half_), static_cast<int>(whole), 64 >> half_);
            continue;
        }
        for (auto bits = cells[w]; bits != 0; bits &= bits - 1)
            set_label(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)), label);
    }
    const auto counts = histogram();
    for (std::size_t i = 0; i + 1 < entries_.size(); ++i) entries_[i].cells = counts[i];
    const auto changes = entries_[fresh].cells - before;
    if (changes != 0) changed_ = true;
    drop_unused();
    settle();
    return changes;
}

template <typename Value>
std::size_t Palette<Value>::replace(Value from, Value to) {
    if (from == to) return 0;
    if (kind_ == PaletteKind::empty) {
        if (from != empty_value()) return 0;
        fill(to);
        return k_cells;
    }
    std::size_t cells = 0;
    const auto counts = histogram();
    for (std::size_t i = 0; i < counts.size(); ++i)
        if (entries_[i].value == from) cells += counts[i];
    if (cells > 0) rename([&](const Entry& entry) { return entry.value == from ? to : entry.value; });
    return cells;
}

template <typename Value>
bool Palette<Value>::rename(const std::function<Value(const Entry&)>& new_value) {
    std::vector<Value> values;
    values.reserve(entries_.size());
    for (const auto& entry : entries_) values.push_back(new_value(entry));
    // No cells are counted where none can change.
    if (std::ranges::equal(values, entries_, {}, {}, &Entry::value)) return false;
    return rename(values, histogram());
}

template <typename Value>
bool Palette<Value>::rename(std::span<const Value> values, std::span<const std::uint32_t> counts) {
    if (kind_ == PaletteKind::empty) { // its cells have a value too, though no entry names it
        if (values.back() == empty_value()) return false;
        fill(values.back());
        return true;
    }
    const auto none = entries_.size() - 1;
    bool differs = values[none] != empty_value() && counts[none] > 0;
    for (std::size_t i = 0; i < none; ++i) differs = differs || values[i] != entries_[i].value;
    if (!differs) return false;
    changed_ = true;
    if (!edit_) edit_ = std::make_unique<Edit>();
    renew(counts, values);
    return true;
}

/// Puts new entries in the place of all, in one pass over the cells. `counts` and `values` are those of each
/// entry, and of the cells without one.
template <typename Value>
void Palette<Value>::renew(std::span<const std::uint32_t> counts, std::span<const Value> values) {
    const auto none = entries_.size() - 1;
    const bool is_wide = kind_ == PaletteKind::wide;
    std::array<std::uint32_t, labels_of(PaletteKind::byte)> few{};
    std::vector<std::uint32_t> many(is_wide ? labels_of(kind_) : 0);
    const auto labels = is_wide ? std::span(many) : std::span(few).first(labels_of(kind_));
    FirstPlaces<Value> places(values.size());
    bool keeps_labels = true;
    std::size_t made = 0; // there are never more than were looked at, so they take the places of these
    const auto place = [&](std::size_t entry, std::uint32_t id) -> Entry& {
        const auto at = places.of(values[entry], std::span<const Entry>(entries_.data(), made));
        if (at == made) {
            const bool keeps_value = values[entry] == entries_[entry].value;
            const auto value = keeps_value ? entries_[entry].value : edit_->own(values[entry]);
            entries_[made++] = Entry{value, 0, static_cast<std::uint16_t>(id)};
        }
        entries_[at].cells += counts[entry];
        return entries_[at];
    };
    for (std::size_t i = 0; i < none; ++i) {
        if (counts[i] == 0) continue;
        const auto id = entries_[i].id;
        labels[id] = place(i, id).id;
        keeps_labels = keeps_labels && labels[id] == id;
    }
    if (counts[none] != 0) { // labels without an entry, of which at least one is free
        const auto table = std::span(is_wide ? wide_table_.data() : table_.data(), labels.size());
        const auto is_free = [&](auto link) { return link == none; };
        const auto free = std::ranges::find_if(table, is_free) - table.begin();
        const auto& orphans = place(none, static_cast<std::uint32_t>(free));
        for (std::size_t i = 0; i < labels.size(); ++i)
            if (is_free(table[i])) labels[i] = orphans.id;
        keeps_labels = false;
    }
    entries_.resize(made + 1);
    entries_.back() = Entry{empty_value(), 0, 0};
    edit_->indexed = false;
    const auto kind = narrower();
    if (kind == PaletteKind::empty) return become(kind);
    if (kind != kind_) {
        const auto fitting = fit_ids(kind);
        for (auto& label : labels) label = fitting[label];
    }
    if (kind != kind_ || !keeps_labels) relabel(kind, labels); // else the cells stay as they are stored
    for (std::uint32_t i = 0; i + 1 < entries_.size(); ++i) link(i);
    settle();
}

template <typename Value>
void Palette<Value>::assign(std::span<const std::uint16_t, k_cells> cells, std::span<const Value> values) {
    if (!edit_) edit_ = std::make_unique<Edit>();
    changed_ = true;
    std::vector<std::uint32_t> counts(values.size(), 0);
    for (const auto cell : cells) ++counts.at(cell);
    std::forward_list<std::string> former_keys; // `values` may be views of the palette's own keys
    former_keys.swap(edit_->keys);
    std::vector<Entry> made;
    std::vector<std::uint32_t> labels(values.size(), 0);
    edit_->by_value.clear();
    edit_->indexed = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (counts[i] == 0) continue;
        auto known = edit_->by_value.find(values[i]);
        if (known == edit_->by_value.end()) {
            const auto index = static_cast<std::uint32_t>(made.size());
            made.push_back(Entry{edit_->own(values[i]), 0, static_cast<std::uint16_t>(index)});
            known = edit_->by_value.emplace(made.back().value, index).first;
        }
        made[known->second].cells += counts[i];
        labels[i] = known->second;
    }
    const auto distinct = made.size();
    if (distinct == 1 && made[0].value == empty_value()) return become(PaletteKind::empty);
    made.push_back(Entry{empty_value(), 0, 0});
    entries_ = std::move(made);
    const auto kind = distinct < k_bulk_half   ? PaletteKind::half_byte
                      : distinct < k_bulk_byte ? PaletteKind::byte
                                               : PaletteKind::wide;
    edit_->cells.assign(cell_bytes_of(kind), 0);
    point_at(kind, edit_->cells.data());
    if (kind == PaletteKind::wide) wide_table_.assign(labels_of(kind), 0);
    for (std::uint32_t i = 0; i < distinct; ++i) link(i);
    edit_->take_ids(entries(), labels_of(kind_));
    for (std::size_t i = 0; i < k_cells; ++i) set_label(i, labels[cells[i]]);
}

} // namespace orbis::chunk
