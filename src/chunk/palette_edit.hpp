#pragma once

#include "chunk/palette.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <forward_list>
#include <string>
#include <unordered_map>
#include <vector>

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

/// Memory for the cells of changed palettes: edits of many chunks take and leave much of it, and a vector
/// would zero what is written anyway. One for each thread.
class CellMemory {
public:
    static CellMemory& here() {
        thread_local CellMemory memory;
        return memory;
    }

    /// Of this size, with anything in it.
    Buffer take(std::size_t size) {
        auto& left = left_[size == k_cells / 2 ? 0 : 1];
        if (size > k_cells || left.empty()) return Buffer(size);
        auto cells = std::move(left.back());
        left.pop_back();
        return cells;
    }
    void leave(Buffer&& cells) {
        if (cells.size() != k_cells / 2 && cells.size() != k_cells) return;
        auto& left = left_[cells.size() == k_cells / 2 ? 0 : 1];
        if (left.size() < k_most) left.push_back(std::move(cells));
    }

private:
    static constexpr std::size_t k_most = 10; ///< as many as a chunk has sections

    std::array<std::vector<Buffer>, 2> left_; ///< half bytes, and bytes
};

/// What a palette has of its own once it was changed. Values are unique and all counts are right then.
template <typename Value>
struct Palette<Value>::Edit {
    Buffer cells;
    std::unordered_map<Value, std::uint32_t> by_value;
    std::forward_list<std::string> keys; ///< owns the keys that were not in the stored bytes
    std::vector<std::uint64_t> taken;    ///< a bit per id
    std::size_t first_free = 0;          ///< no word before has a free id
    /// `by_value` and `taken` are right, and the cells are its own; else this is made when needed.
    bool indexed = true;

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
    /// `labels` is how many ids there are.
    void take_ids(std::span<const Entry> entries, std::uint32_t labels) {
        taken.assign(labels / 64 + 1, 0);
        first_free = 0;
        for (const auto& entry : entries) take_id(entry.id);
    }

    Value own(Value value) {
        if constexpr (std::is_same_v<Value, std::string_view>) {
            if (value == k_empty_key) return k_empty_key;
            return keys.emplace_front(value);
        } else {
            return value;
        }
    }
};

/// Finds values among the entries that were made of them: a small table that is cheap to make, unlike one
/// that allocates for each value.
template <typename Value>
class FirstPlaces {
public:
    /// For at most so many values.
    explicit FirstPlaces(std::size_t values)
        : slots_(values <= k_few ? std::size_t{0} : std::bit_ceil(values * 2 + 1), 0) {}

    /// The entry with this value; one after the last if there is none, which then has to be made.
    template <typename Entry>
    std::uint32_t of(const Value& value, std::span<const Entry> made) {
        if (slots_.empty()) {
            const auto is_it = [&](const Entry& entry) { return entry.value == value; };
            return static_cast<std::uint32_t>(std::ranges::find_if(made, is_it) - made.begin());
        }
        for (auto slot = hash(value);; ++slot) {
            auto& place = slots_[slot & (slots_.size() - 1)]; // counts from 1
            if (place == 0) {
                place = static_cast<std::uint32_t>(made.size()) + 1;
                return place - 1;
            }
            if (made[place - 1].value == value) return place - 1;
        }
    }

private:
    static constexpr std::size_t k_few = 8; ///< so many are sooner compared than hashed

    static std::size_t hash(const Value& value) { return std::hash<Value>()(value); }

    std::vector<std::uint32_t> slots_;
};

} // namespace orbis::chunk
