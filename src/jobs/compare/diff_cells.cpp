#include "jobs/compare/diff_cells.hpp"

#include <algorithm>
#include <cstring>

namespace orbis::jobs {

using chunk::PaletteKind;
using chunk::Section;

namespace {

bool same_tree(const chunk::Light& a, const chunk::Light& b) {
    return a.present() == b.present() && std::ranges::equal(a.tree(), b.tree());
}

} // namespace

CellComparer::CellComparer()
    : left_cells_(k_cells), right_cells_(k_cells), left_shape_cells_(k_cells), right_shape_cells_(k_cells) {}

std::uint32_t CellComparer::number(std::string_view key) {
    const auto [found, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (is_new) keys_.push_back(key);
    return found->second;
}

template <typename Palette, typename ToId>
void CellComparer::take(const Palette& palette, Cells& room, Channel& out, ToId&& to_id) {
    out.ids.clear();
    out.cells = nullptr;
    if (palette.kind() != PaletteKind::empty) {
        palette.expand(std::span<std::uint16_t, k_cells>(room.data(), k_cells));
        out.cells = &room;
        for (std::size_t i = 0; i < palette.entries().size(); ++i) out.ids.push_back(to_id(i));
    }
    out.ids.push_back(to_id(palette.entries().size())); // cells without an entry
}

void CellComparer::take_blocks(const Section& section, Cells& room, Channel& out) {
    take(section.blocks, room, out, [&](std::size_t i) { return number(section.block_key(i)); });
}

void CellComparer::take_rotations(const Section& section, Cells& room, Channel& out) {
    section.with_rotations(
        [&](const auto& palette, const auto& value_of) { take(palette, room, out, value_of); });
}

void CellComparer::take_fillers(const Section& section, Cells& room, Channel& out) {
    section.with_fillers(
        [&](const auto& palette, const auto& value_of) { take(palette, room, out, value_of); });
}

void CellComparer::take_fluids(const Section& section, Cells& room, Channel& out) {
    const auto entries = section.fluids.entries();
    take(section.fluids, room, out,
         [&](std::size_t i) { return number(i < entries.size() ? entries[i].value : chunk::k_empty_key); });
}

/// Adds the cells that differ to the mask.
bool CellComparer::mark(const Channel& a, const Channel& b) {
    std::uint8_t any = 0;
    if (a.cells == nullptr && b.cells == nullptr) {
        if (a.ids[0] == b.ids[0]) return false;
        mask_.fill(1);
        return true;
    }
    if (a.cells == nullptr || b.cells == nullptr) {
        const auto& uniform = a.cells == nullptr ? a : b;
        const auto& other = a.cells == nullptr ? b : a;
        const auto expected = uniform.ids[0];
        const auto* cells = other.cells->data();
        for (std::size_t i = 0; i < k_cells; ++i) {
            const auto differs = static_cast<std::uint8_t>(other.ids[cells[i]] != expected);
            mask_[i] |= differs;
            any |= differs;
        }
        return any != 0;
    }
    const auto* left = a.cells->data();
    const auto* right = b.cells->data();
    for (std::size_t i = 0; i < k_cells; ++i) {
        const auto differs = static_cast<std::uint8_t>(a.ids[left[i]] != b.ids[right[i]]);
        mask_[i] |= differs;
        any |= differs;
    }
    return any != 0;
}

bool CellComparer::blocks(const Section& a, const Section& b) {
    mask_.fill(0);
    numbers_.clear();
    keys_.clear();
    take_blocks(a, left_cells_, left_);
    take_blocks(b, right_cells_, right_);
    bool any = mark(left_, right_);
    take_rotations(a, left_shape_cells_, left_shape_);
    take_rotations(b, right_shape_cells_, right_shape_);
    any = mark(left_shape_, right_shape_) || any;
    take_fillers(a, left_shape_cells_, left_shape_);
    take_fillers(b, right_shape_cells_, right_shape_);
    return mark(left_shape_, right_shape_) || any;
}

bool CellComparer::fluids(const Section& a, const Section& b) {
    const auto has_none = [](const Section& section) {
        return section.fluids.kind() == PaletteKind::empty && !section.levels.present()
               && !section.keys_have_fluids();
    };
    if (has_none(a) && has_none(b)) return false;
    mask_.fill(0);
    if (a.keys_have_fluids() || b.keys_have_fluids()) {
        bool any = false;
        for (int i = 0; i < k_cells; ++i) {
            const CellIndex cell(i);
            if (a.fluid_at(cell) == b.fluid_at(cell)) continue;
            mask_[static_cast<std::size_t>(i)] = 1;
            any = true;
        }
        return any;
    }
    numbers_.clear();
    keys_.clear();
    take_fluids(a, left_cells_, left_);
    take_fluids(b, right_cells_, right_);
    bool any = mark(left_, right_);
    if (!a.levels.present() && !b.levels.present()) return any;
    for (int i = 0; i < k_cells; ++i)
        if (a.levels.at(CellIndex(i)) != b.levels.at(CellIndex(i))) {
            mask_[static_cast<std::size_t>(i)] = 1;
            any = true;
        }
    return any;
}

bool CellComparer::supports(const Section& a, const Section& b) {
    const auto has_none = [](const Section& section) {
        return !section.supports.present() && !section.keys_have_supports();
    };
    if (has_none(a) && has_none(b)) return false;
    mask_.fill(0);
    bool any = false;
    for (int i = 0; i < k_cells; ++i)
        if (a.support_at(CellIndex(i)) != b.support_at(CellIndex(i))) {
            mask_[static_cast<std::size_t>(i)] = 1;
            any = true;
        }
    return any;
}

bool CellComparer::ticking(const Section& a, const Section& b) {
    mask_.fill(0);
    a.ticking.for_each([&](CellIndex cell) { mask_[static_cast<std::size_t>(cell.value)] ^= 1; });
    b.ticking.for_each([&](CellIndex cell) { mask_[static_cast<std::size_t>(cell.value)] ^= 1; });
    return std::ranges::find(mask_, 1) != mask_.end();
}

bool CellComparer::light(const Section& a, const Section& b) {
    if (a.local_light_valid() != b.local_light_valid() || a.global_light_valid() != b.global_light_valid())
        return true;
    const auto differs = [&](const chunk::Light& left, const chunk::Light& right) {
        if (same_tree(left, right)) return false;
        if (left.present() != right.present()) return true;
        left.expand(std::span<std::uint16_t, k_cells>(left_cells_.data(), k_cells));
        right.expand(std::span<std::uint16_t, k_cells>(right_cells_.data(), k_cells));
        return left_cells_ != right_cells_; // one value can be stored as several trees
    };
    return differs(a.local_light, b.local_light) || differs(a.global_light, b.global_light);
}

} // namespace orbis::jobs
