#pragma once

#include "bytes/bytes.hpp"
#include "bytes/position.hpp"
#include "bytes/result.hpp"

#include <array>
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
    /// Borrows the bytes.
    static Result<ColumnRuns> read(Bytes column);

    /// Appends the palette of a section, 0 to 9.
    void append_section(int y, Buffer& out) const;

private:
    ColumnRuns() = default;
    /// A run and what follows it in its column.
    struct Place {
        std::uint16_t environment;
        int end; ///< the first height that is not in it
    };
    [[nodiscard]] Place at(std::size_t column, int y, std::size_t& run) const;

    Bytes bytes_;
    std::vector<std::uint32_t> starts_; ///< of the count of runs of each column
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
