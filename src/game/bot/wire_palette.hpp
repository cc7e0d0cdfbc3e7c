#pragma once

#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "bytes/reader.hpp"
#include "bytes/result.hpp"
#include "chunk/palette.hpp"

#include <cstdint>
#include <vector>

namespace orbis::game {

/// The numbers of 32,768 cells, kept as they came in a packet: nothing is unpacked but the cell that is asked
/// for. Where all cells are alike no cells are kept.
class WirePalette {
public:
    /// 0 everywhere.
    WirePalette() = default;
    /// Takes one palette from `in` and checks that every cell has an entry. Offsets of errors count from the
    /// start of the reader's bytes.
    static Result<WirePalette> read(Reader& in);

    [[nodiscard]] std::int32_t at(CellIndex cell) const {
        const auto i = static_cast<std::size_t>(cell.value);
        switch (kind_) {
        case chunk::PaletteKind::half_byte: return values_[cells_[i >> 1] >> ((~i & 1) * 4) & 15];
        case chunk::PaletteKind::byte: return values_[cells_[i]];
        case chunk::PaletteKind::wide: return values_[load_le<std::uint16_t>(cells_.data() + i * 2)];
        default: return same_;
        }
    }

    /// What it takes in memory.
    [[nodiscard]] std::size_t bytes() const {
        return sizeof(*this) + values_.size() * sizeof(values_[0]) + cells_.size();
    }

private:
    [[nodiscard]] Result<void> check(const std::vector<bool>& known, std::size_t offset) const;

    chunk::PaletteKind kind_ = chunk::PaletteKind::empty;
    std::int32_t same_ = 0;
    std::vector<std::int32_t> values_; ///< by key
    Buffer cells_;
};

} // namespace orbis::game
