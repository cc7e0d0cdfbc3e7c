#include "game/codec/palette_codec.hpp"

#include "bytes/writer.hpp"

#include <algorithm>
#include <unordered_map>

namespace orbis::game {

using chunk::PaletteKind;

namespace {

constexpr std::size_t k_nibbles = 16;
constexpr std::size_t k_bytes = 256;
constexpr std::size_t k_wide = 65536;

PaletteKind narrowest(std::size_t values) {
    return values <= k_nibbles ? PaletteKind::half_byte
           : values <= k_bytes ? PaletteKind::byte
                               : PaletteKind::wide;
}

std::size_t cell_bytes(PaletteKind kind) {
    return kind == PaletteKind::half_byte ? std::size_t{k_cells} / 2
           : kind == PaletteKind::byte    ? std::size_t{k_cells}
                                          : std::size_t{k_cells} * 2;
}

std::size_t keys_of(PaletteKind kind) {
    return kind == PaletteKind::half_byte ? k_nibbles : kind == PaletteKind::byte ? k_bytes : k_wide;
}

/// No index of an entry: there are at most 65535.
constexpr std::uint16_t k_no_index = 0xFFFF;

} // namespace

bool PaletteWriter::keeps_cells() {
    if (entries_.size() == 1 && entries_[0].value == 0 && entries_[0].uses == k_cells) {
        kind_ = PaletteKind::empty;
        return true;
    }
    if (narrowest(entries_.size()) != kind_) return false;
    sorted_.clear();
    for (const auto& entry : entries_) sorted_.push_back(entry.value);
    std::ranges::sort(sorted_);
    return std::ranges::adjacent_find(sorted_) == sorted_.end();
}

void PaletteWriter::load(std::span<const std::int32_t, k_cells> values) {
    numbers_.clear();
    labels_.resize(k_cells);
    std::vector<std::uint32_t> counts;
    std::unordered_map<std::int32_t, std::uint16_t> known;
    for (std::size_t i = 0; i < k_cells; ++i) {
        const auto [at, is_new] = known.try_emplace(values[i], static_cast<std::uint16_t>(numbers_.size()));
        if (is_new) {
            numbers_.push_back(values[i]);
            counts.push_back(0);
        }
        labels_[i] = at->second;
        ++counts[at->second];
    }
    make_again(counts);
}

void PaletteWriter::make_again(std::span<const std::uint32_t> counts) {
    entries_.clear();
    std::unordered_map<std::int32_t, std::uint16_t> keys;
    std::vector<std::uint16_t> key_of(numbers_.size(), 0);
    for (std::size_t label = 0; label < numbers_.size(); ++label) {
        if (counts[label] == 0) continue;
        const auto [at, is_new] =
            keys.try_emplace(numbers_[label], static_cast<std::uint16_t>(entries_.size()));
        if (is_new) entries_.push_back({numbers_[label], 0, at->second});
        entries_[at->second].uses += counts[label];
        key_of[label] = at->second;
    }
    kind_ = narrowest(entries_.size());
    if (entries_.size() == 1 && entries_[0].value == 0) {
        kind_ = PaletteKind::empty;
        return;
    }
    own_cells_.resize(cell_bytes(kind_));
    const auto key_at = [&](std::size_t cell) { return key_of[labels_[cell]]; };
    if (kind_ == PaletteKind::half_byte)
        for (std::size_t i = 0; i < k_cells; i += 2)
            own_cells_[i / 2] = static_cast<std::uint8_t>(key_at(i) << 4 | key_at(i + 1));
    else if (kind_ == PaletteKind::byte)
        for (std::size_t i = 0; i < k_cells; ++i) own_cells_[i] = static_cast<std::uint8_t>(key_at(i));
    else
        for (std::size_t i = 0; i < k_cells; ++i) store_be(own_cells_.data() + i * 2, key_at(i));
    cells_ = own_cells_;
}

void PaletteWriter::append_to(Buffer& buffer) const {
    Writer out(buffer);
    out.u8(static_cast<std::uint8_t>(kind_));
    if (kind_ == PaletteKind::empty) return;
    const bool wide = kind_ == PaletteKind::wide;
    out.le(static_cast<std::uint16_t>(entries_.size()));
    for (const auto& entry : entries_) {
        if (wide)
            out.le(entry.key);
        else
            out.u8(static_cast<std::uint8_t>(entry.key));
        out.le(entry.value);
        out.le(static_cast<std::uint16_t>(entry.uses));
    }
    if (!wide) {
        buffer.insert(buffer.end(), cells_.begin(), cells_.end());
        return;
    }
    auto* to = out.grow(cells_.size());
    for (std::size_t i = 0; i < k_cells; ++i)
        store_le(to + i * 2, load_be<std::uint16_t>(cells_.data() + i * 2));
}

Result<RawPalette> read_raw_palette(Reader& in) {
    const auto start = in.position();
    const auto type = in.u8();
    if (!in.ok()) return fail(error(Errc::truncated, "the palette has no type").at(start));
    if (type > 3)
        return fail(error(Errc::bad_value, "a palette of type {}, expected 0 to 3", type).at(start));
    RawPalette out;
    out.kind = static_cast<PaletteKind>(type);
    if (out.kind == PaletteKind::empty) return out;
    const bool wide = out.kind == PaletteKind::wide;
    const auto keys = keys_of(out.kind);
    const std::size_t count = in.le<std::uint16_t>();
    // Everything must be there before anything is allocated for it.
    const auto needed = count * (wide ? 8 : 7) + cell_bytes(out.kind);
    if (!in.ok() || in.remaining() < needed)
        return fail(error(Errc::truncated, "a palette of type {} with {} entries takes {} bytes, found {}",
                          type, count, needed + 3, in.remaining() + in.position() - start)
                        .at(start));
    if (count > keys)
        return fail(error(Errc::out_of_range, "{} entries in a palette of type {}, which has room for {}",
                          count, type, keys)
                        .at(start + 1));
    std::vector<std::uint16_t> index_of(keys, k_no_index);
    out.entries.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = in.position();
        const std::size_t key = wide ? in.le<std::uint16_t>() : std::size_t{in.u8()};
        if (key >= keys)
            return fail(
                error(Errc::out_of_range, "entry {} has the key {}, expected 0 to {}", i, key, keys - 1)
                    .at(at));
        if (index_of[key] != k_no_index)
            return fail(
                error(Errc::bad_value, "entry {} has the key {} of entry {}", i, key, index_of[key]).at(at));
        index_of[key] = static_cast<std::uint16_t>(i);
        out.entries.push_back({static_cast<std::uint16_t>(key), in.le<std::int32_t>()});
        in.skip(2);
    }
    out.cells = in.take(cell_bytes(out.kind));
    return out;
}

Error key_without_entry(std::size_t cell) {
    return error(Errc::bad_value, "cell {} has a key without an entry", cell);
}

Result<ReceivedPalette> read_palette(Reader& in) {
    TRY(const auto raw, read_raw_palette(in));
    ReceivedPalette out;
    out.cells.resize(k_cells);
    if (raw.kind == PaletteKind::empty) {
        out.values.push_back(0);
        return out;
    }
    std::vector<std::uint16_t> index_of(keys_of(raw.kind), k_no_index);
    for (const auto& entry : raw.entries) {
        index_of[entry.key] = static_cast<std::uint16_t>(out.values.size());
        out.values.push_back(entry.value);
    }
    const auto take = [&](auto&& key_at) {
        std::uint16_t highest = 0;
        for (std::size_t i = 0; i < k_cells; ++i) {
            out.cells[i] = index_of[key_at(i)];
            highest = std::max(highest, out.cells[i]);
        }
        return highest;
    };
    const auto* cells = raw.cells.data();
    std::uint16_t highest = 0;
    if (raw.kind == PaletteKind::wide)
        highest = take([&](std::size_t i) -> std::size_t { return load_le<std::uint16_t>(cells + i * 2); });
    else if (raw.kind == PaletteKind::byte)
        highest = take([&](std::size_t i) -> std::size_t { return cells[i]; });
    else
        highest = take([&](std::size_t i) -> std::size_t { return cells[i >> 1] >> ((~i & 1) * 4) & 15; });
    if (highest == k_no_index) {
        const auto cell =
            static_cast<std::size_t>(std::ranges::find(out.cells, k_no_index) - out.cells.begin());
        const auto first = in.position() - raw.cells.size();
        return fail(key_without_entry(cell).at(first + cell * raw.cells.size() / k_cells));
    }
    return out;
}

Result<void> check_end(const Reader& in) {
    if (in.remaining() == 0) return {};
    return fail(error(Errc::bad_value, "{} bytes follow the end", in.remaining()).at(in.position()));
}

} // namespace orbis::game
