#pragma once

#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "bytes/reader.hpp"
#include "bytes/result.hpp"
#include "orbis/shape.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace orbis::chunk {

using orbis::LightValue;

/// The light of a section (docs/formats/light.md): a radix tree over the 15-bit cell index, three bits per
/// level, stored in pre-order without pointers. Borrows the stored bytes until it is replaced.
///
///     i16   change id
///     bool  has light
///     i32   length of the tree [if so]
///     node  u8 mask, then eight children: a node where the mask bit is set, else a u16 value
class Light {
public:
    /// One value per cell.
    using Expanded = std::span<std::uint16_t, k_cells>;
    using ConstExpanded = std::span<const std::uint16_t, k_cells>;

    /// Checks the whole tree and remembers where its upper nodes are. A tree with the very bytes of
    /// `checked`, which was read before, need not be checked again.
    bool read(Reader& in, Error& problem, const Light* checked = nullptr);
    void reset();

    [[nodiscard]] bool present() const { return present_; }
    [[nodiscard]] bool changed() const { return changed_; }
    /// Valid while it equals the matching change counter of the section.
    [[nodiscard]] std::int16_t change_id() const { return change_id_; }
    /// The stored tree, empty without light.
    [[nodiscard]] Bytes tree() const { return tree_; }

    /// Takes a few steps down the tree; `expand` is better for many cells.
    [[nodiscard]] LightValue at(CellIndex cell) const;
    void expand(Expanded out) const;

    /// Replaces the light by the smallest tree with these values, and the change id.
    void set(ConstExpanded values, std::int16_t change_id);
    /// No light at all.
    void clear(std::int16_t change_id);

    void append_to(Buffer& out) const;

private:
    bool index_tree(Error& problem, std::size_t offset);
    [[nodiscard]] bool has_tree_of(const Light& other) const;

    static constexpr std::uint32_t k_value = 0x8000'0000; ///< the entry is a value, not an offset

    Bytes tree_;
    std::int16_t change_id_ = 0;
    bool present_ = false;
    bool changed_ = false;
    /// For each block of 512 cells its value, or where its node starts in the tree.
    std::array<std::uint32_t, 64> blocks_{};
    Buffer own_;
};

/// The smallest tree with these values: a node only where its eight children are not one value.
Buffer build_light_tree(Light::ConstExpanded values);

} // namespace orbis::chunk
