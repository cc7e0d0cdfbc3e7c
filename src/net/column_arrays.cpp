#include "net/column_arrays.hpp"

#include "bytes/reader.hpp"
#include "bytes/writer.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
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

/// Writes the palette of a section, layer by layer from the bottom. All its environments are to be `add`ed
/// before the first layer: they decide how many bits a cell has.
class PaletteMaker {
public:
    /// `environments` are all that there are; from now on each is its number among them.
    explicit PaletteMaker(std::span<const std::uint16_t> environments)
        : environments_(environments), key_of_(environments.size(), k_none) {}

    /// The next section.
    void clear() {
        for (const auto number : numbers_) key_of_[number] = k_none;
        numbers_.clear();
    }
    void add(std::uint16_t number) {
        if (key_of_[number] != k_none) return;
        key_of_[number] = static_cast<std::uint32_t>(numbers_.size());
        numbers_.push_back(number);
    }
    /// The lowest layer.
    void begin(std::span<const std::uint16_t, k_columns> numbers) {
        type_ = numbers_.size() <= k_shapes[k_type_of_nibbles].keys ? k_type_of_nibbles
                : numbers_.size() <= k_shapes[k_type_of_bytes].keys ? k_type_of_bytes
                                                                    : k_type_of_words;
        layer_bytes_ = k_shapes[type_].cell_bytes / k_side;
        next_ = 3 + numbers_.size() * (type_ == k_type_of_words ? 8 : 7);
        out_.resize(next_ + k_shapes[type_].cell_bytes);
        uses_.assign(numbers_.size(), 0);
        in_layer_.assign(numbers_.size(), 0);
        for (std::size_t column = 0; column < k_columns; ++column) {
            const auto key = key_of_[numbers[column]];
            keys_[column] = static_cast<std::uint16_t>(key);
            ++in_layer_[key];
        }
        write_layer(true);
    }
    void change(std::size_t column, std::uint16_t number) {
        const auto key = key_of_[number];
        --in_layer_[keys_[column]];
        keys_[column] = static_cast<std::uint16_t>(key);
        ++in_layer_[key];
    }
    void write_layer(bool has_changed) {
        auto* to = out_.data() + next_;
        if (has_changed)
            pack(to);
        else
            std::memcpy(to, to - layer_bytes_, layer_bytes_);
        next_ += layer_bytes_;
        for (std::size_t key = 0; key < uses_.size(); ++key) uses_[key] += in_layer_[key];
    }
    Bytes finish() {
        write_head();
        return out_;
    }

    /// Where all cells are the same.
    Bytes make_one(std::uint16_t number) {
        out_.assign(1, 0);
        if (environments_[number] == 0) return out_;
        type_ = k_type_of_nibbles;
        out_.assign(3 + 7 + k_shapes[type_].cell_bytes, 0);
        add(number);
        uses_.assign(1, k_cells);
        return finish();
    }

private:
    static constexpr std::uint32_t k_none = UINT32_MAX;

    void pack(std::uint8_t* to) const {
        if (type_ == k_type_of_nibbles)
            for (std::size_t i = 0; i < k_columns / 2; ++i)
                to[i] = static_cast<std::uint8_t>(keys_[i * 2] << 4 | keys_[i * 2 + 1]);
        else if (type_ == k_type_of_bytes)
            for (std::size_t i = 0; i < k_columns; ++i) to[i] = static_cast<std::uint8_t>(keys_[i]);
        else
            for (std::size_t i = 0; i < k_columns; ++i) store_le(to + i * 2, keys_[i]);
    }
    void write_head() {
        auto* to = out_.data();
        *to++ = type_;
        store_le(to, static_cast<std::uint16_t>(numbers_.size()));
        to += 2;
        for (std::size_t key = 0; key < numbers_.size(); ++key) {
            *to++ = static_cast<std::uint8_t>(key);
            if (type_ == k_type_of_words) *to++ = static_cast<std::uint8_t>(key >> 8);
            store_le(to, std::int32_t{environments_[numbers_[key]]});
            store_le(to + 4, static_cast<std::uint16_t>(uses_[key]));
            to += 6;
        }
    }

    std::span<const std::uint16_t> environments_;
    std::vector<std::uint32_t> key_of_;  ///< by number
    std::vector<std::uint16_t> numbers_; ///< by key
    Buffer out_;
    std::uint8_t type_ = 0;
    std::size_t layer_bytes_ = 0;
    std::size_t next_ = 0;                        ///< where the next layer is written
    std::array<std::uint16_t, k_columns> keys_{}; ///< of the last layer
    std::vector<std::uint32_t> in_layer_;         ///< how often it has each key
    std::vector<std::uint32_t> uses_;             ///< how often all layers have it
};

/// Numbers for environments as they come.
class Numbering {
public:
    explicit Numbering(std::vector<std::uint16_t>& environments) : environments_(environments) {}

    std::uint16_t operator()(std::uint16_t environment) {
        auto& near = recent_[environment % recent_.size()];
        if (near.environment == environment && near.is_known) return near.number;
        const auto [known, is_new] =
            known_.try_emplace(environment, static_cast<std::uint16_t>(environments_.size()));
        if (is_new) environments_.push_back(environment);
        near = {environment, known->second, true};
        return known->second;
    }

private:
    /// The last one of those that share a place; there are few in a column.
    struct Recent {
        std::uint16_t environment = 0;
        std::uint16_t number = 0;
        bool is_known = false;
    };
    std::vector<std::uint16_t>& environments_;
    std::unordered_map<std::uint16_t, std::uint16_t> known_;
    std::array<Recent, 64> recent_;
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

Result<ColumnRuns> ColumnRuns::read(Bytes bytes) {
    ColumnRuns out;
    Numbering number(out.environments_);
    const auto by_column = std::make_unique_for_overwrite<Change[]>(bytes.size() / k_run_bytes);
    auto* end = by_column.get();
    Reader in(bytes);
    for (std::uint16_t column = 0; column < k_columns; ++column) {
        const auto count = in.le<std::uint16_t>();
        const auto runs = in.take(count * k_run_bytes);
        if (!in.ok() || count == 0) return arrays_end(in);
        const auto environment_of = [&](std::size_t at) {
            return number(load_le<std::uint16_t>(runs.data() + at + 2));
        };
        auto last = out.lowest_[column] = environment_of(0);
        const auto* const begin = end;
        std::uint16_t y = 0;
        for (std::size_t at = k_run_bytes; at < runs.size(); at += k_run_bytes) {
            // A run that is said to begin below the one before it begins where that does.
            y = std::max(y, load_le<std::uint16_t>(runs.data() + at));
            if (y >= k_world_height) break;
            const auto environment = environment_of(at);
            if (y == 0) {
                out.lowest_[column] = environment;
            } else if (end != begin && end[-1].y == y) {
                end[-1].environment = environment; // the later one counts
            } else if (environment != last) {
                *end++ = {y, column, environment};
                ++out.starts_[y + 1U];
            }
            last = environment;
        }
    }
    for (std::size_t y = 1; y < out.starts_.size(); ++y) out.starts_[y] += out.starts_[y - 1];
    auto next = out.starts_;
    out.changes_ = std::make_unique_for_overwrite<Change[]>(static_cast<std::size_t>(end - by_column.get()));
    for (const auto& change : std::span(by_column.get(), end)) out.changes_[next[change.y]++] = change;
    return out;
}

std::span<const ColumnRuns::Change> ColumnRuns::changes_between(int from, int to) const {
    const auto first = starts_[static_cast<std::size_t>(from)];
    return {changes_.get() + first, starts_[static_cast<std::size_t>(to)] - first};
}

Result<void> ColumnRuns::cut(int from, int to, const Take& take) const {
    auto now = lowest_;
    for (const auto& change : changes_between(0, from * k_side)) now[change.column] = change.environment;
    PaletteMaker maker(environments_);
    for (int section = from; section < to; ++section) {
        const int bottom = section * k_side;
        const int top = bottom + k_side;
        maker.clear();
        for (const auto& change : changes_between(bottom, bottom + 1))
            now[change.column] = change.environment;
        const auto later = changes_between(bottom + 1, top);
        if (later.empty() && std::memcmp(now.data(), now.data() + 1, sizeof now - sizeof now[0]) == 0) {
            TRY_DO(take(section, maker.make_one(now[0])));
            continue;
        }
        for (const auto number : now) maker.add(number);
        for (const auto& change : later) maker.add(change.environment);
        maker.begin(now);
        for (int y = bottom + 1; y < top; ++y) {
            const auto changes = changes_between(y, y + 1);
            for (const auto& change : changes)
                maker.change(change.column, now[change.column] = change.environment);
            maker.write_layer(!changes.empty());
        }
        TRY_DO(take(section, maker.finish()));
    }
    return {};
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
