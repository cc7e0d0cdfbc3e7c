#pragma once

#include "bytes/zstd_blocks.hpp"
#include "net/column_arrays.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

namespace orbis::net {

/// Writes the environments of a column as compressed payloads, one for each section, without writing down
/// their cells first. What changes from layer to layer is known, and that is what a compressed block says:
/// most of a layer is the one below it, 512 bytes back. A search for that takes several times as long and
/// finds no more (docs/design/builds.md).
class SectionPacker {
public:
    /// A payload of `size` bytes in one Zstandard frame, valid during the call.
    using Take = std::function<Result<void>(Bytes frame, std::size_t size)>;
    /// The cells of a section that has to be compressed by a search: it has too many environments, or they
    /// are in no order.
    using TakePlain = std::function<Result<void>(int y, Bytes palette)>;

    /// Hands out sections 0 to 9, in this order.
    Result<void> pack(ChunkPos pos, const ColumnRuns& runs, const Take& take, const TakePlain& take_plain);

private:
    static constexpr std::size_t k_layer = k_columns / 2; ///< bytes: two cells in each
    static constexpr std::size_t k_most_numbers = 64;
    /// More would need literals with more than seven bits.
    static constexpr int k_most_keys = 8;

    /// How many cells of the last layer have an environment, and how many of the section: both in one number,
    /// as both change with each change.
    struct Count {
        std::uint64_t sum = 0;

        static std::uint64_t in_layers(std::size_t layers) { return std::uint64_t{layers} << 32 | 1; }
        [[nodiscard]] std::uint32_t in_layer() const { return static_cast<std::uint32_t>(sum); }
        [[nodiscard]] std::uint32_t in_section() const { return static_cast<std::uint32_t>(sum >> 32); }
        /// As if nothing changed in it.
        void begin_section() { sum = in_layer() * in_layers(k_side); }
    };

    void begin(const ColumnRuns& runs);
    void change(const ColumnRuns::Change& change);
    /// The environments of a section as a set of their numbers.
    [[nodiscard]] std::uint64_t numbers_in(std::span<const ColumnRuns::Change> later) const;
    /// Writes the compressed blocks of the cells; false where they have to be searched.
    bool write_cells(int bottom, std::uint64_t numbers, std::span<const ColumnRuns::Change> later);
    void write_lowest_layer();
    void write_changes(int bottom, std::span<const ColumnRuns::Change> later);
    /// What stands before the cells in the payload.
    void write_head(ChunkPos pos, int y, const ColumnRuns& runs, std::uint64_t numbers);
    Result<void> hand_out(std::size_t cells, const Take& take);

    std::array<std::uint8_t, k_columns> now_{};               ///< the environments of a layer
    std::array<Count, k_most_numbers> counts_{};              ///< of each environment
    std::array<std::uint8_t, k_most_numbers> key_of_{};       ///< in this section
    std::array<std::uint8_t, k_layer> layer_{};               ///< the keys of a layer
    std::array<std::uint8_t, k_layer * k_side + 1> literals_; ///< of the blocks of a section
    std::size_t literal_count_ = 0;
    std::size_t since_match_ = 0;    ///< literals
    std::size_t first_block_ = 0;    ///< matches in the first block, up to the first one a layer back
    std::size_t first_literals_ = 0; ///< that belong to them
    /// Each has a literal before it and three bytes or more.
    std::vector<ZstdMatch> matches_ = std::vector<ZstdMatch>(k_layer * k_side / 4 + 2);
    std::size_t match_count_ = 0;
    Buffer head_;
    Buffer blocks_;
    Buffer out_;
};

} // namespace orbis::net
