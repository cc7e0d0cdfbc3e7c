#include "net/section_packer.hpp"

#include "bytes/writer.hpp"
#include "protocol/varint.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace orbis::net {
namespace {

constexpr std::size_t k_row = k_side / 2;           ///< bytes of a row of cells
constexpr std::size_t k_least_match = 3;            ///< that a block can say
constexpr std::size_t k_packed_cells = k_cells / 2; ///< bytes
constexpr std::size_t k_palette_head = 3;           ///< type and number of entries
constexpr std::size_t k_palette_entry = 7;          ///< key, environment, uses
constexpr std::uint8_t k_packed_type = 1;           ///< of a palette with keys of four bits

template <typename Visit>
void for_each_number(std::uint64_t numbers, Visit&& visit) {
    for (; numbers != 0; numbers &= numbers - 1) visit(static_cast<std::size_t>(std::countr_zero(numbers)));
}

} // namespace

void SectionPacker::begin(const ColumnRuns& runs) {
    counts_.fill({});
    for (std::size_t column = 0; column < k_columns; ++column) {
        now_[column] = static_cast<std::uint8_t>(runs.lowest()[column]);
        ++counts_[now_[column]].sum;
    }
}

void SectionPacker::change(const ColumnRuns::Change& change) {
    --counts_[std::exchange(now_[change.column], static_cast<std::uint8_t>(change.environment))].sum;
    ++counts_[change.environment].sum;
}

std::uint64_t SectionPacker::numbers_in(std::span<const ColumnRuns::Change> later) const {
    std::uint64_t numbers = 0;
    for (std::size_t number = 0; number < k_most_numbers; ++number)
        if (counts_[number].in_layer() > 0) numbers |= std::uint64_t{1} << number;
    for (const auto& change : later) numbers |= std::uint64_t{1} << change.environment;
    return numbers;
}

Result<void> SectionPacker::pack(ChunkPos pos, const ColumnRuns& runs, const Take& take,
                                 const TakePlain& take_plain) {
    if (runs.environments().size() > k_most_numbers) return runs.cut(0, k_sections, take_plain);
    begin(runs);
    std::uint64_t flat_numbers = 0; ///< of the last section whose layers are all the same; `blocks_` has it
    for (int y = 0; y < k_sections; ++y) {
        const int bottom = y * k_side;
        const auto lowest = runs.changes_between(bottom, bottom + 1);
        const auto later = runs.changes_between(bottom + 1, bottom + k_side);
        for (const auto& each : lowest) change(each);
        const auto numbers = numbers_in(later);
        if (std::has_single_bit(numbers)) {
            const auto number = static_cast<std::size_t>(std::countr_zero(numbers));
            counts_[number].begin_section();
            key_of_[number] = 0;
            write_head(pos, y, runs, numbers);
            const bool is_unknown = runs.environments()[number] == 0; // one byte says so
            blocks_.clear();
            if (!is_unknown) append_repeated_block(blocks_, 0, k_packed_cells, true);
            flat_numbers = 0;
            TRY_DO(hand_out(is_unknown ? 0 : k_packed_cells, take));
            continue;
        }
        const bool is_same = later.empty() && lowest.empty() && flat_numbers == numbers;
        if (!is_same && !write_cells(bottom, numbers, later)) {
            flat_numbers = 0;
            TRY_DO(runs.cut(y, y + 1, take_plain));
            continue;
        }
        flat_numbers = later.empty() ? numbers : 0;
        write_head(pos, y, runs, numbers);
        TRY_DO(hand_out(k_packed_cells, take));
    }
    return {};
}

bool SectionPacker::write_cells(int bottom, std::uint64_t numbers,
                                std::span<const ColumnRuns::Change> later) {
    if (std::popcount(numbers) > k_most_keys) {
        for (const auto& each : later) change(each);
        return false;
    }
    std::uint8_t key = 0;
    for_each_number(numbers, [&](std::size_t number) { key_of_[number] = key++; });
    first_block_ = first_literals_ = 0;
    write_lowest_layer();
    write_changes(bottom, later);
    blocks_.clear();
    const auto literals = Bytes(literals_).first(literal_count_);
    const auto matches = std::span<const ZstdMatch>(matches_).first(match_count_);
    if (first_block_ == 0) return false;
    const auto lowest = literals.first(first_literals_);
    if (first_block_ < matches.size()
        && append_matched_block(blocks_, lowest, matches.first(first_block_), false)
        && append_matched_block(blocks_, literals.subspan(first_literals_), matches.subspan(first_block_),
                                true))
        return true;
    blocks_.clear(); // one block for all: the layers above are alike, or too short for one of their own
    return append_matched_block(blocks_, literals, matches, true);
}

/// Rows are like those before them.
void SectionPacker::write_lowest_layer() {
    for (std::size_t i = 0; i < k_layer; ++i)
        layer_[i] = static_cast<std::uint8_t>(key_of_[now_[i * 2]] << 4 | key_of_[now_[i * 2 + 1]]);
    const auto* const cells = layer_.data();
    auto* to = literals_.data();
    std::memcpy(to, cells, k_row);
    to += k_row;
    const auto* since = literals_.data();
    match_count_ = 0;
    for (std::size_t at = k_row; at < k_layer;) {
        auto same = at;
        while (same < k_layer && cells[same] == cells[same - k_row]) ++same;
        if (same - at > k_least_match) {
            const bool is_first = match_count_ == 0;
            matches_[match_count_++] = {static_cast<std::uint32_t>(to - since),
                                        static_cast<std::uint32_t>(same - at),
                                        is_first ? static_cast<std::uint32_t>(k_row) : 0};
            since = to;
            at = same;
        } else {
            *to++ = cells[at++];
        }
    }
    literal_count_ = static_cast<std::size_t>(to - literals_.data());
    since_match_ = static_cast<std::size_t>(to - since);
}

void SectionPacker::write_changes(int bottom, std::span<const ColumnRuns::Change> later) {
    for (auto& count : counts_) count.begin_section();
    // Bytes may be anything to the compiler, members too: what the loop needs is here.
    auto* literal = literals_.data() + literal_count_;
    const auto* since = literal - since_match_;
    auto* match = matches_.data() + match_count_;
    std::size_t next = k_layer; // the first cell that is not said yet
    const auto catch_up = [&](std::size_t at) {
        if (at - next < k_least_match) {
            for (; next < at; ++next) *literal++ = layer_[next % k_layer];
            return;
        }
        const bool is_first = first_block_ == 0;
        *match++ = {static_cast<std::uint32_t>(literal - since), static_cast<std::uint32_t>(at - next),
                    is_first ? static_cast<std::uint32_t>(k_layer) : 0};
        since = literal;
        next = at;
        if (!is_first) return;
        first_block_ = static_cast<std::size_t>(match - matches_.data());
        first_literals_ = static_cast<std::size_t>(literal - literals_.data());
    };
    for (const auto& each : later) {
        const auto layer = static_cast<std::size_t>(each.y - bottom);
        const auto from = std::exchange(now_[each.column], static_cast<std::uint8_t>(each.environment));
        const auto one = Count::in_layers(k_side - layer);
        counts_[from].sum -= one;
        counts_[each.environment].sum += one;
        auto& cells = layer_[each.column / 2U];
        const auto shift = (~each.column & 1U) * 4U; // the first is in the high half
        const auto changed = static_cast<std::uint8_t>((cells & ~(15U << shift))
                                                       | unsigned{key_of_[each.environment]} << shift);
        cells = changed;
        const auto at = layer * k_layer + each.column / 2U;
        if (at >= next) { // else the other half was the one before
            if (at > next) catch_up(at);
            ++literal;
            ++next;
        }
        literal[-1] = changed;
    }
    catch_up(k_packed_cells);
    literal_count_ = static_cast<std::size_t>(literal - literals_.data());
    match_count_ = static_cast<std::size_t>(match - matches_.data());
}

void SectionPacker::write_head(ChunkPos pos, int y, const ColumnRuns& runs, std::uint64_t numbers) {
    head_.clear();
    Writer out(head_);
    out.le(pos.x);
    out.le(std::int32_t{y});
    out.le(pos.z);
    const bool is_unknown = std::has_single_bit(numbers)
                            && runs.environments()[static_cast<std::size_t>(std::countr_zero(numbers))] == 0;
    const auto entries = static_cast<std::size_t>(std::popcount(numbers));
    const auto size = is_unknown ? 1 : k_palette_head + entries * k_palette_entry + k_packed_cells;
    std::array<std::uint8_t, protocol::k_largest_varint> length;
    const auto* end = protocol::write_varint(length.data(), static_cast<std::uint32_t>(size));
    out.bytes({length.data(), static_cast<std::size_t>(end - length.data())});
    if (is_unknown) return out.u8(0);
    out.u8(k_packed_type);
    out.le(static_cast<std::uint16_t>(entries));
    for_each_number(numbers, [&](std::size_t number) {
        out.u8(key_of_[number]);
        out.le(std::int32_t{runs.environments()[number]});
        out.le(static_cast<std::uint16_t>(counts_[number].in_section()));
    });
}

Result<void> SectionPacker::hand_out(std::size_t cells, const Take& take) {
    const auto size = head_.size() + cells;
    out_.clear();
    append_zstd_header(out_, static_cast<std::uint32_t>(size));
    append_stored_block(out_, head_, cells == 0);
    if (cells > 0) Writer(out_).bytes(blocks_);
    return take(out_, size);
}

} // namespace orbis::net
