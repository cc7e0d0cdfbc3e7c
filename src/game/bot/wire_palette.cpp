#include "game/bot/wire_palette.hpp"

#include "game/codec/palette_codec.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace orbis::game {

using chunk::PaletteKind;

namespace {

bool all_alike(Bytes cells, PaletteKind kind) {
    const auto first = cells[0];
    if (kind == PaletteKind::half_byte && (first >> 4) != (first & 15)) return false;
    const std::size_t step = kind == PaletteKind::wide ? 2 : 1;
    return std::memcmp(cells.data(), cells.data() + step, cells.size() - step) == 0;
}

} // namespace

Result<void> WirePalette::check(const std::vector<bool>& known, std::size_t offset) const {
    const auto refuse = [&](std::size_t cell) {
        return fail(key_without_entry(cell).at(offset + cell * cells_.size() / k_cells));
    };
    if (kind_ == PaletteKind::wide) {
        for (std::size_t i = 0; i < k_cells; ++i)
            if (!known[load_le<std::uint16_t>(cells_.data() + i * 2)]) return refuse(i);
        return {};
    }
    // Bytes that occur are few: each is looked at once.
    std::array<bool, 256> occurs{};
    for (const auto byte : cells_) occurs[byte] = true;
    for (std::size_t byte = 0; byte < occurs.size(); ++byte) {
        if (!occurs[byte]) continue;
        const bool nibbles = kind_ == PaletteKind::half_byte;
        const bool good = nibbles ? known[byte >> 4] && known[byte & 15] : bool{known[byte]};
        if (good) continue;
        const auto place = static_cast<std::size_t>(std::ranges::find(cells_, static_cast<std::uint8_t>(byte))
                                                    - cells_.begin());
        return refuse(nibbles ? place * 2 + (known[byte >> 4] ? 1 : 0) : place);
    }
    return {};
}

Result<WirePalette> WirePalette::read(Reader& in) {
    TRY(const auto raw, read_raw_palette(in));
    WirePalette out;
    if (raw.kind == PaletteKind::empty) return out;
    std::size_t keys = raw.kind == PaletteKind::half_byte ? 16 : raw.kind == PaletteKind::byte ? 256 : 65536;
    std::vector<bool> known(keys);
    std::size_t end = 0;
    for (const auto& entry : raw.entries) {
        known[entry.key] = true;
        end = std::max<std::size_t>(end, entry.key + 1U);
    }
    out.kind_ = raw.kind;
    out.values_.resize(end);
    for (const auto& entry : raw.entries) out.values_[entry.key] = entry.value;
    out.cells_.assign(raw.cells.begin(), raw.cells.end());
    TRY_DO(out.check(known, in.position() - raw.cells.size()));
    if (all_alike(raw.cells, raw.kind)) {
        const auto value = out.at(CellIndex(0));
        out = {};
        out.same_ = value;
    }
    return out;
}

} // namespace orbis::game
