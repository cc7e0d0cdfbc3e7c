#pragma once

#include "bytes/position.hpp"
#include "bytes/result.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace orbis::jobs {

/// A cuboid of blocks, both corners included.
struct BlockBox {
    BlockPos least;
    BlockPos most;

    /// `X1,Y1,Z1..X2,Y2,Z2`, the corners in any order.
    static Result<BlockBox> parse(std::string_view text);
    /// All blocks of a chunk.
    static constexpr BlockBox of(ChunkPos pos) {
        const auto low = [](std::int32_t chunk) {
            return static_cast<std::int32_t>(static_cast<std::uint32_t>(chunk) << 5);
        };
        return {{low(pos.x), 0, low(pos.z)},
                {low(pos.x) | (k_side - 1), k_world_height - 1, low(pos.z) | (k_side - 1)}};
    }

    [[nodiscard]] bool contains(BlockPos pos) const {
        return contains_column(pos.x, pos.z) && pos.y >= least.y && pos.y <= most.y;
    }
    [[nodiscard]] bool contains_column(std::int32_t x, std::int32_t z) const {
        return x >= least.x && x <= most.x && z >= least.z && z <= most.z;
    }
    [[nodiscard]] bool touches(ChunkPos pos) const {
        return pos.x >= least.x >> 5 && pos.x <= most.x >> 5 && pos.z >= least.z >> 5 && pos.z <= most.z >> 5;
    }
    /// What two boxes share; nothing where they do not meet.
    [[nodiscard]] std::optional<BlockBox> shared_with(const BlockBox& other) const {
        const BlockBox both{
            {std::max(least.x, other.least.x), std::max(least.y, other.least.y),
             std::max(least.z, other.least.z)},
            {std::min(most.x, other.most.x), std::min(most.y, other.most.y), std::min(most.z, other.most.z)}};
        if (both.least.x > both.most.x || both.least.y > both.most.y || both.least.z > both.most.z)
            return std::nullopt;
        return both;
    }

    // Sides in blocks; one of them may not fit into a position.
    [[nodiscard]] std::int64_t width() const { return std::int64_t{most.x} - least.x + 1; }
    [[nodiscard]] std::int64_t height() const { return std::int64_t{most.y} - least.y + 1; }
    [[nodiscard]] std::int64_t depth() const { return std::int64_t{most.z} - least.z + 1; }
    /// As many as there are, or the highest number if that does not fit.
    [[nodiscard]] std::uint64_t cells() const {
        constexpr auto k_most = std::numeric_limits<std::uint64_t>::max();
        const auto layer = static_cast<std::uint64_t>(width()) * static_cast<std::uint64_t>(depth());
        const auto layers = static_cast<std::uint64_t>(height());
        // Each side has at most 2³² blocks.
        const bool wraps = width() > 0xFFFF'FFFF && depth() > 0xFFFF'FFFF;
        return wraps || layer > k_most / layers ? k_most : layer * layers;
    }
    friend bool operator==(const BlockBox&, const BlockBox&) = default;
};

} // namespace orbis::jobs

/// As people write it.
template <>
struct fmt::formatter<orbis::jobs::BlockBox> {
    static constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
    static fmt::format_context::iterator format(const orbis::jobs::BlockBox& box,
                                                fmt::format_context& context);
};
