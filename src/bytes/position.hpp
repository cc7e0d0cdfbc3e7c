#pragma once

#include "orbis/position.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <string_view>

namespace orbis {

/// Positions as people read them: `{}` gives `chunk 3,-4` or `region -1.0`, `{:n}` only the numbers. `{:c}`
/// of a block or chunk gives the column of the block, or of the chunk's north-west corner, in blocks.
class PositionFormat {
public:
    constexpr auto parse(fmt::format_parse_context& context) {
        const auto* end = context.begin();
        if (end != context.end() && (*end == 'n' || *end == 'c')) kind_ = *end++;
        return end;
    }

protected:
    [[nodiscard]] std::string_view name(std::string_view name) const {
        return kind_ == '\0' ? name : std::string_view();
    }
    [[nodiscard]] bool is_column() const { return kind_ == 'c'; }

private:
    char kind_ = '\0';
};

} // namespace orbis

template <>
struct fmt::formatter<orbis::ChunkPos> : orbis::PositionFormat {
    auto format(orbis::ChunkPos pos, fmt::format_context& context) const {
        const std::int64_t scale = is_column() ? orbis::k_side : 1;
        return fmt::format_to(context.out(), "{}{},{}", name("chunk "), pos.x * scale, pos.z * scale);
    }
};

template <>
struct fmt::formatter<orbis::RegionPos> : orbis::PositionFormat {
    auto format(orbis::RegionPos pos, fmt::format_context& context) const {
        return fmt::format_to(context.out(), "{}{}.{}", name("region "), pos.x, pos.z);
    }
};

template <>
struct fmt::formatter<orbis::BlockPos> : orbis::PositionFormat {
    auto format(orbis::BlockPos pos, fmt::format_context& context) const {
        if (is_column()) return fmt::format_to(context.out(), "{},{}", pos.x, pos.z);
        return fmt::format_to(context.out(), "{}{},{},{}", name("block "), pos.x, pos.y, pos.z);
    }
};

template <>
struct fmt::formatter<orbis::ColumnIndex> : orbis::PositionFormat {
    auto format(orbis::ColumnIndex column, fmt::format_context& context) const {
        return fmt::format_to(context.out(), "{}{},{}", name("column "), column.x(), column.z());
    }
};
