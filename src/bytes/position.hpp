#pragma once

#include "orbis/position.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace orbis {

/// Positions as people read them: `{}` gives `chunk 3,-4` or `region -1.0`, `{:n}` only the numbers. `{:c}`
/// of a block or chunk gives the column of the block, or of the chunk's north-west corner, in blocks. The
/// work is done in one source: `fmt::format_to` here would compile the whole of fmt in every other.
class PositionFormat {
public:
    constexpr auto parse(fmt::format_parse_context& context) {
        const auto* end = context.begin();
        if (end != context.end() && (*end == 'n' || *end == 'c')) kind_ = *end++;
        return end;
    }

protected:
    using Output = fmt::format_context::iterator;

    /// Writes the name, unless only numbers are wanted, and the numbers with the separator between them.
    Output write(fmt::format_context& context, std::string_view name,
                 std::initializer_list<std::int64_t> numbers, char separator = ',') const;
    [[nodiscard]] bool is_column() const { return kind_ == 'c'; }

private:
    char kind_ = '\0';
};

} // namespace orbis

template <>
struct fmt::formatter<orbis::ChunkPos> : orbis::PositionFormat {
    Output format(orbis::ChunkPos pos, fmt::format_context& context) const {
        const std::int64_t scale = is_column() ? orbis::k_side : 1;
        return write(context, "chunk ", {pos.x * scale, pos.z * scale});
    }
};

template <>
struct fmt::formatter<orbis::RegionPos> : orbis::PositionFormat {
    Output format(orbis::RegionPos pos, fmt::format_context& context) const {
        return write(context, "region ", {pos.x, pos.z}, '.');
    }
};

template <>
struct fmt::formatter<orbis::BlockPos> : orbis::PositionFormat {
    Output format(orbis::BlockPos pos, fmt::format_context& context) const {
        if (is_column()) return write(context, "", {pos.x, pos.z});
        return write(context, "block ", {pos.x, pos.y, pos.z});
    }
};

template <>
struct fmt::formatter<orbis::ColumnIndex> : orbis::PositionFormat {
    Output format(orbis::ColumnIndex column, fmt::format_context& context) const {
        return write(context, "column ", {column.x(), column.z()});
    }
};
