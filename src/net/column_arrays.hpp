#pragma once

#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "bytes/result.hpp"

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace orbis::net {

/// The arrays in packets of columns, as far as builds differ in them (docs/formats/column-packets.md).

/// A height for each column of blocks, z << 5 | x.
using HeightArray = std::array<std::int32_t, k_columns>;

/// From the bytes of a usual `SetChunkHeightmap`.
Result<void> read_height_map(Bytes map, HeightArray& out);
/// Appends those bytes; heights that do not fit into 16 bits become the nearest that do.
void append_height_map(const HeightArray& heights, Buffer& out);

/// The environments of a column as the usual `SetChunkEnvironments` has them, to be cut into sections.
class ColumnRuns {
public:
    static Result<ColumnRuns> read(Bytes column);

    using Take = std::function<Result<void>(int y, Bytes palette)>;
    /// Hands out the palettes of sections from one up to another, from the bottom; each is valid during the
    /// call.
    Result<void> cut(int from, int to, const Take& take) const;

    /// From here upwards a column of blocks has this environment.
    struct Change {
        std::uint16_t y;
        std::uint16_t column;
        std::uint16_t environment; ///< its number in `environments`
    };
    /// All that the column has, each once.
    [[nodiscard]] std::span<const std::uint16_t> environments() const { return environments_; }
    /// Their numbers at y 0, before its changes.
    [[nodiscard]] std::span<const std::uint16_t, k_columns> lowest() const { return lowest_; }
    /// From one y up to another, by y and then by column.
    [[nodiscard]] std::span<const Change> changes_between(int from, int to) const;

private:
    ColumnRuns() = default;

    std::vector<std::uint16_t> environments_;                ///< all that the column has
    std::array<std::uint16_t, k_columns> lowest_{};          ///< their numbers at y 0
    std::unique_ptr<Change[]> changes_;                      ///< by y, then by column
    std::array<std::uint32_t, k_world_height + 1> starts_{}; ///< of those of each y
};

/// The environments of one section, to be put together with those of its column.
class SectionRuns {
public:
    /// From the palette of a section.
    static Result<SectionRuns> read(Bytes palette);

    [[nodiscard]] bool is_known() const { return !bytes_.empty(); }
    /// Memory that it takes.
    [[nodiscard]] std::size_t bytes() const { return bytes_.capacity(); }

    /// Appends the bytes of the usual `SetChunkEnvironments`. A section that is not known is like the one
    /// below it, or the lowest that is.
    static void append_column(std::span<const SectionRuns, k_sections> sections, Buffer& out);

private:
    /// Columns × { u8 runs, runs × { u8 from, u16 environment } }; one column where all are the same.
    Buffer bytes_;
    bool is_same_ = false;
};

} // namespace orbis::net
