#include "net/column_arrays.hpp"

#include "bytes/reader.hpp"
#include "bytes/writer.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <unordered_map>

namespace orbis::net {
namespace {

constexpr std::size_t k_packed_heights = 1280; ///< 1024 indices of 10 bits
constexpr std::uint16_t k_most_height_keys = 1024;
constexpr std::size_t k_run_bytes = 4;         ///< of a column: u16 from, u16 environment
constexpr std::size_t k_section_run_bytes = 3; ///< of `SectionRuns`

/// What a type of palette has room for, and the bytes of its cells.
struct PaletteShape {
    std::size_t keys;
    std::size_t cell_bytes;
};
constexpr std::array<PaletteShape, 4> k_shapes{
    {{0, 0}, {16, std::size_t{k_cells} / 2}, {256, k_cells}, {65536, std::size_t{k_cells} * 2}}};
constexpr std::uint8_t k_type_of_nibbles = 1;
constexpr std::uint8_t k_type_of_bytes = 2;
constexpr std::uint8_t k_type_of_words = 3;

std::size_t packed_at(std::size_t column) { return column * 10 >> 3; }
std::size_t packed_shift(std::size_t column) { return column * 10 & 7; }

std::unexpected<Error> arrays_end(const Reader& in) {
    return fail(error(Errc::truncated, "the array ends early").at(in.position()));
}

/// The cells of a section as numbers of its environments.
struct SectionCells {
    std::vector<std::uint16_t> environments; ///< by key
    std::vector<std::uint32_t> uses;
    std::vector<std::uint16_t> keys; ///< of the cells

    std::uint16_t key_of(std::uint16_t environment) {
        if (last_ < environments.size() && environments[last_] == environment) return last_;
        const auto [known, is_new] =
            known_.try_emplace(environment, static_cast<std::uint16_t>(environments.size()));
        if (is_new) {
            environments.push_back(environment);
            uses.push_back(0);
        }
        return last_ = known->second;
    }

    void append_to(Buffer& buffer) const {
        Writer out(buffer);
        if (environments.size() == 1 && environments[0] == 0) return out.u8(0);
        const auto type = environments.size() <= k_shapes[k_type_of_nibbles].keys ? k_type_of_nibbles
                          : environments.size() <= k_shapes[k_type_of_bytes].keys ? k_type_of_bytes
                                                                                  : k_type_of_words;
        out.u8(type);
        out.le(static_cast<std::uint16_t>(environments.size()));
        for (std::size_t key = 0; key < environments.size(); ++key) {
            if (type == k_type_of_words)
                out.le(static_cast<std::uint16_t>(key));
            else
                out.u8(static_cast<std::uint8_t>(key));
            out.le(std::int32_t{environments[key]});
            out.le(static_cast<std::uint16_t>(uses[key]));
        }
        auto* to = out.grow(k_shapes[type].cell_bytes);
        if (environments.size() == 1) return; // all zero
        if (type == k_type_of_nibbles)
            for (std::size_t cell = 0; cell < keys.size(); cell += 2)
                to[cell >> 1] = static_cast<std::uint8_t>(keys[cell] << 4 | keys[cell + 1]);
        else if (type == k_type_of_bytes)
            for (std::size_t cell = 0; cell < keys.size(); ++cell)
                to[cell] = static_cast<std::uint8_t>(keys[cell]);
        else
            for (std::size_t cell = 0; cell < keys.size(); ++cell) store_le(to + cell * 2, keys[cell]);
    }

private:
    std::unordered_map<std::uint16_t, std::uint16_t> known_;
    std::uint16_t last_ = 0;
};

bool is_all_alike(Bytes packed, std::uint8_t type) {
    if (type == k_type_of_nibbles && packed[0] >> 4 != (packed[0] & 15)) return false;
    const std::size_t step = type == k_type_of_words ? 2 : 1;
    return std::memcmp(packed.data(), packed.data() + step, packed.size() - step) == 0;
}

/// The environment of each cell, from a palette; one where all are the same.
Result<std::vector<std::uint16_t>> read_cells(Bytes palette) {
    constexpr std::int32_t k_no_environment = -1;
    Reader in(palette);
    const auto type = in.u8();
    if (!in.ok()) return arrays_end(in);
    if (type >= k_shapes.size())
        return fail(error(Errc::bad_value, "a palette of type {}, expected 0 to 3", type).at(0));
    std::vector<std::uint16_t> cells(type == 0 ? 1 : k_cells);
    if (type != 0) {
        const auto& shape = k_shapes[type];
        const auto is_wide = type == k_type_of_words;
        const std::size_t count = in.le<std::uint16_t>();
        if (in.remaining() < count * (is_wide ? 8 : 7) + shape.cell_bytes) return arrays_end(in);
        std::vector<std::int32_t> environments(shape.keys, k_no_environment);
        for (std::size_t entry = 0; entry < count; ++entry) {
            const std::size_t key = is_wide ? in.le<std::uint16_t>() : std::size_t{in.u8()};
            const auto environment = in.le<std::int32_t>();
            in.skip(2);
            if (key >= shape.keys || environment < 0
                || environment > std::numeric_limits<std::uint16_t>::max())
                return fail(error(Errc::out_of_range, "entry {} of a palette has the key {} and the value {}",
                                  entry, key, environment)
                                .at(in.position()));
            environments[key] = environment;
        }
        const auto packed = in.take(shape.cell_bytes);
        if (is_all_alike(packed, type)) cells.resize(1); // as most sections are
        for (std::size_t cell = 0; cell < cells.size(); ++cell) {
            const auto key = is_wide                   ? load_le<std::uint16_t>(packed.data() + cell * 2)
                             : type == k_type_of_bytes ? packed[cell]
                                                       : packed[cell >> 1] >> ((~cell & 1) * 4) & 15;
            const auto environment = environments[static_cast<std::size_t>(key)];
            if (environment == k_no_environment)
                return fail(Errc::bad_value, "cell {} has a key without an entry", cell);
            cells[cell] = static_cast<std::uint16_t>(environment);
        }
    }
    if (in.remaining() != 0)
        return fail(error(Errc::bad_value, "{} bytes follow the end", in.remaining()).at(in.position()));
    return cells;
}

} // namespace

Result<void> read_height_map(Bytes map, HeightArray& out) {
    Reader in(map);
    const auto count = in.le<std::uint16_t>();
    if (count > k_most_height_keys)
        return fail(error(Errc::out_of_range, "{} keys, expected 0 to {}", count, k_most_height_keys).at(0));
    const auto keys = in.take(std::size_t{count} * 2);
    const auto length = in.le<std::int32_t>();
    const auto packed = in.take(k_packed_heights);
    if (!in.ok() || length != static_cast<std::int32_t>(k_packed_heights)) return arrays_end(in);
    for (std::size_t column = 0; column < out.size(); ++column) {
        const auto key = static_cast<std::size_t>(load_le<std::uint16_t>(packed.data() + packed_at(column)))
                             >> packed_shift(column)
                         & 1023;
        out[column] = key < count ? load_le<std::int16_t>(keys.data() + key * 2) : 0;
    }
    return {};
}

void append_height_map(const HeightArray& heights, Buffer& out) {
    std::unordered_map<std::int16_t, std::size_t> known;
    std::vector<std::int16_t> keys;
    std::array<std::uint8_t, k_packed_heights> packed{};
    for (std::size_t column = 0; column < heights.size(); ++column) {
        const auto height = static_cast<std::int16_t>(
            std::clamp<std::int32_t>(heights[column], std::numeric_limits<std::int16_t>::min(),
                                     std::numeric_limits<std::int16_t>::max()));
        const auto [key, is_new] = known.try_emplace(height, keys.size());
        if (is_new) keys.push_back(height);
        auto* at = packed.data() + packed_at(column);
        store_le(
            at, static_cast<std::uint16_t>(load_le<std::uint16_t>(at) | key->second << packed_shift(column)));
    }
    Writer writer(out);
    writer.le(static_cast<std::uint16_t>(keys.size()));
    for (const auto key : keys) writer.le(key);
    writer.le(static_cast<std::int32_t>(k_packed_heights));
    writer.bytes(packed);
}

Result<ColumnRuns> ColumnRuns::read(Bytes column) {
    ColumnRuns out;
    out.bytes_ = column;
    out.starts_.reserve(k_columns);
    Reader in(column);
    for (int i = 0; i < k_columns; ++i) {
        out.starts_.push_back(static_cast<std::uint32_t>(in.position()));
        const auto count = in.le<std::uint16_t>();
        if (!in.ok() || count == 0) return arrays_end(in);
        in.skip(count * k_run_bytes);
    }
    if (!in.ok()) return arrays_end(in);
    return out;
}

/// `run` is where to begin to look, and is where it was found.
ColumnRuns::Place ColumnRuns::at(std::size_t column, int y, std::size_t& run) const {
    const auto* start = bytes_.data() + starts_[column];
    const std::size_t count = load_le<std::uint16_t>(start);
    const auto from = [&](std::size_t index) {
        return int{load_le<std::uint16_t>(start + 2 + index * k_run_bytes)};
    };
    while (run + 1 < count && from(run + 1) <= y) ++run;
    return {load_le<std::uint16_t>(start + 4 + run * k_run_bytes),
            run + 1 < count ? from(run + 1) : std::numeric_limits<int>::max()};
}

void ColumnRuns::append_section(int y, Buffer& out) const {
    const int bottom = y * k_side;
    SectionCells cells;
    std::size_t first_run = 0;
    const auto first = at(0, bottom, first_run);
    const auto is_all_first = [&](std::size_t column) {
        std::size_t run = 0;
        const auto place = at(column, bottom, run);
        return place.environment == first.environment && place.end >= bottom + k_side;
    };
    std::size_t alike = 0;
    while (alike < k_columns && is_all_first(alike)) ++alike;
    if (alike == k_columns) {
        cells.environments.push_back(first.environment);
        cells.uses.push_back(k_cells);
        return cells.append_to(out);
    }
    // Layer by layer, as the cells are written; each column knows where its run ends.
    struct Cursor {
        std::size_t run = 0;
        int end = 0;
        std::uint16_t key = 0;
    };
    std::vector<Cursor> cursors(k_columns);
    cells.keys.resize(k_cells);
    auto* key = cells.keys.data();
    for (int height = bottom; height < bottom + k_side; ++height)
        for (std::size_t column = 0; column < k_columns; ++column) {
            auto& cursor = cursors[column];
            if (height >= cursor.end) {
                const auto place = at(column, height, cursor.run);
                cursor.end = std::min(place.end, bottom + k_side);
                cursor.key = cells.key_of(place.environment);
                cells.uses[cursor.key] += static_cast<std::uint32_t>(cursor.end - height);
            }
            *key++ = cursor.key;
        }
    cells.append_to(out);
}

Result<SectionRuns> SectionRuns::read(Bytes palette) {
    TRY(const auto cells, read_cells(palette));
    SectionRuns out;
    Writer writer(out.bytes_);
    out.is_same_ = std::ranges::all_of(cells, [&](auto each) { return each == cells.front(); });
    if (out.is_same_) {
        writer.u8(1);
        writer.u8(0);
        writer.le(cells.front());
        return out;
    }
    for (std::size_t column = 0; column < k_columns; ++column) {
        const auto count_at = writer.position();
        writer.u8(0);
        for (std::size_t y = 0; y < k_side; ++y) {
            const auto environment = cells[y * k_columns + column];
            if (y > 0 && environment == cells[(y - 1) * k_columns + column]) continue;
            ++out.bytes_[count_at];
            writer.u8(static_cast<std::uint8_t>(y));
            writer.le(environment);
        }
    }
    return out;
}

void SectionRuns::append_column(std::span<const SectionRuns, k_sections> sections, Buffer& out) {
    std::array<std::size_t, k_sections> at{};
    Writer writer(out);
    for (int column = 0; column < k_columns; ++column) {
        const auto start = writer.position();
        writer.le(std::uint16_t{0});
        std::uint16_t count = 0;
        std::uint16_t last = 0;
        for (std::size_t y = 0; y < k_sections; ++y) {
            const auto& section = sections[y];
            if (!section.is_known()) continue;
            const auto* runs = section.bytes_.data() + at[y];
            const std::size_t of_section = *runs++;
            if (!section.is_same_) at[y] += 1 + of_section * k_section_run_bytes;
            for (std::size_t run = 0; run < of_section; ++run, runs += k_section_run_bytes) {
                const auto environment = load_le<std::uint16_t>(runs + 1);
                if (count > 0 && environment == last) continue;
                writer.le(static_cast<std::uint16_t>(count == 0 ? 0 : y * k_side + *runs));
                writer.le(environment);
                last = environment;
                ++count;
            }
        }
        store_le(out.data() + start, count);
    }
}

} // namespace orbis::net
